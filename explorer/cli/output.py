"""Where output goes: text to people, files to programs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

from neverlost.model.core import NeverlostError

STANDARD_OUTPUT = "-"


class OutputError(NeverlostError):
    """A path cannot be written to, or two options name the same one."""


def ensure_outputs(paths: Mapping[str, str | None]) -> None:
    """Refuse two options that write to one place, and a path that cannot be written to, now rather than after the work.

    `paths` has the path by the option; None is written nowhere. Raises OutputError.
    """
    for (option, path), (other_option, other) in combinations(paths.items(), 2):
        if same_target(path, other):
            raise OutputError(f"{option} and {other_option} would both write to {other}; name two different files")
    for option, path in paths.items():
        if path is not None:
            ensure_writable(path, option)


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
