"""The answers that ship with neverlost: an audit of a common configuration need not search for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from neverlost.explorer.answers.questions import Known, nothing_known
from neverlost.explorer.answers.shipped import ShippedError, read_shipped

FILE = Path(__file__).with_name("shipped_answers.ndjson")


def shipped_answers(tell: Callable[[str], object]) -> Known:
    """What is known of a question without a search. If the file is damaged, nothing is, and the user is told what to do."""
    try:
        return read_shipped(FILE).answer
    except ShippedError as error:
        tell(f"{error}. Every question is searched, which takes longer. Install neverlost again.")
        return nothing_known
