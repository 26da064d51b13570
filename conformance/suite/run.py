"""Runs a suite against an implementation: every case from the start with its own adapter, and the outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.explorer.traces.trace import trace_along
from neverlost.model.core import Model

from ..adapter import Adapter, AdapterError, CannotSchedule, PlanningAdapter
from ..divergence import Divergence, SideBySide, files_of, raised_by_system
from ..judging import JudgedStep, first_difference, judged_run
from ..random_walk import one_walk
from ..time_limit import TookTooLongError, within
from .cases import Mistake, SuiteCase, with_chosen

BEYOND = 20
"""How many random steps a walk takes from the end of a case."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A case that did not pass: the implementation differs from the model, or the adapter failed."""

    case: SuiteCase
    divergence: Divergence | None
    fault: str = ""
    """What is wrong with the adapter."""

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The mistakes that the case is there for, and that show where it failed."""
        number = None if self.divergence is None else len(self.divergence.trace.steps)
        return tuple(mistake for mistake in self.case.mistakes if mistake.after == number)

    @property
    def kind(self) -> str:
        """The key that groups failures with probably one cause."""
        if self.divergence is None:
            return "the adapter failed"
        return self.divergence.kind


@dataclass(frozen=True, kw_only=True)
class SuiteOutcome:
    """The outcome of a suite; `attempts` counts the refused steps that were tried.

    `not_scheduled` has the cases that the adapter cannot schedule, by name, with the reason. `compared` has the fields of which a value
    was compared in some case.
    """

    cases: int
    steps: int
    attempts: int
    failures: tuple[Failure, ...]
    complete: bool
    compared: frozenset[str] = frozenset()
    not_scheduled: Mapping[str, str] = field(default_factory=dict)
    walks: int = 0
    """How many random walks there were from the ends of cases."""
    random_steps: int = 0
    """How many steps these took beyond the cases."""

    @property
    def differs(self) -> bool:
        """Whether the implementation differs from the model in a case. Where only the adapter failed, nobody knows."""
        return any(failure.divergence is not None for failure in self.failures)

    def never_compared(self, model: Model) -> tuple[str, ...]:
        """The fields of the model's state that no case compared, without budgets of faults, which no system has.

        A field without elements, such as what is late where nothing may be, has nothing to compare.
        """
        state = model.state(model.initial_states()[0])
        left_out = self.compared | model.profile.counters
        fields = [declared for declared in state.fields if any(True for _ in declared.positions(model.bounds))]
        return tuple(declared.name for declared in fields if declared.name not in left_out)

    @property
    def kinds(self) -> Counter[str]:
        """How often each kind of failure was seen."""
        return Counter(failure.kind for failure in self.failures)


@dataclass(frozen=True, kw_only=True)
class CasesRun:
    """How far a run of a suite is."""

    cases: int
    failures: int


def conform(
    model: Model,
    cases: Iterable[SuiteCase],
    make: Callable[[Model], Adapter],
    *,
    until: str = "first",
    seconds: float | None = None,
    watch: Watch[CasesRun] = UNWATCHED,
) -> SuiteOutcome:
    """Run cases until the first failure, or with `until` "all" all of them. A case may take `seconds`."""
    failures: list[Failure] = []
    not_scheduled: dict[str, str] = {}
    ran = steps = attempts = 0
    complete, compared = True, set[str]()
    for case in cases:
        if watch.interrupted():
            complete = False
            break
        try:
            failure, tried = _run(with_chosen(model, case.chosen), case, make, seconds, compared)
        except CannotSchedule as error:
            not_scheduled[case.name] = error.why
            continue
        ran, steps, attempts = ran + 1, steps + len(case.steps), attempts + tried
        if failure is not None:
            failures.append(failure)
        watch.progress(CasesRun(cases=ran, failures=len(failures)))
        if failures and until == "first":
            break
    return SuiteOutcome(
        cases=ran,
        steps=steps,
        attempts=attempts,
        failures=tuple(failures),
        complete=complete,
        compared=frozenset(compared),
        not_scheduled=not_scheduled,
    )


def _run(
    model: Model, case: SuiteCase, make: Callable[[Model], Adapter], seconds: float | None, compared: set[str]
) -> tuple[Failure | None, int]:
    """The failure of a case if it fails, and how many refused steps were tried; `compared` gets the fields. Raises CannotSchedule.

    A case that is there for mistakes is run a second time, with refused steps tried after every step. They are not tried so often the
    first time, because a message that comes again can also fix what was wrong.
    """
    failure, run = _judged(
        model, case, make, seconds, compared, lambda run: run.follow(case.steps, case.attempts_after)
    )
    if run is None:
        return failure, 0
    attempts, everywhere = run.attempts, tuple(range(len(case.steps) + 1))
    if failure is None and case.mistakes and run.triable and case.attempts_after != everywhere:
        failure, run = _judged(model, case, make, seconds, compared, lambda run: run.follow(case.steps, everywhere))
        attempts += 0 if run is None else run.attempts
    return failure, attempts


def go_beyond(
    outcome: SuiteOutcome,
    model: Model,
    cases: Sequence[SuiteCase],
    make: Callable[[Model], Adapter],
    *,
    seed: int,
    steps: int,
    seconds: float | None = None,
    watch: Watch[int] = UNWATCHED,
) -> SuiteOutcome:
    """The outcome of cases, and of random walks from their ends, until there are so many random steps or a walk fails.

    Each walk follows a case drawn at random, with an adapter of its own, and then takes BEYOND steps, fewer where the model allows no
    more; it may take `seconds`.
    """
    random, walks, taken, attempts = Random(seed), 0, 0, 0
    failure, complete, compared = None, True, set(outcome.compared)
    # A walk from where the model allows no step takes none.
    while taken < steps and walks < steps and failure is None:
        if watch.interrupted():
            complete = False
            break
        case = random.choice(cases)
        longest = len(case.steps) + min(BEYOND, steps - taken)
        walks += 1
        failure, run = _judged(
            with_chosen(model, case.chosen),
            replace(case, name=f"{case.name}, and on at random", mistakes=()),
            make,
            seconds,
            compared,
            partial(one_walk, random=random, longest=longest, beginning=case.steps),
        )
        if run is not None:
            taken += max(0, len(run.steps) - len(case.steps))
            attempts += run.attempts
        watch.progress(taken)
    return replace(
        outcome,
        attempts=outcome.attempts + attempts,
        failures=outcome.failures if failure is None else (*outcome.failures, failure),
        complete=outcome.complete and complete,
        compared=frozenset(compared),
        walks=walks,
        random_steps=taken,
    )


def _judged(
    model: Model,
    case: SuiteCase,
    make: Callable[[Model], Adapter],
    seconds: float | None,
    compared: set[str],
    drive: Callable[[SideBySide], Divergence | None],
) -> tuple[Failure | None, SideBySide | None]:
    """The failure of a case if it fails when it is driven, and what was run side by side; `compared` gets the fields."""
    run, judged = None, list[JudgedStep]()
    divergence, fault = None, ""
    try:
        with within(seconds, "one case"):
            try:
                adapter = make(model)
            except Exception as error:
                refusal = raised_by_system(error, files_of(make))
                return Failure(case=case, divergence=_at_the_start(model, refusal)), None
            if isinstance(adapter, PlanningAdapter):
                divergence = _planned(model, case, adapter, judged, compared)
            else:
                run = SideBySide(model, adapter)
                divergence = drive(run)
                run.refuse_blind()
                compared |= run.compared
    except (CannotSchedule, KeyboardInterrupt):
        raise
    except (TookTooLongError, AdapterError) as error:
        fault = str(error)
    except BaseException as error:
        fault = f"it raised {type(error).__name__}: {error}"
    if fault and run is not None:
        fault = f"{run.where}, {fault}"
    elif fault and judged:
        fault = f"after step {judged[-1].number}, {judged[-1].step.show(model.bounds)}, {fault}"
    failed = divergence is not None or fault
    return (Failure(case=case, divergence=divergence, fault=fault) if failed else None), run


def _at_the_start(model: Model, refusal: str) -> Divergence:
    """A system that does not even start."""
    return Divergence(trace=trace_along(model, ()), differences=(), refusal=refusal)


def _planned(
    model: Model, case: SuiteCase, adapter: PlanningAdapter, judged: list[JudgedStep], compared: set[str]
) -> Divergence | None:
    """Where a system that does steps by itself leaves the model in a case; `judged` gets every step that was done."""
    judged_run(model, case.steps, adapter, progress=judged.append, stop_at_first=True, compared=compared)
    adapter.finish()
    bad = first_difference(judged)
    if bad is None:
        return None
    trace = trace_along(model, case.steps[: bad.number])
    return Divergence(trace=trace, differences=bad.differences, refusal=bad.refusal)
