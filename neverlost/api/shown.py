"""How results look in a terminal and in a notebook."""

from __future__ import annotations

from html import escape
from typing import ClassVar

from .arguments import ArgumentError


class Judged:
    """A verdict of three kinds, which is neither true nor false; `asked` is what to write in its place.

    If it were what `holds` is, `if not result` would take what is undecided for violated; if it were always true, as an object is
    without this, `assert nl.check(model)` would pass whatever the verdict.
    """

    asked: ClassVar[tuple[str, str]] = ("holds", "assert_holds")

    def __bool__(self) -> bool:
        kind, (whether, claimed) = type(self).__name__, self.asked
        raise ArgumentError(f"a {kind} is not true or false; write .{whether}, or .{claimed}()")


class Shown:
    """An object with a text for people, which `print` and notebooks show."""

    def text(self) -> str:
        """The text. A subclass has one."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text())}</pre>"
