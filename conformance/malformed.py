"""A line of a history or an event log that cannot be read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class MalformedLine:
    """A line without an operation or event, or with a wrong one: what is wrong, and what was expected."""

    line: int
    what: str
    expected: str

    def show(self) -> str:
        """`line 7: :type is "oki"; expected invoke, ok, fail or info`."""
        return f"line {self.line}: {self.what}; expected {self.expected}"
