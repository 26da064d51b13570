"""The page of an audit: what an operator sends to a team. The verdict, what may happen, each story as a picture, and the fix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neverlost.studies.audit.audit import AuditResult, ClassAudit
from neverlost.studies.audit.edits import edits_of
from neverlost.studies.audit.examination import DecidedDanger
from neverlost.studies.audit.fixes import Fix, with_same_changes

from ..layout import shell_lines
from ..pages.page import TONES, filled, whole_page
from ..trace.page import story_section, symbols
from .as_text import changed_since, classes_of, cut_short, doubts_of, origins, overview, rows_of, scope
from .diff import diffs
from .readings import details_for, readings_block
from .wording import (
    VERDICTS,
    command,
    comparison_headline,
    few,
    fix_words,
    headline,
    listed,
    no_fix_words,
    noun_of,
    settings_line,
    shown_first,
    story,
    trace_of,
)

ROW_TONES = {"bad": "bad", "beyond": "dim", "good": "good", "open": "bad"}


def audit_html(audit: AuditResult) -> str:
    """The page: one file that needs no other, and no script but to move within a story."""
    alone = len(audit.classes) == 1 and not audit.refused
    title = "What can happen to the records of this deployment"
    body = filled(
        "audit/audit.html.j2",
        verdict=VERDICTS[audit.verdict],
        tone=TONES[audit.verdict],
        title=title,
        compared=_compared(audit),
        overview="" if alone else overview(audit),
        noun=noun_of(audit.parts),
        summary=_summary(audit),
        symbols=symbols(*(trace_of(finding).model for one in audit.classes for finding in one.examination.violated)),
        classes=[_class(number, one) for number, one in enumerate(audit.classes, start=1)],
    )
    return whole_page(f"{VERDICTS[audit.verdict]}: {title}", body, scripts=["trace/story.js"])


def _compared(audit: AuditResult) -> list[str]:
    if audit.comparison is None:
        return []
    return [comparison_headline(audit.comparison), *changed_since(audit.comparison)]


def _summary(audit: AuditResult) -> list[dict[str, Any]]:
    said = [settings_line(one.deployment) for one in audit.classes]
    said += [" ".join(str(problem) for problem in one.problems) for one in audit.refused]
    return [
        {
            "number": number,
            "units": units,
            "word": word,
            "tone": TONES[verdict],
            "said": words,
            "link": number <= len(audit.classes),
        }
        for number, ((units, word, verdict), words) in enumerate(zip(classes_of(audit), said, strict=True), start=1)
    ]


def _class(number: int, audit: ClassAudit) -> dict[str, Any]:
    examination, deployment = audit.examination, audit.deployment
    fixed = list(zip(examination.violated, audit.fixes, strict=True))
    dangers = list(dict.fromkeys(finding.danger for finding, _ in fixed))
    block = readings_block(audit.readings)
    return {
        "number": number,
        "readings": block,
        "details": "" if block is None else details_for(block),
        "units": few(deployment.units),
        "settings": settings_line(deployment),
        "headline": headline(examination),
        "word": VERDICTS[audit.verdict],
        "tone": TONES[audit.verdict],
        "doubts": doubts_of(audit),
        "rows": [
            {"name": danger.name, "faults": row.faults, "words": row.words, "tone": ROW_TONES[row.tone]}
            for danger in examination.dangers
            for row in rows_of(examination, danger)
        ],
        "findings": [
            _finding(audit, f"class-{number}-danger-{place}", [pair for pair in fixed if pair[0].danger == danger])
            for place, danger in enumerate(dangers, start=1)
        ],
        "version": deployment.version,
        "assumed": deployment.assumed_defaults,
        "warnings": [str(warning) for warning in deployment.warnings],
        "checked": " ".join(filter(None, (scope(audit), origins(audit), cut_short(examination)))),
    }


def _finding(audit: ClassAudit, prefix: str, found: Sequence[tuple[DecidedDanger, Fix | None]]) -> dict[str, Any]:
    """One danger: its shortest story, the command that shows it, and its fixes."""
    shown = shown_first(found)
    what, sets = shown.danger.what, listed((finding.faults for finding, _ in found), "or")
    kinds = with_same_changes(found)
    return {
        "title": f"{what[0].upper()}{what[1:]}, with {sets}",
        "said": f"With {shown.faults}: {story(shown)}",
        "story": story_section(trace_of(shown), prefix),
        "command": shell_lines(command(shown), ""),
        "fixes": [_fix(audit, same, fixes, several=len(kinds) > 1) for same, fixes in kinds],
    }


def _fix(audit: ClassAudit, same: Sequence[DecidedDanger], fixes: Sequence[Fix], *, several: bool) -> dict[str, Any]:
    against = f" against {listed((finding.faults for finding in same), 'or')}" if several else ""
    if not fixes:
        words = f"none. {no_fix_words(audit.examination, same)}"
        return {"found": False, "title": f"Fix{against}:", "words": words, "diff": []}
    edits = edits_of(audit.deployment, fixes[0].changes)
    diff = [line for lines in diffs(edits.lines).values() for line in lines]
    return {"found": True, "title": f"Fix{against}:", "words": fix_words(audit.deployment, fixes), "diff": diff}
