"""Files that neverlost keeps for itself in a folder: each is complete or absent, and is used only if it is unchanged."""

from __future__ import annotations

import fcntl
import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from uuid import uuid4

from .held import left_behind
from .whole_file import replacing

DRAFT, LOCK = "draft-", ".lock"


def read_kept(path: Path) -> bytes | None:
    """The content that `write_kept` wrote; None if there is no file, or if one bit of it has changed."""
    try:
        if not path.is_file():
            return None
        digest, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return content if digest == hashlib.sha256(content).hexdigest().encode() else None


def write_kept(folder: Path, name: str, content: bytes) -> None:
    """Keep content in a folder: a draft is written, then renamed. A folder that cannot be written to is not used."""
    path = folder / name
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, folder / f"{DRAFT}{uuid4().hex}", mode=0o600) as file:
            # On a file system without locks, the draft of a killed process stays.
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
            file.write(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)


@cache
def clear_left(folder: Path) -> None:
    """Remove, once per process, the drafts and locks that no process holds: they are from processes that were killed."""
    with suppress(OSError):
        for path in (*folder.glob(f"{DRAFT}*"), *folder.glob(f"*{LOCK}")):
            with suppress(OSError), left_behind(path) as left:
                if left:
                    path.unlink(missing_ok=True)
