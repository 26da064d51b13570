"""The rows of the tables of an audit, for people."""

from __future__ import annotations

import textwrap

from rich.text import Text

NAME_WIDTH, FAULTS_WIDTH = 24, 34


def table_row(name: str, faults: str, verdict: str, style: str) -> Text:
    """A row of a table; a long list of faults takes several lines."""
    lines = wrapped_to(faults, FAULTS_WIDTH)
    first = f"{name:{NAME_WIDTH}}{lines[0]:{FAULTS_WIDTH + 2}}{verdict}"
    return Text("\n".join([first, *(" " * NAME_WIDTH + line for line in lines[1:])]), style=style)


def wrapped_to(text: str, width: int) -> list[str]:
    """The text in lines of this width."""
    return textwrap.wrap(text, width, break_on_hyphens=False)
