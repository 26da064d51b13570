"""Standard input, output and error: where one of them fails, the command ends with a message, and with no code that is a verdict."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter, FileIO, RawIOBase, TextIOWrapper
from typing import TYPE_CHECKING, TextIO

import click

from neverlost.explorer.exit_code import ExitCode

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class StreamError(BaseException):
    """What we write is lost. This is no Exception, so that no adapter's or profile's own code is taken to have failed.

    It is no OSError either: of a broken pipe Click makes an end with 1, which says that a property is violated.
    """

    def __init__(self, name: str, error: OSError) -> None:
        super().__init__(f"{name} cannot be written: {error.strerror}")
        self.exit_code = ExitCode.READER_HAS_GONE if isinstance(error, BrokenPipeError) else ExitCode.WRONG_INPUT


class GuardedFile(RawIOBase):
    """Standard output or error. What fails is told once: Python would write the rest again when it ends, and complain again."""

    def __init__(self, name: str, below: FileIO, needed: bool) -> None:
        super().__init__()
        self.stream, self.below, self.needed = name, below, needed
        self.failed: StreamError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        """Write what fits. Raises StreamError if it is lost, and without it nothing more is worth doing."""
        size = memoryview(data).nbytes
        if self.failed is not None:
            return size
        try:
            while (written := self.below.write(data)) is None:
                select.select([], [self.below], [])
        except OSError as error:
            self.failed = StreamError(self.stream, error)
            # A line of progress that is lost on a full disk ends no search: what was found is told first.
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
    """Guard standard output and error until this ends; what they cannot encode is written as an escape, `\\xe9` for \u00e9."""
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
    """Which of standard output and error is closed: the next file that is opened would take its place, and get what is said there."""
    return next((f"standard {n}" for n, s in (("output", sys.stdout), ("error", sys.stderr)) if s is None), None)


def hold_closed_input() -> None:
    """Put nothing in the place of a standard input that is closed, lest a file that is opened later be taken for it."""
    if sys.stdin is None:
        os.open(os.devnull, os.O_RDONLY)


def say(message: str) -> None:
    """Say it on standard error, or if that fails on standard output."""
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
