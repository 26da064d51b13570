"""Traces: states joined by steps, from an initial state; and the replay that checks one through the interpreter."""

from __future__ import annotations

from dataclasses import dataclass

from neverlost.model.core import Model, ModelError, NeverlostError, Packed, Refused, State, Step

from .changes import field_changes


@dataclass(frozen=True, kw_only=True)
class Trace:
    """States joined by steps, from an initial state: `states[i + 1]` is what `steps[i]` makes of `states[i]`.

    `property` is the name of the property that the trace decides, if it was found for one; `symmetry` the symmetric domains of
    the search that found it, so that the same search can be run again.
    """

    model: Model
    states: tuple[Packed, ...]
    steps: tuple[Step, ...]
    property: str | None = None
    symmetry: tuple[str, ...] = ()

    def __len__(self) -> int:
        """The number of states, the initial one included."""
        return len(self.states)

    def unpacked(self) -> list[State]:
        """The states as objects that the model's functions take."""
        return [self.model.state(words) for words in self.states]


class ReplayError(NeverlostError):
    """A trace is none of its model: `step` is the number of the first step that fails, 0 for the initial state."""

    def __init__(self, step: int, why: str) -> None:
        super().__init__(why)
        self.step = step


def replay(trace: Trace) -> None:
    """Apply every step through the interpreter, and check that the property is decided at the end.

    Raises ReplayError with the first step that is refused (by which guard), or that leads to another state than the recorded
    one (in which fields), or with the property that the end does not decide.
    """
    model = trace.model
    if trace.states[0] not in model.initial_states():
        differing = _differences(model, trace.states[0], model.initial_states()[0])
        raise ReplayError(0, f"the first recorded state is no initial state of {model.profile.name}: {differing}")
    for number, step in enumerate(trace.steps, start=1):
        _replay_step(trace, number, step)
    if trace.property is not None:
        _check_decided(trace, trace.property)


def _replay_step(trace: Trace, number: int, step: Step) -> None:
    model, before, recorded = trace.model, trace.states[number - 1], trace.states[number]
    title = f"step {number}, {step.show(model.bounds)}"
    try:
        after = model.apply(before, step)
    except Refused:
        raise ReplayError(number, f"{title}, cannot happen: refused by {model.refusal(before, step)}") from None
    except ModelError as error:
        raise ReplayError(number, f"{title}, leaves a domain: {error}") from error
    if after != recorded:
        raise ReplayError(number, f"{title}, leads to another state: {_differences(model, recorded, after)}")


def _differences(model: Model, recorded: Packed, actual: Packed) -> str:
    changed = field_changes(model.state(recorded), model.state(actual))
    return "; ".join(f"{place} is {now}, but was recorded as {then}" for place, (then, now) in changed.items())


def _check_decided(trace: Trace, name: str) -> None:
    model, prop, number = trace.model, trace.model.profile.property_named(name), len(trace.steps)
    if prop.over_steps:
        if number == 0:
            raise ReplayError(0, f"{name} is about a step, but the trace has none")
        decided = not model.holds(prop, *trace.states[-2:])
    else:
        decided = model.holds(prop, trace.states[-1]) == prop.seeks
    if not decided:
        wanted = "is not witnessed" if prop.seeks else "is not violated"
        raise ReplayError(number, f"every step can happen, but {name} {wanted} at the end: {prop.statement}")
