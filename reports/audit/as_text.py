"""The report of an audit, for people: the verdict, the table, each finding with its story and its fix, then what was checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from neverlost.explorer.answers.questions import Origin
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.spec.exposure import Danger
from neverlost.spec.families import exposures
from neverlost.studies.audit.audit import AuditResult, ClassAudit
from neverlost.studies.audit.coincidence import coincidences
from neverlost.studies.audit.comparison import Change, Comparison
from neverlost.studies.audit.dangers import promises_nothing
from neverlost.studies.audit.examination import WORST_FIRST, DecidedDanger, Examination
from neverlost.studies.audit.fixes import Fix, with_same_changes
from neverlost.studies.audit.tolerance import named
from neverlost.studies.audit.unseen import unseen_in

from ..layout import shell_lines, wrapped
from ..styled import STYLES, titled
from ..trace.as_text import steps_text
from .readings import details_for, readings_block
from .section_text import sections_text
from .sections import section_changes, together
from .table import BAD, BEYOND, GOOD, OPEN, ROW_STYLES
from .table_text import table_row
from .wording import (
    NOT_PROMISED,
    are_few,
    command,
    comparison_headline,
    conditions,
    event_words,
    every_state,
    few,
    first_fix,
    first_words,
    fix_words,
    headline,
    held,
    in_classes,
    left_words,
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
    word_of_class,
)

REFUSED = "REFUSED"


def report(audit: AuditResult, *, quiet: bool) -> Iterator[Text]:
    """The whole report, part by part; if quiet, only the verdict, what could change it, and the table, of each class of topics."""
    if audit.comparison is not None:
        yield from _compared(audit.comparison)
    whole = together(audit)
    if whole:
        yield Text(wrapped(whole), style=STYLES[audit.verdict])
        yield Text()
    if audit.classes or audit.refused:
        yield from _topics_and_classes(audit, quiet=quiet)
    yield from sections_text(audit, quiet=quiet)


def _topics_and_classes(audit: AuditResult, *, quiet: bool) -> Iterator[Text]:
    """What is said of topics; an overview of their classes if there are several."""
    if len(audit.classes) == 1 and not audit.refused:
        yield from _class(audit.classes[0], quiet=quiet)
        return
    yield from _overview(audit)
    for number, one in enumerate(audit.classes, start=1):
        yield Text()
        yield Text(wrapped(f"Class {number}: {few(one.deployment.units)}", "  "), style="bold underline")
        yield from _class(one, quiet=quiet)
    if not quiet and not all(are_few(one.units) for one in audit.parts):
        yield Text()
        yield from _topics(audit)


def _compared(comparison: Comparison) -> Iterator[Text]:
    """Whether anything got worse, and what is new, open or gone; one line for each danger with its faults."""
    yield Text(wrapped(comparison_headline(comparison)), style=STYLES[comparison.verdict])
    yield from (Text(wrapped(f"  {line}", "    ")) for line in changed_since(comparison))
    yield Text()


def changed_since(comparison: Comparison) -> Iterator[str]:
    """What is new, open or gone, in a line for each danger with its faults, and for each warning."""
    for part in comparison.parts:
        named = f" ({few(part.units)})" if part.units and len(comparison.parts) > 1 else ""
        together: dict[tuple[Change, str, bool], list[str]] = {}
        for finding, change in part.findings:
            if change != Change.UNCHANGED:
                key = change, finding.danger.what, finding.tolerated
                together.setdefault(key, []).append(str(finding.faults))
        for (change, what, tolerated), faults in together.items():
            beyond = "" if tolerated else ", beyond tolerance"
            yield f"{change}: {what}, with {listed(faults, 'or')}{beyond}{named}"
        for warning, change in part.warnings:
            if change != Change.UNCHANGED:
                yield f"{change} warning: {warning.short}{named}"
        if part.left:
            yield left_words(part)
    yield from section_changes(comparison.sections)
    yield from (
        f"new in another case than the details are for: {danger.with_faults(faults)}"
        for danger, faults in comparison.unexamined
    )


def _overview(audit: AuditResult) -> Iterator[Text]:
    """How many topics there are, and what is said of each class of them."""
    classes = classes_of(audit)
    yield Text(wrapped(overview(audit)), style=STYLES[audit.verdict])
    said = [settings_line(one.deployment) for one in audit.classes]
    said += [" ".join(str(problem) for problem in one.problems) for one in audit.refused]
    heading = f"{noun_of(audit.parts)}s"
    width = max(7, len(heading))
    yield Text(f"{'class':>5} {heading:>{width}}  verdict", style="bold")
    for number, ((units, word, verdict), words) in enumerate(zip(classes, said, strict=True), start=1):
        yield Text(
            wrapped(f"{number:5} {len(units):{width},}  {_in_column(word)}{few(units)}", " " * (19 + width)),
            style=STYLES[verdict],
        )
        yield Text(wrapped(f"{' ' * (19 + width)}{words}", " " * (19 + width)), style=STYLES[verdict])


def overview(audit: AuditResult) -> str:
    """How many topics there are, and how many of them have which verdict."""
    classes = sorted(classes_of(audit), key=lambda one: (WORST_FIRST.index(one[2]), one[1] == REFUSED))
    counts: dict[str, int] = {}
    for units, word, _ in classes:
        counts[word] = counts.get(word, 0) + len(units)
    total = in_classes(sum(counts.values()), noun_of(audit.parts), len(classes))
    return f"{total}: {listed(f'{count:,} {word}' for word, count in counts.items())}."


def _topics(audit: AuditResult) -> Iterator[Text]:
    """Every topic, or what else is counted, with its class and verdict."""
    rows = sorted(
        (name, number, word, verdict)
        for number, (units, word, verdict) in enumerate(classes_of(audit), start=1)
        for name in units
    )
    yield Text(f"{'class':>5}  {'verdict':11}{noun_of(audit.parts)}", style="bold")
    for name, number, word, verdict in rows:
        yield Text(f"{number:5}  {_in_column(word)}{name}", style=STYLES[verdict])


def _in_column(word: str) -> str:
    """The word for a verdict in its column; a long one reaches into the next."""
    return f"{word:11}" if len(word) < 11 else f"{word}: "


def classes_of(audit: AuditResult) -> list[tuple[tuple[str, ...], str, Verdict]]:
    """The topics, or what else is counted, of each class with the word for their verdict; last those that could not be audited."""
    return [
        *((one.deployment.units, word_of_class(one), one.verdict) for one in audit.classes),
        *((one.units, REFUSED, Verdict.UNDECIDED) for one in audit.refused),
    ]


def _class(audit: ClassAudit, *, quiet: bool) -> Iterator[Text]:
    examination = audit.examination
    yield from _readings(audit)
    yield Text(wrapped(settings_line(examination.deployment)), style="bold")
    yield Text(wrapped(headline(examination)), style=STYLES[examination.verdict])
    yield from _doubts(audit)
    if (first := first_fix(audit)) is not None and not quiet:
        yield Text(wrapped(f"Do first: {first_words(audit.deployment, first)}", "  "), style="bold")
    yield Text()
    yield from _table(examination)
    if quiet:
        return
    fixed = list(zip(examination.violated, audit.fixes, strict=True))
    said: dict[tuple[str, ...], int] = {}
    for number, danger in enumerate(dict.fromkeys(d.danger for d, _ in fixed), start=1):
        yield Text()
        found = [(d, fix) for d, fix in fixed if d.danger == danger]
        yield from _findings(examination, number, found)
        yield from _fixes(examination, number, found, said)
    yield Text()
    yield from _assumed(examination)
    yield from _warnings(examination)
    yield from _checked(audit)


def _readings(audit: ClassAudit) -> Iterator[Text]:
    """On what the verdict depends that no file says, and which reading the rest is of."""
    block = readings_block(audit.readings)
    if block is None:
        return
    yield Text(wrapped(block.depends), style=STYLES[audit.verdict])
    for row in block.rows:
        yield Text(wrapped(f"  {row.condition}: {row.words}", "    "), style=STYLES[row.verdict])
    if block.rows:
        yield Text(wrapped(f"  To narrow this, add: {block.say}.", "    "))
    yield Text(wrapped(details_for(block)))
    yield Text()


def _doubts(audit: ClassAudit) -> Iterator[Text]:
    """What could change the verdict, each in a line or two; the warnings say why, and what to do."""
    doubts = doubts_of(audit)
    if doubts:
        yield Text("The verdict may be different, because", style="yellow")
    for doubt in doubts:
        yield Text(wrapped(f"  {doubt}", "    "), style="yellow")


def doubts_of(audit: ClassAudit) -> list[str]:
    """What could change the verdict: what the files leave open, and what the bounds hide."""
    doubts = [warning.short for warning in audit.examination.deployment.doubts]
    doubts += event_words(audit.examination)
    hidden = max((answer.hidden or 0 for answer in audit.answers), default=0)
    if hidden:
        out_of = f"{counted(hidden, 'state')} ran out of leader epochs: what follows was not searched."
        doubts.append(f"{out_of} neverlost check with a higher --leader-epochs searches it.")
    return doubts


def _table(examination: Examination) -> Iterator[Text]:
    yield table_row("What may happen", "with", "verdict", style="bold")
    for danger in examination.dangers:
        name = danger.name
        for row in rows_of(examination, danger):
            yield table_row(name, row.faults, row.words, style=ROW_STYLES[row.tone])
            name = ""
    for notice in examination.deployment.unchecked:
        yield table_row(notice.unchecked, "any", NOT_CHECKED, style=ROW_STYLES[OPEN])
    note = unseen_note(examination)
    if note:
        yield Text(wrapped(note, "  "))


@dataclass(frozen=True, kw_only=True)
class DangerRow:
    """A row of the table of what may happen: with which faults, and the verdict in words; `finding` if it does happen."""

    faults: str
    words: str
    tone: str
    finding: DecidedDanger | None = None


NOT_CHECKED = "not checked: the model does not have it"


def rows_of(examination: Examination, danger: Danger) -> Iterator[DangerRow]:
    """The rows of a danger: the smallest sets of faults with which it happens, those with which it never does, and what is open."""
    if promises_nothing(examination.deployment, danger):
        yield DangerRow(faults="any fault or none", words=NOT_PROMISED, tone=BEYOND)
        return
    for finding in examination.of(danger, Verdict.VIOLATED):
        steps = counted(finding.answer.steps or 0, "step")
        words = f"HAPPENS in {steps}{mark_of(finding)}{'' if finding.tolerated else ', beyond tolerance'}"
        tone = BAD if finding.tolerated else BEYOND
        yield DangerRow(faults=named(finding.faults), words=words, tone=tone, finding=finding)
    for verdict, opening, tone in ((Verdict.HOLDS, "never, in", GOOD), (Verdict.UNDECIDED, "UNDECIDED after", OPEN)):
        found = examination.of(danger, verdict)
        if found:
            most = " up to" if len(found) > 1 and verdict == Verdict.HOLDS else ""
            states = f"{most} {counted(max(d.answer.distinct for d in found), 'state')}"
            yield DangerRow(faults=listed((d.faults for d in found), "or"), words=f"{opening}{states}", tone=tone)
    left = examination.not_asked(danger)
    if left:
        yield DangerRow(faults=listed(left, "or"), words="not asked: records are lost anyway", tone=OPEN)


def _findings(
    examination: Examination, number: int, found: Sequence[tuple[DecidedDanger, Fix | None]]
) -> Iterator[Text]:
    """One danger: its shortest story, and the commands that show it."""
    shown = shown_first(found)
    what, sets = shown.danger.what, listed((d.faults for d, _ in found), "or")
    yield Text(wrapped(f"{number}. {what[0].upper()}{what[1:]}, with {sets}", "   "), style="bold")
    yield Text(wrapped(f"  With {shown.faults}: {story(shown)}", "  "))
    together = coincidences(shown.danger, trace_of(shown))
    if len(together) > 1:
        yield Text(wrapped(f"  What has to come together, in this order: {'; '.join(together)}.", "    "))
    unseen = unseen_in(trace_of(shown))
    if unseen is not None:
        yield Text(wrapped(f"  {unseen_words(unseen)}", "    "))
        yield Text(wrapped("  To see the shortest story without such a step:", "  "))
        yield Text(shell_lines(unseen.command, "    "))
    if number == 1:
        yield titled(steps_text(trace_of(shown)))
    others = [d.faults for d, _ in found if d is not shown]
    also = f" (for {listed(others, 'or')}, --json has the command)" if others else ""
    yield Text(wrapped(f"  To see it step by step{also}:", "  "))
    yield Text(shell_lines(command(shown), "    "))


def _fixes(
    examination: Examination,
    number: int,
    found: Sequence[tuple[DecidedDanger, Fix | None]],
    said: dict[tuple[str, ...], int],
) -> Iterator[Text]:
    """The fixes of one danger; only the number of an earlier one that has the same. `said` are those of the dangers before."""
    kinds = with_same_changes(found)
    lines = []
    for same, fixes in kinds:
        against = f" against {listed((d.faults for d in same), 'or')}" if len(kinds) > 1 else ""
        words = fix_words(examination.deployment, fixes) if fixes else f"none. {no_fix_words(examination, same)}"
        lines.append((f"  Fix{against}: {words}", "green" if fixes else "yellow"))
    earlier = said.setdefault(tuple(line for line, _ in lines), number)
    if earlier != number:
        lines = [(f"  Fix: the same as for {earlier}.", style) for _, style in lines[:1]]
    yield from (Text(wrapped(line, "    "), style=style) for line, style in lines)


def _assumed(examination: Examination) -> Iterator[Text]:
    assumed = examination.deployment.assumed_defaults
    if assumed:
        yield Text(f"Not set, so Kafka {examination.deployment.version} uses its default", style="bold")
        for key, value in assumed.items():
            yield Text(f"  {key}={value}")
        yield Text()


def _warnings(examination: Examination) -> Iterator[Text]:
    if examination.deployment.warnings:
        yield Text("Warnings", style="bold")
        for warning in examination.deployment.warnings:
            yield Text(wrapped(f"  {warning}", "    "))
        yield Text()


def _checked(audit: ClassAudit) -> Iterator[Text]:
    yield Text("What was checked", style="bold")
    yield Text(wrapped(f"  {scope(audit)} {origins(audit)}", "  "))


def origins(audit: ClassAudit) -> str:
    """How many answers came with neverlost. Whether the others were searched for now or before depends on the store."""
    shipped, total = sum(answer.origin == Origin.SHIPPED for answer in audit.answers), len(audit.answers)
    if shipped == 0:
        return "All answers were searched for here."
    if shipped == total:
        return "All answers came with neverlost; --search searches for them here."
    return f"{shipped} of {total} answers came with neverlost, the others were searched for here; --search searches for all."


def scope(audit: ClassAudit) -> str:
    """What was searched for the answers: the model, its bounds, how many questions and states."""
    deployment = audit.examination.deployment
    decided = audit.examination.decided
    of_decided = {id(d.answer) for d in decided}
    of_fixes = [answer.verdict for answer in audit.answers if id(answer) not in of_decided]
    left = of_fixes.count(Verdict.UNDECIDED)
    models = "; ".join(exposure.searched(deployment) for exposure in exposures().values())
    return (
        f"{models}:"
        f" {counted(len(decided), 'question')}, {every_state(d.verdict for d in decided)},"
        f" {counted(sum(d.answer.distinct for d in decided), 'state')} in all (one of those that differ by renaming replicas);"
        f" for the fixes, {counted(len(of_fixes), 'more question')}{f', {left:,} of them undecided' if left else ''}."
        f"{_assumptions(audit)}"
    )


def _assumptions(audit: ClassAudit) -> str:
    """What each `never` assumes, here and with the fixes; empty if nothing is said to happen never."""
    fixed = zip(audit.examination.violated, audit.fixes, strict=True)
    clauses = conditions(
        [*held(audit.examination), *((fix.deployment, d.danger) for d, fix in fixed if fix is not None)]
    )
    return f' Each "never" assumes that {clauses}.' if clauses else ""
