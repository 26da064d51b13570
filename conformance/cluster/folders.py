"""Folders that are locked while they are used, so that what a killed run left behind can be distinguished from the rest."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from neverlost.explorer.files.held import hold, left_behind

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
            self._lock = hold(self.path / IN_USE)
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
        with left_behind(folder / IN_USE) as left:
            if not left:
                continue
            shutil.rmtree(folder, ignore_errors=True)
        progress(f"removed {folder}, which a run that was killed left behind")
