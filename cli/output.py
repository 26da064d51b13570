"""Where output goes: text to people, files to programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from stat import S_ISREG

from neverlost.explorer.whole_file import ensure_replaceable, write_whole
from neverlost.model.core import NeverlostError

from .streams import StreamError
from .waiting import waiting_for

STANDARD_OUTPUT = "-"


class OutputError(NeverlostError):
    """A path cannot be written to, or two options name the same path."""


def ensure_outputs(paths: Mapping[str, str | None], *, inputs: Iterable[str] = ()) -> None:
    """Refuse two options that write to one place, one that would write over an input, and a path that cannot be written to.

    This is done before the work, not after it. `paths` maps an option to its path, or to None. Raises OutputError.
    """
    inputs = tuple(inputs)
    for (option, path), (other_option, other) in combinations(paths.items(), 2):
        if same_target(path, other):
            raise OutputError(f"{option} and {other_option} would both write to {other}; name two different files")
    for option, path in paths.items():
        if path is None:
            continue
        if path != STANDARD_OUTPUT and any(same_target(path, read) for read in inputs):
            raise OutputError(f"{option} would write over {path}, which is read; name another file")
        ensure_writable(path, option)


def ensure_writable(path: str, option: str) -> None:
    """Refuse a path that cannot be written to, before the work and not after it. Raises OutputError."""
    if path == STANDARD_OUTPUT:
        return
    target = Path(path)
    try:
        if target.is_fifo():
            # Opening and closing a pipe here would end it for its reader.
            return
        if target.exists():
            with target.open("ab") as file:
                _refuse_stream(file.fileno(), path, option)
        if not _is_special(target):
            ensure_replaceable(target)
    except OSError as error:
        raise OutputError(f"{option} {path} cannot be written: {error.strerror}") from error


def _refuse_stream(opened: int, path: str, option: str) -> None:
    """Refuse a file that standard output or error also goes to: each would overwrite the other."""
    for name, stream in (("standard output", 1), ("standard error", 2)):
        found = os.fstat(stream)
        if S_ISREG(found.st_mode) and os.path.samestat(found, os.fstat(opened)):
            raise OutputError(f"{option} {path} is where {name} goes; name another file")


def _is_special(target: Path) -> bool:
    """Whether the path is a device or a pipe, which no new file can replace."""
    return target.exists() and not target.is_file()


def same_target(one: str | None, other: str | None) -> bool:
    """Whether both would be written to the same place. None is not written."""
    if one is None or other is None or STANDARD_OUTPUT in (one, other):
        return one is not None and one == other
    try:
        return Path(one).samefile(other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)


def write(path: str, text: str) -> None:
    """Write text to a file, completely or not at all, or to standard output for `-`. Raises OutputError.

    A device or a pipe is written to directly.
    """
    if path == STANDARD_OUTPUT:
        sys.stdout.write(text)
        return
    target, content = Path(path), text.encode("utf-8", "backslashreplace")
    try:
        if _is_special(target):
            with waiting_for(path):
                file = target.open("wb")
            with file:
                file.write(content)
        else:
            write_whole(target, content)
    except BrokenPipeError as error:
        raise StreamError(path, error) from error
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
