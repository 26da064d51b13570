"""Renaming, as a law of any model: it commutes with every step and changes no property."""

from __future__ import annotations

import random

from hypothesis import strategies as st
from samples import elements, packed_from

from neverlost.explorer.symmetry import symmetric_domains
from neverlost.model.core import Index, Model, ModelError, Packed, Property, Refused, Step

Renaming = dict[type[Index], tuple[int, ...]]

LEFT = "a step leaves a domain"


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


def outcome(model: Model, words: Packed, step: Step) -> Packed | str:
    """What a step leads to; "refused", or LEFT."""
    try:
        return model.apply(words, step)
    except Refused:
        return "refused"
    except (ModelError, ValueError):  # a shift by NONE is a ValueError
        return LEFT


def tells_apart(model: Model, samples: int, seed: int) -> bool:
    """Does some step, or some property, on one of `samples` random states, tell two neighbours of a symmetric domain apart?

    Steps that leave a domain are not judged: which of two mistakes in a loop is met first depends on the order.
    """
    drawn = random.Random(seed)
    for _ in range(samples):
        words = packed_from(model, [drawn.randint(low, low + size - 1) for low, size in elements(model)])
        renaming = {}
        for domain in symmetric_domains(model).values():
            size = domain.size(model.bounds)
            swapped = drawn.randint(domain.distinguished, size - 2)
            renaming[domain] = (*range(swapped), swapped + 1, swapped, *range(swapped + 2, size))
        other, step = model.layout.renamed(words, renaming), drawn.choice(model.steps)
        here, there = outcome(model, words, step), outcome(model, other, renamed_step(step, renaming))
        expected = here if isinstance(here, str) else model.layout.renamed(here, renaming)
        if LEFT not in (here, there) and there != expected:
            return True
        for prop in model.profile.properties:
            if {truth(model, prop, words), truth(model, prop, other)} == {True, False}:
                return True
    return False


def truth(model: Model, prop: Property, words: Packed) -> bool | None:
    """The property's value; None where it leaves a domain."""
    try:
        return model.holds(prop, words)
    except (ModelError, ValueError):
        return None
