"""Files that are complete or absent, even if the process or the machine stops, or the disk is full."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4


def _beside(path: Path) -> tuple[Path, Path]:
    """The file at the end of all links, and a new name next to it. Raises OSError for a loop of links."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return target, target.with_name(f".{uuid4().hex}.draft")


def ensure_replaceable(path: Path) -> None:
    """Make a file next to it, as `whole_file` does, and remove it. Raises OSError."""
    _, draft = _beside(path)
    with draft.open("xb"):
        draft.unlink()


@contextmanager
def replacing(target: Path, draft: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A new file `draft` that replaces `target` when the block ends without an error, and is removed otherwise. Raises OSError.

    The draft is still open when it replaces the target, so a lock on it holds until then.
    """
    try:
        with open(draft, "xb", opener=partial(os.open, mode=mode)) as file:
            yield file
            file.flush()
            draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that replaces `path`, with its permissions, when the block ends without an error. Raises OSError."""
    target, draft = _beside(path)
    with replacing(target, draft) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, draft)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, and make its folders. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(content)
