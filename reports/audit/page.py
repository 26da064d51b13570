"""The page of an audit: what an operator sends to a team. The verdict and what to do first, then a card for each class of topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.spec.exposure import ConfigurationChange, Danger
from neverlost.studies.audit.audit import AuditResult, ClassAudit
from neverlost.studies.audit.coincidence import coincidences
from neverlost.studies.audit.dangers import promises_nothing
from neverlost.studies.audit.edits import edits_of
from neverlost.studies.audit.examination import WORST_FIRST, DecidedDanger, Examination
from neverlost.studies.audit.fixes import Fix, by_changes
from neverlost.studies.audit.tolerance import EVERYDAY, named
from neverlost.studies.audit.unseen import unseen_in

from ..layout import shell_lines
from ..pages.page import TONES, filled, whole_page
from ..trace.page import story_section, symbols
from .as_text import (
    NOT_CHECKED,
    changed_since,
    classes_of,
    doubts_of,
    origins,
    overview,
    scope,
)
from .diff import diffs
from .readings import details_for, readings_block
from .section_page import first_of, opening_of, rows_of_cases, section_card, section_row, section_tone
from .sections import not_asked_words, upper, verified_alone
from .table import BAD, BEYOND, GOOD, OPEN, columns_of
from .wording import (
    NO_SETTING,
    NOT_PROMISED,
    VERDICTS,
    changes_line,
    command,
    comparison_headline,
    costs_line,
    few,
    first_fix,
    first_words,
    happens,
    headline,
    listed,
    mark_of,
    no_fix_words,
    noun_of,
    settings_line,
    shown_first,
    story,
    trace_of,
    unseen_note,
    unseen_words,
    verdict_words,
    word_of_all,
    word_of_class,
)

TOPICS = "Topics"
"""What stands for topics where no file names one."""

NOTHING_HELPS = NO_SETTING.capitalize()

Found = Sequence[tuple[DecidedDanger, Fix | None]]
"""Findings, each with its fix if there is one."""


def audit_html(audit: AuditResult) -> str:
    """The page: one file that needs no other, and no script but to move within a story."""
    alone = len(audit.classes) == 1 and not audit.refused and not audit.sections.verdicts
    classes = [_class(number, one) for number, one in enumerate(audit.classes, start=1)]
    is_only = not audit.classes and not audit.refused and len(audit.sections.asked) == 1
    rows = [section_row(number, one, is_only=is_only) for number, one in enumerate(audit.sections.asked, start=1)]
    word, said, more = _opening(audit)
    body = filled(
        "audit/audit.html.j2",
        word=word,
        tone=_tone(audit),
        beside=upper(said.removeprefix(": ")) if said.startswith(":") else said.lstrip(),
        more=more,
        compared=_compared(audit),
        alone=alone,
        noun="part" if audit.sections.asked else noun_of(audit.parts),
        summary=[] if alone else [*_summary(audit, classes), *rows],
        classes=sorted(classes, key=lambda one: one["place"]),
        sections=[
            section_card(number, one, is_only=is_only) for number, one in enumerate(audit.sections.asked, start=1)
        ],
        warnings=_warnings(audit),
        closing=[words for words in (verified_alone(audit), not_asked_words(audit.sections.not_asked)) if words],
    )
    return whole_page(f"{word}{said}", body, scripts=["trace/story.js"], styles=["audit/audit.css"])


def _tone(audit: AuditResult) -> str:
    """The tone of the verdict on all classes."""
    doubtful = any(_class_tone(one) == "open" for one in audit.classes)
    doubtful = doubtful or any(section_tone(one) == "open" for one in audit.sections.asked)
    return "open" if audit.verdict == Verdict.HOLDS and doubtful else TONES[audit.verdict]


def _class_tone(audit: ClassAudit) -> str:
    """What promises nothing, or does not survive everyday work, is not shown as good."""
    word = verdict_words(audit.verdict, audit.deployment)
    doubtful = word not in VERDICTS.values() or bool(audit.everyday)
    return "open" if audit.verdict == Verdict.HOLDS and doubtful else TONES[audit.verdict]


def _opening(audit: AuditResult) -> tuple[str, str, str]:
    """The verdict, the rest of its sentence, and what else is said at once."""
    if audit.sections.verdicts:
        return opening_of(audit)
    if len(audit.classes) != 1 or audit.refused:
        dangers = list(dict.fromkeys(danger for one in audit.classes for danger in happens(one.examination)))
        counts = overview(audit)
        return word_of_all(audit), f": {first_of(dangers)}." if dangers else f": {counts}", counts if dangers else ""
    (one,) = audit.classes
    word = verdict_words(one.examination.verdict, one.deployment)
    first, _, more = headline(one.examination).partition(". ")
    return word, first.removeprefix(word).removesuffix(".") + ".", more


def _compared(audit: AuditResult) -> list[str]:
    if audit.comparison is None:
        return []
    return [comparison_headline(audit.comparison), *changed_since(audit.comparison)]


def _warnings(audit: AuditResult) -> dict[str, str]:
    """What else is to be said of the files, each once; with the topics that it is about, if it is not about all."""
    said: dict[str, list[str]] = {}
    for one in audit.classes:
        for warning in one.deployment.warnings:
            said.setdefault(str(warning), []).append(few(one.deployment.units))
    about = {text: "; ".join(of) if len(of) < len(audit.classes) else "" for text, of in said.items()}
    doubts = (doubt for section in audit.sections.asked for doubt in section.subject.doubts if not doubt.decides)
    return about | {str(doubt): "" for doubt in doubts if str(doubt) not in about}


def _summary(audit: AuditResult, classes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row for each class, the worst first: its topics, its verdict, and what to do first."""
    refused = [" ".join(str(problem) for problem in one.problems) for one in audit.refused]
    rows = [
        {
            "number": number,
            "units": few(units) or TOPICS,
            "all": ", ".join(units),
            "word": word,
            "why": classes[number - 1]["why"] if number <= len(classes) else "",
            "tone": classes[number - 1]["tone"] if number <= len(classes) else TONES[verdict],
            "settings": classes[number - 1]["settings"] if number <= len(classes) else "",
            "first": classes[number - 1]["first"] if number <= len(classes) else refused[number - 1 - len(classes)],
            "href": f"class-{number}" if number <= len(classes) else "",
            "place": WORST_FIRST.index(verdict),
        }
        for number, (units, word, verdict) in enumerate(classes_of(audit), start=1)
    ]
    return sorted(rows, key=lambda row: row["place"])


