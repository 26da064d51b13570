"""The whole audit of a deployment: what can happen to its records, and which changes prevent it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neverlost.explorer.answers import Answer
from neverlost.explorer.search import Limits
from neverlost.spec.configuration import Deployment

from ..asker import Asker
from .examination import Examination, examine
from .faults import Tolerance
from .fixes import Fix, FixSearch

MOST_STATES = 20_000_000
"""The default limits of a question: about half a minute, and 2 GiB."""


@dataclass(frozen=True, kw_only=True)
class AuditResult:
    """An examination with the fix of each violated finding, and every answer that it rests on."""

    examination: Examination
    fixes: Sequence[Fix | None]
    answers: Sequence[Answer]
    limits: Limits


def audit_of(
    deployment: Deployment, files: Sequence[str], asker: Asker, tolerance: Tolerance | None = None
) -> AuditResult:
    """Ask what can happen to the deployment in the files, and search for a fix of each finding."""
    examination = examine(deployment, tolerance, asker)
    search = FixSearch(examination, files, asker)
    fixes = [search.fix_for(finding) for finding in examination.violated]
    return AuditResult(examination=examination, fixes=fixes, answers=list(asker.answered.values()), limits=asker.limits)
