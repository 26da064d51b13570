"""Guards: the `require` that refused a step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any

from .actions import Refused
from .errors import ModelError
from .reading import tree_of, trees_of
from .tree import Call, Element, Part, Require, walk, written_by


@dataclass(frozen=True)
class Guard:
    """A `require`: its file, its line, its text on one line, and the fields that it reads, itself or by what it calls."""

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
    parts = tuple(walk(found))
    called = [part.function for part in parts if isinstance(part, Call)]
    inner = (part for tree in trees_of(called) for part in tree.parts)
    fields = frozenset(part.field for part in (*parts, *inner) if isinstance(part, Element))
    return Guard(code.co_filename.rsplit("/", 1)[-1], line, found.text, fields)


def place_of(error: ModelError, function: Callable[..., Any]) -> str:
    """Where an action or what it calls left a domain, in brackets: the line that failed, or all lines that write the field."""
    trees = list(trees_of([function]))
    trace, lines = error.__traceback__, []
    while trace is not None:
        code = trace.tb_frame.f_code
        lines += [f"{code.co_filename}:{trace.tb_lineno}" for tree in trees if tree.function.__code__ is code]
        trace = trace.tb_next
    lines = lines[-1:] or [tree.at(part) for tree in trees for part in tree.parts if _writes(part, error.written)]
    return f" ({' or '.join(lines)})" if lines else ""


def _writes(part: Part, field: str) -> bool:
    target = written_by(part)
    return target is not None and target.field == field


def _plain(value: Any) -> Any:
    """The function inside an action or a property; any other object unchanged."""
    return getattr(value, "function", value)
