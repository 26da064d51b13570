"""Text with emphasis, for a terminal."""

from __future__ import annotations

from rich.text import Text

from neverlost.explorer.verdict import Verdict

from .printable import printable

STYLES = {Verdict.HOLDS: "green", Verdict.PROVEN: "green", Verdict.VIOLATED: "bold red", Verdict.UNDECIDED: "yellow"}
"""How a verdict is set off."""


def titled(text: str) -> Text:
    """Text with emphasis on titles, which are the lines without indentation, and on numbered steps."""
    styled = Text()
    for line in printable(text).rstrip("\n").split("\n"):
        is_title = bool(line) and not line.startswith(" ")
        is_step = line[:4].strip().rstrip(".").isdecimal()
        styled.append(f"{line}\n", style="bold" if is_title or is_step else "")
    styled.right_crop(1)
    return styled
