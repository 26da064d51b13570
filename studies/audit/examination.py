"""The examination of a deployment: every danger under every set of faults that is asked about, the smaller sets first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neverlost.explorer.answers import Answer
from neverlost.explorer.exit_code import ExitCode
from neverlost.explorer.verdict import Verdict
from neverlost.spec.configuration import Deployment

from ..asker import Asker
from .dangers import CONSUMER_CRASHES, Danger, dangers_of, that_matter, usual_faults
from .faults import Faults, all_within, maximal, minimal
from .inquiry import inquire


@dataclass(frozen=True, kw_only=True)
class DecidedDanger:
    """A danger under a set of faults, decided. `tolerated`: should the deployment survive these faults?"""

    danger: Danger
    faults: Faults
    answer: Answer
    tolerated: bool

    @property
    def verdict(self) -> Verdict:
        return self.answer.verdict


@dataclass(frozen=True, kw_only=True)
class Examination:
    """All that was asked about a deployment. `tolerance` is None if nobody said which faults it should survive: then any one."""

    deployment: Deployment
    tolerance: Faults | None
    decided: Sequence[DecidedDanger]

    @property
    def dangers(self) -> tuple[Danger, ...]:
        return dangers_of(self.deployment)

    def of(self, danger: Danger, verdict: Verdict) -> list[DecidedDanger]:
        """What was decided so of a danger; of what is violated the smallest faults, of what holds the largest."""
        found = [d for d in self.decided if d.danger == danger and d.verdict == verdict]
        if verdict == Verdict.VIOLATED:
            kept = minimal(d.faults for d in found)
        elif verdict == Verdict.HOLDS:
            kept = maximal(d.faults for d in found)
        else:
            kept = [d.faults for d in found]
        return [d for d in found if d.faults in kept]

    @property
    def violated(self) -> list[DecidedDanger]:
        """The smallest sets of faults that bring each danger about: first what should be survived."""
        found = [d for danger in self.dangers for d in self.of(danger, Verdict.VIOLATED)]
        return sorted(found, key=lambda d: not d.tolerated)

    @property
    def verdict(self) -> Verdict:
        """Is everything survived that should be?"""
        verdicts = {d.verdict for d in self.decided if d.tolerated}
        if Verdict.VIOLATED in verdicts:
            return Verdict.VIOLATED
        return Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts or not verdicts else Verdict.HOLDS

    @property
    def exit_code(self) -> ExitCode:
        """0 everything to be survived is, 1 something is not, 3 undecided."""
        return ExitCode.of(self.verdict)


def is_tolerated(faults: Faults, tolerance: Faults | None) -> bool:
    """Should a deployment survive these faults? If nobody says which: any one, but that of the consumer."""
    if tolerance is not None:
        return faults.within(tolerance)
    return faults.total <= 1 and CONSUMER_CRASHES not in dict(faults.counts)


def plan(deployment: Deployment, tolerance: Faults | None) -> Mapping[Danger, tuple[Faults, ...]]:
    """The sets of faults to ask about for each danger, the smaller ones first."""
    if tolerance is None:
        return {danger: usual_faults(deployment, danger) for danger in dangers_of(deployment)}
    return {danger: all_within(that_matter(deployment, danger, tolerance)) for danger in dangers_of(deployment)}


def examine(deployment: Deployment, tolerance: Faults | None, asker: Asker) -> Examination:
    """Ask in waves of ever more faults. Faults that hold a set that is violated already are left out.

    A tolerance is asked about as a whole first: what holds with all of its faults holds with fewer.
    """
    sets = dict(plan(deployment, tolerance))
    decided: list[DecidedDanger] = []

    def ask(pairs: Sequence[tuple[Danger, Faults]]) -> None:
        answers = inquire(asker, [(deployment, danger, faults) for danger, faults in pairs])
        decided.extend(
            DecidedDanger(danger=danger, faults=faults, answer=answer, tolerated=is_tolerated(faults, tolerance))
            for (danger, faults), answer in zip(pairs, answers, strict=True)
        )

    if tolerance is not None:
        ask([(danger, found[-1]) for danger, found in sets.items()])
        sets = {d.danger: sets[d.danger] for d in decided if d.verdict != Verdict.HOLDS}
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


def _is_decided(decided: Sequence[DecidedDanger], danger: Danger, faults: Faults) -> bool:
    """Was this asked, or something violated that these faults include?"""
    return any(
        d.danger == danger and (d.faults == faults or (d.verdict == Verdict.VIOLATED and d.faults.within(faults)))
        for d in decided
    )
