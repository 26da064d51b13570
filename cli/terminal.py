"""Text on a terminal. Rich is imported only here, and this module only if text is shown."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from neverlost.reports.printable import CONTROL, printable
from neverlost.reports.styled import titled


class TextConsole(Console):
    """Standard output or error for people: coloured on a terminal, plain text without any control codes elsewhere."""

    def __init__(self, to_error: bool = False) -> None:
        super().__init__(stderr=to_error, highlight=False, markup=False, emoji=False, soft_wrap=True)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print, with an escape for every control character in a text: names of files have any."""
        super().print(*(without_controls(one) if isinstance(one, Text) else one for one in objects), **options)


def without_controls(text: Text) -> Text:
    """The text in its colours, with an escape for every control character."""
    shown, at = text.blank_copy(), 0
    for found in CONTROL.finditer(text.plain):
        shown.append_text(text[at : found.start()])
        shown.append(printable(found[0]))
        at = found.end()
    return shown.append_text(text[at:]) if at else text


def show(text: str) -> None:
    """Print text for people to standard output."""
    TextConsole().print(titled(text))
