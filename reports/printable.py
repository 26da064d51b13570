"""Text from files and from models, made safe for a terminal and for every kind of file."""

from __future__ import annotations

import re

CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
"""Characters that move a terminal's cursor, set colours, turn text around, cannot be seen, or are refused by UTF-8 or XML.

Newlines and tabs are allowed.
"""


def printable(text: str) -> str:
    """The text with every control character as an escape: `\\x1b` for ESC."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
