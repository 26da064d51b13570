"""Names of model functions that are certain to lie in a domain, so that the kernel need not check them as indexes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from neverlost.model.core import Index, Model
from neverlost.model.core.tree import Assign, Call, Change, Each, Local, Loop, Quantified, Total, Tree

Extents = Mapping[str, int]
"""Names that are never below 0, and each below a number."""


def proven_names(
    model: Model, trees: Sequence[Tree], bound: Sequence[Callable[..., Any]]
) -> dict[Callable[..., Any], Extents]:
    """For each function of a model, the names that always stay below an extent. `trees` has callees before callers.

    The parameters of a function in `bound` do: the kernel binds them. Parameters of other functions do if they do in every call.
    """
    proven: dict[Callable[..., Any], Extents] = {}
    parameters = {tree.function: tuple(tree.parameters) for tree in trees}
    passed: dict[Callable[..., Any], list[Extents]] = {tree.function: [] for tree in trees}
    for tree in reversed(trees):
        calls = passed[tree.function]
        if tree.function in bound:
            calls.append(
                {
                    name: domain.size(model.bounds)
                    for name, domain in tree.parameters.items()
                    if isinstance(domain, type) and issubclass(domain, Index)
                }
            )
        shared = set.intersection(*(set(call) for call in calls)) if calls else set()
        proven[tree.function] = _never_assigned(model, tree, {p: max(call[p] for call in calls) for p in shared})
        for part in tree.parts:
            if isinstance(part, Call):
                passed[part.function].append(_passed(part, parameters[part.function], proven[tree.function]))
    return proven


def reassigned(tree: Tree) -> set[str]:
    """The names that a function assigns other than by a loop over a domain."""
    found = set()
    for part in tree.parts:
        match part:
            case Assign(target=Local(name=name)) | Change(target=Local(name=name)):
                found.add(name)
            case Loop(name=name, over=over) if not isinstance(over, Each):
                found.add(name)
    return found


def _never_assigned(model: Model, tree: Tree, parameters: Extents) -> Extents:
    """The proven parameters and the variables of loops over domains, without those that are also assigned otherwise."""
    extents = {name: {extent} for name, extent in parameters.items()}
    for part in tree.parts:
        match part:
            case (
                Loop(name=name, over=Each(domain=domain))
                | Quantified(name=name, over=Each(domain=domain))
                | Total(name=name, over=Each(domain=domain))
            ):
                if name in tree.parameters and name not in parameters:
                    continue
                extents.setdefault(name, set()).add(domain.size(model.bounds))
    return {name: max(found) for name, found in extents.items() if name not in reassigned(tree)}


def _passed(call: Call, parameters: Sequence[str], proven: Extents) -> Extents:
    """The parameters of the callee that get a value below an extent in this call."""
    pairs = zip(parameters, call.arguments, strict=True)
    return {p: proven[a.name] for p, a in pairs if isinstance(a, Local) and a.name in proven}
