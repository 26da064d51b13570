"""Where answers are kept between runs."""

from __future__ import annotations

from pathlib import Path

from neverlost.explorer.answers.questions import Answers, Known, nothing_known
from neverlost.explorer.files.folders import cache_folder

STORE_HELP = "Keep answers in this folder, and use those that are there; the cache folder if not given."


def store_folder(given: str | None) -> Path | None:
    """The folder for answers: the given one, or the one next to the kernels. None for a user without a home directory."""
    if given is not None:
        return Path(given)
    try:
        return cache_folder() / "answers"
    except RuntimeError:
        return None


def open_store(given: str | None, shipped: Known = nothing_known) -> Answers:
    """The store in that folder, beside what ships with neverlost."""
    return Answers(store_folder(given), shipped)
