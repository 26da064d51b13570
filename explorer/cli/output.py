"""Where output goes: text to people, files to programs."""

from __future__ import annotations

import sys
from pathlib import Path

from neverlost.model.core import NeverlostError

STANDARD_OUTPUT = "-"


class OutputError(NeverlostError):
    """A path cannot be written to."""


def ensure_writable(path: str, option: str) -> None:
    """Refuse a path that cannot be written to, now rather than after the work. Raises OutputError."""
    if path == STANDARD_OUTPUT:
        return
    target = Path(path)
    existed = target.exists()
    try:
        with target.open("a", encoding="utf-8"):
            pass
        if not existed:
            target.unlink()
    except OSError as error:
        raise OutputError(f"{option} {path} cannot be written: {error.strerror}") from error


def same_target(one: str | None, other: str | None) -> bool:
    """Would both be written to the same place? None is written nowhere."""
    if one is None or other is None or STANDARD_OUTPUT in (one, other):
        return one is not None and one == other
    return Path(one).resolve() == Path(other).resolve()


def write(path: str, text: str) -> None:
    """Write text to a file, or to standard output for `-`. Raises OutputError."""
    if path == STANDARD_OUTPUT:
        sys.stdout.write(text)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
