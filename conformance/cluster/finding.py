"""The shortest runs of the model that show something, and that real brokers can be made to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from neverlost.explorer.engines.engine import Stopped
from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.explorer.search import Limits, Progress, explore
from neverlost.explorer.traces.trace import Trace, trace_along
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.ways import Ways, WaysToViolation
from neverlost.model.core import Model, Step
from neverlost.spec.families import SEEN, family_of

from ..adapter import CannotSchedule
from .planning import Memories, StepByStep, plan_of
from .steps import isr
from .steps.planned import PlannedRun, PlannedStep

MOST_STATES = 4_000_000
"""So many states are searched for runs that can be scheduled."""
MOST_LONGER = 3
"""So many steps longer than the shortest run is the longest that is looked for."""
MOST_PLACES = 100_000
"""So many states are tried for runs of one length, each with what is remembered of a way there."""
MOST_REASONS = 2
"""So many of the reasons are named why no run of some length can be scheduled."""


@dataclass(frozen=True, kw_only=True)
class Tried:
    """What was tried, in words: a run that cannot be scheduled, or all runs of a length."""

    profile: str
    length: int | None
    why: str

    def __str__(self) -> str:
        runs = "no run" if self.length is None else f"{self.length} steps"
        return f"{self.profile}, {runs}: {self.why}"


@dataclass(frozen=True, kw_only=True)
class Found:
    """A run that brokers can be made to do, if one was found, and what was tried before it.

    `gone` says whether a complete search found none, in the model or in that of what brokers were seen to do.
    """

    trace: Trace | None
    tried: tuple[Tried, ...]
    gone: bool = False


def find_run(model: Model, prop: str, *, limits: Limits | None = None, watch: Watch[str] = UNWATCHED) -> Found:
    """The shortest run that shows a property violated (or a `sometimes` true), and that real brokers can be made to do.

    The model's own shortest run is tried first, then that of what brokers were seen to do. Then all runs of the latter that are up to
    MOST_LONGER steps longer are searched, each step with what stands in its way after the steps before.

    Raises KeyboardInterrupt if the watch is interrupted, and what `explore` raises.
    """
    tried: list[Tried] = []
    narrower = _narrower(model)
    for one in [model, *([] if narrower is None or narrower is model else [narrower])]:
        trace, verdict = _shortest(one, prop, limits, watch)
        if trace is None:
            gone = verdict is not Verdict.UNDECIDED
            why = "there is none within these bounds" if gone else "the search ended undecided"
            ended = Tried(profile=one.profile.name, length=None, why=why)
            return Found(trace=None, tried=(*tried, ended), gone=gone)
        if _can_be(trace, tried):
            return Found(trace=trace, tried=tuple(tried))
    chosen = model if narrower is None else narrower
    for other in _other_runs(chosen, prop, tried, watch):
        if _can_be(other, tried):
            return Found(trace=other, tried=tuple(tried))
    return Found(trace=None, tried=tuple(tried))


def _narrower(model: Model) -> Model | None:
    """The model of what brokers were seen to do, the model itself if it is one."""
    if model.profile.name.startswith(SEEN):
        return model
    profile = family_of(model.profile).seen(model.profile)
    return None if profile is None else profile.bounded(**model.bounds, **model.settings)


def _shortest(model: Model, prop: str, limits: Limits | None, watch: Watch[str]) -> tuple[Trace | None, Verdict]:
    def show(seen: Progress) -> None:
        watch.progress(f"{model.profile.name}: depth {seen.depth}, {seen.distinct:,} states")

    found = explore(
        model,
        properties=[prop],
        symmetry=True,
        limits=limits,
        watch=Watch(progress=show, interrupted=watch.interrupted),
    )
    if watch.interrupted():
        raise KeyboardInterrupt
    return found.findings[prop].trace, found.findings[prop].verdict


def _can_be(trace: Trace, tried: list[Tried]) -> bool:
    """Can brokers be made to do a run? If not, it is noted why."""
    try:
        plan_of(trace.model, trace.steps, trace.states)
    except CannotSchedule as error:
        tried.append(Tried(profile=trace.model.profile.name, length=len(trace.steps), why=str(error)))
        return False
    return True


def _other_runs(model: Model, prop: str, tried: list[Tried], watch: Watch[str]) -> Iterator[Trace]:
    """The shortest run in which nobody is dropped for its lag, and the shortest in which somebody is, of each length in turn."""
    decided = model.profile.property_named(prop)
    if not decided.over_states:
        return
    ways = WaysToViolation(model, decided, most_states=MOST_STATES, watch=watch)
    last = None
    while last is None or ways.length < last:
        try:
            if not ways.deepen():
                return
        except Stopped:
            why = f"not searched, as there are more than {MOST_STATES:,} states"
            tried.append(Tried(profile=model.profile.name, length=ways.length + 1, why=why))
            return
        near = ways.ways()
        if near is None:
            continue
        last = ways.length + MOST_LONGER if last is None else last
        watch.progress(f"{model.profile.name}: runs of {near.length} steps")
        runs = Schedulable(model, prop, near, watch)
        yield from runs
        tried.append(Tried(profile=model.profile.name, length=near.length, why=runs.why_none))


class Schedulable:
    """Of some runs to a violation the shortest that brokers can be made to do: one with nobody dropped for its lag, one with some."""

    def __init__(self, model: Model, prop: str, ways: Ways, watch: Watch[str] = UNWATCHED) -> None:
        self.model, self.prop = model, prop
        self.searches = [_Search(model, ways, watch, shrinking=shrinking) for shrinking in (False, True)]

    def __iter__(self) -> Iterator[Trace]:
        for search in self.searches:
            steps = search.steps()
            if steps is not None:
                yield trace_along(self.model, steps, self.prop)

    @property
    def why_none(self) -> str:
        """The reasons that were met most often."""
        reasons = sum((search.reasons for search in self.searches), Counter[str]())
        whole = not any(search.full for search in self.searches)
        most = "; ".join(reason for reason, _ in reasons.most_common(MOST_REASONS))
        return f"{'none' if whole else 'none of those that were tried'} can be scheduled ({most})"


class _Place(NamedTuple):
    """A state, and what the obstacles remember of the way there."""

    number: int
    memories: Memories
    unless_dropping: str
    """Why the run can only go on by dropping another follower."""
    shrunk: bool


class _Search:
    """The search of some runs for one that can be scheduled, step by step, with what the obstacles remember."""

    def __init__(self, model: Model, ways: Ways, watch: Watch[str], *, shrinking: bool) -> None:
        self.model, self.ways, self.watch, self.shrinking = model, ways, watch, shrinking
        self.reasons, self.full = Counter[str](), False
        self.obstacles = StepByStep(model, shrinking=shrinking)
        self._planned: dict[tuple[int, int], tuple[PlannedStep, str]] = {}

    def steps(self) -> list[Step] | None:
        """The steps of the shortest that can be scheduled; None if none can."""
        start = _Place(self.ways.start, self.obstacles.at_start, "", False)
        came_from: dict[_Place, tuple[_Place, int] | None] = {start: None}
        level = [start]
        for left in range(self.ways.length - 1, -1, -1):
            reached = []
            for place in level:
                if self.watch.interrupted():
                    raise KeyboardInterrupt
                for number, target, far in self.ways.onwards.get(place.number, ()):
                    after = self._after(place, number, target) if far <= left else None
                    if after is None or after in came_from:
                        continue
                    came_from[after] = (place, number)
                    reached.append(after)
                    if far == 0 and self._ends(after):
                        return self._way(came_from, after)
            level = reached
            self.full = len(came_from) > MOST_PLACES
            if self.full:
                return None
        return None

    def _ends(self, place: _Place) -> bool:
        """May a run end there? Else there is a reason, which is noted."""
        if place.unless_dropping:
            self.reasons[place.unless_dropping] += 1
        return not place.unless_dropping and place.shrunk == self.shrinking

    def _after(self, place: _Place, number: int, target: int) -> _Place | None:
        """The place after a step; None if brokers cannot be made to do it, the reason is noted then."""
        planned, why = self._step(place.number, number, target)
        drops = planned.name == "shrink_isr"
        if drops and not self.shrinking:
            return None
        why = why or ("" if drops else place.unless_dropping)
        memories = place.memories
        if not why:
            memories, why = self.obstacles.after(memories, planned)
        if why:
            self.reasons[why] += 1
            return None
        unless_dropping = isr.silent_member(planned) if self.obstacles.drops else ""
        return _Place(target, memories, unless_dropping, place.shrunk or drops)

    def _step(self, source: int, number: int, target: int) -> tuple[PlannedStep, str]:
        """A step by itself, and what stands in its way whatever was before."""
        if (source, number) not in self._planned:
            step, states = self.model.steps[number], (self.ways.states[source], self.ways.states[target])
            (planned,) = PlannedRun(self.model, (step,), states)
            self._planned[source, number] = planned, self.obstacles.in_itself(planned)
        return self._planned[source, number]

    def _way(self, came_from: dict[_Place, tuple[_Place, int] | None], place: _Place) -> list[Step]:
        steps: list[Step] = []
        while (before := came_from[place]) is not None:
            place, number = before
            steps.insert(0, self.model.steps[number])
        return steps
