"""A ladder, climbed in ways that leave its domains: for the errors that engines must name."""

from __future__ import annotations

from neverlost.model.core import (
    Index,
    Profile,
    State,
    action,
    always,
    any_of,
    flag,
    per,
    require,
    step_always,
    up_to,
)


class Rung(Index, bound="rungs"):
    """A rung of the ladder."""


class Colour(Index, bound="rungs"):
    """What a rung is painted with."""


class Ladder(State):
    """Where the climber stands, and which rungs were touched."""

    height = up_to(Rung)
    taken = per(Rung, flag())
    painted = per(Rung, any_of(Colour))


def initial(s: Ladder) -> None:
    """At the foot."""


@action("test")
def climb(s: Ladder) -> None:
    """One rung up, beyond the top too."""
    s.height += 1


@action("test")
def climb_to_the_top(s: Ladder) -> None:
    """One rung up, as far as the ladder goes."""
    require(s.height < s.size(Rung))

    s.height += 1


@action("test")
def peek(s: Ladder) -> None:
    """Touch the rung after the next."""
    require(s.height >= 1)

    s.taken[s.height + 1] = True


@action("test")
def fall(s: Ladder) -> None:
    """Back to the foot."""
    s.height = 0


@action("test")
def paint(s: Ladder, rung: Rung) -> None:
    """A rung is touched."""
    s.taken[rung] = True


@always("The rung above was not touched.")
def next_untouched(s: Ladder) -> bool:
    return s.height == 0 or not s.taken[s.height]


@always("There is no state below the foot.")
def sane(s: Ladder) -> bool:
    return s.height >= 0


@step_always("No step leads down by more than one rung.")
def never_falls_far(before: Ladder, after: Ladder) -> bool:
    return after.height >= before.height - 1


LEAKING = Profile(
    name="test/leaking",
    statement="A step leads beyond the top.",
    state=Ladder,
    initial=initial,
    actions=(climb,),
    properties=(sane,),
    default_bounds={"rungs": 2},
)
PEEKING = LEAKING.replacing("test/peeking", "A step touches a rung that is not there.", climb=climb_to_the_top).adding(
    peek
)
BROKEN = LEAKING.replacing(
    "test/broken", "A property looks at a rung that is not there.", climb=climb_to_the_top, properties=(next_untouched,)
)
WIDE = BROKEN.replacing(
    "test/wide", "A climber who may fall.", climb_to_the_top=climb_to_the_top, properties=(never_falls_far,)
).adding(fall, paint)


@action("test")
def awkward(s: Ladder, rung: Rung) -> None:
    """Names that a generated kernel uses itself, a parameter assigned anew, a loop variable used twice and after its loop."""
    enabled = s.height
    flaw = 0
    for count in s.each(Rung):
        if s.taken[count]:
            flaw += 1
        for out in s.each(Rung):
            if out < count and s.taken[out]:
                enabled = min(enabled, out)
    require(flaw < 2)
    rung = s.height if s.height < s.size(Rung) else 0
    require(not s.taken[rung])
    if enabled == 0 or flaw > 0:
        s.taken[rung] = True
        return
    s.painted[rung] = max(0, s.height - 1) if not s.taken[0] else 0
    s.height -= 1 if -1 < s.height - 1 <= 2 else 0


AWKWARD = WIDE.replacing("test/awkward", "Names and flows that invite mistakes.", paint=awkward, properties=(sane,))
