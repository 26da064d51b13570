"""Fleets whose ships are declared alike: rules that treat them so, and rules that tell one ship from another after all.

The line that does so is marked `# told apart`; every such rule shows the difference on some state.
"""

from __future__ import annotations

from neverlost.model.core import (
    EMPTY,
    NONE,
    Index,
    Profile,
    State,
    SubsetOf,
    action,
    always,
    any_of,
    contains,
    flag,
    is_subset,
    only,
    optional,
    per,
    require,
    up_to,
    with_member,
    without,
)

FLAGSHIP = 0


class Ship(Index, bound="ships", prefix="s", first=1, symmetric=True):
    """A ship; all are alike."""


class ShipSet(SubsetOf, of=Ship):
    """A set of ships."""


class Barrel(Index, bound="barrels"):
    """A barrel of cargo."""


class Fleet(State):
    """Whom each ship follows, and what it carries."""

    lead = optional(Ship)
    follows = per(Ship, optional(Ship))
    cargo = per(Ship, up_to(Barrel))
    heaviest = up_to(Barrel)
    at_sea = any_of(ShipSet)
    damaged = per(Ship, flag())


class Berths(Fleet):
    """A fleet with a ship at the first berth from the start."""

    first_berth = any_of(Ship)


def initial(s: Fleet) -> None:
    """Every ship is in port, and empty."""


@always("No ship leads that is in port.")
def lead_is_at_sea(s: Fleet) -> bool:
    return s.lead == NONE or contains(s.at_sea, s.lead)


@action("test")
def set_sail(s: Fleet, ship: Ship) -> None:
    """A ship sails."""
    s.at_sea = with_member(s.at_sea, ship)


@action("test")
def follow_the_lead(s: Fleet, ship: Ship) -> None:
    """A ship that follows nobody follows the lead, if there is one."""
    require(s.follows[ship] < 0)
    require(-1 < s.lead < s.size(Ship) or not s.lead >= 0)
    follow(s, ship, s.lead if contains(s.at_sea, ship) else NONE)


def follow(s: Fleet, ship: Ship, lead: int) -> None:
    s.follows[ship] = lead


@action("test")
def return_to_port(s: Fleet, barrel: Barrel) -> None:
    """Every empty ship leaves the sea; the others unload down to some barrels."""
    lightest = s.size(Barrel)
    for ship in s.each(Ship):
        if s.cargo[ship] == 0:
            s.at_sea = without(s.at_sea, ship)
        unload(s, ship, barrel)
        left = s.cargo[ship]
        lightest = min(lightest, left)
        s.heaviest = max(s.heaviest, left)
    require(lightest == 0)


def unload(s: Fleet, ship: Ship, end: int) -> None:
    for barrel in s.each(Barrel):
        if barrel > end and s.cargo[ship] > barrel:
            s.cargo[ship] = barrel
    s.damaged[ship] = s.lead == ship


@action("test")
def call_home(s: Fleet, called: ShipSet) -> None:
    """If some ship of a set is damaged, all of the set leave the sea, and follow the lead."""
    require(is_subset(called, s.at_sea))
    require(called != EMPTY)
    some = False
    for ship in s.each(Ship):
        if contains(called, ship) and s.damaged[ship]:
            some = True
    require(some)
    for ship in s.each(Ship):
        if contains(called, ship):
            s.at_sea = without(s.at_sea, ship)
            if ship != s.lead:
                follow(s, ship, s.lead)
            else:
                follow(s, ship, NONE)


@always("No two ships follow each other; a set of ships has at most all the barrels.")
def no_circle(s: Fleet) -> bool:
    for ship in s.each(Ship):
        for other in s.each(Ship):
            if ship != other and s.follows[ship] == other and s.follows[other] == ship:
                return False
    for members in s.each(ShipSet):
        total = 0
        for ship in s.each(Ship):
            total = total + (s.cargo[ship] if contains(members, ship) else 0)
        if total > s.size(Barrel) + s.size(Barrel):
            return False
    return s.at_sea == s.all_of(Ship) or s.lead == NONE or s.at_sea != only(followed(s))


def followed(s: Fleet) -> Ship:
    return s.lead


ALIKE = Profile(
    name="test/alike",
    statement="Ships that are alike.",
    state=Fleet,
    initial=initial,
    actions=(set_sail, follow_the_lead, return_to_port, call_home),
    properties=(lead_is_at_sea, no_circle),
    default_bounds={"ships": 3, "barrels": 2},
)


@action("test")
def prefer_the_lower(s: Fleet, one: Ship, other: Ship) -> None:
    """Of two ships the one with the lower number leads."""
    require(one < other)  # told apart

    s.lead = one


@action("test")
def promote_the_flagship(s: Fleet) -> None:
    """The same ship always leads."""
    s.lead = FLAGSHIP  # told apart


@action("test")
def unload_the_flagship(s: Fleet) -> None:
    """One ship unloads."""
    s.cargo[FLAGSHIP] = 0  # told apart


@action("test")
def avoid_the_flagship(s: Fleet, ship: Ship) -> None:
    """Every ship but one may lead."""
    require(ship != FLAGSHIP)  # told apart

    s.lead = ship


@action("test")
def follow_the_next(s: Fleet, ship: Ship) -> None:
    """A ship follows the one with the next number."""
    require(ship >= 0)
    s.follows[ship] = ship - 1  # told apart


@action("test")
def load_by_number(s: Fleet, ship: Ship) -> None:
    """A ship carries as many barrels as its number says."""
    s.heaviest = ship  # told apart


