"""Folders in the temporary directory. Each is removed when its process ends; if that was killed, when the next process makes one."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO

PREFIX, HELD = "neverlost-own-", "held"

_OWN: list[tuple[tempfile.TemporaryDirectory[str], BinaryIO]] = []
"""The folders of this process, with the open files that show that it is alive."""


def own_folder() -> Path:
    """A new folder that is this user's only. It stays until this process ends."""
    _clear_left(Path(tempfile.gettempdir()))
    made = tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
    folder = Path(made.name)
    # The file is always locked under this name: if it is unlocked, its process has ended.
    draft = folder / f"{HELD}.draft"
    stream = draft.open("wb")
    with suppress(OSError):
        fcntl.flock(stream, fcntl.LOCK_EX)
        draft.rename(folder / HELD)
    _OWN.append((made, stream))
    return folder


@cache
def _clear_left(temporary: Path) -> None:
    for folder in temporary.glob(f"{PREFIX}*"):
        with suppress(OSError):
            handle = os.open(folder / HELD, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if folder.lstat().st_uid == os.getuid():
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(handle)
