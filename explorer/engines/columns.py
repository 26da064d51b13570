"""Many states at once, as one array for each element of each field, for computations with NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Model

Words = npt.NDArray[np.int64]
Columns = dict[str, npt.NDArray[np.int64]]
"""By field: a row for each of its elements, the last index fastest, and in it the value in each state."""


def unpacked(model: Model, rows: Words) -> Columns:
    """The elements of packed states, one state in each row."""
    words = np.ascontiguousarray(rows.T)
    return {
        name: np.stack([(words[slot.word] >> slot.shift & slot.mask) + slot.low for slot in slots])
        for name, slots in model.layout.slots.items()
    }


def packed(model: Model, columns: Columns) -> Words:
    """The packed form of states whose elements lie within their domains."""
    count = next(iter(columns.values())).shape[1]
    words = np.zeros((model.layout.words, count), np.int64)
    for name, slots in model.layout.slots.items():
        for slot, values in zip(slots, columns[name], strict=True):
            words[slot.word] |= values - slot.low << slot.shift
    return np.ascontiguousarray(words.T)


def random_columns(model: Model, count: int, generator: np.random.Generator) -> Columns:
    """States with every element drawn at random from its domain: hardly any of them can be reached."""
    return {
        name: np.stack([generator.integers(slot.low, slot.low + slot.size, count) for slot in slots])
        for name, slots in model.layout.slots.items()
    }


def perturbed(model: Model, columns: Columns, most: int, generator: np.random.Generator) -> Columns:
    """The same states with up to `most` elements of each drawn again at random."""
    count = next(iter(columns.values())).shape[1]
    drawn, places = (
        random_columns(model, count, generator),
        [(n, k) for n, rows in columns.items() for k in range(len(rows))],
    )
    found = {name: rows.copy() for name, rows in columns.items()}
    amount = generator.integers(0, most + 1, count)
    for number in range(most):
        chosen = generator.integers(0, len(places), count)
        for place, (name, element) in enumerate(places):
            here = (chosen == place) & (number < amount)
            found[name][element, here] = drawn[name][element, here]
    return found


def sampled(blocks: Sequence[Words], count: int, generator: np.random.Generator) -> Words:
    """Rows drawn at random from some arrays, each with the same probability."""
    ends = np.cumsum([len(block) for block in blocks])
    numbers = np.sort(generator.integers(0, ends[-1], count))
    owners = np.searchsorted(ends, numbers, side="right")
    return np.concatenate([block[numbers[owners == k] - (ends[k] - len(block))] for k, block in enumerate(blocks)])
