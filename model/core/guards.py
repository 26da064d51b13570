"""Guards: the `require` that refused a step."""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType
from typing import Any

from .actions import Refused
from .reading import tree_of
from .tree import Element, Require, walk


@dataclass(frozen=True)
class Guard:
    """A `require`: its file, its line, its text on one line, and the fields that are in it."""

    file: str
    line: int
    text: str
    reads: frozenset[str] = frozenset()

    def __str__(self) -> str:
        """`kip_320.py:41  require(...)`."""
        return f"{self.file}:{self.line}  {self.text}"


def guard_of(refused: Refused) -> Guard:
    """The `require` that raised `refused`, from its traceback."""
    trace, frames = refused.__traceback__, []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    frame = frames[-2]
    code, line = frame.tb_frame.f_code, frame.tb_lineno
    known = _GUARDS.get((code, line))
    if known is None:
        functions = (v for v in frame.tb_frame.f_globals.values() if getattr(_plain(v), "__code__", None) is code)
        known = _GUARDS[code, line] = _guard(code, line, _plain(next(functions)))
    return known


_GUARDS: dict[tuple[CodeType, int], Guard] = {}
"""Guards that were named before: a state refuses hundreds of steps by a few dozen of them."""


def _guard(code: CodeType, line: int, function: Any) -> Guard:
    required = (part for part in tree_of(function).parts if isinstance(part, Require))
    found = next(part for part in required if line in part.lines)
    fields = frozenset(part.field for part in walk(found) if isinstance(part, Element))
    return Guard(code.co_filename.rsplit("/", 1)[-1], line, found.text, fields)


def _plain(value: Any) -> Any:
    """The function inside an action or a property; any other object unchanged."""
    return getattr(value, "function", value)
