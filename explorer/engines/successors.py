"""The successors of some states, by a model's kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Model, Packed, Property

from ..compile.cache import first_text, loaded_kernel
from ..compile.generate import kernel_source, numbered_properties
from ..symmetry import Symmetry
from .engine import FlawFound

OUT_ROWS = 1 << 16
"""How many successors are computed before duplicates are dropped: few enough for the cache of a core."""


def out_arrays(kernel: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
    """Arrays for successors, and for the rows of the states that lead to them.

    They are longer than OUT_ROWS by what the states that a kernel expands together may lead to.
    """
    size = OUT_ROWS + kernel.FRAME_ROWS * kernel.STEPS
    return np.empty((size, kernel.WORDS), np.int64), np.empty(size, np.uint32)


class CompiledSteps:
    """What a kernel says of states that no search keeps: their successors, and in how many of them a property is decided."""

    def __init__(self, model: Model, symmetry: Symmetry) -> None:
        self.settings = model.layout.pack_settings()
        self.over_states, self.over_steps = numbered_properties(model)
        self.kernel, _ = loaded_kernel(first_text(kernel_source(model, symmetry)))
        self.out, self.sources = out_arrays(self.kernel)
        self.generated = np.zeros(len(model.profile.actions), np.int64)
        self.flaw = np.zeros(1, np.int64)

    def deciding(self, rows: Sequence[Packed], prop: Property) -> int:
        """In how many states a property over states is violated (or, for a `sometimes`, witnessed). Raises FlawFound."""
        number = self.over_states.index(prop)
        counts, least = self._tally(number)
        self.kernel.evaluate(
            np.array(rows, np.int64), 0, len(rows), counts, least, self.flaw, *self.settings, 1 << number
        )
        self._refuse_flaw()
        return int(counts[number])

    def after(self, rows: Sequence[Packed], prop: Property | None = None) -> tuple[list[list[Packed]], int]:
        """The representatives of the successors of each state, and in how many states a step violates `prop`. Raises FlawFound."""
        number = 0 if prop is None else self.over_steps.index(prop)
        counts, least = self._tally(number)
        states, found, begin = np.array(rows, np.int64), [list[Packed]() for _ in rows], 0
        while begin < len(rows):
            begin, count = self.kernel.expand(
                states, begin, len(rows), self.out, self.sources, self.generated, counts, least, self.flaw,
                *self.settings, 0 if prop is None else 1 << number,
            )  # fmt: skip
            self._refuse_flaw()
            for source, words in zip(self.sources[:count].tolist(), self.out[:count].tolist(), strict=True):
                found[source].append(tuple(words))
        return found, int(counts[number])

    def _tally(self, number: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        return np.zeros(number + 1, np.int64), np.zeros((number + 1, self.kernel.WORDS), np.int64)

    def _refuse_flaw(self) -> None:
        if self.flaw[0]:
            raise FlawFound
