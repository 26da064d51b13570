"""Files that are pipes: opening one waits for its other end, perhaps forever."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from threading import Timer
from typing import cast

import click

STANDARD_INPUT = "-"
PATIENCE_SECONDS = 2.0
"""The message about waiting is shown after this time: if both ends start together, it is not needed."""


@contextmanager
def waiting_for(*paths: str) -> Iterator[None]:
    """Say which of these files are pipes, if the block takes long."""
    pipes = [path for path in paths if _is_pipe(path)]
    timer = Timer(PATIENCE_SECONDS, _say_waiting, [pipes])
    timer.daemon = True
    if pipes:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _is_pipe(path: str) -> bool:
    try:
        return Path(path).is_fifo()
    except (OSError, ValueError):
        return False


def _say_waiting(pipes: list[str]) -> None:
    which = f"{pipes[0]}, which is a pipe" if len(pipes) == 1 else f"{', '.join(pipes)}, which are pipes"
    click.echo(f"waiting for the other end of {which}", err=True)


def called(path: str) -> str:
    """The name of an input in messages and reports."""
    return "standard input" if path == STANDARD_INPUT else path


@contextmanager
def opened_input(path: str) -> Iterator[BufferedReader]:
    """The bytes of a file, or of standard input for `-`. Raises OSError."""
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise OSError(errno.EBADF, "it is closed")
        yield cast(BufferedReader, click.open_file(path, "rb"))
        return
    source = Path(path)
    with waiting_for(path):
        file = source.open("rb")
    with file:
        with waiting_for(path):
            file.peek(1)
        yield file
