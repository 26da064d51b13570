"""The manifest of a store: what the search is about, and every level that is complete. It is replaced as a whole, or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from neverlost.explorer.json_reading import JsonError, read_json
from neverlost.model.core import Model, NeverlostError, Packed, Property

from .tables import Written, write_whole

FORMAT = 1
MANIFEST = "manifest.json"


class StoreError(NeverlostError):
    """A store cannot be used: it is another search's, it is damaged, or there is none."""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """What a search is about: all that its result depends on, and how its store is laid out."""

    version: str
    profile: str
    bounds: Mapping[str, int]
    settings: Mapping[str, Any]
    symmetry: Sequence[str]
    asserted: Sequence[str]
    decided: Sequence[str]
    until: str
    source: str
    words: int
    shards: int
    keep_transitions: bool

    def differences(self, other: Identity) -> list[str]:
        """In which points another identity differs, in words."""
        found = []
        for name, mine in asdict(self).items():
            theirs = asdict(other)[name]
            if mine == theirs or name == "words":
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
    """A complete level. What was generated, and the tallies of steps, are of the level before: they were found on the way here.

    The last level of a complete search is empty. `shuffled_bytes` is what Spark reports; 0 where the driver did the work.
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
    """What a search was asked, and how far it is."""

    identity: Identity
    levels: Sequence[LevelRecord] = ()
    tables: Sequence[Written] = ()
    result: Mapping[str, Any] | None = field(default=None)

    @property
    def complete(self) -> bool:
        """Has every state been expanded?"""
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
    """The manifest of a store. Raises StoreError if there is none, or if it is not as it was written."""
    path = folder / MANIFEST
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise StoreError(f"{folder} is no store: it has no {MANIFEST}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} cannot be read: {error}") from error
    try:
        values = read_json(text)
        recorded = values.pop("checksum")
        if values["format"] != FORMAT:
            raise StoreError(f"{path} has format {values['format']}, and this neverlost reads format {FORMAT}")
        intact = recorded == _checksum(values)
    except (JsonError, KeyError, TypeError, AttributeError):
        intact = False
    if not intact:
        raise StoreError(
            f"{path} is damaged or was edited: its checksum is not that of its content. Restore it, or search again in a new folder"
        )
    return _manifest(values)


def _checksum(values: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _manifest(values: dict[str, Any]) -> Manifest:
    return Manifest(
        identity=Identity(**values["identity"]),
        levels=tuple(_level(level) for level in values["levels"]),
        tables=tuple(Written(**file) for file in values["tables"]),
        result=values["result"],
    )


def _level(values: dict[str, Any]) -> LevelRecord:
    files = tuple(Written(**file) for file in values["files"])
    state_tallies, step_tallies = (_tallies(values[name]) for name in ("state_tallies", "step_tallies"))
    return LevelRecord(**{**values, "files": files, "state_tallies": state_tallies, "step_tallies": step_tallies})


def _tallies(values: dict[str, Any]) -> dict[str, Tallied]:
    return {name: Tallied(count=told["count"], least=tuple(told["least"])) for name, told in values.items()}


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
    """What a search of a model is about."""
    return Identity(
        version=version,
        profile=model.profile.name,
        bounds=dict(model.bounds),
        settings=dict(model.plain_settings),
        symmetry=list(symmetry),
        asserted=[p.name for p in asserted],
        decided=[p.name for p in decided],
        until=until,
        source=hashlib.sha256(kernel_text.encode()).hexdigest(),
        words=model.layout.words,
        shards=shards,
        keep_transitions=keep_transitions,
    )
