"""The cells of the matrix, for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neverlost.explorer.answers.questions import Answer
from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.traces.commands import check_words
from neverlost.model.core import Model
from neverlost.spec.matrix import Cell


def matrix_json(found: Mapping[Cell, Answer], models: Mapping[Cell, Model]) -> str:
    """All cells as a list; see docs/reference/json.md."""
    return json_text([_values(cell, answer, models[cell]) for cell, answer in found.items()])


def _values(cell: Cell, answer: Answer, model: Model) -> dict[str, Any]:
    settings = {setting.name: setting for setting in model.profile.state.settings}
    return {
        "profile": cell.version.name,
        "settings": {name: settings[name].plain(value) for name, value in cell.settings.items()},
        "faults": cell.budgets,
        "verdict": answer.verdict,
        "trace_length": answer.trace_length,
        "distinct": answer.distinct,
        "complete": answer.complete,
        "ran_out": answer.hidden,
        "command": check_words(model, cell.matrix.asks),
    }
