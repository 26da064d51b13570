"""Columns of numbers: what rows of a history are kept in."""

from __future__ import annotations

from array import array
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[np.integer[Any]]
Table = TypeVar("Table")
NARROW = 1 << 31
OK, FAIL, INFO = 0, 1, 2
UNKNOWN = -1
"""An unknown offset; an operation that was never invoked, or never completed; no transaction, no group."""


def column(values: array[int]) -> Column:
    """The numbers as a column, without a copy."""
    return np.frombuffer(values, dtype=values.typecode) if values else np.zeros(0, np.int64)


def narrow(numbers: Column) -> Column:
    """The column in half the memory, if its numbers allow that."""
    fits = not len(numbers) or (numbers.min() >= -NARROW and numbers.max() < NARROW)
    return numbers.astype(np.int32 if fits else np.int64)


def table(kind: type[Table], rows: array[int]) -> Table:
    """Rows that were written one after the other, as columns with the names of the fields."""
    names: tuple[str, ...] = tuple(kind.__dataclass_fields__)  # type: ignore[attr-defined]
    columns = column(rows).reshape(-1, len(names)).T
    return kind(**{name: narrow(one) for name, one in zip(names, columns, strict=True)})
