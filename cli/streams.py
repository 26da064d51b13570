"""Standard input, output and error: if one of them fails, the command ends with a message, and its exit code is no verdict."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter, FileIO, RawIOBase, TextIOWrapper
from typing import TYPE_CHECKING, TextIO

import click

from neverlost.explorer.process.exit_code import ExitCode

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class StreamError(BaseException):
    """Output is lost. This is not an Exception, so that it is not taken for a failure of an adapter's or profile's own code.

    It is not an OSError either: Click ends with 1 for a broken pipe, but 1 says that a property is violated.
    """

    def __init__(self, name: str, error: OSError) -> None:
        super().__init__(f"{name} cannot be written: {error.strerror}")
        self.exit_code = ExitCode.READER_HAS_GONE if isinstance(error, BrokenPipeError) else ExitCode.WRONG_INPUT


class GuardedFile(RawIOBase):
    """Standard output or error. A failure is reported once: Python would write the rest again at its end, and fail again."""

    def __init__(self, name: str, below: FileIO, needed: bool) -> None:
        super().__init__()
        self.stream, self.below, self.needed = name, below, needed
        self.failed: StreamError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        """Write what fits. Raises StreamError if output is lost that the command cannot do without."""
        size = memoryview(data).nbytes
        if self.failed is not None:
            return size
        try:
            while (written := self.below.write(data)) is None:
                select.select([], [self.below], [])
        except OSError as error:
            self.failed = StreamError(self.stream, error)
            # If the disk is full, a lost line of progress does not end a search: its result is shown first.
            if self.needed or isinstance(error, BrokenPipeError):
                raise self.failed from error
            return size
        return written

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.below.fileno()

    def isatty(self) -> bool:
        return self.below.isatty()


@contextmanager
def guarded_streams() -> Iterator[list[GuardedFile]]:
    """Guard standard output and error in this block; what they cannot encode is written as an escape, `\\xe9` for \u00e9."""
    before, guards = (sys.stdout, sys.stderr), list[GuardedFile]()
    sys.stdout = _guarded("standard output", sys.stdout, True, guards)
    sys.stderr = _guarded("standard error", sys.stderr, False, guards)
    try:
        yield guards
    finally:
        sys.stdout, sys.stderr = before


def _guarded(name: str, stream: TextIO, needed: bool, guards: list[GuardedFile]) -> TextIO:
    if not isinstance(stream, TextIOWrapper):
        return stream
    below = getattr(stream.buffer, "raw", stream.buffer)
    if not isinstance(below, FileIO):
        stream.reconfigure(errors="backslashreplace")
        return stream
    stream.flush()
    guards.append(GuardedFile(name, below, needed))
    return TextIOWrapper(
        BufferedWriter(guards[-1]),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def closed_stream() -> str | None:
    """Which of standard output and error is closed: the next file that is opened would take its place, and get its messages."""
    return next((f"standard {n}" for n, s in (("output", sys.stdout), ("error", sys.stderr)) if s is None), None)


def hold_closed_input() -> None:
    """Open the null device as standard input if that is closed; else the next opened file would be taken for it."""
    if sys.stdin is None:
        os.open(os.devnull, os.O_RDONLY)


def say(message: str) -> None:
    """Print it on standard error, or if that fails on standard output."""
    for stream in (sys.stderr, sys.stdout):
        guard = getattr(getattr(stream, "buffer", None), "raw", None)
        if stream is None or getattr(guard, "failed", None) is not None:
            continue
        try:
            click.echo(message, file=stream)
            stream.flush()
        except StreamError:
            continue
        if getattr(guard, "failed", None) is None:
            return
