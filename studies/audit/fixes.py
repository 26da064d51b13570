"""The smallest change of settings that removes a finding, verified: the changed deployment is asked the same questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neverlost.explorer.verdict import Verdict
from neverlost.spec.configuration import Deployment

from ..asker import Asker
from .changes import ConfigurationChange, candidates, changed
from .dangers import Danger
from .examination import DecidedDanger, Examination, is_tolerated, plan
from .faults import Faults, maximal
from .inquiry import inquire


@dataclass(frozen=True, kw_only=True)
class Fix:
    """Changes that prevent a danger with all of `faults`; the largest search for this had `states` states."""

    changes: tuple[ConfigurationChange, ...]
    deployment: Deployment
    faults: tuple[Faults, ...]
    states: int


def with_same_changes(
    found: Sequence[tuple[DecidedDanger, Fix | None]],
) -> list[tuple[Sequence[DecidedDanger], Sequence[Fix]]]:
    """Findings with the same changes, and their fixes, each once; without a fix those that have none."""
    by_changes: dict[tuple[ConfigurationChange, ...] | None, list[tuple[DecidedDanger, Fix | None]]] = {}
    for finding, fix in found:
        by_changes.setdefault(None if fix is None else fix.changes, []).append((finding, fix))
    return [
        ([finding for finding, _ in same], list({fix.faults: fix for _, fix in same if fix is not None}.values()))
        for same in by_changes.values()
    ]


class FixSearch:
    """Searches for fixes: every change is tried by asking about the changed deployment, and all that held before must still hold."""

    def __init__(self, examination: Examination, asker: Asker) -> None:
        self.examination, self.asker = examination, asker
        self.found: dict[tuple[Danger, tuple[Faults, ...]], Fix | None] = {}

    def fix_for(self, finding: DecidedDanger) -> Fix | None:
        """The first change that removes a finding.

        If the deployment should survive it, a change that prevents the danger with all faults to survive is preferred.
        """
        if finding.tolerated:
            whole = self._fix(finding.danger, self._tolerated(finding.danger))
            if whole is not None:
                return whole
        return self._fix(finding.danger, (finding.faults,))

    def _tolerated(self, danger: Danger) -> tuple[Faults, ...]:
        examination = self.examination
        sets = plan(examination.deployment, examination.tolerance)[danger]
        return tuple(maximal(faults for faults in sets if is_tolerated(faults, examination.tolerance)))

    def _fix(self, danger: Danger, faults: tuple[Faults, ...]) -> Fix | None:
        key = (danger, faults)
        if key not in self.found:
            tried = (self._tried(danger, faults, c) for c in candidates(self.examination.deployment, danger.concerns))
            self.found[key] = next((fix for fix in tried if fix is not None), None)
        return self.found[key]

    def _tried(
        self, danger: Danger, faults: tuple[Faults, ...], changes: tuple[ConfigurationChange, ...]
    ) -> Fix | None:
        """The fix, if the changes are one. The violated question is asked first, because it is answered fastest."""
        after = changed(self.examination.deployment, changes)
        if after is None or self.asker.interrupted():
            return None
        violated = [d.faults for d in self.examination.of(danger, Verdict.VIOLATED)]
        urgent = [f for f in faults if any(small.within(f) for small in violated)]
        states = []
        for asked in (urgent, [f for f in faults if f not in urgent]):
            answers = inquire(self.asker, [(after, danger, f) for f in asked])
            if any(answer.verdict != Verdict.HOLDS for answer in answers):
                return None
            states += [answer.distinct for answer in answers]
        if self._breaks_another(danger, faults, after):
            return None
        return Fix(changes=changes, deployment=after, faults=faults, states=max(states))

    def _breaks_another(self, danger: Danger, faults: tuple[Faults, ...], after: Deployment) -> bool:
        """Whether the change causes another danger that could not happen with some of the faults."""
        held = [
            (d.danger, d.faults)
            for d in self.examination.decided
            if d.danger != danger and d.verdict == Verdict.HOLDS and any(d.faults.within(f) for f in faults)
        ]
        kept = [(other, f) for other in {o: None for o, _ in held} for f in maximal(f for o, f in held if o == other)]
        return any(
            answer.verdict == Verdict.VIOLATED for answer in inquire(self.asker, [(after, *pair) for pair in kept])
        )
