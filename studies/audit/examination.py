"""The examination of a deployment: every danger under every set of faults to ask about, smaller sets first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from neverlost.explorer.answers.questions import Answer
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.verdict import Verdict
from neverlost.model.arguments import argument
from neverlost.spec.configuration import (
    ConfigurationError,
    Deployment,
    Notice,
    parse_survival,
    parse_tolerance,
)
from neverlost.spec.exposure import Danger
from neverlost.spec.families import exposures
from neverlost.spec.faults import Faults, all_within, maximal, minimal

from ..study import Study
from .asking import answers_to
from .dangers import dangers_of, exposure_of, that_matter
from .tolerance import EVERYDAY, Tolerance


@dataclass(frozen=True, kw_only=True)
class DecidedDanger:
    """The verdict on a danger under a set of faults. `tolerated`: the deployment should survive these faults."""

    danger: Danger
    faults: Faults
    answer: Answer
    tolerated: bool

    @property
    def verdict(self) -> Verdict:
        return self.answer.verdict


@dataclass(frozen=True, kw_only=True)
class Examination:
    """All questions about a deployment. `tolerance` is None if not given: then it should survive any single fault."""

    deployment: Deployment
    tolerance: Tolerance | None
    decided: Sequence[DecidedDanger]

    @property
    def dangers(self) -> tuple[Danger, ...]:
        return dangers_of(self.deployment)

    def of(self, danger: Danger, verdict: Verdict) -> list[DecidedDanger]:
        """The decisions with this verdict on a danger; if violated those with minimal faults, if it holds those with maximal ones."""
        found = [d for d in self.decided if d.danger == danger and d.verdict == verdict]
        if verdict == Verdict.VIOLATED:
            kept = minimal(d.faults for d in found)
        elif verdict == Verdict.HOLDS:
            kept = maximal(d.faults for d in found)
        else:
            kept = [d.faults for d in found]
        return [d for d in found if d.faults in kept]

    def not_asked(self, danger: Danger) -> list[Faults]:
        """The largest sets of faults to survive that were not asked about, because records are lost by them anyway."""
        if self.tolerance is None:
            return []
        decided = [d for d in self.decided if d.danger == danger]
        return [
            faults
            for faults in maximal(plan(self.deployment, self.tolerance)[danger])
            if not any(
                faults.within(d.faults) or (d.verdict == Verdict.VIOLATED and d.faults.within(faults)) for d in decided
            )
        ]

    @property
    def violated(self) -> list[DecidedDanger]:
        """The minimal sets of faults that cause each danger; those to survive come first."""
        found = [d for danger in self.dangers for d in self.of(danger, Verdict.VIOLATED)]
        return sorted(found, key=lambda d: not d.tolerated)

    @property
    def verdict(self) -> Verdict:
        """Whether the deployment survives all that it should."""
        verdicts = {d.verdict for d in self.decided if d.tolerated}
        if Verdict.VIOLATED in verdicts:
            return Verdict.VIOLATED
        return Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts or not verdicts else Verdict.HOLDS

    @property
    def exit_code(self) -> ExitCode:
        """0 the deployment survives all that it should, 1 it does not, 3 undecided."""
        return ExitCode.of(self.verdict)


WORST_FIRST = (Verdict.VIOLATED, Verdict.UNDECIDED, Verdict.HOLDS)


def worst_of(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of the verdicts, of which there is at least one."""
    found = set(verdicts)
    return next(verdict for verdict in WORST_FIRST if verdict in found)


def broken_everyday(examination: Examination) -> dict[str, Verdict]:
    """The everyday work, if it was asked about, by which something happens or may happen that was not to be survived."""
    found = {}
    for name, faults in EVERYDAY.items() if examination.tolerance is None else ():
        verdicts = {d.verdict for d in examination.decided if not d.tolerated and d.faults.within(faults)}
        if verdicts & {Verdict.VIOLATED, Verdict.UNDECIDED}:
            found[name] = worst_of(verdicts)
    return found


def together(found: Iterable[Mapping[str, Verdict]]) -> dict[str, Verdict]:
    """The everyday work that is broken in any of these, each with the worst of its verdicts."""
    verdicts: dict[str, list[Verdict]] = {}
    for one in found:
        for name, verdict in one.items():
            verdicts.setdefault(name, []).append(verdict)
    return {name: worst_of(of_name) for name, of_name in verdicts.items()}


