"""Large arrays that the tasks of a thread use one after the other: touching memory for the first time can cost more than the work."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt


class _Arrays(threading.local):
    """What a thread has kept."""

    def __init__(self) -> None:
        self.kept: dict[str, npt.NDArray[Any]] = {}


_ARRAYS = _Arrays()


def scratch(name: str, rows: int, width: int = 1) -> npt.NDArray[np.int64]:
    """An array of rows that holds anything. It is the caller's until this thread asks for the same name again."""
    size, kept = rows * width, _ARRAYS.kept.get(name)
    if kept is None or len(kept) < size:
        # What was kept goes first: both at once are never held.
        _ARRAYS.kept.pop(name, None)
        kept = _ARRAYS.kept[name] = np.empty(size, np.int64)
    return kept[:size].reshape(rows, width)
