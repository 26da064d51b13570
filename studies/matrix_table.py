"""The matrix as a table for a terminal, and as a page with a link from every loss to its story."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from neverlost.explorer.answers.questions import Answer
from neverlost.explorer.traces.render_text import check_words, sentence, steps_text
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Model
from neverlost.spec.kafka.matrix import FAULTS, LEADER_MOVES, PROPERTY, Cell

COLUMNS = [(faults, moves) for faults in FAULTS for moves in LEADER_MOVES]
SHORT = {"1 crash": "1 crash", "2 crashes": "2 crash.", "1 power loss": "1 power", "2 power losses": "2 power"}
LABELS = [SHORT.get(faults, "1 + 1") for faults in FAULTS]
WIDTH = 5
LEGEND = (
    "A number: the steps of the shortest loss. ok: no loss in any state; ok*: none, but leader epochs\n"
    "ran out in some state, and what would have come after it was not searched. ?: undecided.\n"
    "Power losses take what is not flushed; 1 + 1 is a crash and a power loss. Below each: leader moves."
)
Outcomes = tuple[str, ...]


def cell_text(answer: Answer) -> str:
    """`14`, `ok`, `ok*` or `?`."""
    if answer.verdict == Verdict.VIOLATED:
        return str(answer.steps)
    if answer.verdict != Verdict.HOLDS:
        return "?"
    return "ok*" if answer.hidden else "ok"


def _rows(found: Mapping[Cell, Answer]) -> list[tuple[tuple[str, int, bool], list[list[Cell]]]]:
    """For each configuration the versions' rows of cells, a row for each group of neighbours with equal outcomes."""
    rows = []
    for configured, of_row in groupby(found, key=lambda cell: cell.row):
        of_versions = [list(group) for _, group in groupby(of_row, key=lambda cell: cell.version.name)]
        rows.append((configured, of_versions))
    return rows


def _merged(of_versions: list[list[Cell]], found: Mapping[Cell, Answer]) -> list[tuple[str, list[Cell]]]:
    merged = []
    for _, group in groupby(of_versions, key=lambda row: tuple(cell_text(found[cell]) for cell in row)):
        same = list(group)
        names = [row[0].version.name.removeprefix("kafka-") for row in same]
        merged.append((names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}", same[0]))
    return merged


def table(found: Mapping[Cell, Answer]) -> str:
    """The table; versions with equal outcomes share a line."""
    lines = [
        " " * 41 + "".join(f"{label:>{2 * WIDTH}}" for label in LABELS),
        f"  {'acks':6}{'min ISR':9}{'unclean':9}{'version':15}" + "".join(f"{moves:>{WIDTH}}" for _, moves in COLUMNS),
    ]
    for (acks, min_isr, unclean), of_versions in _rows(found):
        head = f"  {acks:6}{min_isr:<9}{'on' if unclean else 'off':9}"
        for versions, row in _merged(of_versions, found):
            texts = "".join(f"{cell_text(found[cell]):>{WIDTH}}" for cell in row)
            lines.append(f"{head}{versions:15}{texts}")
            head = " " * len(head)
    return f"{LEGEND}\n\n" + "\n".join(lines)


def markdown(heading: str, found: Mapping[Cell, Answer], models: Mapping[Cell, Model]) -> str:
    """The page: a table for each configuration, then every story once, with the command that finds it."""
    stories: dict[str, tuple[int, Cell]] = {}
    shown = [cell for _, of_versions in _rows(found) for _, row in _merged(of_versions, found) for cell in row]
    for cell in shown:
        if found[cell].trace is not None:
            stories.setdefault(_story(found[cell]), (len(stories) + 1, cell))
    alike = (
        "Versions that come out alike share a row; its stories are those of the first.\n"
        "[What ok does not mean](explanation/what-holds-means.md)."
    )
    parts = ["# The matrix", f"{heading} Made by `make matrix`.", f"{LEGEND}\n{alike}"]
    head = "| version | " + " | ".join(f"{faults}, {moves} moves" for faults, moves in COLUMNS) + " |"
    for (acks, min_isr, unclean), of_versions in _rows(found):
        parts.append(f"## acks={acks}, min.insync.replicas={min_isr}, unclean election {'on' if unclean else 'off'}")
        lines = [head, "| --- |" + " --- |" * len(COLUMNS)]
        for versions, row in _merged(of_versions, found):
            texts = [_linked(found[cell], stories) for cell in row]
            lines.append(f"| {versions} | " + " | ".join(texts) + " |")
        parts.append("\n".join(lines))
    parts.append("# The stories")
    for story, (number, cell) in stories.items():
        command = check_words(models[cell], PROPERTY)
        parts.append(f"## Story {number}\n\nFirst in {cell.version.name}: `{command}`\n\n```text\n{story}\n```")
    return "\n\n".join(parts) + "\n"


def _story(answer: Answer) -> str:
    assert answer.trace is not None
    return f"{sentence(answer.trace)}\n\n{steps_text(answer.trace)}"


def _linked(answer: Answer, stories: Mapping[str, tuple[int, Cell]]) -> str:
    if answer.trace is None:
        return cell_text(answer)
    return f"[{cell_text(answer)}](#story-{stories[_story(answer)][0]})"
