"""The matrix as a page in Markdown, with a link from every loss to its story."""

from __future__ import annotations

from collections.abc import Mapping

from neverlost.explorer.answers.questions import Answer
from neverlost.explorer.traces.commands import check_words
from neverlost.explorer.traces.sentence import sentence
from neverlost.spec.matrix import Cell
from neverlost.studies.searched_matrix import SearchedMatrix

from ..layout import wrapped
from ..trace.as_text import steps_text
from .as_text import cell_text, legend, merged_rows, rows_of


def matrix_markdown(searched: SearchedMatrix) -> str:
    """The page: a table for each configuration, then every story once, with the command that finds it."""
    matrix, found = searched.matrix, searched.found
    stories: dict[str, tuple[int, Cell]] = {}
    shown = [cell for of_versions in rows_of(found) for _, row in merged_rows(of_versions, found) for cell in row]
    for cell in shown:
        if found[cell].trace is not None:
            stories.setdefault(_story(found[cell]), (len(stories) + 1, cell))
    alike = (
        "Versions that come out alike share a row; its stories are those of the first.\n"
        "[What ok does not mean](explanation/what-holds-means.md)."
    )
    notes = [wrapped(matrix.note)] if matrix.note else []
    parts = ["# The matrix", f"{searched.heading} Made by `make matrix`.", f"{legend(matrix)}\n{alike}", *notes]
    head = (
        "| version | " + " | ".join(f"{faults}, {count} {matrix.of_times}" for faults, count in matrix.columns) + " |"
    )
    for of_versions in rows_of(found):
        parts.append(f"## {of_versions[0][0].title}")
        lines = [head, "| --- |" + " --- |" * len(matrix.columns)]
        for versions, row in merged_rows(of_versions, found):
            texts = [_linked(found[cell], stories) for cell in row]
            lines.append(f"| {versions} | " + " | ".join(texts) + " |")
        parts.append("\n".join(lines))
    parts.append("# The stories")
    for story, (number, cell) in stories.items():
        command = check_words(searched.models[cell], matrix.asks)
        parts.append(f"## Story {number}\n\nFirst in {cell.version.name}: `{command}`\n\n```text\n{story}\n```")
    return "\n\n".join(parts) + "\n"


def _story(answer: Answer) -> str:
    assert answer.trace is not None
    return f"{sentence(answer.trace)}\n\n{steps_text(answer.trace)}"


def _linked(answer: Answer, stories: Mapping[str, tuple[int, Cell]]) -> str:
    if answer.trace is None:
        return cell_text(answer)
    return f"[{cell_text(answer)}](#story-{stories[_story(answer)][0]})"
