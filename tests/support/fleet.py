"""A fleet of ships that are alike, in a domain declared symmetric, and rules that treat them so."""

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
