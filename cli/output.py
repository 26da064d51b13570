"""Where output goes: text to people, files to programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

from neverlost.explorer.files.whole_file import ensure_replaceable, write_whole
from neverlost.model.core import NeverlostError

from .streams import StreamError
from .waiting import waiting_for

if TYPE_CHECKING:
    from rich.text import Text

STANDARD_OUTPUT = "-"


class OutputError(NeverlostError):
    """A path cannot be written to, or two options name the same path."""


class Output:
    """Where a command writes its results: text for people, and a file for each option that names one.

    `paths` maps each option to its path, or to None if the option is not given. Create this before the work: it refuses two
    options with the same target, an option that would overwrite one of the `inputs`, and a path that cannot be written to.
    Raises OutputError.
    """

    def __init__(self, paths: Mapping[str, str | None], *, inputs: Iterable[str] = (), quiet: bool = False) -> None:
        self.paths = {option: path for option, path in paths.items() if path is not None}
        self.quiet = quiet
        self.owed = {option for option, path in self.paths.items() if path != STANDARD_OUTPUT}
        inputs = tuple(inputs)
        for (option, path), (other_option, other) in combinations(self.paths.items(), 2):
            if _same_target(path, other):
                raise OutputError(f"{option} and {other_option} would both write to {other}; name two different files")
        for option, path in self.paths.items():
            if path == STANDARD_OUTPUT:
                continue
            if any(_same_target(path, read) for read in inputs):
                raise OutputError(f"{option} would write over {path}, which is read; name another file")
            _ensure_writable(path, option)

    def show(self, *parts: str | Text) -> None:
        """Print text for people: to standard error if standard output gets a file.

        If nobody reads it, or the disk is full, the files are still written; the command then ends as it would have ended at once.
        """
        from neverlost.reports.styled import titled

        from .terminal import TextConsole

        console = TextConsole(to_error=STANDARD_OUTPUT in self.paths.values())
        try:
            for part in parts:
                console.print(titled(part) if isinstance(part, str) else part)
        except StreamError:
            if not self.owed:
                raise

    def write(self, option: str, content: Callable[[], str]) -> None:
        """Write the file that an option asks for, completely or not at all. Raises OutputError."""
        path = self.paths.get(option)
        self.owed.discard(option)
        if path is not None:
            _write(path, content())


def _ensure_writable(path: str, option: str) -> None:
    """Refuse a path that cannot be written to."""
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


def _same_target(one: str, other: str) -> bool:
    if STANDARD_OUTPUT in (one, other):
        return one == other
    try:
        return Path(one).samefile(other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)


def _write(path: str, text: str) -> None:
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
