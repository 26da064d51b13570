"""Text from files, as every format can carry it."""

from __future__ import annotations

import os
import re
from urllib.parse import quote

from ..printable import printable

NO_CHARACTER = re.compile("[\ud800-\udfff\ufffe\uffff]")
"""Halves of characters, which are in the names of files that are not UTF-8, and what XML refuses."""


def visible(text: str) -> str:
    """The text with an escape for everything that is no character to read; newlines and tabs are kept."""
    return NO_CHARACTER.sub(lambda found: f"\\u{ord(found[0]):04x}", printable(text))


def one_line(text: str) -> str:
    """The text in one line."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def relative(file: str) -> str | None:
    """The path from the folder that the command runs in; None for what is outside."""
    found = os.path.relpath(file) if os.path.isabs(file) else os.path.normpath(file)
    return None if found == os.pardir or found.startswith(os.pardir + os.sep) else found


def uri(path: str) -> str:
    """The path as part of a URI; the name of a file may have any byte."""
    return quote(os.fsencode(path))
