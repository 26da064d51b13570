"""Small profiles on which a compiled engine could go astray: each must mean the same to both engines, its errors too."""

from __future__ import annotations

from neverlost.model.core import (
    NONE,
    Index,
    Profile,
    State,
    SubsetOf,
    action,
    always,
    any_of,
    contains,
    optional,
    per,
    require,
    sometimes,
    up_to,
    with_member,
)


class Box(Index, bound="boxes", symmetric=True):
    """A box."""


class BoxSet(SubsetOf, of=Box):
    """A set of boxes."""


class Room(State):
    """A few boxes, and what is known of them."""

    weight = per(Box, up_to(Box))
    chosen = optional(Box)
    marked = optional(BoxSet)
    opened = any_of(BoxSet)
    count = up_to(Box)


def initial(s: Room) -> None:
    """Nothing is known."""


def put(s: Room, box: Box, weight: int) -> None:
    """Set the weight of a box, whatever is given as one."""
    s.weight[box] = weight


def is_heavy(s: Room, box: Box) -> bool:
    """A predicate of several statements, so that it is called and not looked into."""
    weight = s.weight[box]
    return weight > 0


@action("test")
def choose(s: Room, box: Box) -> None:
    """One box is chosen."""
    s.chosen = box


@action("test")
def count_up(s: Room) -> None:
    """One more."""
    require(s.count < s.size(Box))

    s.count += 1


@action("test")
def put_on_what_is_counted(s: Room) -> None:
    """The helper is given a count, which may be no box, although its parameter is said to be one."""
    put(s, s.count, 1)  # type: ignore[arg-type]


@action("test")
def put_too_much(s: Room) -> None:
    """The helper is given a weight that no box can have."""
    require(s.count == s.size(Box))

    put(s, s.chosen if s.chosen >= 0 else s.chosen + 1, s.count + 1)  # type: ignore[arg-type]


@action("test")
def look_before(s: Room) -> None:
    """The second guard protects the first from nothing: what the first looks at must exist."""
    require(is_heavy(s, s.count))  # type: ignore[arg-type]
    require(s.count < s.size(Box))

    s.count = 0


@action("test")
def protected(s: Room) -> None:
    """The first guard protects the second."""
    require(s.count < s.size(Box))
    require(is_heavy(s, s.count))  # type: ignore[arg-type]

    s.count = 0


@action("test")
def overreach_for_a_moment(s: Room) -> None:
    """A value outside its domain is refused also if a later guard forbids the step."""
    s.count += 2
    require(s.count > s.size(Box) + 5)


@action("test")
def idle(s: Room) -> None:
    """Nothing happens, and that is a step too."""


@action("test")
def other_name(t: Room, box: Box) -> None:
    """The state goes by the name that a kernel may use for the state after a step."""
    require(t.chosen == box)
    require(t.count > 0)

    t.weight[box] = t.count
    t.chosen = NONE


@action("test")
def mark(s: Room, boxes: BoxSet) -> None:
    """A set that may also be nothing: its stored form is no bit mask."""
    require(s.marked == NONE)

    s.marked = boxes


@action("test")
def open_chosen(s: Room, box: Box) -> None:
    """A box is opened if it is chosen."""
    require(s.chosen == box)

    s.opened = with_member(s.opened, box)


@always("Not every box is open.")
def not_all_open(s: Room) -> bool:
    return s.opened != s.all_of(Box)


@always("What is chosen is not open, even when nothing is chosen.")
def chosen_is_closed(s: Room) -> bool:
    return not contains(s.opened, s.chosen)


@sometimes("Some box weighs something: the number of such boxes.")
def some_weight(s: Room) -> bool:
    heavy = 0
    for box in s.each(Box):
        heavy += s.weight[box]
    return heavy  # type: ignore[return-value]


BASE = Profile(
    name="test/room",
    statement="Boxes in a room.",
    state=Room,
    initial=initial,
    actions=(choose, count_up, idle, other_name, mark, open_chosen, protected),
    properties=(not_all_open, some_weight),
    default_bounds={"boxes": 2},
)

ALIKE = BASE.replacing("test/alike", "No count is taken for a box.", protected=None)
FLAWED = (
    BASE.replacing("test/count-as-box", "A helper is given no box.", idle=put_on_what_is_counted),
    BASE.replacing("test/too-much", "A helper is given too much.", idle=put_too_much),
    BASE.replacing("test/look-before", "A guard looks too far.", protected=look_before),
    BASE.replacing("test/for-a-moment", "A value overreaches for a moment.", idle=overreach_for_a_moment),
    BASE.replacing("test/nothing-in-a-set", "Nothing is looked for in a set.", properties=(chosen_is_closed,)),
)
