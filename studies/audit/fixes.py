"""The smallest change of settings that removes a finding, verified: the changed deployment is asked the same questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from neverlost.explorer.verdict import Verdict
from neverlost.spec.configuration import Deployment
from neverlost.spec.exposure import VERSION, ConfigurationChange, Danger
from neverlost.spec.faults import NO_FAULT, Faults, maximal

from ..study import Study
from .asking import answers_to
from .changes import candidates, changed
from .examination import DecidedDanger, Examination, is_tolerated, plan


@dataclass(frozen=True, kw_only=True)
class Fix:
    """Changes that prevent a danger with all of `faults`; the largest search for this had `states` states.

    `until` prevents it without another release, for the time until an upgrade that is one of the changes; None if nothing does.
    """

    changes: tuple[ConfigurationChange, ...]
    deployment: Deployment
    faults: tuple[Faults, ...]
    states: int
    until: Fix | None = None

    @property
    def upgrades(self) -> bool:
        """Is another release one of the changes?"""
        return any(change.key == VERSION for change in self.changes)


def by_changes(
    found: Sequence[tuple[DecidedDanger, Fix | None]],
) -> list[Sequence[tuple[DecidedDanger, Fix | None]]]:
    """Findings in groups that the same changes prevent; those without a fix are a group too."""
    groups: dict[object, list[tuple[DecidedDanger, Fix | None]]] = {}
    for finding, fix in found:
        changes = None if fix is None else (fix.changes, fix.until and fix.until.changes)
        groups.setdefault(changes, []).append((finding, fix))
    return list(groups.values())


def with_same_changes(
    found: Sequence[tuple[DecidedDanger, Fix | None]],
) -> list[tuple[Sequence[DecidedDanger], Sequence[Fix]]]:
    """Findings with the same changes, and their fixes, each once; without a fix those that have none."""
    return [
        (
            [finding for finding, _ in same],
            list({_verified_for(fix): fix for _, fix in same if fix is not None}.values()),
        )
        for same in by_changes(found)
    ]


def _verified_for(fix: Fix) -> tuple[tuple[Faults, ...], ...]:
    """The faults that a fix was verified with, and those of what helps until an upgrade, which is of one finding."""
    return fix.faults, () if fix.until is None else fix.until.faults


class FixSearch:
    """Searches for fixes: every change is tried by asking about the changed deployment, and all that held before must still hold."""

    def __init__(self, examination: Examination, study: Study) -> None:
        self.examination, self.study = examination, study
        self.found: dict[tuple[Danger, tuple[Faults, ...]], Fix | None] = {}
        self.interim: dict[tuple[Danger, Faults], Fix | None] = {}

    def fix_for(self, finding: DecidedDanger) -> Fix | None:
        """The first change that removes a finding.

        If the deployment should survive it, a change that prevents the danger with all faults to survive is preferred.
        """
        if finding.tolerated:
            whole = self._fix(finding.danger, self._tolerated(finding.danger))
            if whole is not None:
                return whole if whole.until is not None else replace(whole, until=self._until(whole, finding))
        return self._fix(finding.danger, (finding.faults,))

    def _until(self, fix: Fix, finding: DecidedDanger) -> Fix | None:
        """What prevents this finding alone until the upgrade."""
        if not fix.upgrades:
            return None
        key = (finding.danger, finding.faults)
        if key not in self.interim:
            self.interim[key] = self._first(finding.danger, (finding.faults,), self._settings(finding.danger))
        return self.interim[key]

    def _settings(self, danger: Danger) -> list[tuple[ConfigurationChange, ...]]:
        """The changes to try without another release."""
        possible = candidates(self.examination.deployment, danger)
        return [changes for changes in possible if all(change.key != VERSION for change in changes)]

    def _tolerated(self, danger: Danger) -> tuple[Faults, ...]:
        examination = self.examination
        sets = plan(examination.deployment, examination.tolerance)[danger]
        return tuple(maximal(faults for faults in sets if is_tolerated(faults, examination.tolerance)))

    def _fix(self, danger: Danger, faults: tuple[Faults, ...]) -> Fix | None:
        key = (danger, faults)
        if key not in self.found:
            fix = self._first(danger, faults, candidates(self.examination.deployment, danger))
            if fix is not None and fix.upgrades:
                fix = replace(fix, until=self._first(danger, faults, self._settings(danger)))
            self.found[key] = fix
        return self.found[key]

    def _first(
        self, danger: Danger, faults: tuple[Faults, ...], possible: Iterable[tuple[ConfigurationChange, ...]]
    ) -> Fix | None:
        """The first changes that are a fix."""
        tried = (self._tried(danger, faults, changes) for changes in possible)
        return next((fix for fix in tried if fix is not None), None)

    def _tried(
        self, danger: Danger, faults: tuple[Faults, ...], changes: tuple[ConfigurationChange, ...]
    ) -> Fix | None:
        """The fix, if the changes are one. The violated question is asked first, because it is answered fastest."""
        after = changed(self.examination.deployment, changes)
        if after is None or self.study.interrupted():
            return None
        violated = [d.faults for d in self.examination.of(danger, Verdict.VIOLATED)]
        urgent = [f for f in faults if any(small.within(f) for small in violated)]
        states = []
        for asked in (urgent, [f for f in faults if f not in urgent]):
            answers = answers_to(self.study, [(after, danger, f) for f in asked])
            if any(answer.verdict != Verdict.HOLDS for answer in answers):
                return None
            states += [answer.distinct for answer in answers]
        if self._breaks_another(danger, faults, after):
            return None
        return Fix(changes=changes, deployment=after, faults=faults, states=max(states))

    def _breaks_another(self, danger: Danger, faults: tuple[Faults, ...], after: Deployment) -> bool:
        """Whether the change causes another danger that could not happen with some of the faults, or may do so.

        That one which happens with a single fault then also happens without any is no reason to leave another danger as it is.
        """
        happening = {d.danger for d in self.examination.decided if d.tolerated and d.verdict == Verdict.VIOLATED}
        held = [
            (d.danger, d.faults)
            for d in self.examination.decided
            if d.danger != danger and d.verdict == Verdict.HOLDS and any(d.faults.within(f) for f in faults)
            if d.faults != NO_FAULT or d.danger not in happening
        ]
        kept = [(other, f) for other in {o: None for o, _ in held} for f in maximal(f for o, f in held if o == other)]
        return any(
            answer.verdict != Verdict.HOLDS for answer in answers_to(self.study, [(after, *pair) for pair in kept])
        )
