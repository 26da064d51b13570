"""Small models whose wrong translation into terms would prove what is false: each is violated, or leaves a domain, soon."""

from __future__ import annotations

from neverlost.model.core import (
    Index,
    Profile,
    State,
    SubsetOf,
    action,
    always,
    any_of,
    flag,
    only,
    per,
    require,
)


class Eight(Index, members=8):
    """Numbers."""


class Four(Index, members=4):
    """Fewer of them."""


class One(Index, bound="ones"):
    """As few as the bound says."""


class Node(Index, bound="nodes"):
    """Members of a set."""


class NodeSet(SubsetOf, of=Node):
    """Sets of them."""


class Gauge(State):
    """Numbers in domains of several sizes, and whether something bad happened."""

    big = any_of(Eight)
    small = any_of(Four)
    row = per(Four, any_of(Four))
    lone = any_of(One)
    marks = per(NodeSet, flag())
    bad = flag()


def initial(s: Gauge) -> None:
    """All zero."""


@always("Nothing bad happened.")
def never_bad(s: Gauge) -> bool:
    return not s.bad


@action("test")
def grow(s: Gauge) -> None:
    """One more."""
    require(s.big < 7)

    s.big += 1


@action("test")
def pass_through_a_small_field(s: Gauge) -> None:
    """On one way only, the number is known to be small."""
    if s.big <= 3:
        s.small = s.big
        s.big = s.small
    if s.big > 3:
        s.bad = True


@action("test")
def take_the_first_that_is_something(s: Gauge) -> None:
    """`or` gives the operand, not whether there is one."""
    s.big = s.big or 3
    s.small = s.small and s.big
    if s.big == 3:
        s.bad = True


@action("test")
def compare_in_a_chain(s: Gauge) -> None:
    """What lies below zero is looked up only where the first comparison holds."""
    if 0 < s.small < s.row[s.small - 1]:
        s.bad = True
    s.small = max(0, 2 - s.small)
    s.row[1] = 3


@action("test")
def write_the_only_value(s: Gauge) -> None:
    """A field of one value takes another one only by mistake."""
    if s.small == 0:
        s.lone = s.small
    s.bad = s.lone == 0


@action("test")
def mark_a_set(s: Gauge) -> None:
    """A set of a member that there is not."""
    s.marks[only(s.big)] = True


@action("test")
def fill(s: Gauge) -> None:
    """The largest value of a domain."""
    s.big = 7
    s.bad = True


@action("test")
def leave_at_once(s: Gauge) -> None:
    """Only the very first step leaves the domain."""
    if s.lone == 0 and not s.marks[0]:
        s.small = s.small + 4
    s.marks[0] = True


@action("test")
def settle(s: Gauge) -> None:
    """From here on, it stays within."""
    s.marks[0] = True


def _profile(name: str, *actions: object) -> Profile:
    return Profile(
        name=f"test/{name}",
        statement="A gauge.",
        state=Gauge,
        initial=initial,
        actions=actions,  # type: ignore[arg-type]
        properties=(never_bad,),
        default_bounds={"ones": 1, "nodes": 2},
    )


NARROWED = _profile("narrowed", grow, pass_through_a_small_field)
OPERANDS = _profile("operands", take_the_first_that_is_something)
CHAINED = _profile("chained", compare_in_a_chain)
LONE = _profile("lone", write_the_only_value)
MARKED = _profile("marked", grow, mark_a_set)
FULL = _profile("full", fill)
EARLY = _profile("early", leave_at_once, settle)

VIOLATED = (NARROWED, OPERANDS, CHAINED, LONE, FULL)
LEAVING = (MARKED, EARLY)
