"""Large arrays that the tasks of a thread reuse: the first use of memory can cost more than the work."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt


class _Arrays(threading.local):
    """The arrays of a thread."""

    def __init__(self) -> None:
        self.kept: dict[str, npt.NDArray[Any]] = {}


_ARRAYS = _Arrays()


def scratch(name: str, rows: int, width: int = 1) -> npt.NDArray[np.int64]:
    """An array of rows with undefined content. The caller owns it until this thread asks for the same name again."""
    size, kept = rows * width, _ARRAYS.kept.get(name)
    if kept is None or len(kept) < size:
        # The old array is freed first: the two never exist together.
        _ARRAYS.kept.pop(name, None)
        kept = _ARRAYS.kept[name] = np.empty(size, np.int64)
    return kept[:size].reshape(rows, width)