@action("test")
def lead_by_cargo(s: Fleet, barrel: Barrel) -> None:
    """The ship whose number is that of a barrel leads."""
    s.lead = barrel  # told apart


def first_at_sea(s: Fleet) -> int:
    for ship in s.each(Ship):
        if contains(s.at_sea, ship):
            return ship  # told apart
    return NONE


@action("test")
def promote_the_first(s: Fleet) -> None:
    """The first ship at sea leads."""
    s.lead = first_at_sea(s)


@action("test")
def promote_the_last(s: Fleet) -> None:
    """The last ship at sea leads."""
    for ship in s.each(Ship):
        if contains(s.at_sea, ship):
            s.lead = ship  # told apart


@action("test")
def hand_over(s: Fleet) -> None:
    """Each ship takes the cargo of the ship before it, and the first that of none."""
    carried = 0
    for ship in s.each(Ship):
        s.cargo[ship] = carried  # told apart
        carried = s.cargo[ship] + 1


@action("test")
def take_over(s: Fleet, giver: Ship) -> None:
    """Every ship empties all that follow it, also those that carry something only because of an earlier one."""
    for ship in s.each(Ship):
        if s.cargo[giver] > s.heaviest:  # told apart
            s.cargo[ship] = 0


@action("test")
def leave_and_join(s: Fleet, other: Ship) -> None:
    """Ships leave the sea, or call another to it."""
    for ship in s.each(Ship):
        if s.damaged[ship]:
            s.at_sea = without(s.at_sea, other)  # told apart
        else:
            s.at_sea = with_member(s.at_sea, other)


@action("test")
def repair_until_one_is_whole(s: Fleet) -> None:
    """Repair ships up to the first that is whole."""
    for ship in s.each(Ship):
        if not s.damaged[ship]:
            return  # told apart
        s.damaged[ship] = False


@action("test")
def keep_the_last_name(s: Fleet, ship: Ship) -> None:
    """A loop that leaves its last ship behind in a name that had a value."""
    for ship in s.each(Ship):  # told apart  # noqa: PLR1704
        s.damaged[ship] = False
    s.lead = ship


@action("test")
def reuse_the_name(s: Fleet, giver: Ship) -> None:
    """A helper writes what the loop reads of other ships."""
    for ship in s.each(Ship):
        unload_after(s, ship, giver)  # told apart


def unload_after(s: Fleet, ship: Ship, giver: Ship) -> None:
    if s.damaged[giver]:
        s.damaged[ship] = False


@always("The sum of the numbers of the ships at sea is small.")
def numbers_are_small(s: Fleet) -> bool:
    total = 0
    for ship in s.each(Ship):
        if contains(s.at_sea, ship):
            total += ship  # told apart
    return total < 2


@always("The flagship is in port.")
def flagship_is_in_port(s: Fleet) -> bool:
    return not contains(s.at_sea, FLAGSHIP)  # told apart


@always("The set of ships at sea is no large number.")
def few_at_sea(s: Fleet) -> bool:
    return s.at_sea < 3  # told apart


@always("No ship follows one with a lower number.")
def nobody_follows_a_lower(s: Fleet) -> bool:
    for ship in s.each(Ship):
        followed_ship = s.follows[ship]
        if followed_ship < ship and followed_ship != NONE:  # told apart
            return False
    return True


@always("The first ship at sea or damaged is at sea.")
def the_first_is_at_sea(s: Fleet) -> bool:
    for ship in s.each(Ship):
        if contains(s.at_sea, ship):
            return True
        if s.damaged[ship]:
            return False  # told apart
    return True


@always("The lead has a number.")
def lead_is_true(s: Fleet) -> bool:
    return not s.lead  # told apart


@always("The last ship that is damaged is empty.")
def the_last_damaged_is_empty(s: Fleet) -> bool:
    last = 0
    for ship in s.each(Ship):
        if s.damaged[ship]:
            last = s.cargo[ship]  # told apart
    return last == 0


@always("Some choice by number.")
def a_choice_by_number(s: Fleet) -> bool:
    return s.cargo[FLAGSHIP if s.lead == NONE else s.lead] == 0  # told apart


@always("The crowd is empty, or the flagship's.")
def crowd_is_of_the_flagship(s: Fleet) -> bool:
    crowd = EMPTY
    for ship in s.each(Ship):
        if s.cargo[ship] > 0:
            crowd = with_member(crowd, ship)
    return crowd == with_member(EMPTY, FLAGSHIP) or crowd == EMPTY  # told apart


ACTIONS = (
    prefer_the_lower, promote_the_flagship, unload_the_flagship, avoid_the_flagship, follow_the_next, load_by_number,
    lead_by_cargo, promote_the_first, promote_the_last, hand_over, take_over, leave_and_join, repair_until_one_is_whole,
    keep_the_last_name, reuse_the_name,
)  # fmt: skip
PROPERTIES = (
    numbers_are_small, flagship_is_in_port, few_at_sea, nobody_follows_a_lower, the_first_is_at_sea, lead_is_true,
    the_last_damaged_is_empty, a_choice_by_number, crowd_is_of_the_flagship,
)  # fmt: skip
ASYMMETRIC = {
    **{a.name: ALIKE.replacing(f"test/{a.name}", a.statement, set_sail=a) for a in ACTIONS},
    **{p.name: ALIKE.replacing(f"test/{p.name}", p.statement, properties=(p,)) for p in PROPERTIES},
}
UNEVEN_START = ALIKE.replacing("test/uneven-start", "A ship is at the first berth.", state=Berths)
PREFERS_THE_LOWER = ASYMMETRIC["prefer_the_lower"]
