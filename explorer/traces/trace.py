"""Traces: states joined by steps, from an initial state; and the replay that checks a trace with the interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neverlost.model.core import Model, ModelError, NeverlostError, Packed, Property, Refused, State, Step

from ..symmetry import Symmetry, symmetric_domains
from .changes import field_changes
from .no_return import StepOfNoReturn


@dataclass(frozen=True, kw_only=True)
class Trace:
    """States joined by steps, from an initial state: `steps[i]` leads from `states[i]` to `states[i + 1]`.

    `property` is the name of the property that the trace decides, if it was found for one; `symmetry` the symmetric domains of
    the search that found it, so that the same search can be run again.

    A lasso is a run that never ends: its last state is `states[loop_start]` again, and from there the steps repeat forever. If
    `loop_start` is the last state, no step follows: nothing more happens. Other traces have no `loop_start`.

    `no_return` is None if nobody asked for the step of no return, and if the trace shows no violation.
    """

    model: Model
    states: tuple[Packed, ...]
    steps: tuple[Step, ...]
    property: str | None = None
    symmetry: tuple[str, ...] = ()
    loop_start: int | None = None
    no_return: StepOfNoReturn | None = None

    def __len__(self) -> int:
        """The number of states, the initial one included."""
        return len(self.states)

    def unpacked(self) -> list[State]:
        """The states as objects that the model's functions take."""
        return [self.model.state(words) for words in self.states]


def way_on(model: Model, symmetry: Symmetry, start: Packed, goals: Sequence[Packed]) -> tuple[list[Packed], list[Step]]:
    """The states of the interpreter from a start on, each with the next of the goals as its representative, and the steps."""
    states, steps = [start], list[Step]()
    for goal in goals:
        number, after = model.step_to(states[-1], symmetry.members(goal))
        steps.append(model.steps[number])
        states.append(after)
    return states, steps


def trace_along(model: Model, steps: Sequence[Step], prop: str | None = None, symmetry: tuple[str, ...] = ()) -> Trace:
    """The trace that steps make from the first initial state. Raises Refused or ModelError as the model's `apply` does."""
    states = [model.initial_states()[0]]
    for step in steps:
        states.append(model.apply(states[-1], step))
    return Trace(model=model, states=tuple(states), steps=tuple(steps), property=prop, symmetry=symmetry)


class ReplayError(NeverlostError):
    """A trace does not replay: `step` is the number of the first step that fails, 0 for the initial state."""

    def __init__(self, step: int, why: str) -> None:
        super().__init__(why)
        self.step = step


def deciding_trace(model: Model, steps: Sequence[str], prop: str) -> Trace:
    """The trace that these steps make, up to every symmetry of the model. Raises ReplayError if it does not decide the property."""
    symmetry = tuple(symmetric_domains(model))
    try:
        trace = trace_along(model, [model.parse_step(step) for step in steps], prop, symmetry)
    except Refused as error:
        raise ReplayError(len(steps), f"one of the steps to {prop} cannot happen: {error}") from None
    _check_decided(trace, model.profile.property_named(prop))
    return trace


def replay(trace: Trace) -> None:
    """Apply every step with the interpreter, and check that the property is decided: at the end, or by the loop of a lasso.

    Raises ReplayError with the first step that is refused (by which guard), or that leads to a state other than the recorded
    one (in which fields), or with the property that the trace does not decide: the loop does not close, is not fair, or makes
    it true.
    """
    model = trace.model
    if trace.states[0] not in model.initial_states():
        differing = _differences(model, trace.states[0], model.initial_states()[0])
        raise ReplayError(0, f"the first recorded state is not an initial state of {model.profile.name}: {differing}")
    for number, step in enumerate(trace.steps, start=1):
        _replay_step(trace, number, step)
    if trace.loop_start is not None:
        _check_closes(trace, trace.loop_start)
    if trace.property is not None:
        _check_decided(trace, model.profile.property_named(trace.property))


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


def _check_closes(trace: Trace, loop_start: int) -> None:
    number = len(trace.steps)
    if not 0 <= loop_start <= number:
        raise ReplayError(number, f"the loop starts at state {loop_start}, but the states are 0 to {number}")
    if trace.states[-1] != trace.states[loop_start]:
        differing = _differences(trace.model, trace.states[loop_start], trace.states[-1])
        raise ReplayError(
            number, f"the last state is not the state in which the loop starts, {loop_start}: {differing}"
        )


def _check_decided(trace: Trace, prop: Property) -> None:
    model, number = trace.model, len(trace.steps)
    if prop.over_runs:
        _check_awaited_for_ever(trace, prop)
        return
    if trace.loop_start is not None:
        raise ReplayError(number, f"{prop.name} is decided by the end of a trace, not by a loop; leave out the loop")
    if prop.over_steps:
        if number == 0:
            raise ReplayError(0, f"{prop.name} is about a step, but the trace has none")
        decided = not model.holds(prop, *trace.states[-2:])
    else:
        decided = model.holds(prop, trace.states[-1]) == prop.seeks
    if not decided:
        wanted = "is not witnessed" if prop.seeks else "is not violated"
        raise ReplayError(number, f"every step can happen, but {prop.name} {wanted} at the end: {prop.statement}")


def wait_start(trace: Trace, prop: Property) -> int | None:
    """The first state from which a lasso waits for an `eventually` forever; None if there is none."""
    model, end = trace.model, len(trace.states) if trace.loop_start is None else trace.loop_start
    met = [number for number, words in enumerate(trace.states) if model.holds(prop, words)]
    if any(number >= end for number in met):
        return None
    for number in range(met[-1] + 1 if met else 0, len(trace.states)):
        begins = number == 0 if prop.after is None else prop.after(model.state(trace.states[number]))
        if begins:
            return number
    return None


def _check_awaited_for_ever(trace: Trace, prop: Property) -> None:
    number, start = len(trace.steps), trace.loop_start
    if start is None:
        raise ReplayError(number, f"{prop.name} is about runs that never end, but the trace has no loop")
    if wait_start(trace, prop) is None:
        why = "it is true on the loop, or the wait for it never begins after it was last true"
        raise ReplayError(number, f"every step can happen, but {prop.name} is not violated: {why}: {prop.statement}")
    model = trace.model
    enabled = [_changing_steps(model, words) for words in trace.states[start:]]
    loop = zip(trace.steps[start:], trace.states[start:], trace.states[start + 1 :], strict=False)
    happened = {step for step, before, after in loop if before != after}
    starved = set.intersection(*enabled) - happened
    refused = set.union(*enabled) - happened
    for step in model.steps:
        title = f"the loop is not fair to {step.show(model.bounds)}"
        if step.action.name in prop.strong and step in refused:
            raise ReplayError(number, f"{title}: it is strongly fair and can happen there, but never does")
        if step.action.name in prop.weak and step in starved:
            raise ReplayError(number, f"{title}: it is weakly fair and can always happen there, but never does")


def _changing_steps(model: Model, words: Packed) -> set[Step]:
    return {model.steps[number] for number, after in model.successors(words) if after != words}
