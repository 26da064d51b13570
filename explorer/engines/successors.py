"""The arrays that take the successors of states from a model's kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

OUT_ROWS = 1 << 16
"""How many successors are computed before duplicates are dropped: few enough for the cache of a core."""


def out_arrays(kernel: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
    """Arrays for successors, and for the rows of the states that lead to them.

    They are longer than OUT_ROWS by what the states that a kernel expands together may lead to.
    """
    size = OUT_ROWS + kernel.FRAME_ROWS * kernel.STEPS
    return np.empty((size, kernel.WORDS), np.int64), np.empty(size, np.uint32)
