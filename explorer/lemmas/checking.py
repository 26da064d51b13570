"""Checks lemmas on states with compiled code: which are false somewhere, in how many states, and in which state first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Lemma, Model, ModelError, Packed, Property, State

CHUNK = 1 << 16
"""States that are judged between two checks for an interrupt."""


@dataclass(frozen=True, kw_only=True)
class Refutation:
    """A lemma that is false: in how many states, and the least of these with the first instance that is false there."""

    lemma: Lemma
    states: int
    least: Packed
    arguments: tuple[int, ...]


def refutations(
    model: Model,
    lemmas: Sequence[Lemma],
    blocks: Iterable[npt.NDArray[np.int64]],
    interrupted: Callable[[], bool] = lambda: False,
) -> list[Refutation]:
    """The lemmas that are false in one of the packed states of some arrays. A lemma that leaves a domain is false.

    Raises AssertionError if the interpreter does not confirm a refutation.
    """
    from ..compile.cache import loaded_kernel
    from ..compile.lemma_kernel import LemmaKernel

    kernel, _ = loaded_kernel(LemmaKernel(model, lemmas).text())
    counts, least = np.zeros(len(lemmas), np.int64), np.zeros((len(lemmas), model.layout.words), np.int64)
    flaw, settings = np.zeros(1, np.int64), model.layout.pack_settings()
    for block in blocks:
        for begin in range(0, len(block), CHUNK):
            if interrupted():
                break
            kernel.judge(block, begin, min(begin + CHUNK, len(block)), counts, least, flaw, *settings)
    return [
        _refutation(model, lemma, int(counts[number]), tuple(int(word) for word in least[number]))
        for number, lemma in enumerate(lemmas)
        if counts[number]
    ]


def _refutation(model: Model, lemma: Lemma, states: int, least: Packed) -> Refutation:
    for arguments in lemma.combinations(model.bounds):
        if not is_true(model, lemma, arguments, least):
            return Refutation(lemma=lemma, states=states, least=least, arguments=arguments)
    raise AssertionError(f"compiled code finds {lemma.name} false in a state; the interpreter does not: {least}")


def is_true(model: Model, lemma: Lemma, arguments: Sequence[Any], words: Packed) -> bool:
    """Whether an instance of a lemma holds in a state by the interpreter; false if evaluating it leaves a domain."""
    return is_true_of(lemma, arguments, model.state(words))


def is_true_of(lemma: Lemma, arguments: Sequence[Any], state: State) -> bool:
    """The same for an unpacked state."""
    try:
        return bool(lemma.function(state, *arguments))
    except ModelError:
        return False


def is_true_across(model: Model, prop: Property, before: Packed, after: Packed) -> bool:
    """Whether a `step_always` property holds of a step by the interpreter; false if evaluating it leaves a domain."""
    try:
        return model.holds(prop, before, after)
    except ModelError:
        return False
