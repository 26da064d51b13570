"""A line of a history that is no operation, or a wrong one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class MalformedOperation:
    """A line without an operation, or with a wrong one: what is wrong, and what was expected."""

    line: int
    what: str
    expected: str

    def show(self) -> str:
        """`line 7: :type is "oki"; expected invoke, ok, fail or info`."""
        return f"line {self.line}: {self.what}; expected {self.expected}"


Note = Callable[[MalformedOperation], None]
Numbered = tuple[int, Any]
"""The line that a form began on, and the form."""
