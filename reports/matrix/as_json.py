"""The cells of the matrix, and those of a sweep, for programs."""

from __future__ import annotations

from typing import Any

from neverlost.explorer.answers.questions import Answer
from neverlost.explorer.traces.commands import check_words
from neverlost.model.core import Model
from neverlost.spec.matrix import Cell
from neverlost.studies.searched_matrix import SearchedMatrix
from neverlost.studies.sweep import SearchedSweep, Sweep, Swept


def matrix_values(searched: SearchedMatrix | SearchedSweep) -> list[dict[str, Any]]:
    """All cells as plain values, those of a sweep a property after the other; see docs/reference/json.md."""
    if isinstance(searched, SearchedSweep):
        return [_swept_values(searched.asked, one, name) for name in searched.properties for one in searched.found]
    return [_values(cell, answer, searched.models[cell]) for cell, answer in searched.found.items()]


def _swept_values(asked: Sweep, swept: Swept, name: str) -> dict[str, Any]:
    finding, result = swept.finding(name), swept.result
    return {
        "profile": asked.profile.name,
        "property": name,
        "settings": {setting: asked.settings[setting].plain(value) for setting, value in swept.row.items()},
        "faults": dict(swept.column),
        "verdict": finding.verdict.value,
        "trace_length": None if finding.trace is None else len(finding.trace),
        "distinct": result.distinct,
        "complete": result.complete,
        "ran_out": swept.hidden,
        "command": check_words(result.model, name),
    }


def _values(cell: Cell, answer: Answer, model: Model) -> dict[str, Any]:
    settings = {setting.name: setting for setting in model.profile.state.settings}
    return {
        "profile": cell.version.name,
        "property": cell.matrix.asks,
        "settings": {name: settings[name].plain(value) for name, value in cell.settings.items()},
        "faults": cell.budgets,
        "verdict": answer.verdict.value,
        "trace_length": answer.trace_length,
        "distinct": answer.distinct,
        "complete": answer.complete,
        "ran_out": answer.hidden,
        "command": check_words(model, cell.matrix.asks),
    }
