"""Text laid out for a terminal of 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping

WIDTH = 100


def wrapped(text: str, indent: str = "") -> str:
    """The text on lines no wider than a page, those after the first indented."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def definitions(entries: Mapping[str, str]) -> str:
    """Names with their meanings: one line each where it fits, the meaning below the name where it does not."""
    lines = []
    for name, meaning in entries.items():
        lines += [f"  {name}", wrapped(f"      {meaning}", "      ")] if meaning else [f"  {name}"]
    return "\n".join(lines)


def shell_lines(words: Iterable[str], indent: str = "  ") -> str:
    """A command on lines no wider than a page, each but the last continued by a backslash."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + len(word) + 3 <= WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append((indent if not lines else f"{indent}    ") + word)
    return " \\\n".join(lines)


def first_line(docstring: str | None) -> str:
    """The first line of a docstring: the rule that it states."""
    return (docstring or "").strip().split("\n")[0]
