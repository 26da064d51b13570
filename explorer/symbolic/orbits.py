"""Of steps and lemma instances that differ only by renaming members of symmetric domains, only one is proven."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.model.core import Index, Lemma, Model, Property, Step, SymmetryError, check_equivariance
from neverlost.model.core.parameters import Parameters

from ..symmetry import MAX_RENAMINGS, renamings_of, symmetric_domains

Domains = frozenset[type[Index]]


def provable_symmetry(model: Model, properties: Sequence[Property], lemmas: Sequence[Lemma]) -> tuple[Domains, str]:
    """The symmetric domains whose members no action, property or lemma distinguishes; else none, and the reason."""
    domains = frozenset(symmetric_domains(model).values())
    try:
        check_equivariance(model, domains, properties, lemmas)
    except SymmetryError as error:
        return frozenset(), str(error)
    return domains, ""


def searched_symmetry(model: Model, domains: Domains) -> list[str]:
    """The names of the symmetric domains that a search uses: none if there are too many renamings to compare."""
    return sorted(d.__name__.lower() for d in domains) if renamings_of(model, domains) <= MAX_RENAMINGS else []


def is_least(domains: Domains, calls: Sequence[tuple[Parameters, Sequence[int]]]) -> bool:
    """Whether the members of symmetric domains in these arguments are numbered in the order of their first appearance.

    Every combination of arguments can be renamed into exactly one that is. Arguments that are sets of members are ignored, which
    leaves more combinations than needed.
    """
    seen: dict[type[Index], list[int]] = {index: list(range(index.distinguished)) for index in domains}
    for parameters, values in calls:
        for (_, index), value in zip(parameters, values, strict=True):
            if index not in domains or value in seen[index]:
                continue
            if value != len(seen[index]):
                return False
            seen[index].append(value)
    return True


def renames_sets(domains: Domains, parameters: Parameters) -> bool:
    """Whether a parameter ranges over sets of members of a symmetric domain."""
    return any(index.base() in domains and index.base() is not index for _, index in parameters)


def least_steps(model: Model, domains: Domains) -> list[Step]:
    """The steps of which all others are renamings."""
    return [s for s in model.steps if is_least(domains, [(s.action.parameters, s.arguments)])]
