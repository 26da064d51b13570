"""Text that comes from files, as a terminal may be given it."""

from __future__ import annotations

import re

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What moves a terminal's cursor, colours, or turns text around; not the end of a line, nor a tabulator."""


def printable(text: str) -> str:
    """The text with every control character as an escape: `\\x1b` for ESC."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