def _class(number: int, audit: ClassAudit) -> dict[str, Any]:
    examination, deployment = audit.examination, audit.deployment
    fixed = list(zip(examination.violated, audit.fixes, strict=True))
    dangers = list(dict.fromkeys(finding.danger for finding, _ in fixed))
    ids = {danger: f"class-{number}-danger-{place}" for place, danger in enumerate(dangers, start=1)}
    block = readings_block(audit.readings)
    remedies = [_remedy(audit, same, ids) for same in by_changes(fixed)]
    return {
        "number": number,
        "place": WORST_FIRST.index(audit.verdict),
        "readings": block,
        "cases": [] if block is None else rows_of_cases(block.rows),
        "details": "" if block is None else details_for(block),
        "units": few(deployment.units) or TOPICS,
        "settings": settings_line(deployment),
        "headline": upper(headline(examination).removeprefix(verdict_words(audit.verdict, deployment)).lstrip()),
        "why": listed(danger.what for danger in happens(examination)),
        "word": word_of_class(audit),
        "tone": _class_tone(audit),
        "doubts": doubts_of(audit),
        "remedies": [one for one in remedies if one["urgent"]],
        "uncounted": [],
        "beyond": [one for one in remedies if not one["urgent"]],
        "first": _first(audit, fixed),
        "table": (table := _table(examination, ids)),
        "columns": columns_of(table),
        "note": unseen_note(examination),
        "stories": [_story(ids[danger], [pair for pair in fixed if pair[0].danger == danger]) for danger in dangers],
        "version": deployment.version,
        "assumed": deployment.assumed_defaults,
        "checked": " ".join(filter(None, (scope(audit), origins(audit)))),
    }


