"""Text from files, made safe to print on a terminal."""

from __future__ import annotations

import re

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that move a terminal's cursor, set colours, or reverse text; newlines and tabs are allowed."""


def printable(text: str) -> str:
    """The text with every control character as an escape: `\\x1b` for ESC."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
