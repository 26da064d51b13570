"""The sections of an audit, for people: the verdict, the table, each finding with its story and its fix, then what was checked."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from neverlost.explorer.words import counted
from neverlost.spec.exposure import Danger
from neverlost.studies.audit.audit import AuditResult
from neverlost.studies.audit.sections import Section

from ..layout import shell_lines, wrapped
from ..styled import STYLES, titled
from ..trace.as_text import steps_text
from .sections import (
    case_rows,
    command_of,
    doubts_of_section,
    examined_words,
    first_of_section,
    fix_line,
    heading,
    headline_of,
    narrowing,
    not_asked_words,
    rows_of_section,
    shown_of,
    story_of,
    trace_of_section,
    upper,
    verified_alone,
)
from .table import ROW_STYLES
from .table_text import table_row
from .wording import every_state, listed


def sections_text(audit: AuditResult, *, quiet: bool) -> Iterator[Text]:
    """Every section, then for which part fixes were verified, and what was not asked."""
    for number, section in enumerate(audit.sections.asked):
        if number or audit.classes:
            yield Text()
        yield from _section(section, quiet=quiet)
    for words in (verified_alone(audit), not_asked_words(audit.sections.not_asked)):
        if words and not quiet:
            yield Text()
            yield Text(wrapped(words))


def _section(section: Section, *, quiet: bool) -> Iterator[Text]:
    yield Text(wrapped(heading(section)), style="bold underline")
    yield Text(wrapped(headline_of(section)), style=STYLES[section.verdict])
    rows = case_rows(section)
    if rows:
        for row in rows:
            yield Text(wrapped(f"  {row.condition}: {row.words}", "    "), style=STYLES[row.verdict])
        yield Text(wrapped(f"  To narrow this, add: {narrowing(section)}.", "    "))
    examined = examined_words(section)
    if examined:
        yield Text(wrapped(f"Details for one case: {examined}."))
    doubts = doubts_of_section(section)
    if doubts:
        yield Text("The verdict may be different, because", style="yellow")
        yield from (Text(wrapped(f"  {doubt}", "    "), style="yellow") for doubt in doubts)
    first = first_of_section(section)
    if first and not quiet:
        yield Text(wrapped(f"Do first: {first}", "  "), style="bold")
    yield Text()
    yield from _table(section)
    if quiet:
        return
    said: dict[str, int] = {}
    for number, danger in enumerate(dict.fromkeys(one.ask.danger for one in section.violated), start=1):
        yield Text()
        yield from _finding(section, number, danger, said)
    yield Text()
    notes = [doubt for doubt in section.subject.doubts if not doubt.decides]
    if notes:
        yield Text("Warnings", style="bold")
        yield from (Text(wrapped(f"  {note}", "    ")) for note in notes)
        yield Text()
    yield Text("What was checked", style="bold")
    total = counted(sum(one.answer.distinct for one in section.decided), "state")
    states = f"{every_state(one.verdict for one in section.decided)}, {total} in all"
    asked = counted(len(section.decided), "question")
    yield Text(wrapped(f"  {section.case.searched}: {asked}, {states}.", "  "))


def _table(section: Section) -> Iterator[Text]:
    yield table_row("What may happen", "with", "verdict", style="bold")
    last = None
    for row in rows_of_section(section):
        name = "" if row.danger == last else row.danger.name
        last = row.danger
        yield table_row(name, row.faults, row.words, style=ROW_STYLES[row.tone])


def _finding(section: Section, number: int, danger: Danger, said: dict[str, int]) -> Iterator[Text]:
    """One danger: its shortest story, the command that shows it, its fix. `said` are the fixes of those before."""
    shown = shown_of(section, danger)
    sets = listed((one.ask.with_what for one in section.violated if one.ask.danger == danger), "or")
    yield Text(wrapped(f"{number}. {upper(danger.what)}, with {sets}", "   "), style="bold")
    yield Text(wrapped(f"  With {shown.ask.with_what}: {story_of(shown)}", "  "))
    if number == 1:
        yield titled(steps_text(trace_of_section(shown)))
    yield Text("  To see it step by step:")
    yield Text(shell_lines(command_of(shown), "    "))
    if danger in section.fixes:
        line = fix_line(section, danger)
        earlier = said.setdefault(line, number)
        words = line if earlier == number else f"the same as for {earlier}."
        style = "yellow" if section.fixes[danger] is None else "green"
        yield Text(wrapped(f"  Fix: {words}", "    "), style=style)
