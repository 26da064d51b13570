"""The folders for files that neverlost can make again."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from .temporary import own_folder
from .whole_file import write_whole

PROBE_BYTES = 1 << 16


def cache_folder() -> Path:
    """The folder for kernels and answers: NEVERLOST_CACHE, or the user's cache folder. Raises RuntimeError without a home."""
    given = os.environ.get("NEVERLOST_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "neverlost"


@cache
def working_folder() -> Path:
    """A folder for files that other programs open: the cache's, or a temporary one if that cannot be written."""
    try:
        folder = cache_folder()
        probe = folder / f"probe-{os.getpid()}"
        write_whole(probe, bytes(PROBE_BYTES))
        probe.unlink()
    except (OSError, RuntimeError):
        return own_folder()
    return folder
