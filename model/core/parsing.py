"""Python text as syntax, in several threads."""

from __future__ import annotations

import ast
from threading import Lock

_ALONE = Lock()


def parsed(text: str | bytes) -> ast.Module:
    """The syntax of a text. Raises SyntaxError.

    Python 3.11 counts how deep it is for all threads together, so that two that parse at a time may both fail (its issue 106905).
    """
    with _ALONE:
        return ast.parse(text)


def parsed_expression(text: str) -> ast.expr:
    """The syntax of an expression. Raises SyntaxError."""
    with _ALONE:
        return ast.parse(text, mode="eval").body
