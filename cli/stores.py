"""Where answers are kept between runs, and how asking many questions shows its progress."""

from __future__ import annotations

from pathlib import Path

from neverlost.explorer.answers import Answers
from neverlost.explorer.folders import cache_folder

STORE_HELP = "Keep answers in this folder, and take from it those that are there; the cache folder if not given."


def store_folder(given: str | None) -> Path | None:
    """Where answers are kept: in the folder that was given, by default beside the kernels. None for a user without a home."""
    if given is not None:
        return Path(given)
    try:
        return cache_folder() / "answers"
    except RuntimeError:
        return None


def open_store(given: str | None) -> Answers:
    """The store in that folder."""
    return Answers(store_folder(given))
