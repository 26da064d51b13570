"""Which topics and programs of an older state of the files are the same ones now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from neverlost.spec.configuration import Deployment, RefusedTopics
from neverlost.spec.configuration.deployment import units
from neverlost.spec.configuration.programs import CLIENT_ROLES, ClientFile, Origin
from neverlost.spec.configuration.topics import of_file

from .examination import Examination

EXACT, ANY, ANOTHER = range(3)
"""How well files go together: the same ones; none is given in a state, or they are laid over each other; others."""


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A topic with a program. Without `named` the topic may be any. `examination` is None if it could not be audited.

    `shown` is what it is called, and empty if nothing has to be distinguished.
    """

    topic: str | None
    named: bool
    origin: Origin
    shown: tuple[str, ...]
    examination: Examination | None

    @property
    def in_full(self) -> tuple[str, ...]:
        """What it is called with its program, if that has a file of its own."""
        return _shown(self.topic if self.named else None, self.origin)


def units_of(of: Deployment | RefusedTopics, examination: Examination | None) -> list[Unit]:
    """Each topic with each program. A topic without a name is called by its file, if it has one of its own."""
    files = of.files if isinstance(of, Deployment) else ()
    own = next((file.path for file in files if file.role == "topic" and file.name is None), None)
    topics: Sequence[str | None] = of.topics or (None if own is None else of_file(own),)
    several = bool(of.programs) or len(of.origins) > 1
    return [
        Unit(
            topic=topic,
            named=bool(of.topics),
            origin=origin,
            shown=_shown(topic if of.topics else None, origin if several else Origin()),
            examination=examination,
        )
        for topic, origin in product(topics, of.origins)
    ]


def _shown(topic: str | None, origin: Origin) -> tuple[str, ...]:
    return units((topic,) if topic else (), (origin.name,) if origin.name else ())


class Units:
    """The units of a state, by what they are of."""

    def __init__(self, found: Sequence[Unit], said: Callable[[str], str], path: Callable[[str], str] = str) -> None:
        """`said` and `path` have texts and files of both states alike."""
        self.found = [replace(unit, origin=_moved(unit.origin, path)) for unit in _without_lines(found, said)]
        self.topics = {unit.topic for unit in self.found}
        self._exactly: dict[object, list[Unit]] = {}
        for unit in self.found:
            self._exactly.setdefault(_key(unit), []).append(unit)

    def exactly(self, unit: Unit) -> list[Unit]:
        """Those of the same topic and the same files."""
        return self._exactly.get(_key(unit), [])


def _moved(origin: Origin, path: Callable[[str], str]) -> Origin:
    def moved(files: Sequence[ClientFile]) -> tuple[ClientFile, ...]:
        return tuple((path(file), name, number) for file, name, number in files)

    return replace(origin, producer=moved(origin.producer), consumer=moved(origin.consumer))


def _without_lines(found: Sequence[Unit], said: Callable[[str], str]) -> Iterator[Unit]:
    """The units with names of topics that have no lines: those of one file are distinguished by their order."""
    alike: dict[str, list[str]] = {}
    for unit in found:
        if unit.topic is None:
            yield unit
            continue
        text = said(unit.topic)
        before = alike.setdefault(text, [])
        if unit.topic not in before:
            before.append(unit.topic)
        number = before.index(unit.topic)
        yield replace(unit, topic=f"{text} {number}" if number else text)


def _key(unit: Unit) -> object:
    return unit.topic, unit.origin.producer, unit.origin.consumer


def counterparts(unit: Unit, own: Units, other: Units) -> tuple[list[Unit], bool]:
    """What a unit is in the other state, which is several where it may be any of them; and whether it has another consumer there."""
    if exactly := other.exactly(unit):
        return exactly, False
    ranked = [
        ((topic, *program), one)
        for one in other.found
        if (topic := _topic_rank(unit, one, own, other)) is not None
        and (program := _program_rank(unit.origin, one.origin)) is not None
    ]
    best = min((rank for rank, _ in ranked), default=None)
    return [one for rank, one in ranked if rank == best], best is not None and best[-1] == ANOTHER


def has_its_topic(unit: Unit, own: Units, other: Units) -> bool:
    """Is the topic of a unit in the other state, with whatever program?"""
    return any(_topic_rank(unit, one, own, other) is not None for one in other.found)


def _topic_rank(unit: Unit, one: Unit, own: Units, other: Units) -> int | None:
    """How well topics go together; None if they are two. One without a name may be any, if the other state does not have it itself."""
    if unit.topic == one.topic:
        return EXACT
    here = not unit.named and unit.topic not in other.topics
    there = not one.named and one.topic not in own.topics
    return ANY if here or there else None


def _program_rank(one: Origin, other: Origin) -> tuple[int, int] | None:
    """How well programs go together, their producers first; None if they are two."""
    producer, consumer = (_files_rank(getattr(one, role), getattr(other, role)) for role in CLIENT_ROLES)
    return None if producer == ANOTHER else (producer, consumer)


def _files_rank(one: Sequence[ClientFile], other: Sequence[ClientFile]) -> int:
    if one == other:
        return EXACT
    return ANY if not one or not other or not set(one).isdisjoint(other) else ANOTHER
