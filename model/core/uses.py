"""Uses of the state and of local names, and whether the iterations of a loop with these uses give the same result in any order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .domains import with_member, without
from .tree import Expression, Extreme, SetOperation, Sum, Target

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


def update_of(target: Target, value: Expression) -> tuple[str, Expression | None]:
    """How an assignment changes its target, and where `value` reads the target for that: ("min", x) for `x = min(x, y)`."""
    match value:
        case Sum(left=left) if left == target:
            return "+", left
        case Sum(sign=1, right=right) if right == target:
            return "+", right
        case SetOperation(helper=helper, parts=(first, _)) if helper in (with_member, without) and first == target:
            return helper.__name__, first
        case Extreme(name=name, parts=parts):
            own = next((part for part in parts if part == target), None)
            if own is not None:
                return name, own
    return WRITE, None
