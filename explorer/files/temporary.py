"""Folders in the temporary directory. Each is removed when its process ends; if that was killed, when the next process makes one."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO

from .held import hold, left_behind

PREFIX, HELD = "neverlost-own-", "held"

_OWN: list[tuple[tempfile.TemporaryDirectory[str], BinaryIO | None]] = []
"""The folders of this process, with the open files that show that it is alive."""


def own_folder() -> Path:
    """A new folder that is this user's only. It stays until this process ends."""
    _clear_left(Path(tempfile.gettempdir()))
    made = tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
    folder = Path(made.name)
    stream = None
    with suppress(OSError):
        stream = hold(folder / HELD)
    _OWN.append((made, stream))
    return folder


@cache
def _clear_left(temporary: Path) -> None:
    for folder in temporary.glob(f"{PREFIX}*"):
        with suppress(OSError), left_behind(folder / HELD) as left:
            if left and folder.lstat().st_uid == os.getuid():
                shutil.rmtree(folder, ignore_errors=True)
