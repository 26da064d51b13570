"""A log's entries as events of a model: names become actions, texts become arguments and elements of the state."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from neverlost.model.core import (
    Action,
    Domain,
    Field,
    Index,
    Model,
    NeverlostError,
    Profile,
    Step,
    SubsetOf,
    UnknownNameError,
)

from .event import Event, Observation, Seen
from .event_log import LoggedEvent, Notes, cut

SHOWN_MEMBERS = 12
LARGEST_BOUND = 4_096
"""The largest bound that the names in a log can set."""


class _WrongEntry(NeverlostError):
    """A part of an entry does not fit the model: `expected` says what fits."""

    def __init__(self, what: str, expected: str) -> None:
        super().__init__(what)
        self.expected = expected


@dataclass(frozen=True, kw_only=True)
class Bound:
    """The events of a log on a model; `notes` say which parts of its lines do not fit the model."""

    events: tuple[Event, ...]
    notes: Notes


def bind(entries: Sequence[LoggedEvent], model: Model) -> Bound:
    """The entries as events of the model.

    A part that does not fit is reported, and the rest of the entry is kept: a wrong parameter counts as not given, a wrong observation
    as not made. An entry with an unknown action may be any step, or none.
    """
    binder = _Binder(model)
    events = tuple(binder.event(entry) for entry in entries)
    return Bound(events=events, notes=binder.notes)


class _Binder:
    def __init__(self, model: Model) -> None:
        self.model, self.bounds = model, model.layout.bounds
        self.fields = {declared.name: declared for declared in model.profile.state.fields}
        self.notes = Notes()
        self.texts: dict[tuple[object, ...], dict[str, int]] = {}
        self.steps: dict[str, tuple[Step, ...]] = {}
        self.observations: dict[str, Observation] = {}
        self.seen: dict[str, tuple[Seen, ...]] = {}

    def event(self, entry: LoggedEvent) -> Event:
        known = entry.event in self.model.actions
        if entry.event is not None and not known:
            self._note_unknown(entry, "action", entry.event, self.model.actions)
        steps = self._steps(entry) if known else self.all_steps
        shown = ", ".join(f"{name}={_plain(value)}" for name, value in entry.parameters.items())
        return Event(
            line=entry.line,
            shown=cut(f"{entry.event}({shown})") if known else "unknown",
            steps=steps,
            observation=self._observation(entry),
            unknown=not known,
        )

    def _note(self, entry: LoggedEvent, what: str, expected: str) -> None:
        self.notes.add(entry.line, what, expected)

    def _note_unknown(self, entry: LoggedEvent, what: str, name: str, known: Collection[str]) -> None:
        said = ""
        if not self.notes.full:
            error = UnknownNameError(f"{what} of {self.model.profile.name}", name, known)
            said = str(error).rpartition(" Known:")[0]
        self._note(entry, said, f"one of {', '.join(known)}")

    @cached_property
    def all_steps(self) -> tuple[Step, ...]:
        return tuple(self.model.steps)

    def _steps(self, entry: LoggedEvent) -> tuple[Step, ...]:
        """The steps that the entry may be: with its given parameters, and all values of the others."""
        key = json.dumps([entry.event, entry.parameters])
        if key in self.steps:
            return self.steps[key]
        action = self.model.actions[entry.event or ""]
        ranges = [range(index.size(self.bounds)) for _, index in action.parameters]
        noted = self.notes.count
        for name, value in entry.parameters.items():
            try:
                number, member = self._argument(action, name, value)
                ranges[number] = range(member, member + 1)
            except _WrongEntry as wrong:
                self._note(entry, str(wrong), wrong.expected)
        steps = tuple(Step(action, arguments) for arguments in product(*ranges))
        if noted == self.notes.count:
            self.steps[key] = steps
        return steps

    def _argument(self, action: Action, name: str, value: Any) -> tuple[int, int]:
        names = [parameter for parameter, _ in action.parameters]
        if name not in names:
            raise _WrongEntry(f"{action.name} has no parameter {name!r}", f"one of {', '.join(names) or 'none'}")
        number = names.index(name)
        return number, self._member(action.parameters[number][1], value, f"{name} is")

    def _observation(self, entry: LoggedEvent) -> Observation:
        """The observations of the entry. Logs repeat them, so each is parsed once."""
        key = repr(entry.observed)
        if key not in self.observations:
            noted = self.notes.count
            found = Observation(tuple(one for name in entry.observed for one in self._field(entry, name)))
            if noted < self.notes.count:
                return found
            self.observations[key] = found
        return self.observations[key]

    def _field(self, entry: LoggedEvent, name: str) -> tuple[Seen, ...]:
        value, noted = entry.observed[name], self.notes.count
        key = f"{name} {value!r}"
        if key in self.seen:
            return self.seen[key]
        declared = self.fields.get(name)
        if declared is None:
            self._note_unknown(entry, "field", name, self.fields)
            return ()
        found = tuple(self._elements(entry, declared, value, ()))
        if noted == self.notes.count:
            self.seen[key] = found
        return found

    def _elements(self, entry: LoggedEvent, declared: Field, value: Any, position: tuple[int, ...]) -> Iterator[Seen]:
        """The elements in a value: those of an object's keys, or all elements of a list that are not null."""
        if value is None:
            return
        place = declared.place(position, self.bounds) if len(position) == len(declared.indexes) else declared.name
        try:
            if len(position) == len(declared.indexes):
                yield self._seen(declared, position, value, place)
                return
            index = declared.indexes[len(position)]
            inner = self._inner(index, value, place)
        except _WrongEntry as wrong:
            self._note(entry, str(wrong), wrong.expected)
            return
        for key, item in inner:
            try:
                member = key if isinstance(key, int) else self._member(index, key, f"{declared.name} has")
            except _WrongEntry as wrong:
                self._note(entry, str(wrong), wrong.expected)
                continue
            yield from self._elements(entry, declared, item, (*position, member))

    def _inner(self, index: type[Index], value: Any, place: str) -> list[tuple[Any, Any]]:
        size = index.size(self.bounds)
        if isinstance(value, dict):
            return list(value.items())
        if isinstance(value, list) and len(value) <= size:
            return list(enumerate(value))
        wanted = f"an object by {index.__name__}, or a list of at most {size}"
        raise _WrongEntry(f"{place} is {_plain(value)}", wanted)

    def _seen(self, declared: Field, position: tuple[int, ...], value: Any, place: str) -> Seen:
        number = self._value(declared.domain, value, place)
        layout = self.model.layout
        flat = 0
        for member, extent in zip(position, layout.places[declared.name].shape, strict=True):
            flat = flat * extent + member
        slot = layout.slots[declared.name][flat]
        return Seen(
            place=place,
            word=slot.word,
            shift=slot.shift,
            mask=slot.mask,
            stored=number - slot.low,
            shown=declared.domain.show(number, self.bounds),
        )

    def _value(self, domain: Domain, value: Any, place: str) -> int:
        if domain.index is not None and issubclass(domain.index, SubsetOf):
            return self._member(domain.index, value, f"{place} is")
        low, size = domain.low, domain.size(self.bounds)
        key = (domain.kind, domain.index)
        if key not in self.texts:
            self.texts[key] = {domain.show(number, self.bounds): number for number in range(low, low + size)}
        return _looked_up(self.texts[key], _plain(value), f"{place} is")

    def _member(self, index: type[Index], value: Any, what: str) -> int:
        if issubclass(index, SubsetOf):
            return sum(1 << member for member in {self._member(index.of, item, what) for item in _items(value)})
        if (index,) not in self.texts:
            self.texts[index,] = {index.show(m, self.bounds): m for m in range(index.size(self.bounds))}
        return _looked_up(self.texts[index,], _plain(value), what)


