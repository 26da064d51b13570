"""The matrix as a table for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from neverlost.explorer.answers.questions import Answer
from neverlost.explorer.traces.commands import check_words, option_name
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.model.core import Model
from neverlost.spec.families import family_of
from neverlost.spec.matrix import Cell, Matrix
from neverlost.studies.searched_matrix import SearchedMatrix

from ..layout import wrapped

WIDTH, VERSION_WIDTH = 5, 15


def legend(matrix: Matrix) -> str:
    """What a cell means, and what the columns are."""
    return f"{wrapped(cells_legend(matrix))}\n{matrix.legend}"


def cells_legend(matrix: Matrix) -> str:
    """What a cell means."""
    ran_out = (
        f" ok*: none, but {matrix.ran_out} ran out in some state, and what would have come after it was not searched."
    )
    return (
        f"A number: the steps of the shortest {matrix.violation}. ok: no {matrix.violation} in any state;"
        f"{ran_out if matrix.ran_out else ''} ?: undecided."
    )


def cell_text(answer: Answer) -> str:
    """`14`, `ok`, `ok*` or `?`."""
    if answer.verdict == Verdict.VIOLATED:
        return str(answer.steps)
    if answer.verdict != Verdict.HOLDS:
        return "?"
    return "ok*" if answer.hidden else "ok"


def rows_of(found: Mapping[Cell, Answer]) -> list[list[list[Cell]]]:
    """For each configuration the versions' rows of cells, a row for each group of neighbours with equal outcomes."""
    rows = []
    for _, of_row in groupby(found, key=lambda cell: cell.words):
        rows.append([list(group) for _, group in groupby(of_row, key=lambda cell: cell.version.name)])
    return rows


def merged_rows(of_versions: list[list[Cell]], found: Mapping[Cell, Answer]) -> list[tuple[str, list[Cell]]]:
    """The rows of one configuration; neighbouring versions that come out alike are one, named `3.5 to 3.9`."""
    merged = []
    for _, group in groupby(of_versions, key=lambda row: tuple(cell_text(found[cell]) for cell in row)):
        same = list(group)
        names = [row[0].version.name.removeprefix(family_of(row[0].version).beginning) for row in same]
        merged.append((names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}", same[0]))
    return merged


def matrix_text(searched: SearchedMatrix) -> str:
    """The table under its heading, and below it how many cells have which verdict; versions with equal outcomes share a line."""
    return f"{searched.heading}\n\n{_table(searched.found)}\n\n{_summary(searched.found, searched.models)}"


def _table(found: Mapping[Cell, Answer]) -> str:
    """The table; versions with equal outcomes share a line."""
    matrix = next(iter(found)).matrix
    widths = [max(len(axis.label), *map(len, axis.values)) + 2 for axis in matrix.axes]
    labels = [f"{axis.label:{width}}" for axis, width in zip(matrix.axes, widths, strict=True)]
    rows = [merged_rows(of_versions, found) for of_versions in rows_of(found)]
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


def _summary(found: Mapping[Cell, Answer], models: Mapping[Cell, Model]) -> str:
    matrix = next(iter(found)).matrix
    lines = [counts(found)]
    hidden = sum(1 for answer in found.values() if answer.hidden)
    if hidden:
        larger = " ".join(f"{option_name(name)} N" for name in matrix.larger_bounds)
        lines.append(
            f"In {counted(hidden, 'cell')} that hold (ok*), {matrix.ran_out} ran out in some state: what would have"
            f" happened then was not searched. neverlost check ... {larger} searches further."
        )
    lines.append(matrix.note)
    worst = next((cell for cell, answer in found.items() if answer.verdict == Verdict.VIOLATED), None)
    if worst is not None:
        command = check_words(models[worst], matrix.asks)
        lines.append(f"To see the story of a cell, here of the first {matrix.violation}:\n  {command}")
    return "\n".join(line if line.startswith("To see the story") else wrapped(line) for line in lines if line)


def counts(found: Mapping[Cell, Answer]) -> str:
    """How many cells have which verdict, and in how many states."""
    verdicts = [answer.verdict for answer in found.values()]
    states = sum({id(answer): answer.distinct for answer in found.values()}.values())
    said = ", ".join(
        f"{verdicts.count(verdict):,} {verdict}" for verdict in (Verdict.HOLDS, Verdict.VIOLATED, Verdict.UNDECIDED)
    )
    return f"{counted(len(found), 'cell')}: {said}; {counted(states, 'state')}."
