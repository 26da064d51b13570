"""Uses of the state and of local names, and whether the iterations of a loop with these uses give the same result in any order."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from .domains import with_member, without
from .source import Source

READ, WRITE = "read", "write"


@dataclass(frozen=True)
class Use:
    """A use of a local name or, with a dot before it, of a field: of which elements, and how.

    An element is the name that indexes it, None for any other expression. `how` is READ, WRITE, or the name of an update that
    gives the same in any order.
    """

    place: str
    elements: tuple[str | None, ...]
    how: str


def depends_on_order(uses: Iterable[Use], variable: str, shared: set[str]) -> str | None:
    """A place through which the iterations of a loop over `variable`, which make these uses, may depend on their order; None if none.

    What the loop changes must be updated in ways that commute, or each iteration must keep to its own element. Local names that
    are not `shared` have no value before the loop: Model Python gives them one in each iteration before they are read.
    """
    uses = list(uses)
    for place in dict.fromkeys(use.place for use in uses if use.how != READ):
        if not place.startswith(".") and place not in shared | {variable}:
            continue
        here = [use for use in uses if use.place == place]
        ways = {use.how for use in here}
        commute = len(ways) == 1 and WRITE not in ways and place != variable
        own = any(all(e == variable for e in column) for column in zip(*(use.elements for use in here), strict=True))
        if not commute and not own:
            return place
    return None


def update_of(source: Source, target: ast.expr, value: ast.expr) -> tuple[str, ast.expr | None]:
    """How an assignment changes its target, and where `value` reads the target for that: ("min", x) for `x = min(x, y)`."""
    changed = ast.unparse(target)
    match value:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub()) if ast.unparse(left) == changed:
            return "+", left
        case ast.BinOp(op=ast.Add(), right=right) if ast.unparse(right) == changed:
            return "+", right
        case ast.Call(func=ast.Name(id=name), args=[first, *_]) if source.resolve(name) in (with_member, without):
            if ast.unparse(first) == changed:
                return source.resolve(name).__name__, first
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=parts) if source.resolve(name) is None:
            own = next((part for part in parts if ast.unparse(part) == changed), None)
            if own is not None:
                return name, own
    return WRITE, None
