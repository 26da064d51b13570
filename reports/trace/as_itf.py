"""A trace in the Informal Trace Format of Apalache and Quint (Apalache ADR 015), with the step taken in every state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.traces.sentence import sentence
from neverlost.explorer.traces.trace import Trace
from neverlost.model.core import Domain, Index, State, SubsetOf
from neverlost.model.core.domains import COUNTS

ACTION_TAKEN = "mbt::actionTaken"
NONDET_PICKS = "mbt::nondetPicks"
FORMAT = "https://apalache-mc.org/docs/adr/015adr-trace.html"


def trace_itf(trace: Trace) -> str:
    """The trace as ITF JSON. The initial state's action is `init`; a parameter that a step does not have is None.

    A lasso names the state where its loop starts; its last state is that one once more, with the step that leads back.
    """
    fields = [declared.name for declared in trace.model.profile.state.fields]
    values: dict[str, Any] = {
        "#meta": {
            "format": "ITF",
            "format-description": FORMAT,
            "source": trace.model.profile.name,
            "description": sentence(trace),
            "bounds": dict(trace.model.bounds),
        },
        "vars": [*fields, ACTION_TAKEN, NONDET_PICKS],
        "states": [_state_values(trace, number, state) for number, state in enumerate(trace.unpacked())],
    }
    if trace.loop_start is not None:
        values["loop"] = trace.loop_start
    return json_text(values)


def _state_values(trace: Trace, number: int, state: State) -> dict[str, Any]:
    bounds, picks = trace.model.bounds, _all_parameters(trace)
    action = "init"
    if number > 0:
        step = trace.steps[number - 1]
        action = step.action.name
        for (name, index), value in zip(step.action.parameters, step.arguments, strict=True):
            picks[name] = {"tag": "Some", "value": _member(index, value, bounds)}
    fields = {f.name: _nested(f.indexes, f.domain, state.values()[f.name], bounds) for f in state.fields}
    return {"#meta": {"index": number}, **fields, ACTION_TAKEN: action, NONDET_PICKS: picks}


def _all_parameters(trace: Trace) -> dict[str, Any]:
    names = {name for action in trace.model.profile.actions for name, _ in action.parameters}
    return {name: {"tag": "None", "value": {"#tup": []}} for name in sorted(names)}


def _nested(indexes: Sequence[type[Index]], domain: Domain, value: Any, bounds: Mapping[str, int]) -> Any:
    if not indexes:
        return _value(domain, value, bounds)
    pairs = [[_member(indexes[0], i, bounds), _nested(indexes[1:], domain, v, bounds)] for i, v in enumerate(value)]
    return {"#map": pairs}


def _value(domain: Domain, value: int, bounds: Mapping[str, int]) -> Any:
    if domain.index is None:
        return bool(value)
    if domain.kind in COUNTS:
        return _integer(value)
    if value < 0:
        return "none" if domain.index.prefix else _integer(value)
    return _member(domain.index, value, bounds)


def _member(index: type[Index], value: int, bounds: Mapping[str, int]) -> Any:
    """A member with a name of its own as a string, any other as a number, a subset as a set."""
    if issubclass(index, SubsetOf):
        return {"#set": [_member(index.of, m, bounds) for m in range(index.of.size(bounds)) if value >> m & 1]}
    return index.show(value, bounds) if index.prefix else _integer(value + index.first)


def _integer(value: int) -> dict[str, str]:
    return {"#bigint": str(value)}
