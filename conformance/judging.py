"""A run of the model on a system that also does steps by itself: after each step, the model's states that fit what is seen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from neverlost.explorer.traces.trace import Trace, trace_along
from neverlost.model.core import Model, Packed, Step

from .adapter import NotPerformed, Partial, PlanningAdapter, StateDifference, differences, refuse_unknown, seen_fields
from .validation.following import Interpreter

HIDDEN_STEPS = 3
"""So many steps the system may do by itself between two that it is asked for."""
LOOK_SECONDS = 0.05
STABLE_SECONDS = 0.4
"""What is not as in the run may be on its way there, and so must last."""


@dataclass(frozen=True, kw_only=True)
class JudgedStep:
    """A step of a run, as it went: what the system did by itself before and after it, and what differs if no state of the model fits.

    `refusal` says why the system did not do it; `seconds` how long it took. Not `as_the_run` is a step after
    which the system is in another state of the model than the run's, because of what it did by itself.
    """

    number: int
    step: Step
    hidden: tuple[Step, ...] = ()
    differences: tuple[StateDifference, ...] = ()
    refusal: str = ""
    as_the_run: bool = True
    seconds: float = 0.0

    @property
    def as_the_model(self) -> bool:
        """Did the step happen, and does a state of the model fit what is seen then?"""
        return not self.refusal and not self.differences


def first_difference(steps: Iterable[JudgedStep]) -> JudgedStep | None:
    """The first step that did not go as the model says."""
    return next((step for step in steps if not step.as_the_model), None)


@dataclass(frozen=True, slots=True)
class _Way:
    """A state that the system may be in: what it did by itself on the way from the last step of the run, and what before that, which
    the run has not asked for since."""

    words: Packed
    hidden: tuple[Step, ...] = ()
    earlier: tuple[Step, ...] = ()

    def then(self) -> _Way:
        """The same, as the next step of the run begins."""
        return _Way(self.words, (), (*self.earlier, *self.hidden))

    def without(self, step: Step) -> _Way:
        """The same, now that the run has asked for a step that the system had done by itself."""
        if step in self.hidden:
            return self
        at = self.earlier.index(step)
        return _Way(self.words, self.hidden, self.earlier[:at] + self.earlier[at + 1 :])


class Judge:
    """Follows a run: keeps every state of the model that the system may be in."""

    def __init__(self, adapter: PlanningAdapter) -> None:
        self.model, self.adapter = adapter.model, adapter
        self.hidden = [step for step in self.model.steps if step.action.name in adapter.hidden]
        self.interpreter = Interpreter(self.model)
        self.compared: set[str] = set()
        """The fields of which the adapter has ever shown a value."""
        refuse_unknown(adapter.capabilities, self.model)
        self.ways: tuple[_Way, ...] = (_Way(self.model.initial_states()[0]),)

    def closure(self, ways: Iterable[_Way]) -> Iterator[tuple[int, _Way]]:
        """The states that hidden steps lead to, those of fewest steps first, with the number of steps."""
        level = list({way.words: way for way in ways}.values())
        seen = {way.words for way in level}
        for count in range(HIDDEN_STEPS + 1):
            yield from ((count, way) for way in level)
            reached = []
            for way in level:
                state = self.model.state(way.words)
                for step in self.hidden:
                    if not self.adapter.happens_by_itself(step, state):
                        continue
                    words = self.interpreter.after(way.words, step)
                    if words is not None and words not in seen:
                        seen.add(words)
                        reached.append(_Way(words, (*way.hidden, step), way.earlier))
            level = reached

    def after(self, step: Step) -> list[_Way]:
        """The states that the model may be in after a step, before anything is seen.

        A step may be left out only where the system has done the very same step by itself before.
        """
        found: dict[Packed, _Way] = {}
        for _, way in self.closure(self.ways):
            words = self.interpreter.after(way.words, step)
            if words is not None:
                found.setdefault(words, _Way(words, way.hidden, way.earlier))
            if step in way.hidden or step in way.earlier:
                found.setdefault(way.words, way.without(step))
        return list(found.values())

    def allows(self, step: Step) -> bool:
        """May the step happen in a state that the system may be in?"""
        return bool(self.after(step))

    def fitting(self, ways: Iterable[_Way], seen: Partial) -> list[_Way]:
        """Those that fit what is seen, also after more hidden steps; the fewest hidden steps alone if they do."""
        fits: list[_Way] = []
        fewest = HIDDEN_STEPS
        for count, way in self.closure(ways):
            if fits and count > fewest:
                break
            if not differences(self.model.state(way.words), seen):
                fits.append(way)
                fewest = count
        return fits

    def judge(self, number: int, step: Step, expected: Packed) -> JudgedStep:
        """Have a step done, look until a state of the model fits or the system has settled, and keep the states that fit."""
        began, refusal = time.monotonic(), ""
        try:
            self.adapter.perform(step)
        except NotPerformed as error:
            refusal = str(error)
        took = time.monotonic() - began
        ways, end = self.after(step), time.monotonic() + self.adapter.settle_seconds
        before, since = None, time.monotonic()
        while True:
            seen = self.adapter.observe()
            self.compared |= seen_fields(seen)
            fits = self.fitting(ways, seen)
            if any(way.words == expected for way in fits) or time.monotonic() > end:
                break
            if seen != before:
                before, since = seen, time.monotonic()
            elif fits and time.monotonic() - since > STABLE_SECONDS:
                break
            time.sleep(LOOK_SECONDS)
        if fits and not refusal:
            self.ways = tuple(way.then() for way in fits)
            as_the_run = any(way.words == expected for way in fits)
            return JudgedStep(number=number, step=step, hidden=fits[0].hidden, as_the_run=as_the_run, seconds=took)
        found = tuple(differences(self.model.state(expected), seen))
        self.ways = tuple(way.then() for way in fits) if fits else (_Way(expected),)
        return JudgedStep(number=number, step=step, differences=found, refusal=refusal, as_the_run=False, seconds=took)


def judged_run(
    model: Model,
    steps: Sequence[Step],
    adapter: PlanningAdapter,
    *,
    progress: Callable[[JudgedStep], None] = lambda _: None,
    stop_at_first: bool = False,
    as_far_as_possible: bool = False,
    compared: set[str] | None = None,
) -> list[JudgedStep]:
    """Have a run done, and judge each step. Raises CannotSchedule if the adapter knows beforehand that it cannot be done.

    After a step that differs the run goes on from the state that the model expects, unless it is to stop there; after one that the
    system did not do, it ends. `as_far_as_possible`, it also ends before a step that may not happen in any state that the system may be
    in: by what it did by itself it went another way of the model. `compared` gets the fields of which the adapter showed a value.
    """
    trace: Trace = trace_along(model, steps)
    adapter.prepare(steps)
    judge = Judge(adapter)
    found = []
    for number, step in enumerate(steps, start=1):
        if as_far_as_possible and not judge.allows(step):
            break
        judged = judge.judge(number, step, trace.states[number])
        found.append(judged)
        if compared is not None:
            compared |= judge.compared
        progress(judged)
        if judged.refusal or (stop_at_first and not judged.as_the_model):
            break
    return found
