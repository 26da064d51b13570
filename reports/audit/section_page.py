"""The card of a section on the page of an audit: what may happen, what to change, one table, the stories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.spec.exposure import Danger
from neverlost.studies.audit.audit import AuditResult
from neverlost.studies.audit.sections import Decided, Section, SectionFix, Standing

from ..layout import shell_lines
from ..pages.page import TONES
from ..trace.page import story_section, symbols
from .readings import ReadingRow
from .sections import (
    TONE_OF,
    CaseRow,
    case_rows,
    command_of,
    doubts_of_section,
    examined_words,
    first_of_section,
    happens_in,
    heading,
    headline_of,
    narrowing,
    nothing_helps,
    shown_of,
    story_of,
    trace_of_section,
    upper,
    verdicts_of_parts,
    word_of,
)
from .table import GOOD, OPEN, columns_of
from .wording import VERDICTS, listed, word_of_all


def opening_of(audit: AuditResult) -> tuple[str, str, str]:
    """The verdict, of which parts it is and why, and the verdicts of the others. The only part says why in its first sentence."""
    word = word_of_all(audit)
    parts = verdicts_of_parts(audit)
    if len(parts) == 1 and audit.sections.asked:
        first = headline_of(audit.sections.asked[0]).partition(". ")[0]
        word = VERDICTS[audit.verdict]
        return word, f"{first.removeprefix(word).removesuffix('.')}.", ""
    titles = [part.title for part in parts]
    named: dict[str, list[str]] = {}
    for part in parts:
        title = part.title if titles.count(part.title) == 1 else part.words
        named.setdefault(part.verdict, []).append(": ".join(filter(None, (title, first_of(part.happens)))))
    of_it = named.pop(word, [])
    said = "; ".join(of_it) if any(part.happens for part in parts) else listed(of_it)
    others = " ".join(f"{verdict}: {listed(these)}." for verdict, these in named.items())
    return word, f": {said}." if said else ".", others


def first_of(dangers: Sequence[Danger]) -> str:
    """The two worst of what may happen, and how many more there are."""
    more = len(dangers) - 2
    return listed([*(danger.what for danger in dangers[:2]), *([f"{more} more"] if more > 0 else [])])


def rows_of_cases(rows: Sequence[CaseRow | ReadingRow]) -> list[dict[str, str]]:
    """The rows of what files leave open. What is safe, and is not with everyday work, is not shown as good."""
    return [
        {
            "condition": row.condition,
            "words": row.words,
            "tone": TONES[Verdict.UNDECIDED if _is_doubtful(row) else row.verdict],
        }
        for row in rows
    ]


def _is_doubtful(row: CaseRow | ReadingRow) -> bool:
    return row.verdict == Verdict.HOLDS and VERDICTS[Verdict.VIOLATED] in row.words


def section_row(number: int, section: Section, *, is_only: bool) -> dict[str, Any]:
    """A row of the summary. The card of the only section follows at once, and says what decides."""
    return {
        "units": heading(section),
        "all": section.subject.about,
        "word": word_of(section),
        "why": "" if is_only else listed(danger.what for danger in happens_in(section)),
        "tone": section_tone(section),
        "settings": "" if is_only else section.case.says,
        "first": _first(section),
        "href": f"section-{number}",
    }


def section_tone(section: Section) -> str:
    """What depends on more than the files say is not shown as good."""
    doubtful = any(doubt.decides for doubt in section.subject.doubts)
    return "open" if section.verdict == Verdict.HOLDS and doubtful else TONES[section.verdict]


def _first(section: Section) -> str:
    """What to do first, in a sentence."""
    first = first_of_section(section)
    if first:
        return first
    if section.fixes:
        return nothing_helps(section, next(iter(section.fixes)))
    if section.verdict == Verdict.HOLDS:
        return "Nothing."
    return f"See what is open; to narrow it, add: {narrowing(section)}." if case_rows(section) else "See what is open."


def section_card(number: int, section: Section, *, is_only: bool) -> dict[str, Any]:
    """A card: the verdict, which heads the page of the only section; on what it depends, what to change, the table, the stories."""
    first, _, rest = headline_of(section).partition(". ")
    dangers = list(dict.fromkeys(one.ask.danger for one in section.violated))
    ids = {danger: f"section-{number}-danger-{place}" for place, danger in enumerate(dangers, start=1)}
    return {
        "id": f"section-{number}",
        "word": word_of(section),
        "tone": section_tone(section),
        "heading": heading(section),
        "headline": rest if is_only else f"{upper(first.removeprefix(VERDICTS[section.verdict]).lstrip())}. {rest}",
        "rows": rows_of_cases(case_rows(section)),
        "say": narrowing(section),
        "examined": examined_words(section),
        "doubts": doubts_of_section(section),
        "remedies": list(_remedies(section, ids)),
        "uncounted": _beside(section, ids, Standing.UNCOUNTED),
        "beyond": _beside(section, ids, Standing.BEYOND),
        "table": (table := _table(section, ids)),
        "columns": columns_of(table),
        "note": "",
        "stories": [_story(ids[danger], section, danger) for danger in dangers],
        "checked": section.case.searched,
    }


def _remedies(section: Section, ids: Mapping[Danger, str]) -> Iterator[dict[str, Any]]:
    """What should be survived and is not: dangers that one change prevents stand together, and those that none does."""
    together: dict[str, list[tuple[Danger, SectionFix | None]]] = {}
    for danger, fix in section.fixes.items():
        together.setdefault("" if fix is None else fix.remedy.words, []).append((danger, fix))
    for words, found in together.items():
        fixes = {danger: fix for danger, fix in found if fix is not None}
        change = {
            "title": "Change this",
            "words": f"{upper(words)}.",
            "diff": [],
            "costs": "",
            "verified": _verified(fixes),
        }
        helpless = dict.fromkeys(
            f"{nothing_helps(section, danger)} {danger.otherwise}".strip() for danger, fix in found if fix is None
        )
        yield {
            "urgent": True,
            "dangers": [_danger(section, danger, ids, Standing.COUNTED) for danger, _ in found],
            "changes": [change] if fixes else [],
            "none": " ".join(helpless),
        }


def _beside(section: Section, ids: Mapping[Danger, str], standing: Standing) -> list[dict[str, Any]]:
    """What happens and decides nothing: no change is searched for it."""
    dangers = list(dict.fromkeys(one.ask.danger for one in section.violated if section.standing(one) == standing))
    said = [_danger(section, danger, ids, standing) for danger in dangers]
    return [{"urgent": False, "dangers": said, "changes": [], "none": ""}] if said else []


def _danger(section: Section, danger: Danger, ids: Mapping[Danger, str], standing: Standing) -> dict[str, Any]:
    found = [one for one in section.violated if one.ask.danger == danger and section.standing(one) == standing]
    faults = [one.ask.with_what for one in found]
    return {"what": upper(danger.what), "faults": listed(faults, "or"), "beyond": False, "link": ids[danger]}


def _verified(fixes: Mapping[Danger, SectionFix]) -> list[str]:
    """What was searched to know that a change prevents dangers; in one line for those with the same faults."""
    names: dict[str, list[str]] = {}
    states: dict[str, int] = {}
    for danger, fix in fixes.items():
        sets = listed(dict.fromkeys(ask.with_what for ask in fix.asked), "or")
        names.setdefault(sets, []).append(danger.name)
        states[sets] = max(states.get(sets, 0), fix.states)
    return [
        f"{'; '.join(named)}: never with {sets}, in any state of searches of up to {counted(states[sets], 'state')}"
        for sets, named in names.items()
    ]


def _table(section: Section, ids: Mapping[Danger, str]) -> list[dict[str, Any]]:
    """A row for each danger; those of which the same is said share one."""
    rows: dict[tuple[tuple[str, tuple[str, ...]], ...], list[Danger]] = {}
    for danger in section.dangers:
        rows.setdefault(tuple(_cells(section, danger)), []).append(danger)
    return [
        {"dangers": [(danger.name, ids.get(danger, "")) for danger in dangers], "cells": dict(cells)}
        for cells, dangers in rows.items()
    ]


def _cells(section: Section, danger: Danger) -> Iterator[tuple[str, tuple[str, ...]]]:
    """With what a danger happens, what should be survived first; with what never; and what is open."""
    violated = section.of(danger, Verdict.VIOLATED)
    for standing, tone in TONE_OF.items():
        found = [one for one in violated if section.standing(one) == standing]
        yield tone, tuple(f"{one.ask.with_what}, in {counted(one.answer.steps or 0, 'step')}" for one in found)
    yield GOOD, tuple(f"{one.ask.with_what}, in {_states(one)}" for one in section.of(danger, Verdict.HOLDS))
    undecided = section.of(danger, Verdict.UNDECIDED)
    yield OPEN, tuple(f"{one.ask.with_what}: UNDECIDED after {_states(one)}" for one in undecided)


def _states(one: Decided) -> str:
    return counted(one.answer.distinct, "state")


def _story(prefix: str, section: Section, danger: Danger) -> dict[str, Any]:
    shown = shown_of(section, danger)
    trace = trace_of_section(shown)
    return {
        "id": prefix,
        "title": f"{upper(danger.what)}, with {shown.ask.with_what}",
        "said": story_of(shown),
        "together": "",
        "unseen": "",
        "symbols": symbols(trace.model),
        "story": story_section(trace, f"{prefix}-step"),
        "command": shell_lines(command_of(shown), ""),
    }
