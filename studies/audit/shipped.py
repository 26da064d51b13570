"""The answers that ship with neverlost: an audit of a common configuration need not search for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from neverlost.explorer.answers.questions import Known, nothing_known
from neverlost.explorer.answers.shipped import ShippedAnswers, ShippedError, read_shipped

FILE = Path(__file__).with_name("shipped_answers.ndjson")


def shipped_answers(tell: Callable[[str], object]) -> Known:
    """What is known of a question without a search. If the file is damaged, nothing is, and the user reads what to do."""
    try:
        return _read(FILE, _written(FILE)).answer
    except ShippedError as error:
        tell(f"{error}. Every question is searched, which takes longer. Install neverlost again.")
        return nothing_known


@lru_cache(maxsize=1)
def _read(path: Path, written: tuple[int, int] | None) -> ShippedAnswers:
    """The answers in a file, which a process that audits several times reads once. Raises ShippedError unless the file is whole."""
    return read_shipped(path)


def _written(path: Path) -> tuple[int, int] | None:
    """When the file was written, and its length; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
