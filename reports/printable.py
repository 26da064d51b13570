"""Text from files, made safe to print on a terminal."""

from __future__ import annotations

import re

CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
"""Characters that move a terminal's cursor, set colours, turn text around, or cannot be seen; newlines and tabs are allowed."""


def printable(text: str) -> str:
    """The text with every control character as an escape: `\\x1b` for ESC."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
