"""Two jugs, a tap and a drain: can four litres be measured with jugs of three and five?

An old puzzle as a model, without any Kafka: the tutorial's first page builds on it. Run it with

    neverlost check examples/water_jugs.py:WATER_JUGS
"""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.modelling import Index, Profile, State, action, always, require, sometimes, up_to

WANTED = 4
"""The litres to measure."""


class SmallLitre(Index, bound="small_jug"):
    """A litre that fits into the small jug."""


class LargeLitre(Index, bound="large_jug"):
    """A litre that fits into the large jug."""


class Jugs(State):
    """How many litres are in each jug."""

    small = up_to(SmallLitre)
    large = up_to(LargeLitre)


def initial(s: Jugs) -> None:
    """Both jugs are empty."""


@action("fill")
def fill_small(s: Jugs) -> None:
    """Fill the small jug at the tap."""
    require(s.small < s.size(SmallLitre))

    s.small = s.size(SmallLitre)


@action("fill")
def fill_large(s: Jugs) -> None:
    """Fill the large jug at the tap."""
    require(s.large < s.size(LargeLitre))

    s.large = s.size(LargeLitre)


@action("empty")
def empty_small(s: Jugs) -> None:
    """Empty the small jug into the drain."""
    require(s.small > 0)

    s.small = 0


@action("empty")
def empty_large(s: Jugs) -> None:
    """Empty the large jug into the drain."""
    require(s.large > 0)

    s.large = 0


@action("pour")
def pour_small_into_large(s: Jugs) -> None:
    """Pour from the small jug until it is empty or the large one is full."""
    litres = min(s.small, s.size(LargeLitre) - s.large)
    require(litres > 0)

    s.small -= litres
    s.large += litres


@action("pour")
def pour_large_into_small(s: Jugs) -> None:
    """Pour from the large jug until it is empty or the small one is full."""
    litres = min(s.large, s.size(SmallLitre) - s.small)
    require(litres > 0)

    s.large -= litres
    s.small += litres


def who_holds_it(states: Sequence[Jugs]) -> str:
    """The story of a trace at whose end four litres are measured."""
    jug = "small" if states[-1].small == WANTED else "large"
    return f"Step {len(states) - 1} leaves exactly {WANTED} litres in the {jug} jug."


@always("No jug holds exactly four litres.", story=who_holds_it)
def never_four_litres(s: Jugs) -> bool:
    return s.small != WANTED and s.large != WANTED


@sometimes("Both jugs are full at once.")
def both_jugs_are_full(s: Jugs) -> bool:
    return s.small == s.size(SmallLitre) and s.large == s.size(LargeLitre)


WATER_JUGS = Profile(
    name="water-jugs",
    statement="Measure four litres with a jug of three and a jug of five.",
    state=Jugs,
    initial=initial,
    actions=(fill_small, fill_large, empty_small, empty_large, pour_small_into_large, pour_large_into_small),
    properties=(never_four_litres, both_jugs_are_full),
    default_bounds={"small_jug": 3, "large_jug": 5},
)
