"""The manifest of a store: what the search is about, and every level that is complete. It is replaced completely or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

from neverlost.model.core import Packed, Property

from ..engines.engine import Tally
from ..engines.hashing import MASK
from ..files.json_reading import JsonError, read_json
from ..files.whole_file import write_whole
from .identity import REMEDY, StoreError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FORMAT = 2
MANIFEST = "manifest.json"

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Tallied:
    """How often a property was decided on a level, and the least state that decides it."""

    count: int
    least: Packed


@dataclass(frozen=True, kw_only=True)
class LevelCounts:
    """What is known of a complete level. Generated states and tallies of steps belong to the level before, from which it was made.

    The last level of a complete search is empty.
    """

    level: int
    frontier: int
    new: int
    digest: int
    generated: Sequence[int]
    seconds: float
    state_tallies: Mapping[str, Tallied]
    step_tallies: Mapping[str, Tallied]


def digest_of(levels: Sequence[LevelCounts]) -> int:
    """The sum of the hashes of all states of some levels."""
    return sum(level.digest for level in levels) & MASK


def generated_by(levels: Sequence[LevelCounts]) -> list[int]:
    """How many steps of each action led to some levels."""
    return [sum(counts) for counts in zip(*(level.generated for level in levels), strict=True)]


def kept_tallies(properties: Sequence[Property], tallies: Sequence[Tally]) -> dict[str, Tallied]:
    """Tallies by the names of their properties; without those of which nothing was found."""
    by_name = {p.name: tally for p, tally in zip(properties, tallies, strict=True)}
    return {name: Tallied(count=t.count, least=t.least) for name, t in sorted(by_name.items()) if t.least is not None}


def tallies_of(properties: Sequence[Property], kept: Mapping[str, Tallied]) -> list[Tally]:
    """The tallies of some properties again."""
    found = [kept.get(p.name) for p in properties]
    return [Tally() if tallied is None else Tally(tallied.count, tallied.least) for tallied in found]


def write_manifest(folder: Path, manifest: DataclassInstance) -> None:
    """Replace the manifest of a store. Raises OSError."""
    values = {"format": FORMAT, **asdict(manifest)}
    text = json.dumps({**values, "checksum": _checksum(values)}, indent=1)
    write_whole(folder / MANIFEST, text.encode())


def read_manifest(folder: Path, kind: type[T], engine: str) -> T:
    """The manifest of a store of an engine. Raises StoreError if there is none, if it was changed, or is another engine's."""
    values = _values(folder)
    found = _engine(values)
    if found != engine:
        raise StoreError(f"{folder} holds a search of the {found} engine, not of {engine}")
    try:
        return typed(kind, values, "the manifest")
    except TypeError as error:
        raise StoreError(f"{folder / MANIFEST} is not a manifest: {error}. {REMEDY}") from error


def engine_of(folder: Path) -> str:
    """The engine whose search a store has. Raises StoreError as `read_manifest` does."""
    return _engine(_values(folder))


def _engine(values: Mapping[str, Any]) -> str:
    identity = values.get("identity")
    return str(identity.get("engine")) if isinstance(identity, dict) else "unknown"


def _values(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not path.is_file():
        raise StoreError(f"{folder} is not a store: it has no {MANIFEST}")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} cannot be read: {error}") from error
    try:
        values: dict[str, Any] = read_json(text)
        recorded = values.pop("checksum")
        found = values.pop("format")
        intact = recorded == _checksum({"format": found, **values})
    except (JsonError, KeyError, TypeError, AttributeError):
        intact = False
    if not intact:
        raise StoreError(f"{path} is damaged or was edited: its checksum is not that of its content. {REMEDY}")
    if found != FORMAT:
        raise StoreError(f"{path} has format {found}, and this neverlost reads format {FORMAT}")
    return values


def _checksum(values: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


_hints = cache(get_type_hints)
"""The types of the fields of a class. Reading them takes longer than reading what a manifest says of a level."""


def typed(kind: type[T], value: Any, place: str) -> T:
    """A value of JSON as the declared type of a field. Raises TypeError, with the place, if it has another type."""
    origin, arguments = get_origin(kind), get_args(kind)
    found: Any = value
    if is_dataclass(kind):
        hints = _hints(kind)
        if not isinstance(value, dict) or set(value) != set(hints):
            raise TypeError(f"{place} has not just {', '.join(hints)}")
        found = kind(**{name: typed(hint, value[name], f"{place}.{name}") for name, hint in hints.items()})
    elif origin in (Sequence, tuple) and isinstance(value, list):
        found = tuple(typed(arguments[0], part, f"{place}[{number}]") for number, part in enumerate(value))
    elif origin is Mapping and isinstance(value, dict):
        found = {name: typed(arguments[1], part, f"{place}.{name}") for name, part in value.items()}
    elif origin is UnionType:
        of = [k for k in arguments if type(value) is k or (get_origin(k) is Mapping and isinstance(value, dict))]
        if not of:
            raise TypeError(f"{place} is {value!r:.60}")
    elif kind is not Any and type(value) is not kind:
        raise TypeError(f"{place} is {value!r:.60}")
    return found  # type: ignore[no-any-return]
