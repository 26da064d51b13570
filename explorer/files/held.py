"""Files that a process holds as long as it lives: whoever finds one that nobody holds knows that its process has ended."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def hold(path: Path, content: bytes = b"") -> BinaryIO:
    """A new file with this content, held until it is closed or the process ends. Raises OSError.

    It gets its name when it is held already: a file of this name that nobody holds was left behind.
    """
    draft = path.with_name(f"{path.name}.draft")
    stream = draft.open("wb")
    fcntl.flock(stream, fcntl.LOCK_EX)
    stream.write(content)
    stream.flush()
    draft.replace(path)
    return stream


@contextmanager
def left_behind(path: Path) -> Iterator[bool]:
    """Whether the file is there and nobody holds it; False as well for a link, and for a file that this user may not write."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        yield False
        return
    try:
        free = False
        with suppress(OSError):
            # Shared: several that look at the same time all find it free.
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            free = True
        yield free
    finally:
        os.close(handle)
