"""How candidates get from the tasks that make them to the task of their shard: in a file of the store, or through Spark's shuffle.

If both tasks see the same disk, a file is twice as fast: data through Spark passes two pipes and Java.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .candidates import LevelWork
from .tables import Words

BOX_ROWS = 1 << 11
"""Candidates that go through Spark in one value: about 100 KiB, because a task collects up to 1,000 values before it sends them."""


def boxes_of(pairs: Words) -> Iterator[bytes]:
    """Pairs in boxes that go through Spark."""
    for begin in range(0, len(pairs), BOX_ROWS):
        yield pairs[begin : begin + BOX_ROWS].tobytes()


def unboxed(work: LevelWork, box: bytes) -> Words:
    """The pairs of a box."""
    return np.frombuffer(box, np.int64).reshape(-1, 2 * work.words)


def exchange_folder(work: LevelWork) -> Path:
    """The folder for candidates while a level is made. It is removed when the level is complete."""
    return Path(work.store) / "exchange" / f"level={work.level + 1}"


def left_in_file(work: LevelWork, pairs: Words) -> dict[str, Any]:
    """Write pairs to a file. Returns how the task of their shard finds them."""
    folder = exchange_folder(work)
    folder.mkdir(parents=True, exist_ok=True)
    name = uuid.uuid4().hex
    pairs.tofile(folder / name)
    return {"file": name, "rows": len(pairs)}


def found_in_file(work: LevelWork, notes: Mapping[str, Any]) -> Words:
    """The pairs that `left_in_file` wrote."""
    shape = (notes["rows"], 2 * work.words)
    return np.asarray(np.memmap(exchange_folder(work) / notes["file"], np.int64, "c", shape=shape))
