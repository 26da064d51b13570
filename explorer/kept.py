"""Files that neverlost keeps for itself in a folder: each is there as a whole or not at all, and is read only as it was written."""

from __future__ import annotations

import fcntl
import hashlib
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from uuid import uuid4

from .whole_file import replacing

DRAFT, LOCK = "draft-", ".lock"


def read_kept(path: Path) -> bytes | None:
    """What `write_kept` wrote; None if there is none, or if a bit of it is another."""
    try:
        if not path.is_file():
            return None
        digest, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return content if digest == hashlib.sha256(content).hexdigest().encode() else None


def write_kept(folder: Path, name: str, content: bytes) -> None:
    """Keep content below a folder, as a draft beside and then in its place. A folder that cannot be written to is done without."""
    path = folder / name
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, folder / f"{DRAFT}{uuid4().hex}", mode=0o600) as file:
            # A file system that knows no locks leaves the draft of a process that is killed where it is.
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
            file.write(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)


@cache
def clear_left(folder: Path) -> None:
    """Remove, once in a process, the drafts and locks that nobody holds: they are of a process that was killed."""
    with suppress(OSError):
        for path in (*folder.glob(f"{DRAFT}*"), *folder.glob(f"*{LOCK}")):
            _remove_unless_held(path)


def _remove_unless_held(path: Path) -> None:
    with suppress(OSError):
        handle = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)
        finally:
            os.close(handle)
