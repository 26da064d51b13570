"""How results look in a terminal and in a notebook."""

from __future__ import annotations

from html import escape


class Shown:
    """An object with a text for people, which `print` and notebooks show."""

    def text(self) -> str:
        """The text. A subclass has one."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text())}</pre>"
