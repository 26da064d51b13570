"""The search for a run of a model that explains a log: depth first, and each state is tried only once at the same event.

The steps that an event may be are applied directly; hidden steps are searched only if none of these continues the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from neverlost.model.arguments import argument
from neverlost.model.core import Model, ModelError, Packed, Refused, State, Step
from neverlost.model.core.guards import guard_of

from .event import Event

TICK = 256
"""The work between two looks at the clock, in steps of a small model."""
ELEMENTS_A_STEP, WORDS_A_STEP = 8, 64
"""So many elements are unpacked, and so many words copied, in the time of a step: for a wide state this is most of the work."""


class LogVerdict(StrEnum):
    """What the search says of a log: a run of the model explains it, or no run does, or the search ended before."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True)
class LogSearchLimits:
    """When a search ends undecided. `stop` is called after a fixed amount of work, with the number of events explained so far."""

    states: int = 10_000_000
    stop: Callable[[int], str | None] = lambda explained: None


@dataclass(frozen=True, slots=True)
class Move:
    """One explained event: its step, after hidden steps (None for a malformed line that is no step)."""

    before: Move | None
    hidden: tuple[Step, ...]
    step: Step | None
    words: Packed


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of a search: the most events that are explained, the run that explains them, and its possible last states.

    `looked` counts the states that it reached; `stopped_by` says why it is undecided.
    """

    verdict: LogVerdict
    explained: int
    run: tuple[Move, ...]
    states: tuple[Packed, ...]
    looked: int
    stopped_by: str | None = None


class Interpreter:
    """Applies steps to packed states, and keeps the reached state, so that the next step need not unpack it.

    Numbers of faults bound a search, not a real system: those in `endless` never run out.
    """

    def __init__(self, model: Model, endless: Sequence[str] = ()) -> None:
        self.layout, self.bounds = model.layout, model.bounds
        self.state = self.layout.blank()
        self.words: Packed | None = None
        self.full = {b.counter: model.settings[b.name] for b in model.profile.budgets if b.name in endless}
        self.work = 0
        self._unpacking = sum(map(len, self.layout.slots.values())) // ELEMENTS_A_STEP
        self._copying = self.layout.words // WORDS_A_STEP

    def after(self, words: Packed, step: Step) -> Packed | None:
        """The state after a step; None if a guard refuses it. Raises ModelError if the step leaves a domain."""
        state = self._at(words)
        self.work += 1
        try:
            step.action.function(state, *step.arguments)
            for name, value in self.full.items():
                if state.__dict__[name] != value:
                    setattr(state, name, value)
            found = self.layout.pack_changes(words, state)
        except Refused:
            state.undo()
            return None
        except ModelError as error:
            state.undo()
            raise ModelError(f"{step.show(self.bounds)}: {error}") from error
        state.journal.clear()
        self.words = found
        self.work += self._copying
        return found

    def guard(self, words: Packed, step: Step) -> str:
        """The guard that refuses a step, as its source line; empty if none does."""
        state = self._at(words)
        try:
            step.action.function(state, *step.arguments)
        except Refused as refused:
            return str(guard_of(refused))
        finally:
            state.undo()
        return ""

    def _at(self, words: Packed) -> State:
        if words is not self.words:
            self.layout.unpack(words, self.state)
            self.words = words
            self.work += self._unpacking
        return self.state


class LogSearch:
    """One search: `run` decides it."""

    def __init__(
        self,
        model: Model,
        events: Sequence[Event],
        *,
        hidden: Sequence[str] = (),
        hidden_steps: int = 0,
        may_be_more: bool = False,
        endless: Sequence[str] = (),
        limits: LogSearchLimits | None = None,
    ) -> None:
        """`may_be_more` if nobody says that hidden steps are at most so many: a log for which they are too few is then undecided."""
        self.model, self.events, self.limits = model, events, limits or LogSearchLimits()
        self.hidden = [step for step in model.steps if step.action.name in hidden] if hidden and hidden_steps else []
        self.hidden_steps = hidden_steps if self.hidden else 0
        self.may_be_more, self.leaves_more = may_be_more, False
        self.beyond = ""
        self.interpreter = Interpreter(model, endless)
        self.looked = 0
        self.stopped_by: str | None = None

    def run(self) -> Outcome:
        """Search until the log is explained, nothing is left to try, or a limit ends it.

        First without hidden steps, then with more and more of them before an event: if a few are enough, no time is lost on many.
        """
        most = self.hidden_steps
        for self.hidden_steps in range(most + 1):
            outcome = self._search()
            if outcome.verdict != LogVerdict.REFUSED:
                break
        self.hidden_steps = most
        untried = ""
        if self.may_be_more and self.leaves_more:
            untried = f"more than {most} hidden steps before an event were not tried ({argument('hidden_steps')})"
        elif self.beyond:
            untried = f"a hidden step that goes beyond the numbers of the model was not tried: {self.beyond}"
        if outcome.verdict != LogVerdict.REFUSED or not untried:
            return outcome
        return replace(outcome, verdict=LogVerdict.UNDECIDED, stopped_by=untried)

    def _hidden_after(self, words: Packed, step: Step) -> Packed | None:
        """The state after a hidden step; None too if it leaves a domain, as faults without a limit may."""
        try:
            return self.interpreter.after(words, step)
        except ModelError as error:
            if not self.interpreter.full:
                raise
            self.beyond = str(error)
            return None

    def _search(self) -> Outcome:
        (start,) = self.model.initial_states()
        self.leaves_more = False
        furthest: list[Move | None] = [None]
        explained = 0
        if not self.events:
            return self._outcome(LogVerdict.ACCEPTED, 0, furthest, start)
        tried: list[set[Packed]] = []
        waiting = [self._moves(0, None, start)]
        while waiting and self.stopped_by is None:
            move = next(waiting[-1], None)
            if move is None:
                waiting.pop()
                continue
            position = len(waiting)
            if position > len(tried):
                tried.append(set())
            if move.words in tried[position - 1]:
                continue
            tried[position - 1].add(move.words)
            self._look(position)
            if position >= explained:
                furthest = [move] if position > explained else [*furthest, move]
                explained = position
            if position == len(self.events):
                return self._outcome(LogVerdict.ACCEPTED, explained, [move], start)
            waiting.append(self._moves(position, move, move.words))
        return self._outcome(
            LogVerdict.UNDECIDED if self.stopped_by else LogVerdict.REFUSED, explained, furthest, start
        )

    def _look(self, position: int) -> None:
        """Count a state, and check the limit."""
        self.looked += 1
        if self.looked >= self.limits.states:
            self.stopped_by = f"{self.looked:,} states were searched ({argument('limits', options=('max_states',))})"

    def stopped(self, position: int) -> bool:
        """Whether a limit has ended the search. The clock is checked after a fixed amount of work."""
        if self.interpreter.work >= TICK and self.stopped_by is None:
            self.interpreter.work = 0
            self.stopped_by = self.limits.stop(position)
        return self.stopped_by is not None

    def _moves(self, position: int, last: Move | None, words: Packed) -> Iterator[Move]:
        """The possible explanations of one more event, those without hidden steps first."""
        event, after = self.events[position], self.interpreter.after
        for hidden, before in self.gap(words, position):
            if event.unknown:
                yield Move(last, hidden, None, before)
            for step in event.steps:
                found = after(before, step)
                if self.stopped(position):
                    return
                if found is not None and event.observation.agrees(found):
                    yield Move(last, hidden, step, found)

    def gap(self, words: Packed, position: int) -> Iterator[tuple[tuple[Step, ...], Packed]]:
        """The states that hidden steps reach, each once with the fewest steps to it; first the state without any."""
        yield (), words
        seen = {words}
        level: list[tuple[tuple[Step, ...], Packed]] = [((), words)]
        for _ in range(self.hidden_steps):
            reached: list[tuple[tuple[Step, ...], Packed]] = []
            for steps, before in level:
                for step in self.hidden:
                    found = self._hidden_after(before, step)
                    if self.stopped(position):
                        return
                    if found is None or found in seen:
                        continue
                    seen.add(found)
                    self._look(position)
                    if self.stopped_by is not None:
                        return
                    reached.append(((*steps, step), found))
                    yield reached[-1]
            level = reached
        if self.may_be_more and not self.leaves_more:
            further = (self._hidden_after(before, step) for _, before in level for step in self.hidden)
            self.leaves_more = any(found is not None and found not in seen for found in further)

    def _outcome(self, verdict: LogVerdict, explained: int, furthest: Sequence[Move | None], start: Packed) -> Outcome:
        run: list[Move] = []
        move = furthest[0]
        while move is not None:
            run.append(move)
            move = move.before
        return Outcome(
            verdict=verdict,
            explained=explained,
            run=tuple(reversed(run)),
            states=tuple(start if move is None else move.words for move in furthest),
            looked=self.looked,
            stopped_by=self.stopped_by,
        )
