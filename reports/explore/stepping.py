"""A walk: steps that a person takes from the start of a model, what can be done next, and where another model would part from it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neverlost.explorer.process.watch import Watch
from neverlost.explorer.search import Limits, Progress, explore
from neverlost.explorer.traces.changes import field_changes, owner_lines
from neverlost.explorer.traces.choices import choices, judgements
from neverlost.explorer.traces.trace import Trace, trace_along
from neverlost.model.core import Model, NeverlostError, Packed, Property, Refused, Step

from ..trace.drawing import head, lanes_of, least_lane, longest_text
from ..trace.lanes import lane_names
from ..trace.page import all_fields, later_rows

MOST_STEPS = 500
MOST_TRIED = 50_000
"""A search by the interpreter ends undecided beyond this many states."""

MOST_SECONDS = 20.0


class WalkError(NeverlostError):
    """A walk cannot be walked: a step is unknown, or cannot happen where it stands."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """A shortest way to a wanted state: the steps, or None if there is none among the states that were tried.

    `complete` says whether every state within reach was tried, so that None means that there is none.
    """

    steps: tuple[Step, ...] | None
    complete: bool
    tried: int


def walked(model: Model, texts: Sequence[str]) -> Trace:
    """The walk along steps as they are printed. Raises WalkError with the number of the first step that cannot be taken."""
    if len(texts) > MOST_STEPS:
        raise WalkError(f"the walk has {len(texts)} steps; the limit is {MOST_STEPS}")
    trace = trace_along(model, [])
    for number, text in enumerate(texts, start=1):
        try:
            trace = _further(trace, model.parse_step(text))
        except Refused:
            guard = model.refusal(trace.states[-1], model.parse_step(text))
            raise WalkError(f"step {number}, {text:.200}, cannot happen: refused by {guard}") from None
        except NeverlostError as error:
            raise WalkError(f"step {number}: {error!s:.500}") from error
    return trace


def _further(trace: Trace, step: Step) -> Trace:
    after = trace.model.apply(trace.states[-1], step)
    return Trace(model=trace.model, states=(*trace.states, after), steps=(*trace.steps, step))


def walk_values(trace: Trace, first: int, lanes: Sequence[str] | None) -> dict[str, Any]:
    """What a page shows of a walk: its rows from the number `first` on, and what can be done in its last state.

    `lanes` are those that the page has; None if it has all. If the walk needs others too, the page gets all rows with all of them.
    """
    wanted = lane_names(trace.model) if lanes is None else _lanes_of(trace, lanes)
    if lanes is not None and wanted != list(lanes):
        first = 0
    model, here = trace.model, trace.states[-1]
    before = trace.states[-2] if trace.steps else None
    state, now = model.state(here), choices(model, here)
    judged = {j.property.name: j for j in judgements(model, before, here, _judged(model))}
    return {
        "steps": [step.show(model.bounds) for step in trace.steps],
        "first": first,
        "rows": str(later_rows(trace, first, wanted)),
        "lanes": wanted,
        "idle": [name for name in lane_names(model) if name not in wanted],
        "head": str(head(wanted)),
        "least": least_lane(longest_text(trace, wanted)),
        "possible": [
            {
                "step": choice.step.show(model.bounds),
                "action": choice.step.action.name,
                "rule": choice.step.action.statement,
                "changes": owner_lines(state, model.passing(choice.after)),
                "violates": _violated(model, here, choice.after),
            }
            for choice in now.possible
        ],
        "refused": [
            {"guard": refusal.reason, "steps": [step.show(model.bounds) for step in refusal.steps]}
            for refusal in now.refused
        ],
        "properties": [
            {
                "name": name,
                "kind": judgement.property.kind,
                "statement": judgement.property.statement,
                "holds": judgement.holds,
                "met": judgement.seen,
            }
            for name, judgement in judged.items()
        ],
        "fields": all_fields(state),
    }


def _lanes_of(trace: Trace, kept: Sequence[str]) -> list[str]:
    """The lanes that take part in a walk, and those that are kept, in their order; all while there is none to show."""
    names, shown = lane_names(trace.model), {*lanes_of(trace), *kept}
    return [name for name in names if name in shown] or list(names)


def _judged(model: Model) -> list[Property]:
    return [prop for prop in model.profile.all_properties if not prop.over_runs]


def _violated(model: Model, before: Packed, words: Packed) -> list[str]:
    asserted = [prop for prop in model.profile.properties if not prop.over_runs]
    return [j.property.name for j in judgements(model, before, words, asserted) if j.holds is False]


Note = Callable[[int], None]
"""Takes, now and then, how many states a search has tried."""


def way_to(trace: Trace, prop: Property, note: Note) -> Found:
    """A shortest way from the last state of a walk to a state that decides a property, by the interpreter, breadth first."""
    model, start, begun = trace.model, trace.states[-1], time.monotonic()
    came: dict[Packed, tuple[Packed, int] | None] = {start: None}
    level = [start]
    while level:
        for words in level:
            if model.holds(prop, words) == prop.seeks:
                return Found(steps=_way(model, came, words), complete=True, tried=len(came))
        further: list[Packed] = []
        for words in level:
            for number, after in model.successors(words):
                if after not in came:
                    came[after] = (words, number)
                    further.append(after)
            note(len(came))
            if len(came) > MOST_TRIED or time.monotonic() - begun > MOST_SECONDS:
                return Found(steps=None, complete=False, tried=len(came))
        level = further
    return Found(steps=None, complete=True, tried=len(came))


def _way(model: Model, came: Mapping[Packed, tuple[Packed, int] | None], words: Packed) -> tuple[Step, ...]:
    steps: list[Step] = []
    origin = came[words]
    while origin is not None:
        words, number = origin
        steps.insert(0, model.steps[number])
        origin = came[words]
    return tuple(steps)


def compiled_way_to(model: Model, prop: Property, note: Note) -> Found:
    """The same from the start, by the compiled engine, which goes much further."""
    profile = model.profile
    if prop not in profile.all_properties:
        profile = profile.replacing(profile.name, profile.statement, probes=(*profile.probes, prop))
    wanted = profile.bounded(**model.bounds, **model.settings)
    watch: Watch[Progress] = Watch(progress=lambda seen: note(seen.distinct))
    result = explore(wanted, properties=[prop.name], until="first", limits=Limits(seconds=MOST_SECONDS), watch=watch)
    trace = result.findings[prop.name].trace
    steps = None if trace is None else tuple(model.parse_step(step.show(model.bounds)) for step in trace.steps)
    return Found(steps=steps, complete=result.complete or steps is not None, tried=result.distinct)


def parting(trace: Trace, other: Model) -> dict[str, Any]:
    """Where the same steps lead elsewhere in another model of the same state: the first step that it refuses, or that differs there.

    `step` is its number, None if the two never part; `refused` the guard, `differences` what differs then. Fields that count
    what may still happen are not compared. Raises WalkError if the other model has another kind of state.
    """
    model = trace.model
    if other.profile.state is not model.profile.state or other.bounds != model.bounds:
        raise WalkError(f"{other.profile.name} has another state or other bounds than {model.profile.name}")
    words = other.initial_states()[0]
    for number, (step, ours) in enumerate(zip((None, *trace.steps), trace.states, strict=True)):
        if step is not None:
            if (guard := other.refusal(words, step)) is not None:
                return {"step": number, "refused": str(guard), "differences": []}
            words = other.apply(words, step)
        found = field_changes(model.state(ours), other.state(words))
        differing = [
            f"{place}: {here} in {model.profile.name}, {there} in {other.profile.name}"
            for place, (here, there) in found.items()
            if place.split("[")[0] not in model.profile.counters
        ]
        if differing:
            return {"step": number, "refused": None, "differences": differing}
    return {"step": None, "refused": None, "differences": []}
