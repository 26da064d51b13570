"""Renaming, as a law of any model: it commutes with every step and changes no property."""

from __future__ import annotations

from hypothesis import strategies as st

from neverlost.explorer.symmetry import symmetric_domains
from neverlost.model.core import Index, Model, ModelError, Packed, Step

Renaming = dict[type[Index], tuple[int, ...]]


@st.composite
def renamings(draw: st.DrawFn, model: Model) -> Renaming:
    """A permutation of each symmetric domain that leaves its distinguished members alone."""
    renaming = {}
    for domain in symmetric_domains(model).values():
        kept, size = domain.distinguished, domain.size(model.bounds)
        renaming[domain] = (*range(kept), *draw(st.permutations(range(kept, size))))
    return renaming


def renamed_step(step: Step, renaming: Renaming) -> Step:
    arguments = []
    for (_, index), value in zip(step.action.parameters, step.arguments, strict=True):
        arguments.append(index.renamed(value, renaming[index.base()]) if index.base() in renaming else value)
    return Step(step.action, tuple(arguments))


def successors(model: Model, words: Packed) -> set[tuple[str, Packed]] | None:
    """The steps as text, with what they lead to; None if one leaves a domain, as may happen where nothing is reachable."""
    try:
        return {(model.steps[number].show(model.bounds), after) for number, after in model.successors(words)}
    except ModelError:
        return None


def renamed_successors(model: Model, words: Packed, renaming: Renaming) -> set[tuple[str, Packed]] | None:
    """The steps from a state and what they lead to, each renamed; None if one leaves a domain."""
    found = successors(model, words)
    if found is None:
        return None
    return {
        (renamed_step(model.parse_step(step), renaming).show(model.bounds), model.layout.renamed(target, renaming))
        for step, target in found
    }
