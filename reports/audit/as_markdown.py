"""Markdown for a comment on a pull request: the verdict first, then the table, the findings with their stories and fixes, the warnings.

Nothing that comes from a file is markup here: prose is escaped, and paths, keys and lines are code, where GitHub finds no mention of
people or issues.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.studies.audit.audit import AuditResult, ClassAudit
from neverlost.studies.audit.comparison import Change
from neverlost.studies.audit.dangers import promises_nothing
from neverlost.studies.audit.edits import Place
from neverlost.studies.audit.sections import Section

from .diff import diffs
from .plain_text import one_line
from .readings import details_for, readings_block
from .remarks import (
    ABOUT_READINGS,
    Level,
    Remark,
    findings_of,
    of_section,
    refusals_of,
    unknown_sections,
    warnings_of,
    worse_elsewhere,
)
from .sections import (
    case_rows,
    doubts_of_section,
    heading,
    headline_of,
    narrowing,
    not_asked_words,
    rows_of_section,
    section_changes,
    together,
    verified_alone,
    word_of,
)
from .wording import (
    NOT_PROMISED,
    comparison_headline,
    few,
    headline,
    in_classes,
    left_words,
    listed,
    mark_of,
    noun_of,
    settings_line,
    unseen_note,
    word_of_all,
    word_of_class,
)

MOST_CHARACTERS = 65_536
"""GitHub takes no longer comment. What counts as a character is not documented: here it is a unit of UTF-16, at most two for each."""

CUT = "\n**Cut here**: a comment has no room for more. `neverlost audit` without `--format markdown` says the rest.\n"
MARKUP = re.compile(r"[\\`*_\[\]<>&|~$]|:(?=\S)|(?<=www)\.|^[-+=]", re.IGNORECASE)
"""What may be markup of CommonMark or of GitHub: emphasis, links, HTML, tables, formulas, emoji, addresses, lists."""

NUMBERED = re.compile(r"^([0-9]+)([.)])")
REFERENCE = re.compile("[@#]")
"""What begins the name of a person, a team or an issue, if no code is around it."""


def audit_markdown(audit: AuditResult) -> str:
    """The audit as a comment, no longer than GitHub takes."""
    return within_limit(_audit(audit))


def problems_markdown(problems: Sequence[Remark]) -> str:
    """Wrong input as a comment."""
    return within_limit(_problems(problems))


def within_limit(pieces: Iterator[str]) -> str:
    """The pieces, each of which is whole Markdown, as far as there is room for them."""
    kept: list[str] = []
    room = MOST_CHARACTERS - _length(CUT)
    for piece in pieces:
        room -= _length(piece)
        if room < 0:
            return "".join([*kept, CUT])
        kept.append(piece)
    return "".join(kept)


def _length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _problems(problems: Sequence[Remark]) -> Iterator[str]:
    yield f"## neverlost: the files cannot be audited\n\n{counted(len(problems), 'problem')}, and no verdict.\n\n"
    yield from (_item(problem) for problem in problems)


def _audit(audit: AuditResult) -> Iterator[str]:
    compared = audit.comparison
    if compared is not None:
        yield f"## neverlost: {prose(comparison_headline(compared))}\n\n"
        yield from _changes(audit)
    whole = together(audit)
    if whole:
        yield f"{'##' if compared is None else '###'} neverlost: {prose(whole)}\n\n"
    if len(audit.classes) == 1 and not audit.refused:
        level = "##" if compared is None and not whole else "###"
        title = f"{'Topics' if whole else 'neverlost'}: {prose(word_of_class(audit.classes[0]))}"
        yield from _class(audit, audit.classes[0], f"{level} {title}")
    elif audit.classes or audit.refused:
        noun, count = noun_of(audit.parts), sum(len(one.units) for one in audit.parts)
        yield f"## neverlost: {prose(word_of_all(audit))}\n\n{in_classes(count, noun, len(audit.parts))}.\n\n"
        yield f"| class | {noun}s | verdict | settings |\n|---|---|---|---|\n"
        for number, one in enumerate(audit.classes, start=1):
            row = (str(number), prose(few(one.deployment.units)), prose(word_of_class(one)))
            yield f"| {' | '.join(row)} | {prose(settings_line(one.deployment))} |\n"
        yield "\n### Refused\n\n" if audit.refused else ""
        yield from (_item(problem) for one in audit.refused for problem in refusals_of(one))
        yield "\n"
        for number, one in enumerate(audit.classes, start=1):
            named = f"Class {number}, {word_of_class(one)}: {few(one.deployment.units)}"
            yield from _class(audit, one, f"### {prose(named)}")
    for section in audit.sections.asked:
        yield from _section(audit, section)
    yield from (_item(remark) for remark in unknown_sections(audit))
    left = not_asked_words([one for one in audit.sections.not_asked if one.subject is None])
    yield from (f"{prose(words)}\n\n" for words in (verified_alone(audit), left) if words)
    warnings = warnings_of(audit, audit.classes)
    yield "### Warnings\n\n" if warnings else ""
    yield from (_item(warning) for warning in warnings)


def _section(audit: AuditResult, section: Section) -> Iterator[str]:
    """A section: its verdict, on what it depends, the table, and each finding."""
    yield f"### {prose(heading(section))}: {word_of(section)}\n\n{prose(headline_of(section))}\n\n"
    rows = case_rows(section)
    if rows:
        yield "| If it is | verdict |\n|---|---|\n"
        yield from (f"| {prose(row.condition)} | {prose(row.words)} |\n" for row in rows)
        yield f"\nTo narrow this, add: {prose(narrowing(section))}.\n\n"
    doubts = doubts_of_section(section)
    if doubts:
        yield "The verdict may be different, because\n\n"
        yield from (f"- {prose(doubt)}\n" for doubt in doubts)
        yield "\n"
    yield "| What may happen | with | verdict |\n|---|---|---|\n"
    for row in rows_of_section(section):
        yield f"| {prose(row.danger.name)} | {prose(row.faults)} | {prose(row.words)} |\n"
    yield "\n"
    yield from (_finding(remark) for remark in of_section(audit, section) if "faults" in remark.facts)


def _changes(audit: AuditResult) -> Iterator[str]:
    """What became of each finding, and which warnings came and went."""
    compared = audit.comparison
    for remark in worse_elsewhere(audit):
        yield f"- {prose(remark.message)}\n"
    for part in () if compared is None else compared.parts:
        named = f" ({few(part.units)})" if part.units else ""
        for finding, change in part.findings:
            if change != Change.UNCHANGED:
                yield f"- **{change.value}**: {prose(f'{finding.danger.with_faults(finding.faults)}{named}')}\n"
        for warning, change in part.warnings:
            if change != Change.UNCHANGED:
                yield f"- {change.value} warning: {prose(f'{warning.short}{named}')}\n"
        if part.left:
            yield f"- {prose(left_words(part))}\n"
    of_sections = () if compared is None else section_changes(compared.sections)
    yield from (f"- {prose(line)}\n" for line in of_sections)
    yield "\n"


def _class(audit: AuditResult, one: ClassAudit, title: str) -> Iterator[str]:
    yield f"{title}\n\n"
    yield from _readings(one)
    yield f"{prose(headline(one.examination))}\n\n{prose(settings_line(one.deployment))}\n\n"
    if one.deployment.doubts:
        yield "The verdict may be different, because\n\n"
        yield from (f"- {prose(doubt.short)}\n" for doubt in one.deployment.doubts)
        yield "\n"
    yield "| What may happen | with | verdict |\n|---|---|---|\n"
    yield from _rows(one)
    note = unseen_note(one.examination)
    yield f"\n{prose(note)}\n\n" if note else "\n"
    yield from (_finding(remark) for remark in findings_of(audit, one) if remark.rule != ABOUT_READINGS)


def _readings(one: ClassAudit) -> Iterator[str]:
    """On what the verdict depends that no file says."""
    block = readings_block(one.readings)
    if block is None:
        return
    yield f"**{prose(block.depends)}**\n\n"
    if block.rows:
        yield "| If it is | verdict |\n|---|---|\n"
        yield from (f"| {prose(row.condition)} | {prose(row.words)} |\n" for row in block.rows)
        yield f"\nTo narrow this, add: {prose(block.say)}.\n\n"
    yield f"{prose(details_for(block))}\n\n"


def _rows(one: ClassAudit) -> Iterator[str]:
    for danger in one.examination.dangers:
        if promises_nothing(one.deployment, danger):
            yield f"| {danger.name} | any fault or none | {prose(NOT_PROMISED)} |\n"
            continue
        for verdict, words in (
            (Verdict.VIOLATED, "**HAPPENS**"),
            (Verdict.HOLDS, "never"),
            (Verdict.UNDECIDED, "UNDECIDED"),
        ):
            for survived in (True, False):
                happens = verdict == Verdict.VIOLATED
                decided = [d for d in one.examination.of(danger, verdict) if d.tolerated == survived]
                found = [f"{d.faults}{mark_of(d) if happens else ''}" for d in decided]
                beyond = "" if survived or not happens else ", beyond tolerance"
                if found:
                    yield f"| {danger.name} | {prose(listed(found, 'or'))} | {words}{beyond} |\n"


def _finding(remark: Remark) -> str:
    """What happens in the summary; the story, the fix and the command below."""
    state = "" if remark.change is None else f" ({remark.change.value})"
    mark = {Level.ERROR: "❌", None: "❔"}.get(remark.level, "⚠️")
    parts = [prose(remark.message), _fix(remark)]
    if "command" in remark.facts:
        parts.append(f"To see it step by step:\n\n{fenced(remark.facts['command'], 'sh')}")
    body = "\n\n".join(part for part in parts if part)
    summary = f"{mark} {remark.title}, with {remark.facts['faults']}{state}"
    return f"<details><summary>{_html(summary)}</summary>\n\n{body}\n\n</details>\n\n"


def _fix(remark: Remark) -> str:
    shown = [fenced("\n".join(lines), "diff") for lines in diffs(remark.lines).values()]
    return "\n\n".join([prose(remark.advice), *shown])


def _item(remark: Remark) -> str:
    place = "" if remark.place is None else f"{code(_where(remark.place))}: "
    state = "" if remark.change is None else f"({remark.change.value}) "
    return f"- {state}{place}{prose(remark.text)}\n"


def _where(place: Place) -> str:
    return place.file if place.line is None else f"{place.file}:{place.line}"


def prose(text: str) -> str:
    """Text in which nothing is markup, nor the name of anybody."""
    plain = one_line(text).strip()
    parts = [
        code(part) if REFERENCE.fullmatch(part) else MARKUP.sub(r"\\\g<0>", part) for part in re.split("([@#])", plain)
    ]
    return NUMBERED.sub(r"\1\\\2", "".join(parts))


def code(text: str) -> str:
    """Text as code in a line, between more backticks than follow each other in it."""
    said = one_line(text)
    ticks = "`" * (_longest_ticks(said) + 1)
    edges = said[:1] + said[-1:]
    blank = " " if "`" in edges or (" " in edges and said.strip(" ")) else ""
    return f"{ticks}{blank}{said}{blank}{ticks}"


def fenced(text: str, language: str) -> str:
    """Lines as a block of code."""
    ticks = "`" * max(3, _longest_ticks(text) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _longest_ticks(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def _html(text: str) -> str:
    """Text in HTML, where words of neverlost alone are shown."""
    return one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
