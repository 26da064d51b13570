"""Writes event logs from steps and states of a system under test, or of a run of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neverlost.model.core import Domain, Model, Step

from .event_log import Header, event_line, header_line


def log_header(model: Model, hidden: Sequence[str] = (), endless: Sequence[str] = ()) -> str:
    """The header of a log of every step but those of `hidden`; faults that are `endless` get no budget."""
    settings = {name: value for name, value in model.plain_settings.items() if name not in endless}
    return header_line(Header(profile=model.profile.name, bounds=model.bounds, settings=settings, hidden=tuple(hidden)))


def step_line(model: Model, step: Step, observed: Mapping[str, Any]) -> str:
    """The event of a step, with what was seen after it: fields as in `State.values()`, None for elements that were not seen."""
    named = zip(step.action.parameters, step.arguments, strict=True)
    parameters = {name: index.show(value, model.bounds) for (name, index), value in named}
    fields = {declared.name: declared for declared in model.profile.state.fields}
    said = {name: _as_written(fields[name].domain, value, model.bounds) for name, value in observed.items()}
    return event_line(step.action.name, parameters, said)


def _as_written(domain: Domain, value: Any, bounds: Mapping[str, int]) -> Any:
    """Values in people's notation; counts stay numbers."""
    if value is None:
        return None
    if isinstance(value, list):
        return [_as_written(domain, item, bounds) for item in value]
    if domain.index is None:
        return bool(value)
    shown = domain.show(value, bounds)
    return value if shown == str(value) else shown
