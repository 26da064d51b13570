"""Text from files in one line, and their names in reports."""

from __future__ import annotations

import os
from urllib.parse import quote

from ..printable import printable


def one_line(text: str) -> str:
    """The text in one line."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def relative(file: str) -> str | None:
    """The path from the folder that the command runs in; None for what is outside."""
    found = os.path.relpath(file) if os.path.isabs(file) else os.path.normpath(file)
    return None if found == os.pardir or found.startswith(os.pardir + os.sep) else found


def uri(path: str) -> str:
    """The path as part of a URI; the name of a file may have any byte."""
    return quote(os.fsencode(path))