def tolerance_of(tolerate: str | None, survive: str | None) -> Tolerance | None:
    """What a deployment should survive, as people say it: by faults or by events; None if they say nothing.

    Raises ConfigurationError for what is no fault or no event, or if both are said.
    """
    if tolerate is not None and survive is not None:
        what = f"{argument('tolerate')} and {argument('survive')} say the same in two ways."
        raise ConfigurationError([Notice(what=what, advice="Give one of them.")])
    if tolerate is not None:
        return Tolerance.of_faults(Faults.of(parse_tolerance(tolerate)))
    if survive is not None:
        return Tolerance(tuple((name, Faults.of(faults)) for name, faults in parse_survival(survive).items()))
    return None


def is_tolerated(faults: Faults, tolerance: Tolerance | None) -> bool:
    """Whether a deployment should survive these faults; by default any single fault that is usual."""
    if tolerance is not None:
        return tolerance.covers(faults)
    unusual = {name for exposure in exposures().values() for name in exposure.unusual}
    return faults.total <= 1 and unusual.isdisjoint(dict(faults.counts))


def plan(deployment: Deployment, tolerance: Tolerance | None) -> Mapping[Danger, tuple[Faults, ...]]:
    """The sets of faults to ask about for each danger, smaller ones first."""
    if tolerance is None:
        return {danger: exposure_of(danger).usual_faults(deployment, danger) for danger in dangers_of(deployment)}
    return {
        danger: _within_any(that_matter(deployment, danger, faults) for faults in tolerance.sets)
        for danger in dangers_of(deployment)
    }


def _within_any(largest: Iterable[Faults]) -> tuple[Faults, ...]:
    """Every set within one of these, each once, smaller ones first."""
    found = dict.fromkeys(faults for one in largest for faults in all_within(one))
    return tuple(sorted(found, key=lambda faults: faults.total))


def examine(deployment: Deployment, tolerance: Tolerance | None, study: Study) -> Examination:
    """Ask in waves with more and more faults. Sets that contain a violated set are left out.

    The largest sets of a tolerance are asked about first: what holds with all of their faults holds with fewer. Where basic dangers
    happen with several faults, the others are asked about with single ones of them.
    """
    sets = dict(plan(deployment, tolerance))
    decided: list[DecidedDanger] = []

    def ask(pairs: Sequence[tuple[Danger, Faults]]) -> None:
        answers = answers_to(study, [(deployment, danger, faults) for danger, faults in pairs])
        decided.extend(
            DecidedDanger(danger=danger, faults=faults, answer=answer, tolerated=is_tolerated(faults, tolerance))
            for (danger, faults), answer in zip(pairs, answers, strict=True)
        )

    if tolerance is not None:
        basic = [danger for danger in sets if danger.basic]
        ask([(danger, faults) for danger in basic for faults in maximal(sets[danger])])
        lost = [d.faults for d in decided if d.verdict == Verdict.VIOLATED]
        sets = {d: f if d in basic else _worth_asking(f, tolerance, lost) for d, f in sets.items()}
        ask([(danger, faults) for danger, found in sets.items() if danger not in basic for faults in maximal(found)])
        held = {
            danger: [d.faults for d in decided if d.danger == danger and d.verdict == Verdict.HOLDS] for danger in sets
        }
        sets = {
            danger: tuple(faults for faults in found if not any(faults.within(one) for one in held[danger]))
            for danger, found in sets.items()
        }
    for total in sorted({faults.total for found in sets.values() for faults in found}):
        ask(
            [
                (danger, faults)
                for danger, found in sets.items()
                for faults in found
                if faults.total == total and not _is_decided(decided, danger, faults)
            ]
        )
    return Examination(deployment=deployment, tolerance=tolerance, decided=decided)


def _worth_asking(sets: Iterable[Faults], tolerance: Tolerance, lost: Sequence[Faults]) -> tuple[Faults, ...]:
    """Single faults, and what is within a set of the tolerance that loses nothing."""
    kept = [one for one in tolerance.sets if not any(faults.within(one) for faults in lost)]
    return tuple(faults for faults in sets if faults.total <= 1 or any(faults.within(one) for one in kept))


def _is_decided(decided: Sequence[DecidedDanger], danger: Danger, faults: Faults) -> bool:
    """Whether this was asked, or a subset of these faults is violated."""
    return any(
        d.danger == danger and (d.faults == faults or (d.verdict == Verdict.VIOLATED and d.faults.within(faults)))
        for d in decided
    )
