"""Suites from mutants of the model: a case for every mistake in a rule that a run can show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from neverlost.explorer.watch import UNWATCHED, Watch
from neverlost.model.core import Model, Profile, Step
from neverlost.spec.kafka.versions import REPLICATING, VERSIONS, replicating_like

from ..adapter import Adapter, CannotSchedule
from ..mutants.configurations import Configuration, configurations_of
from ..mutants.mutation import Mutant, mutants_of, switches_of
from ..mutants.telling import MOST_STATES, Sight, TellingRun, Told, tell
from .cases import Mistake, Suite, SuiteCase

MUTANTS = "mutants"
"""What such a suite covers."""


def all_mutants(profile: Profile) -> tuple[Mutant, ...]:
    """The mistakes in a profile's rules; for a version of Kafka also those of behaving as its neighbours do."""
    return (*mutants_of(profile), *switches_of(profile, neighbours(profile)))


def neighbours(profile: Profile) -> tuple[Profile, ...]:
    """The versions of Kafka before and after this one that replicate in another way; none for other protocols."""
    if profile not in VERSIONS:
        return ()
    at = REPLICATING.index(replicating_like(profile))
    return tuple(REPLICATING[max(0, at - 1) : at] + REPLICATING[at + 1 : at + 2])


def told_of(
    profile: Profile,
    make: Callable[[Model], Adapter],
    given: Mapping[str, int],
    *,
    possible: Callable[[Model, Sequence[Step]], object] | None = None,
    most_states: int = MOST_STATES,
    watch: Watch[str] = UNWATCHED,
) -> Told:
    """What tells the mutants of a profile to who tests with an adapter.

    Where bounds or settings are given, in that configuration alone. `possible` raises CannotSchedule for a run that the system cannot
    be made to do. Raises BoundsError, and KeyboardInterrupt if the watch is interrupted.
    """
    configurations = configurations_of(profile)
    if given:
        bounds = {name: given.get(name, value) for name, value in configurations[-1].bounds.items()}
        configurations = (Configuration(bounds, {name: value for name, value in given.items() if name not in bounds}),)
    capabilities = make(profile.bounded(**configurations[0].bounds)).capabilities

    def can_be(model: Model, steps: Sequence[Step]) -> bool:
        if any(step.action.name not in capabilities.actions for step in steps):
            return False
        try:
            if possible is not None:
                possible(model, steps)
        except CannotSchedule:
            return False
        return True

    return tell(
        profile,
        all_mutants(profile),
        configurations,
        Sight(fields=capabilities.fields, attempts=capabilities.attempts),
        most_states=most_states,
        possible=can_be,
        watch=watch,
    )


def suite_from(profile: Profile, told: Told) -> Suite:
    """The suite of the runs that tell mutants. A run that a longer one begins with is no case of its own."""
    model = profile.bounded()
    grouped: dict[tuple[tuple[str, int], ...], list[TellingRun]] = {}
    for run in told.runs.values():
        grouped.setdefault(tuple(_changed(model, run.model).items()), []).append(run)
    cases = []
    for chosen, runs in grouped.items():
        left = list(runs)
        for steps in _longest([run.steps for run in runs]):
            own = [run for run in left if steps[: len(run.steps)] == run.steps]
            left = [run for run in left if run not in own]
            cases.append(_case(steps, own, dict(chosen)))
    named = [_renamed(case, number) for number, case in enumerate(cases, start=1)]
    goals = len(told.runs) + len(told.untold)
    return Suite(model=model, cover=MUTANTS, goals=goals, covered=len(told.runs), cases=tuple(named))


def _changed(model: Model, other: Model) -> dict[str, int]:
    own = {**model.bounds, **model.settings}
    return {name: value for name, value in {**other.bounds, **other.settings}.items() if value != own[name]}


def _longest(found: Sequence[tuple[Step, ...]]) -> list[tuple[Step, ...]]:
    """The runs that no other begins with."""
    beginnings = {steps[:length] for steps in found for length in range(len(steps))}
    return [steps for steps in dict.fromkeys(found) if steps not in beginnings]


def _case(steps: tuple[Step, ...], runs: Sequence[TellingRun], chosen: Mapping[str, int]) -> SuiteCase:
    """The case of the runs that it begins with, named after the last mistake that it shows."""
    ordered = sorted(runs, key=lambda run: len(run.steps))
    return SuiteCase(
        name=ordered[-1].mutant.name,
        steps=steps,
        adds=len(runs),
        attempts_after=tuple(sorted({len(run.steps) for run in runs if run.attempted is not None})),
        chosen=chosen,
        mistakes=tuple(
            Mistake(after=len(run.steps), rules=run.mutant.rules, about=f"{run.mutant.name}: {run.mutant.about}")
            for run in ordered
        ),
    )


def _renamed(case: SuiteCase, number: int) -> SuiteCase:
    return SuiteCase(**{**vars(case), "name": f"{number:03} {case.name}"})
