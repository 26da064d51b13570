"""The states of the levels, in blocks: in memory up to a limit, then in a file. Unless it is given, it disappears with the process."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt

from ..files.folders import cache_folder
from .engine import Stopped

Words = npt.NDArray[np.int64]

SHARE_OF_MEMORY = 1 / 64
"""How much of the memory blocks may take before further ones go to the file: a search of ten million states stays below."""

FOLDER = "levels"
BLOCK_ROWS = 1 << 18
"""The states of a full block."""

FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The errors of a disk that has no more room, or none for this user."""


@dataclass(frozen=True)
class Block:
    """Some states of a level: in memory, or at a place in the file."""

    count: int
    rows: Words | None
    place: int = 0


class Blocks:
    """Keeps blocks of packed states, and reads them again. Several threads may do so at a time."""

    def __init__(
        self, words: int, most_bytes: int | None = None, folder: Path | None = None, file: int | None = None
    ) -> None:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        self.words = words
        self.most_bytes = int(memory * SHARE_OF_MEMORY) if most_bytes is None else most_bytes
        self.in_memory = self.in_file = 0
        self._folder = folder
        self._file = file
        self._lock = Lock()

    def keep(self, rows: Words) -> Block:
        """Keep these states; the caller does not change the rows afterwards, unless `Block.rows` is None.

        Raises Stopped if the disk is full.
        """
        with self._lock:
            stays = self.in_memory + rows.nbytes <= self.most_bytes or not self._opened()
            place = self.in_file
            if stays:
                self.in_memory += rows.nbytes
            else:
                self.in_file += rows.nbytes
        if stays:
            return Block(len(rows), rows)
        self._write(rows, place)
        return Block(len(rows), None, place)

    def _opened(self) -> bool:
        """Whether there is a file; where none can be made, all blocks stay in memory."""
        if self._file is None:
            with suppress(OSError, RuntimeError):
                folder = self._folder or cache_folder() / FOLDER
                folder.mkdir(parents=True, exist_ok=True)
                with tempfile.TemporaryFile(dir=folder) as file:
                    self._file = os.dup(file.fileno())
        return self._file is not None

    def _write(self, rows: Words, place: int) -> None:
        assert self._file is not None
        left = np.ascontiguousarray(rows).data.cast("B")
        try:
            while left:
                written = os.pwrite(self._file, left, place)
                left, place = left[written:], place + written
        except OSError as error:
            if error.errno in FULL_DISK:
                raise Stopped("disk") from error
            raise

    def found(self, count: int) -> list[Block]:
        """The next states of a file that was given, in blocks: an earlier search has kept them."""
        row_bytes = self.words * np.dtype(np.int64).itemsize
        first, self.in_file = self.in_file, self.in_file + count * row_bytes
        return [Block(min(BLOCK_ROWS, count - at), None, first + at * row_bytes) for at in range(0, count, BLOCK_ROWS)]

    def read(self, block: Block) -> Words:
        """The states of a block."""
        if block.rows is not None:
            return block.rows
        assert self._file is not None
        rows = np.empty((block.count, self.words), np.int64)
        left, place = rows.data.cast("B"), block.place
        while left:
            got = os.preadv(self._file, [left], place)
            if not got:
                raise OSError(errno.EIO, "the file of the levels ends too early")
            left, place = left[got:], place + got
        return rows

    def __del__(self) -> None:
        if self._file is not None:
            os.close(self._file)
