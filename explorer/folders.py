"""Where neverlost keeps what it can make anew."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Where kernels and answers are kept: NEVERLOST_CACHE, or the user's cache folder. Raises RuntimeError if the user has no home."""
    given = os.environ.get("NEVERLOST_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "neverlost"
