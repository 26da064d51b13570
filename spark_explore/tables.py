"""Packed states as Parquet: one column of 64-bit integers for each word, and for each word of the state before."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from neverlost.explorer.files.whole_file import write_whole

Words = npt.NDArray[np.int64]

ROW_GROUP = 1 << 18
"""Rows that are read at a time: few enough that a good part of them fits the cache of a core."""

NO_PARENT = -1
"""The words of the parent of an initial state; no word of a packed state is negative."""


@dataclass(frozen=True, kw_only=True)
class Written:
    """A file that was written: its path below the store, rows, bytes, and the SHA-256 of its bytes."""

    path: str
    rows: int
    bytes: int
    sha256: str


def word_columns(words: int) -> list[str]:
    """The columns of a packed state."""
    return [f"word_{k}" for k in range(words)]


def parent_columns(words: int) -> list[str]:
    """The columns of the least state of the level before that has a step to this one."""
    return [f"parent_{k}" for k in range(words)]


def transition_columns(words: int) -> list[str]:
    """The columns of a step: the state before, the number of the step among those of the model, and the state after."""
    return [*(f"source_{k}" for k in range(words)), "step", *(f"target_{k}" for k in range(words))]


def write_columns(store: Path, path: str, columns: dict[str, npt.NDArray[Any]]) -> Written:
    """Write columns without gaps to a file below the store, completely or not at all."""
    arrays = {name: pa.array(values) for name, values in columns.items()}
    schema = pa.schema([pa.field(name, values.type, nullable=False) for name, values in arrays.items()])
    return write_table(store, path, pa.table(arrays, schema=schema))


def write_table(store: Path, path: str, table: pa.Table) -> Written:
    """Write a table to a file below the store, completely or not at all."""
    sink = pa.BufferOutputStream()
    options = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    with pq.ParquetWriter(sink, table.schema, **options) as writer:
        writer.write_table(table, row_group_size=ROW_GROUP)
    content = sink.getvalue()
    write_whole(store / path, content)
    return Written(path=path, rows=table.num_rows, bytes=content.size, sha256=hashlib.sha256(content).hexdigest())


def write_states(store: Path, path: str, columns: Words) -> Written:
    """Write packed states and their parents, with the words of both as columns."""
    words = len(columns) // 2
    names = [*word_columns(words), *parent_columns(words)]
    return write_columns(store, path, dict(zip(names, columns, strict=True)))


def read_columns(
    path: Path, names: Sequence[str], begin: int = 0, end: int | None = None
) -> Iterator[tuple[Words, ...]]:
    """The rows from `begin` to `end` of some columns, not to be written to, in blocks of at most a row group."""
    with pq.ParquetFile(path, memory_map=True) as file:
        first = 0
        for group in range(file.metadata.num_row_groups):
            size = file.metadata.row_group(group).num_rows
            low, high = max(begin - first, 0), size if end is None else min(end - first, size)
            first += size
            if low < high:
                table = file.read_row_group(group, columns=list(names), use_threads=False)
                yield tuple(table.column(name).chunk(0).to_numpy()[low:high] for name in names)


def read_rows(path: Path, names: Sequence[str], begin: int = 0, end: int | None = None) -> Iterator[Words]:
    """As `read_columns`, but a block is an array with a row for each row of the table."""
    for columns in read_columns(path, names, begin, end):
        rows = np.empty((len(columns[0]), len(columns)), np.int64)
        for place, column in enumerate(columns):
            rows[:, place] = column
        yield rows


def checksum(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
