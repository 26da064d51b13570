"""Blocks are read as they were kept, from memory and from disk; a full disk ends the search, and loses nothing that was reported."""

from __future__ import annotations

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neverlost.explorer.engines import blocks, compiled
from neverlost.explorer.engines.blocks import Blocks
from neverlost.explorer.engines.engine import Stopped
from neverlost.explorer.search import explore
from neverlost.spec.published.profiles import TRUNCATE_TO_HIGH_WATERMARK

MODEL = TRUNCATE_TO_HIGH_WATERMARK.bounded(replicas=3, log_size=2, records=2, leader_epochs=2)


@pytest.mark.parametrize("most_bytes", [0, 1_000, 1 << 30])
def test_blocks_are_read_as_they_were_kept(most_bytes: int, tmp_path: Path) -> None:
    kept = Blocks(3, most_bytes, tmp_path)
    rows = [np.random.default_rng(k).integers(0, 1 << 60, (k, 3)) for k in range(1, 60)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(kept.keep, rows))
    for block, original in zip(found, rows, strict=True):
        assert (kept.read(block) == original).all()
    assert kept.in_memory <= most_bytes
    assert kept.in_memory + kept.in_file == sum(each.nbytes for each in rows)
    assert list(tmp_path.iterdir()) == []


def test_where_no_file_can_be_made_blocks_stay_in_memory(tmp_path: Path) -> None:
    place = tmp_path / "a file"
    place.write_text("not a folder")
    kept = Blocks(1, 0, place)
    block = kept.keep(np.arange(5).reshape(5, 1))
    assert block.rows is not None
    assert kept.in_file == 0


def full_after(count: int) -> Any:
    """A `pwrite` of a disk that is full after so many writes."""
    real, done = os.pwrite, []

    def pwrite(*arguments: Any) -> int:
        done.append(None)
        if len(done) > count:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*arguments)

    return pwrite


@pytest.mark.parametrize("workers", [1, 2])
def test_a_full_disk_leaves_the_complete_levels_and_the_findings(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = explore(MODEL, until="all")
    monkeypatch.setattr(blocks, "SHARE_OF_MEMORY", 0)
    monkeypatch.setattr(compiled, "BLOCK_ROWS", 50)
    monkeypatch.setattr(os, "pwrite", full_after(120))
    cut = explore(MODEL, until="all", workers=workers)
    assert (cut.complete, cut.stopped_by) == (False, "disk")
    assert 3 < cut.depth < whole.depth
    assert cut.levels == whole.levels[: cut.depth]
    assert {name: found.verdict for name, found in cut.findings.items() if found.verdict == "violated"}.items() <= {
        name: found.verdict for name, found in whole.findings.items()
    }.items()


def test_another_error_of_the_disk_is_not_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> int:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    kept = Blocks(1, 0, tmp_path)
    monkeypatch.setattr(os, "pwrite", broken)
    with pytest.raises(OSError, match="Input/output"):
        kept.keep(np.zeros((3, 1), np.int64))
    monkeypatch.setattr(os, "pwrite", full_after(0))
    with pytest.raises(Stopped, match="disk"):
        kept.keep(np.zeros((3, 1), np.int64))
