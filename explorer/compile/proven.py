"""Names of model functions that are certain to lie in a domain, so that the kernel need not check them as indexes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from neverlost.model.core import Index, Model
from neverlost.model.core.source import Source, called_function, source_of

Extents = Mapping[str, int]
"""Names that are never below 0, and each below a number."""


def proven_names(
    model: Model, sources: Sequence[Source], bound: Sequence[Callable[..., Any]]
) -> dict[Callable[..., Any], Extents]:
    """For each function of a model, the names that always stay below an extent. `sources` has callees before callers.

    The parameters of a function in `bound` do: the kernel binds them. Parameters of other functions do if they do in every call.
    """
    proven: dict[Callable[..., Any], Extents] = {}
    passed: dict[Callable[..., Any], list[Extents]] = {source.function: [] for source in sources}
    for source in reversed(sources):
        calls = passed[source.function]
        if source.function in bound:
            domains = {p: source.domain_of(p) for p in source.parameters}
            calls.append({p: index.size(model.bounds) for p, index in domains.items() if index is not None})
        shared = set.intersection(*(set(call) for call in calls)) if calls else set()
        parameters = {p: max(call[p] for call in calls) for p in shared}
        proven[source.function] = _never_assigned(model, source, parameters)
        for node in ast.walk(source.node):
            callee = called_function(source, node) if isinstance(node, ast.Call) else None
            if isinstance(node, ast.Call) and callee in passed:
                passed[callee].append(_passed(node, source_of(callee), proven[source.function]))
    return proven


def named_domain(node: ast.Call, source: Source) -> type[Index]:
    """The index domain that `s.each(D)`, `s.size(D)` or `s.all_of(D)` names."""
    (argument,) = node.args
    assert isinstance(argument, ast.Name)
    index: type[Index] = source.resolve(argument.id)
    return index


def reassigned(source: Source) -> set[str]:
    """The names that a function assigns other than by a loop over a domain."""
    found = set()
    for node in ast.walk(source.node):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name())):
                found.add(name)
    return found


def _never_assigned(model: Model, source: Source, parameters: Extents) -> Extents:
    """The proven parameters and the variables of loops over domains, without those that are also assigned otherwise."""
    extents = {name: {extent} for name, extent in parameters.items()}
    for node in ast.walk(source.node):
        match node:
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Attribute()) as iterable):
                if name in source.parameters and name not in parameters:
                    continue
                extents.setdefault(name, set()).add(named_domain(iterable, source).size(model.bounds))
    return {name: max(found) for name, found in extents.items() if name not in reassigned(source)}


def _passed(call: ast.Call, callee: Source, proven: Extents) -> Extents:
    """The parameters of the callee that get a value below an extent in this call."""
    pairs = zip(callee.parameters, call.args, strict=True)
    return {p: proven[a.id] for p, a in pairs if isinstance(a, ast.Name) and a.id in proven}