def _looked_up(known: Mapping[str, int], text: str, what: str) -> int:
    if text not in known:
        texts = list(known)
        listed = ", ".join(texts) if len(texts) <= SHOWN_MEMBERS else f"{texts[0]} to {texts[-1]}"
        raise _WrongEntry(f"{what} {text}", f"one of {listed}")
    return known[text]


def _items(value: Any) -> list[Any]:
    """The members that a set lists: `["r1", "r2"]`, or `"{r1, r2}"`."""
    if isinstance(value, list):
        return value
    text = _plain(value).strip()
    inside = text[1:-1] if text.startswith("{") and text.endswith("}") else text
    return [item.strip() for item in inside.split(",") if item.strip()]


def _plain(value: Any) -> str:
    """A JSON value in the model's notation."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "{" + ", ".join(_plain(item) for item in value) + "}"
    return str(value)


def bounds_of_log(entries: Sequence[LoggedEvent], profile: Profile) -> dict[str, int]:
    """The smallest bounds, not below the profile's own, that contain everything that the log names.

    A value that needs a bound above LARGEST_BOUND is ignored: one wrong digit must not decide how large the model is.
    """
    actions = {action.name: dict(action.parameters) for action in profile.actions}
    fields = {declared.name: declared for declared in profile.state.fields}
    said = _Said(profile)
    for entry in entries:
        known = actions.get(entry.event or "", {})
        for name, value in entry.parameters.items():
            if name in known:
                said.members(known[name], value)
        for name, value in entry.observed.items():
            if name in fields:
                said.elements(fields[name], value, fields[name].indexes)
    return {name: said.bounds[name] for name in profile.bound_names}


class _Said:
    """The smallest bounds that contain what was said so far."""

    def __init__(self, profile: Profile) -> None:
        self.bounds = dict(profile.default_bounds)

    def note(self, index: type[Index], count: int) -> None:
        """A domain has at least so many elements."""
        base = index.base()
        if base.bound and count <= LARGEST_BOUND:
            self.bounds[base.bound] = max(self.bounds[base.bound], count - base.more)

    def members(self, index: type[Index], value: Any) -> None:
        """A value names members of a domain."""
        base = index.base()
        for item in _items(value):
            matched = re.fullmatch(rf"{re.escape(base.prefix)}(\d{{1,6}})", _plain(item))
            if matched is not None:
                self.note(index, int(matched[1]) - base.first + 1)

    def elements(self, declared: Field, value: Any, indexes: tuple[type[Index], ...]) -> None:
        """A value holds elements of a field, those of all members of `indexes`."""
        if isinstance(value, list) and indexes:
            for item in value:
                self.elements(declared, item, indexes[1:])
        elif isinstance(value, dict) and indexes:
            for key, item in value.items():
                self.members(indexes[0], key)
                self.elements(declared, item, indexes[1:])
        elif declared.domain.kind in ("up_to", "one_to") and declared.domain.index is not None:
            if isinstance(value, int):
                self.note(declared.domain.index, value)
        elif declared.domain.index is not None and value is not None:
            self.members(declared.domain.index, value)


def room_for(steps: int, profile: Profile, free: Mapping[str, int]) -> dict[str, int]:
    """Larger values of the bounds in `free`: room for a new epoch, offset or value at each of so many steps. No broker is added."""
    indexes = {index for declared in profile.state.fields for index in (*declared.indexes, declared.domain.index)}
    fixed = {index.base().bound for index in indexes if index is not None and index.base().symmetric}
    enough = min(steps + 1, LARGEST_BOUND)
    return {name: value if name in fixed else max(value, enough) for name, value in free.items()}
