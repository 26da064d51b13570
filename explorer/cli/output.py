"""Where output goes: text to people, files to programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from neverlost.model.core import NeverlostError

if TYPE_CHECKING:
    from rich.console import Console

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


def write(path: str, text: str) -> None:
    """Write text to a file, or to standard output for `-`. Raises OutputError."""
    if path == STANDARD_OUTPUT:
        sys.stdout.write(text)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error


def console(to_error: bool = False) -> Console:
    """Standard output or error for people: coloured on a terminal, plain text without any control codes elsewhere."""
    from rich.console import Console

    return Console(stderr=to_error, highlight=False, markup=False, emoji=False, soft_wrap=True)
