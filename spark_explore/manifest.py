"""The manifest of a store: what the search is about, and every level that is complete. It is replaced completely or not at all."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from neverlost.explorer.json_reading import JsonError, read_json
from neverlost.explorer.whole_file import write_whole
from neverlost.model.core import Model, NeverlostError, Packed, Property

from .tables import Written

FORMAT = 1
MANIFEST = "manifest.json"
REMEDY = "Restore it, or search again in a new folder"
STATES = re.compile(r"states/level=(\d+)/shard=(\d+)/[0-9a-f]+\.parquet")
TRANSITIONS = re.compile(r"transitions/level=\d+/shard=\d+/[0-9a-f]+\.parquet")
TABLES = ("findings/findings.parquet", "actions/actions.parquet")

MOST_SHARDS = 65_536

T = TypeVar("T")


class StoreError(NeverlostError):
    """A store cannot be used: it belongs to another search, is damaged, or does not exist."""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """The identity of a search: all that its result depends on, and the layout of its store."""

    version: str
    profile: str
    bounds: Mapping[str, int]
    settings: Mapping[str, bool | int | str]
    symmetry: Sequence[str]
    asserted: Sequence[str]
    decided: Sequence[str]
    until: str
    source: str
    words: int
    shards: int
    keep_transitions: bool

    def differences(self, other: Identity) -> list[str]:
        """The differences to another identity, in words."""
        found = []
        for name, mine in asdict(self).items():
            theirs = asdict(other)[name]
            if mine == theirs or (name == "words" and self.source != other.source):
                continue
            if isinstance(mine, dict):
                keys = dict.fromkeys((*mine, *theirs))
                found += [
                    f"{name}: {k} is {mine.get(k, 'not there')}, not {theirs.get(k, 'there')}"
                    for k in keys
                    if mine.get(k) != theirs.get(k)
                ]
            elif name == "source":
                found.append("source: the actions or properties of the profile, or their compiler, have changed since")
            else:
                found.append(f"{TITLES[name]}: {_shown(mine)}, not {_shown(theirs)}")
        return found


TITLES = {
    "version": "version of neverlost",
    "profile": "profile",
    "symmetry": "symmetry",
    "asserted": "asserted properties",
    "decided": "properties",
    "until": "until",
    "words": "words of a state",
    "shards": "shards",
    "keep_transitions": "keep transitions",
}


def _shown(value: Any) -> str:
    return (", ".join(value) or "none") if isinstance(value, list | tuple) else str(value)


@dataclass(frozen=True, kw_only=True)
class Tallied:
    """How often a property was decided on a level, and the least state that decides it."""

    count: int
    least: Packed


@dataclass(frozen=True, kw_only=True)
class LevelRecord:
    """A complete level. The generated states and the tallies of steps belong to the level before, from which this one was made.

    The last level of a complete search is empty. `shuffled_bytes` is what Spark reports; 0 if the driver did the work.
    """

    level: int
    ran: str
    frontier: int
    candidates: int
    new: int
    digest: int
    generated: Sequence[int]
    seconds: float
    shuffled_bytes: int
    state_tallies: Mapping[str, Tallied]
    step_tallies: Mapping[str, Tallied]
    files: Sequence[Written]

    @property
    def bytes(self) -> int:
        """The bytes of its files."""
        return sum(file.bytes for file in self.files)


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """The question of a search, and its progress."""

    identity: Identity
    levels: Sequence[LevelRecord] = ()
    tables: Sequence[Written] = ()
    result: Mapping[str, Any] | None = field(default=None)

    @property
    def complete(self) -> bool:
        """Whether every state has been expanded."""
        return bool(self.levels) and self.levels[-1].new == 0

    @property
    def files(self) -> list[Written]:
        """Every file of the store but the manifest."""
        return [*(file for level in self.levels for file in level.files), *self.tables]

    @property
    def bytes(self) -> int:
        """The bytes of all files."""
        return sum(file.bytes for file in self.files)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest of a store."""
    values = {"format": FORMAT, **asdict(manifest)}
    text = json.dumps({**values, "checksum": _checksum(values)}, indent=1)
    write_whole(folder / MANIFEST, text.encode())


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a store. Raises StoreError if there is none, or if it was changed."""
    path = folder / MANIFEST
    if not path.is_file():
        raise StoreError(f"{folder} is not a store: it has no {MANIFEST}")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} cannot be read: {error}") from error
    try:
        values = read_json(text)
        recorded = values.pop("checksum")
        found = values.pop("format")
        intact = recorded == _checksum({"format": found, **values})
    except (JsonError, KeyError, TypeError, AttributeError):
        intact = False
    if not intact:
        raise StoreError(f"{path} is damaged or was edited: its checksum is not that of its content. {REMEDY}")
    if found != FORMAT:
        raise StoreError(f"{path} has format {found}, and this neverlost reads format {FORMAT}")
    try:
        manifest = _typed(Manifest, values, "the manifest")
    except TypeError as error:
        raise StoreError(f"{path} is not a manifest: {error}. {REMEDY}") from error
    _ensure_consistent(path, manifest)
    return manifest


def _checksum(values: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _typed(kind: type[T], value: Any, place: str) -> T:
    """A value of JSON as the declared type of a field. Raises TypeError, with the place, if it has another type."""
    origin, arguments = get_origin(kind), get_args(kind)
    found: Any = value
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        if not isinstance(value, dict) or set(value) != set(hints):
            raise TypeError(f"{place} has not just {', '.join(hints)}")
        found = kind(**{name: _typed(hint, value[name], f"{place}.{name}") for name, hint in hints.items()})
    elif origin in (Sequence, tuple) and isinstance(value, list):
        found = tuple(_typed(arguments[0], part, f"{place}[{number}]") for number, part in enumerate(value))
    elif origin is Mapping and isinstance(value, dict):
        found = {name: _typed(arguments[1], part, f"{place}.{name}") for name, part in value.items()}
    elif origin is UnionType:
        of = [k for k in arguments if type(value) is k or (get_origin(k) is Mapping and isinstance(value, dict))]
        if not of:
            raise TypeError(f"{place} is {value!r:.60}")
    elif kind is not Any and type(value) is not kind:
        raise TypeError(f"{place} is {value!r:.60}")
    return found  # type: ignore[no-any-return]


def _ensure_consistent(path: Path, manifest: Manifest) -> None:
    """Raises StoreError if the parts of a manifest contradict each other, or have content that no search writes."""
    identity, levels = manifest.identity, manifest.levels
    at_fault = next((file.path for file in manifest.tables if file.path not in TABLES), None)
    for number, level in enumerate(levels):
        states = [(file, STATES.fullmatch(file.path)) for file in level.files]
        here = [(file, matched) for file, matched in states if matched is not None]
        others = [file.path for file, matched in states if matched is None and not TRANSITIONS.fullmatch(file.path)]
        fits = (
            level.level == number
            and not others
            and all((int(of[1]), 0 <= int(of[2]) < identity.shards) == (number, True) for _, of in here)
            and level.new == sum(file.rows for file, _ in here)
            and len(level.generated) == len(levels[0].generated)
            and all(
                len(t.least) == identity.words for t in (*level.state_tallies.values(), *level.step_tallies.values())
            )
        )
        if not fits:
            at_fault = f"level {number}"
    if at_fault is not None or identity.words < 1 or not 1 <= identity.shards <= MOST_SHARDS:
        raise StoreError(f"{path} contradicts itself ({at_fault or 'identity'}). {REMEDY}")


def source_digest(kernel_text: str) -> str:
    """The digest of a kernel's text in a manifest: a different text means a different model."""
    return hashlib.sha256(kernel_text.encode()).hexdigest()


def identity_of(
    model: Model,
    *,
    version: str,
    kernel_text: str,
    symmetry: Sequence[str],
    asserted: Sequence[Property],
    decided: Sequence[Property],
    until: str,
    shards: int,
    keep_transitions: bool,
) -> Identity:
    """The identity of a search of a model."""
    return Identity(
        version=version,
        profile=model.profile.name,
        bounds=dict(model.bounds),
        settings=dict(model.plain_settings),
        symmetry=tuple(symmetry),
        asserted=tuple(p.name for p in asserted),
        decided=tuple(p.name for p in decided),
        until=until,
        source=source_digest(kernel_text),
        words=model.layout.words,
        shards=shards,
        keep_transitions=keep_transitions,
    )
