"""The matrix as a table for a terminal, and as a page with a link from every loss to its story."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from neverlost.explorer.answers.questions import Answer
from neverlost.explorer.traces.render_text import check_words, sentence, steps_text, wrapped
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Model
from neverlost.spec.families import family_of
from neverlost.spec.matrix import Cell, Matrix

WIDTH, VERSION_WIDTH = 5, 15


def legend(matrix: Matrix) -> str:
    """What a cell means."""
    ran_out = (
        f" ok*: none, but {matrix.ran_out} ran out in some state, and what would have come after it was not searched."
    )
    general = (
        f"A number: the steps of the shortest {matrix.violation}. ok: no {matrix.violation} in any state;"
        f"{ran_out if matrix.ran_out else ''} ?: undecided."
    )
    return f"{wrapped(general)}\n{matrix.legend}"


def cell_text(answer: Answer) -> str:
    """`14`, `ok`, `ok*` or `?`."""
    if answer.verdict == Verdict.VIOLATED:
        return str(answer.steps)
    if answer.verdict != Verdict.HOLDS:
        return "?"
    return "ok*" if answer.hidden else "ok"


def _rows(found: Mapping[Cell, Answer]) -> list[list[list[Cell]]]:
    """For each configuration the versions' rows of cells, a row for each group of neighbours with equal outcomes."""
    rows = []
    for _, of_row in groupby(found, key=lambda cell: cell.words):
        rows.append([list(group) for _, group in groupby(of_row, key=lambda cell: cell.version.name)])
    return rows


def _merged(of_versions: list[list[Cell]], found: Mapping[Cell, Answer]) -> list[tuple[str, list[Cell]]]:
    merged = []
    for _, group in groupby(of_versions, key=lambda row: tuple(cell_text(found[cell]) for cell in row)):
        same = list(group)
        names = [row[0].version.name.removeprefix(family_of(row[0].version).beginning) for row in same]
        merged.append((names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}", same[0]))
    return merged


def table(found: Mapping[Cell, Answer]) -> str:
    """The table; versions with equal outcomes share a line."""
    matrix = next(iter(found)).matrix
    widths = [max(len(axis.label), *map(len, axis.values)) + 2 for axis in matrix.axes]
    labels = [f"{axis.label:{width}}" for axis, width in zip(matrix.axes, widths, strict=True)]
    rows = [_merged(of_versions, found) for of_versions in _rows(found)]
    version_width = max(VERSION_WIDTH, *(len(versions) + 2 for row in rows for versions, _ in row))
    above = "".join(
        f"{matrix.short.get(faults, matrix.other):>{len(matrix.times) * WIDTH}}" for faults in matrix.faults
    )
    lines = [
        " " * (2 + sum(widths) + version_width) + above,
        f"  {''.join(labels)}{'version':{version_width}}" + "".join(f"{count:>{WIDTH}}" for _, count in matrix.columns),
    ]
    for merged in rows:
        words = merged[0][1][0].words
        head = "  " + "".join(f"{word:{width}}" for word, width in zip(words, widths, strict=True))
        for versions, row in merged:
            texts = "".join(f"{cell_text(found[cell]):>{WIDTH}}" for cell in row)
            lines.append(f"{head}{versions:{version_width}}{texts}")
            head = " " * len(head)
    return f"{legend(matrix)}\n\n" + "\n".join(lines)


def markdown(heading: str, found: Mapping[Cell, Answer], models: Mapping[Cell, Model]) -> str:
    """The page: a table for each configuration, then every story once, with the command that finds it."""
    matrix = next(iter(found)).matrix
    stories: dict[str, tuple[int, Cell]] = {}
    shown = [cell for of_versions in _rows(found) for _, row in _merged(of_versions, found) for cell in row]
    for cell in shown:
        if found[cell].trace is not None:
            stories.setdefault(_story(found[cell]), (len(stories) + 1, cell))
    alike = (
        "Versions that come out alike share a row; its stories are those of the first.\n"
        "[What ok does not mean](explanation/what-holds-means.md)."
    )
    parts = ["# The matrix", f"{heading} Made by `make matrix`.", f"{legend(matrix)}\n{alike}"]
    head = (
        "| version | " + " | ".join(f"{faults}, {count} {matrix.of_times}" for faults, count in matrix.columns) + " |"
    )
    for of_versions in _rows(found):
        parts.append(f"## {of_versions[0][0].title}")
        lines = [head, "| --- |" + " --- |" * len(matrix.columns)]
        for versions, row in _merged(of_versions, found):
            texts = [_linked(found[cell], stories) for cell in row]
            lines.append(f"| {versions} | " + " | ".join(texts) + " |")
        parts.append("\n".join(lines))
    parts.append("# The stories")
    for story, (number, cell) in stories.items():
        command = check_words(models[cell], matrix.asks)
        parts.append(f"## Story {number}\n\nFirst in {cell.version.name}: `{command}`\n\n```text\n{story}\n```")
    return "\n\n".join(parts) + "\n"


def _story(answer: Answer) -> str:
    assert answer.trace is not None
    return f"{sentence(answer.trace)}\n\n{steps_text(answer.trace)}"


def _linked(answer: Answer, stories: Mapping[str, tuple[int, Cell]]) -> str:
    if answer.trace is None:
        return cell_text(answer)
    return f"[{cell_text(answer)}](#story-{stories[_story(answer)][0]})"
