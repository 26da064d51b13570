"""Packed states as Parquet: one column of 64-bit integers for each word, and as many for the state that led there."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

Words = npt.NDArray[np.int64]

ROW_GROUP = 1 << 18
"""Rows that are read at a time: few enough for the cache of a core to hold a good part of them."""

NOBODY = -1
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
    """The columns of the least state of the level before from which a step leads here."""
    return [f"parent_{k}" for k in range(words)]


def write_columns(store: Path, path: str, columns: dict[str, npt.NDArray[Any]]) -> Written:
    """Write columns to a file below the store, all of it or nothing."""
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    sink = pa.BufferOutputStream()
    options = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    with pq.ParquetWriter(sink, table.schema, **options) as writer:
        writer.write_table(table, row_group_size=ROW_GROUP)
    content = sink.getvalue()
    write_whole(store / path, content)
    return Written(path=path, rows=table.num_rows, bytes=content.size, sha256=hashlib.sha256(content).hexdigest())


def write_whole(path: Path, content: Any) -> None:
    """Write a file that is there in full or not at all, whenever the process or the machine ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def write_states(store: Path, path: str, states: Words, parents: Words) -> Written:
    """Write packed states with their parents, one in each row of both arrays."""
    words = states.shape[1]
    columns = {name: np.ascontiguousarray(states[:, k]) for k, name in enumerate(word_columns(words))}
    columns |= {name: np.ascontiguousarray(parents[:, k]) for k, name in enumerate(parent_columns(words))}
    return write_columns(store, path, columns)


def read_rows(path: Path, names: Sequence[str], begin: int = 0, end: int | None = None) -> Iterator[Words]:
    """The rows from `begin` to `end` of some columns, in blocks of at most a row group."""
    with pq.ParquetFile(path, memory_map=True) as file:
        first = 0
        for group in range(file.metadata.num_row_groups):
            size = file.metadata.row_group(group).num_rows
            low, high = max(begin - first, 0), size if end is None else min(end - first, size)
            first += size
            if low >= high:
                continue
            table = file.read_row_group(group, columns=list(names), use_threads=False)
            block = np.empty((high - low, len(names)), np.int64)
            for k, name in enumerate(names):
                block[:, k] = table.column(name).chunk(0).to_numpy(zero_copy_only=True)[low:high]
            yield block


def checksum(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