def _first(audit: ClassAudit, fixed: Found) -> str:
    """What to do first, in a sentence."""
    first = first_fix(audit)
    if first is not None:
        return first_words(audit.deployment, first)
    if any(finding.tolerated for finding, _ in fixed):
        return NOTHING_HELPS
    word = verdict_words(audit.examination.verdict, audit.deployment)
    rest = headline(audit.examination).partition(". ")[0].removeprefix(word).removesuffix(".")
    if audit.verdict != Verdict.HOLDS:
        return f"See what is open: {word}{rest}."
    return _against_everyday_work(audit, fixed) or f"Nothing: it is {word}{rest}."


def _against_everyday_work(audit: ClassAudit, fixed: Found) -> str:
    """What to do against everyday work that is not survived, though all else is; empty if there is none."""
    if not audit.everyday:
        return ""
    works = [EVERYDAY[name] for name in audit.everyday]
    fixes = [fix for finding, fix in fixed if any(finding.faults.within(faults) for faults in works)]
    fix = next((fix for fix in fixes if fix is not None), None)
    change = NO_SETTING if fix is None else first_words(audit.deployment, fix)
    return f"Against {listed(audit.everyday)}: {change[0].lower()}{change[1:]}"


def _remedy(audit: ClassAudit, same: Found, ids: Mapping[Danger, str]) -> dict[str, Any]:
    """Findings that the same changes prevent: what may happen, with what, and the changes for now and for later."""
    by_danger: dict[Danger, list[tuple[DecidedDanger, Fix | None]]] = {}
    said: dict[tuple[Danger, bool], list[str]] = {}
    for finding, fix in same:
        by_danger.setdefault(finding.danger, []).append((finding, fix))
        said.setdefault((finding.danger, finding.tolerated), []).append(f"{named(finding.faults)}{mark_of(finding)}")
    fix = same[0][1]
    return {
        "urgent": any(finding.tolerated for finding, _ in same),
        "dangers": [
            {
                "what": f"{danger.what[0].upper()}{danger.what[1:]}",
                "faults": listed(faults, "or"),
                "beyond": not tolerated,
                "link": ids[danger],
            }
            for (danger, tolerated), faults in said.items()
        ],
        "changes": [] if fix is None else list(_changes(audit, fix, by_danger)),
        "none": "" if fix is not None else _unprevented(audit.examination, by_danger),
    }


def _unprevented(examination: Examination, by_danger: Mapping[Danger, Found]) -> str:
    """That nothing helps, once for dangers of which the same is said."""
    words = (no_fix_words(examination, [finding for finding, _ in found]) for found in by_danger.values())
    return " ".join(dict.fromkeys(words))


def _changes(audit: ClassAudit, fix: Fix, by_danger: Mapping[Danger, Found]) -> Iterator[dict[str, Any]]:
    """The change of a fix; before an upgrade, what helps until then."""
    fixes = {danger: [fix for _, fix in found if fix is not None] for danger, found in by_danger.items()}
    if not fix.upgrades:
        yield _change(audit, "Change this", fix.changes, fixes)
        return
    if fix.until is None:
        yield {"title": "Until you upgrade", "words": NOTHING_HELPS, "diff": [], "costs": "", "verified": []}
    else:
        until = {danger: [one.until for one in found if one.until is not None] for danger, found in fixes.items()}
        yield _change(audit, "Now, until you upgrade", fix.until.changes, until)
    yield _change(audit, "For good", fix.changes, fixes)


