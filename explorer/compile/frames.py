"""The text of frames: some states with each word in an array of its own, so that several can be computed at a time."""

from __future__ import annotations

from collections.abc import Iterable


def frame(name: str, words: Iterable[int]) -> str:
    """Lines that make a frame, and names for its words. All its numbers are 0."""
    named = "".join(f"    {name}_{k} = {name}[{k} * FRAME_ROWS:{k + 1} * FRAME_ROWS]\n" for k in words)
    return f"{array(name, 'FRAME')}{named}"


def array(name: str, size: str = "FRAME_ROWS") -> str:
    """Lines that make an array of numbers. All are 0, because the lanes behind the last state are computed too."""
    return f"    {name} = local({size})\n    clear({name})\n"
