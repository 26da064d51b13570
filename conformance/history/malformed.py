"""What is noted while a history is read: its forms, and the lines that hold none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..malformed import MalformedLine

Note = Callable[[MalformedLine], None]
Numbered = tuple[int, Any]
"""The line that a form began on, and the form."""
