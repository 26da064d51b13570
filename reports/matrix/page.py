"""The matrix as a page: a heat map whose cells open their stories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from neverlost.explorer.answers.questions import Answer
from neverlost.explorer.traces.commands import check_words
from neverlost.explorer.traces.sentence import sentence
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Model
from neverlost.spec.matrix import Cell, Matrix

from ..pages.page import filled, whole_page
from ..trace.page import conditions, story_section, symbols
from .as_text import cell_text, counts, legend

SOON = 6
"""A loss in this many steps or fewer is marked: nearly everything that goes wrong leads to it."""


@dataclass
class _Stories:
    """Every story once: cells that come to the same loss by the same states share it."""

    matrix: Matrix
    numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)
    written: list[dict[str, Any]] = field(default_factory=list)

    def number(self, answer: Answer, model: Model) -> int:
        assert answer.trace is not None
        trace = answer.trace
        key = (tuple(step.show(model.bounds) for step in trace.steps), tuple(map(str, _shown(trace))))
        if key not in self.numbers:
            self.numbers[key] = number = len(self.numbers) + 1
            self.written.append(
                {
                    "number": number,
                    "sentence": sentence(trace),
                    "conditions": conditions(trace.model),
                    "section": story_section(trace, f"story-{number}-step", with_fields=False),
                    "command": check_words(model, self.matrix.asks),
                }
            )
        return self.numbers[key]


def _shown(trace: Any) -> list[Any]:
    """The states without what only counts what may still happen, so that cells with other budgets share a story."""
    return [
        [(name, value) for name, value in state.values().items() if name not in trace.model.profile.counters]
        for state in trace.unpacked()
    ]


def matrix_html(heading: str, found: Mapping[Cell, Answer], models: Mapping[Cell, Model]) -> str:
    """The page: one file that needs no other."""
    matrix = next(iter(found)).matrix
    stories = _Stories(matrix)
    rows = [
        {"version": version, "words": words, "cells": [_cell(cell, found, models, stories) for cell in cells]}
        for words, of_row in groupby(found, key=lambda cell: cell.words)
        for version, cells in groupby(of_row, key=lambda cell: cell.version.name)
    ]
    body = filled(
        "matrix/matrix.html.j2",
        heading=heading,
        summary=counts(found),
        legend=legend(matrix),
        symbols=symbols(*models.values()),
        filters={
            axis.label: list(dict.fromkeys(cell.words[at] for cell in found)) for at, axis in enumerate(matrix.axes)
        },
        versions=list(dict.fromkeys(row["version"] for row in rows)),
        faults=list(matrix.faults),
        times=matrix.times,
        rows=rows,
        stories=stories.written,
    )
    return whole_page(heading, body, scripts=["trace/story.js", "matrix/matrix.js"], styles=["matrix/matrix.css"])


def _cell(cell: Cell, found: Mapping[Cell, Answer], models: Mapping[Cell, Model], stories: _Stories) -> dict[str, Any]:
    answer = found[cell]
    tones = {Verdict.HOLDS: "hidden" if answer.hidden else "ok", Verdict.UNDECIDED: "open"}
    if answer.verdict != Verdict.VIOLATED:
        return {"text": cell_text(answer), "tone": tones[answer.verdict], "story": None}
    tone = "loss soon" if (answer.steps or 0) <= SOON else "loss"
    return {"text": cell_text(answer), "tone": tone, "story": stories.number(answer, models[cell])}
