"""Adapters: each drives one system under test, step by step, and reports the state that can be seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol, runtime_checkable

from neverlost.model.core import Model, NeverlostError, State, Step

Partial = Mapping[str, Any]
"""A partial state: fields as in `State.values()`, with None for an element that cannot be seen. `none` of the model is a number,
mostly -1. All fields that the capabilities name are in it, except for a `PlanningAdapter`."""


class AdapterError(NeverlostError):
    """The adapter failed, not the system under test or the model: it cannot do what its capabilities say."""


class NotPerformed(NeverlostError):
    """The system under test did not do a step that may happen in the model."""


class CannotSchedule(NeverlostError):
    """The adapter knows beforehand that it cannot have a step of a run happen; that says nothing of the system under test."""

    def __init__(self, number: int, step: str, why: str) -> None:
        super().__init__(f"step {number}, {step}, cannot be scheduled: {why}")
        self.number, self.step, self.why = number, step, why


@dataclass(frozen=True)
class NotThis:
    """An element that can be seen to be another than this one, but not which."""

    value: int


class How(Enum):
    """How a step of an action happens."""

    FORCED = "forced"
    """The adapter makes it happen on request."""
    AWAITED = "awaited"
    """It happens only by itself: the adapter waits for it."""


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What an adapter can do: the actions that it can perform and how, and the fields that it sees, completely or in part."""

    actions: Mapping[str, How]
    fields: tuple[str, ...]
    attempts: tuple[str, ...] = ()
    """The actions that it can also try when the model refuses them: the system must then stay as it is."""
    messages: tuple[str, ...] = ()
    """Actions by which messages arrive, that it can deliver early, late or again when the model refuses the action. That is less than
    to try the action, so it is not expected to show a mistake that only allows it."""


def refuse_unknown(capabilities: Capabilities, model: Model) -> None:
    """Raises AdapterError for a name among the capabilities that is no action or field of the model."""
    actions = [action.name for action in model.profile.actions]
    fields = [declared.name for declared in model.state(model.initial_states()[0]).fields]
    for where, names, kind, known in (
        ("fields", capabilities.fields, "a field", fields),
        ("actions", capabilities.actions, "an action", actions),
        ("attempts", capabilities.attempts, "an action", actions),
        ("messages", capabilities.messages, "an action", actions),
    ):
        for name in names:
            if name not in known:
                raise AdapterError(
                    f"the adapter's capabilities have {name!r} in {where}, which is not {kind} of the model;"
                    f" it has {', '.join(known)}"
                )


def known_actions(model: Model, names: Iterable[str]) -> tuple[str, ...]:
    """Those of the names that are actions of the model, for an adapter of several versions."""
    known = {action.name for action in model.profile.actions}
    return tuple(name for name in names if name in known)


class Adapter(Protocol):
    """Drives one system under test, which starts in the model's initial state."""

    capabilities: Capabilities

    def perform(self, step: Step) -> None:
        """Make the step happen, or wait for it. Raises NotPerformed if it does not, AdapterError if the adapter cannot."""

    def attempt(self, step: Step) -> bool:
        """Try a step that the model refuses, of an action among `attempts`; False if the attempt makes no sense now.

        The system should not do it, with or without NotPerformed.
        """

    def observe(self) -> Partial:
        """What can be seen of the system's state now."""


MakeAdapter = Callable[[Model], Adapter]


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of a system that has a model of its own, such as a timer: the profile with its bounds, and what makes its adapter."""

    profile: str
    make: MakeAdapter
    bounds: Mapping[str, int] = field(default_factory=dict)


@runtime_checkable
class PlanningAdapter(Adapter, Protocol):
    """Drives a system that does some steps by itself, and that can only be steered by who knows the whole run beforehand.

    After each step the system is looked at until a state of the model fits, for at most `settle_seconds`. Before and after it, it may
    have done steps of the `hidden` actions. It is judged by `model`: the model of the run, perhaps with actions that the run's has not.
    """

    model: Model
    hidden: tuple[str, ...]
    settle_seconds: float

    def prepare(self, steps: Sequence[Step]) -> None:
        """Get ready for a run. Raises CannotSchedule if it cannot be made to happen."""

    def happens_by_itself(self, step: Step, state: State) -> bool:
        """May the system do a step of a hidden action by itself in this state of the model?"""

    def finish(self) -> object:
        """End a run: let everything flow again, so that the next one can begin."""


@dataclass(frozen=True, kw_only=True)
class StateDifference:
    """An element of the state that differs from the model."""

    place: str
    expected: str
    seen: str

    def show(self) -> str:
        """`high_watermark[r1] is 1; the model says 2`."""
        return f"{self.place} is {self.seen}; the model says {self.expected}"


def differences(expected: State, seen: Partial) -> list[StateDifference]:
    """Where the seen state differs from the expected one. Raises AdapterError for a field or a shape that the state does not have."""
    known = {declared.name: declared for declared in expected.fields}
    found = []
    for name, values in seen.items():
        if name not in known:
            raise AdapterError(
                f"the adapter sees {name!r}, which is not a field of the model; its fields are {', '.join(known)}"
            )
        declared = known[name]
        if getattr(expected, name) == values:
            continue
        _refuse_shape(name, values, declared.shape(expected.bounds))
        for position in declared.positions(expected.bounds):
            value = _element(name, values, position)
            should = expected.element(declared, position)
            if value is None or value == should or (isinstance(value, NotThis) and value.value != should):
                continue
            shown = "another" if isinstance(value, NotThis) else _shown(declared.domain, value, expected.bounds)
            found.append(
                StateDifference(
                    place=declared.place(position, expected.bounds),
                    expected=declared.domain.show(should, expected.bounds),
                    seen=shown,
                )
            )
    return found


def refuse_left_out(seen: Partial, capabilities: Capabilities) -> None:
    """Raises AdapterError if a field is left out that the capabilities name."""
    for name in capabilities.fields:
        if name not in seen:
            raise AdapterError(
                f"the adapter's capabilities have {name!r} in fields, but observe() leaves it out: see it, with None for what cannot"
                " be seen, or take it out of fields"
            )


def seen_fields(seen: Partial) -> set[str]:
    """The fields of which an element was seen."""
    return {name for name, values in seen.items() if _is_seen(values)}


def _is_seen(values: Any) -> bool:
    """Is there an element that was seen?"""
    return any(map(_is_seen, values)) if isinstance(values, list) else values is not None


def _refuse_shape(name: str, values: Any, shape: tuple[int, ...]) -> None:
    if not shape or values is None:
        return
    if not isinstance(values, list) or len(values) != shape[0]:
        raise AdapterError(f"the adapter sees {name} as {values!r}, which is not a list of {shape[0]}")
    for value in values:
        _refuse_shape(name, value, shape[1:])


def _element(name: str, values: Any, position: tuple[int, ...]) -> int | NotThis | None:
    for index in position:
        if values is None:
            return None
        values = values[index]
    if values is not None and not isinstance(values, int | NotThis):
        raise AdapterError(f"the adapter sees {name}{list(position) or ''} as {values!r}, which is not an integer")
    return values


def _shown(domain: Any, value: int, bounds: Mapping[str, int]) -> str:
    """The value as the model writes it; as a number if it is outside its domain."""
    inside = domain.low <= value < domain.low + domain.size(bounds)
    return str(domain.show(value, bounds)) if inside else str(value)
