"""The cells of the matrix, and those of a sweep, for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neverlost.explorer.answers.questions import Answer
from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.traces.commands import check_words
from neverlost.model.core import Model
from neverlost.spec.matrix import Cell
from neverlost.studies.sweep import Sweep, Swept


def matrix_json(found: Mapping[Cell, Answer], models: Mapping[Cell, Model]) -> str:
    """All cells as a list; see docs/reference/json.md."""
    return json_text([_values(cell, answer, models[cell]) for cell, answer in found.items()])


def sweep_json(asked: Sweep, found: Sequence[Swept], properties: Sequence[str]) -> str:
    """The cells of a sweep as a list, a property after the other."""
    return json_text([_swept_values(asked, one, name) for name in properties for one in found])


def _swept_values(asked: Sweep, swept: Swept, name: str) -> dict[str, Any]:
    finding, result = swept.finding(name), swept.result
    return {
        "profile": asked.profile.name,
        "property": name,
        "settings": {setting: asked.settings[setting].plain(value) for setting, value in swept.row.items()},
        "faults": dict(swept.column),
        "verdict": finding.verdict,
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
        "verdict": answer.verdict,
        "trace_length": answer.trace_length,
        "distinct": answer.distinct,
        "complete": answer.complete,
        "ran_out": answer.hidden,
        "command": check_words(model, cell.matrix.asks),
    }
