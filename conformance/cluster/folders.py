"""Folders that are locked while they are used, so that what a killed run left behind can be told from the rest."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from .releases import ClusterError

PREFIX = "neverlost-kafka-"
IN_USE = "in-use"
"""A file that is locked while the folder is used; the system frees the lock however that ends. A folder that is kept has none."""


class LockedFolder:
    """A new temporary folder, or the one that the user names, which must be empty or not there yet."""

    def __init__(self, purpose: str, named: Path | None = None) -> None:
        self.temporary = named is None
        self.path = Path(mkdtemp(prefix=f"{PREFIX}{purpose}-")) if named is None else named.absolute()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if any(self.path.iterdir()):
                raise ClusterError(f"{self.path} is not empty; name a folder that is empty or not there yet")
            unlocked = self.path / f"{IN_USE}.new"
            self._lock = unlocked.open("wb")
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            # The file gets its name with the lock: nobody takes the folder for one that was left behind.
            unlocked.replace(self.path / IN_USE)
        except OSError as error:
            raise ClusterError(f"{self.path} cannot be used: {error.strerror}") from error

    def clear(self) -> None:
        """Remove what a start that failed has written."""
        for entry in self.path.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            elif entry.name != IN_USE:
                entry.unlink()

    def keep(self) -> None:
        """Leave the folder to the user."""
        (self.path / IN_USE).unlink(missing_ok=True)
        self._lock.close()

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def remove_left_behind(progress: Callable[[str], None]) -> None:
    """Remove the temporary folders of runs that were killed."""
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        try:
            with (folder / IN_USE).open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
        except OSError:
            # It is kept, or in use, or another user's.
            continue
        progress(f"removed {folder}, which a run that was killed left behind")
