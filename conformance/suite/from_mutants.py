"""Suites from mutants of the model: a case for every mistake in a rule that a run can show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.model.arguments import argument
from neverlost.model.core import Model, Profile, Step
from neverlost.spec.families import family_of
from neverlost.spec.mutant_configurations import Configuration, configurations_of

from ..adapter import Adapter, AdapterError, CannotSchedule, NotPerformed
from ..mutants.ground import KillingRun, Sight
from ..mutants.kept import kept_by
from ..mutants.killing import MOST_STATES, Kills, kill
from ..mutants.mutant import Mutant
from ..mutants.mutation import mutants_of, switches_of
from .cases import Mistake, Suite, SuiteCase

MUTANTS = "mutants"
"""What such a suite covers."""


def all_mutants(profile: Profile) -> tuple[Mutant, ...]:
    """The mistakes in a profile's rules; for a version also those of behaving as its neighbours do."""
    return (*mutants_of(profile), *switches_of(profile, neighbours(profile)))


def neighbours(profile: Profile) -> tuple[Profile, ...]:
    """The versions before and after this one that go other ways; none for a profile that is no version."""
    family = family_of(profile)
    versions = family.versions()
    if profile not in versions:
        return ()
    distinct = [version for version in versions if family.like(version) is version]
    at = distinct.index(family.like(profile))
    return (*distinct[max(0, at - 1) : at], *distinct[at + 1 : at + 2])


def kills_of(
    profile: Profile,
    make: Callable[[Model], Adapter],
    given: Mapping[str, int],
    *,
    possible: Callable[[Model, Sequence[Step]], object] | None = None,
    most_states: int = MOST_STATES,
    watch: Watch[str] = UNWATCHED,
) -> Kills:
    """What kills the mutants of a profile, for who tests with an adapter.

    Where bounds or settings are given, in that configuration alone. `possible` raises CannotSchedule for a run that the system cannot
    be made to do. Raises BoundsError, and KeyboardInterrupt if the watch is interrupted.
    """
    configurations = configurations_of(profile)
    if given:
        bounds = {name: given.get(name, value) for name, value in configurations[-1].bounds.items()}
        configurations = (Configuration(bounds, {name: value for name, value in given.items() if name not in bounds}),)
    return kills_seen_by(
        profile, make, all_mutants(profile), configurations, possible=possible, most_states=most_states, watch=watch
    )


def kills_seen_by(
    profile: Profile,
    make: Callable[[Model], Adapter],
    mutants: Sequence[Mutant],
    configurations: Sequence[Configuration],
    *,
    possible: Callable[[Model, Sequence[Step]], object] | None = None,
    most_states: int = MOST_STATES,
    watch: Watch[str] = UNWATCHED,
) -> Kills:
    """What kills these mutants in those of the configurations that the system can have. Raises as `kills_of` does."""
    fitting = [one for one in configurations if _can_have(make, profile.bounded(**one.bounds, **one.settings))]
    if not fitting:
        raise AdapterError(
            f"the system can have no configuration of {profile.name} in which mistakes are looked for; name one by its bounds and"
            f" settings, or what drives another system by {argument('adapter', 'FILE.py:NAME')}"
        )
    capabilities = make(profile.bounded(**fitting[0].bounds, **fitting[0].settings)).capabilities

    def can_be(run: KillingRun) -> bool:
        if any(step.action.name not in capabilities.actions for step in run.steps):
            return False
        try:
            if possible is not None:
                possible(run.model, run.steps)
        except CannotSchedule:
            return False
        return run.attempted is None or _tries(make(run.model), run.steps, run.attempted)

    family = family_of(profile)
    sight = Sight(
        fields=capabilities.fields,
        attempts=capabilities.attempts,
        surroundings=(*family.surroundings(), *(family.unseen() if possible is not None else ())),
    )
    kept = kept_by(profile, sight.fields)
    return kill(
        profile,
        mutants,
        fitting,
        sight,
        kept=kept,
        derived=family.derived(),
        most_states=most_states,
        possible=can_be,
        watch=watch,
    )


def _can_have(make: Callable[[Model], Adapter], model: Model) -> bool:
    """Can the system be configured as the model is?"""
    try:
        make(model)
    except AdapterError:
        return False
    return True


def _tries(adapter: Adapter, steps: Sequence[Step], attempted: Step) -> bool:
    """Would an adapter try a step that is to be refused after these steps? It may find that nobody would."""
    try:
        for step in steps:
            adapter.perform(step)
        return adapter.attempt(attempted)
    except NotPerformed:
        return True


def suite_from(profile: Profile, kills: Kills) -> Suite:
    """The suite of the runs that kill mutants, or come near. A run that a longer one begins with is no case of its own."""
    model = profile.bounded()
    grouped: dict[tuple[tuple[str, int], ...], list[KillingRun]] = {}
    for run in (*kills.runs.values(), *kills.again, *kills.approaches.values()):
        grouped.setdefault(tuple(_changed(model, run.model).items()), []).append(run)
    cases = []
    for chosen, runs in grouped.items():
        left = list(runs)
        for steps in _longest([run.steps for run in runs]):
            own = [run for run in left if steps[: len(run.steps)] == run.steps]
            left = [run for run in left if run not in own]
            cases.append(_case(steps, own, dict(chosen)))
    named = [_renamed(case, number) for number, case in enumerate(cases, start=1)]
    goals = len(kills.runs) + len(kills.survivals)
    return Suite(model=model, cover=MUTANTS, goals=goals, covered=len(kills.runs), cases=tuple(named))


def _changed(model: Model, other: Model) -> dict[str, int]:
    own = {**model.bounds, **model.settings}
    return {name: value for name, value in {**other.bounds, **other.settings}.items() if value != own[name]}


def _longest(found: Sequence[tuple[Step, ...]]) -> list[tuple[Step, ...]]:
    """The runs that no other begins with."""
    beginnings = {steps[:length] for steps in found for length in range(len(steps))}
    return [steps for steps in dict.fromkeys(found) if steps not in beginnings]


def _case(steps: tuple[Step, ...], runs: Sequence[KillingRun], chosen: Mapping[str, int]) -> SuiteCase:
    """The case of the runs that it begins with, named after the most particular of the last mistakes that it shows."""
    ordered = sorted(runs, key=lambda run: (len(run.steps), len(run.mutant.actions)))
    return SuiteCase(
        name=next(run for run in ordered if len(run.steps) == len(ordered[-1].steps)).mutant.name,
        steps=steps,
        adds=sum(run.surely for run in runs),
        attempts_after=tuple(sorted({len(run.steps) for run in runs if run.attempted is not None})),
        chosen=chosen,
        mistakes=tuple(
            Mistake(
                after=len(run.steps),
                rules=run.mutant.rules,
                about=f"{run.mutant.name}{'' if run.surely else ', perhaps'}: {run.mutant.about}",
            )
            for run in ordered
        ),
    )


def _renamed(case: SuiteCase, number: int) -> SuiteCase:
    return SuiteCase(**{**vars(case), "name": f"{number:03} {case.name}"})