def _change(
    audit: ClassAudit, title: str, changes: Sequence[ConfigurationChange], fixes: Mapping[Danger, Sequence[Fix]]
) -> dict[str, Any]:
    lines = diffs(edits_of(audit.deployment, changes).lines)
    return {
        "title": title,
        "words": f"{changes_line(audit.deployment, changes)}.",
        "diff": [line for of_file in lines.values() for line in of_file],
        "costs": costs_line(changes),
        "verified": _verified(fixes),
    }


def _verified(fixes: Mapping[Danger, Sequence[Fix]]) -> list[str]:
    """What was searched to know that a change prevents dangers; in one line for those with the same faults."""
    names: dict[str, list[str]] = {}
    states: dict[str, list[int]] = {}
    for danger, of_danger in fixes.items():
        sets = listed(dict.fromkeys(faults for fix in of_danger for faults in fix.faults), "or")
        names.setdefault(sets, []).append(danger.name)
        states.setdefault(sets, []).extend(fix.states for fix in of_danger)
    return [
        f"{'; '.join(names[sets])}: never with {sets}, in any state of searches of up to {counted(max(states[sets]), 'state')}"
        for sets in names
    ]


def _story(prefix: str, found: Found) -> dict[str, Any]:
    """The shortest story of a danger, and the command that shows it."""
    shown = shown_first(found)
    what = shown.danger.what
    together, unseen = coincidences(shown.danger, trace_of(shown)), unseen_in(trace_of(shown))
    return {
        "id": prefix,
        "title": f"{what[0].upper()}{what[1:]}, with {shown.faults}",
        "said": story(shown),
        "together": "; ".join(together) if len(together) > 1 else "",
        "unseen": "" if unseen is None else unseen_words(unseen),
        "without": "" if unseen is None else " ".join(unseen.command),
        "symbols": symbols(trace_of(shown).model),
        "story": story_section(trace_of(shown), f"{prefix}-step"),
        "command": shell_lines(command(shown), ""),
    }


def _table(examination: Examination, ids: Mapping[Danger, str]) -> list[dict[str, Any]]:
    """A row for each danger; those of which the same is said share one."""
    rows: dict[tuple[tuple[str, tuple[str, ...]], ...], list[Danger]] = {}
    for danger in examination.dangers:
        rows.setdefault(tuple(_cells(examination, danger)), []).append(danger)
    shown = [
        {"dangers": [(danger.name, ids.get(danger, "")) for danger in dangers], "cells": dict(cells)}
        for cells, dangers in rows.items()
    ]
    unchecked = [(notice.unchecked, "") for notice in examination.deployment.unchecked]
    return shown + ([{"dangers": unchecked, "cells": {OPEN: (NOT_CHECKED,)}}] if unchecked else [])


def _cells(examination: Examination, danger: Danger) -> Iterator[tuple[str, tuple[str, ...]]]:
    """With which faults a danger happens, those to survive first; with which never; and what is open."""
    if promises_nothing(examination.deployment, danger):
        yield OPEN, (NOT_PROMISED,)
        return
    for tone in (BAD, BEYOND):
        found = [one for one in examination.of(danger, Verdict.VIOLATED) if one.tolerated == (tone == BAD)]
        yield (
            tone,
            tuple(f"{named(one.faults)}, in {counted(one.answer.steps or 0, 'step')}{mark_of(one)}" for one in found),
        )
    never = examination.of(danger, Verdict.HOLDS)
    yield GOOD, tuple(f"{named(one.faults)}, in {counted(one.answer.distinct, 'state')}" for one in never)
    undecided = [
        f"{named(one.faults)}: UNDECIDED after {counted(one.answer.distinct, 'state')}"
        for one in examination.of(danger, Verdict.UNDECIDED)
    ]
    left = [f"{faults}: not asked, as records are lost anyway" for faults in examination.not_asked(danger)]
    yield OPEN, (*undecided, *left)
