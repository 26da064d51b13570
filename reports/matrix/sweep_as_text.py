"""A sweep as tables for a terminal: one for each property that fails somewhere, and a line for those that never do."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.explorer.result import DecidedProperty
from neverlost.explorer.traces.commands import option_name, search_command, setting_option
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.model.core import Property
from neverlost.studies.sweep import SearchedSweep, Sweep, Swept

from ..layout import shell_lines, wrapped

GAP = 2


def sweep_text(searched: SearchedSweep) -> str:
    """The tables under the heading, and below them what holds everywhere, and how to see one of the runs."""
    asked, found = searched.asked, searched.found
    named = [asked.profile.property_named(name) for name in searched.properties]
    failing = [prop for prop in named if any(_fails(one.finding(prop.name)) for one in found)]
    parts = [asked.heading]
    parts += [wrapped(_legend(found, failing))] if failing else []
    parts += [_block(asked, found, prop) for prop in failing]
    parts += [_summary(found, [prop for prop in named if prop not in failing])]
    parts += _story(found, failing)
    return "\n\n".join(parts)


def _fails(finding: DecidedProperty) -> bool:
    return finding.verdict != Verdict.HOLDS


def _legend(found: Sequence[Swept], failing: Sequence[Property]) -> str:
    parts = []
    if any(not prop.seeks for prop in failing):
        parts.append("A number: the steps of the shortest violation. ok: none in any state.")
    if any(prop.seeks for prop in failing):
        parts.append("seen: some state, or run, is as the property says, after so many steps. never: no state is.")
    if any(one.hidden for one in found):
        parts.append(
            "*: the bounds ran out of something in some state, and what would have come after it was not searched."
        )
    if any(one.finding(prop.name).verdict == Verdict.UNDECIDED for one in found for prop in failing):
        parts.append("?: undecided.")
    return " ".join(parts)


def cell_text(swept: Swept, prop: Property) -> str:
    """`14`, `ok`, `ok*`, `seen 3`, `never`, `never*` or `?`."""
    finding = swept.finding(prop.name)
    if finding.verdict == Verdict.UNDECIDED:
        return "?"
    if finding.trace is not None:
        return f"{'seen ' if prop.seeks else ''}{len(finding.trace.steps)}"
    return f"{'never' if prop.seeks else 'ok'}{'*' if swept.hidden else ''}"


def _block(asked: Sweep, found: Sequence[Swept], prop: Property) -> str:
    """The table of a property: the settings from above to below, the budgets from left to right."""
    settings, columns = asked.settings, asked.every_column
    head = [[setting_option(settings[name], value) for name, value in row.items()] for row in asked.every_row]
    texts = [cell_text(one, prop) for one in found]
    rows = [texts[number : number + len(columns)] for number in range(0, len(texts), len(columns))]
    labels = [option_name(name) for name in asked.columns]
    widths = [max(map(len, column)) + GAP for column in zip(*head, strict=True)]
    left = max(sum(widths), *(len(label) + GAP for label in labels), 0)
    above = [[settings[name].show(column[name]) for column in columns] for name in asked.columns]
    width = max(map(len, (*texts, *(word for words in above for word in words)))) + GAP
    lines = [f"{prop.name} ({prop.kind})", wrapped(f"    {prop.statement}", "    "), ""]
    for label, words in zip(labels, above, strict=True):
        lines.append(f"  {label:>{left - GAP}}" + " " * GAP + "".join(f"{word:>{width}}" for word in words))
    before: list[str] = []
    for words, cells in zip(head, rows, strict=True):
        alike = next((n for n, (one, other) in enumerate(zip(words, before, strict=False)) if one != other), 0)
        shown = "".join(
            f"{word if number >= alike else '':{size}}"
            for number, (word, size) in enumerate(zip(words, widths, strict=True))
        )
        lines.append(f"  {shown:{left}}" + "".join(f"{cell:>{width}}" for cell in cells))
        before = words
    return "\n".join(line.rstrip() for line in lines)


def _summary(found: Sequence[Swept], holding: Sequence[Property]) -> str:
    """What never fails, and how much was searched."""
    always = ", ".join(prop.name for prop in holding)
    lines = [wrapped(f"Hold in every combination: {always}.")] if holding else []
    states = sum(one.result.distinct for one in found)
    lines.append(wrapped(f"{counted(len(found), 'combination')}, {counted(states, 'state')}."))
    hidden = sum(1 for one in found if one.hidden)
    if hidden:
        ran_out = " and ".join(dict.fromkeys(what for one in found for what in one.result.ran_out))
        lines.append(
            wrapped(
                f"In {counted(hidden, 'combination')} that were searched to the end, {ran_out} ran out in some state."
            )
        )
    return "\n".join(lines)


def _story(found: Sequence[Swept], failing: Sequence[Property]) -> list[str]:
    """The command that shows the run of the first violation."""
    for prop in failing:
        for one in found:
            finding = one.finding(prop.name)
            if finding.verdict == Verdict.VIOLATED and finding.trace is not None:
                words = search_command(one.result.model, prop.name)
                return [f"To see the run of a number, here of the first:\n{shell_lines(words)}"]
    return []
