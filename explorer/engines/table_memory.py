"""The memory of visited sets: addresses for as much as may ever be needed. The system gives memory page by page as it is used."""

from __future__ import annotations

import mmap
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import RLock

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]

SHARE_OF_MEMORY = 0.9
LINUX = sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64")
NO_RESERVE = 0x4000
"""MAP_NORESERVE there; Python does not name it. Without it, a process with two such tables may not start another one."""

SPARED_SHARE = 1 / 32
"""How much of the memory may be spared for later tables."""


@dataclass(eq=False)
class TableMemory:
    """The words of a table. The first `used` may have been used; all others are 0."""

    words: Hashes
    used: int = 0


class _Spared:
    """Memory that no table needs any more, all 0; only while somebody asks for that."""

    # Within the lock Python may free a table, which asks for it too.

    def __init__(self) -> None:
        self.lock, self.users = RLock(), 0
        self.memories: list[TableMemory] = []


_SPARED = _Spared()


@contextmanager
def sparing_memory() -> Iterator[None]:
    """Within the block, a new table takes the memory of one that is not needed any more.

    Some virtual machines take a second to give half a GiB; to clear it takes 0.02 s.
    """
    with _SPARED.lock:
        _SPARED.users += 1
    try:
        yield
    finally:
        with _SPARED.lock:
            _SPARED.users -= 1
            if not _SPARED.users:
                _SPARED.memories.clear()


def reserved(least: int) -> TableMemory:
    """Words that are 0, as many as may ever be needed, at the beginning of a page. Raises MemoryError if there are not even `least`."""
    with _SPARED.lock:
        if _SPARED.memories:
            return _SPARED.memories.pop()
    size = int(_all_memory() * SHARE_OF_MEMORY) // 8 * 8
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | (NO_RESERVE if LINUX else 0)
    while True:
        try:
            memory = mmap.mmap(-1, size, flags=flags)
        except (OSError, ValueError) as error:
            if size < least * 8:
                raise MemoryError("no room for the visited set") from error
            size = size // 16 * 8
        else:
            if hasattr(mmap, "MADV_HUGEPAGE"):
                with suppress(OSError):
                    memory.madvise(mmap.MADV_HUGEPAGE)
            return TableMemory(np.frombuffer(memory, np.uint64))


def give_back(memory: TableMemory, used: int) -> None:
    """Spare memory of which a table has used the first words."""
    memory.used = max(memory.used, used)
    with _SPARED.lock:
        spared = sum(other.used for other in _SPARED.memories)
        if not _SPARED.users or (spared + memory.used) * 8 > _all_memory() * SPARED_SHARE:
            return
    memory.words[:used] = 0
    with _SPARED.lock:
        if _SPARED.users:
            _SPARED.memories.append(memory)


def _all_memory() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
