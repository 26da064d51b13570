"""Rules that distinguish one ship of a fleet from another, though ships are declared alike.

The line that does so is marked `# distinguishes`; every rule shows the difference on some state.
"""

from __future__ import annotations

from fleet import ALIKE, Barrel, Fleet, Ship

from neverlost.model.core import EMPTY, NONE, action, always, any_of, contains, require, with_member, without

FLAGSHIP = 0


class Berths(Fleet):
    """A fleet with a ship at the first berth from the start."""

    first_berth = any_of(Ship)


@action("test")
def prefer_the_lower(s: Fleet, one: Ship, other: Ship) -> None:
    """Of two ships the one with the lower number leads."""
    require(one < other)  # distinguishes

    s.lead = one


@action("test")
def promote_the_flagship(s: Fleet) -> None:
    """The same ship always leads."""
    s.lead = FLAGSHIP  # distinguishes


@action("test")
def unload_the_flagship(s: Fleet) -> None:
    """One ship unloads."""
    s.cargo[FLAGSHIP] = 0  # distinguishes


@action("test")
def avoid_the_flagship(s: Fleet, ship: Ship) -> None:
    """Every ship but one may lead."""
    require(ship != FLAGSHIP)  # distinguishes

    s.lead = ship


@action("test")
def follow_the_next(s: Fleet, ship: Ship) -> None:
    """A ship follows the one with the next number."""
    require(ship >= 0)
    s.follows[ship] = ship - 1  # distinguishes


@action("test")
def load_by_number(s: Fleet, ship: Ship) -> None:
    """A ship carries as many barrels as its number says."""
    s.heaviest = ship  # distinguishes


@action("test")
def lead_by_cargo(s: Fleet, barrel: Barrel) -> None:
    """The ship whose number is that of a barrel leads."""
    s.lead = barrel  # distinguishes


def first_at_sea(s: Fleet) -> int:
    for ship in s.each(Ship):
        if contains(s.at_sea, ship):
            return ship  # distinguishes
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
            s.lead = ship  # distinguishes


@action("test")
def hand_over(s: Fleet) -> None:
    """Each ship takes the cargo of the ship before it, and the first that of none."""
    carried = 0
    for ship in s.each(Ship):
        s.cargo[ship] = carried  # distinguishes
        carried = s.cargo[ship] + 1


@action("test")
def take_over(s: Fleet, giver: Ship) -> None:
    """Every ship empties all that follow it, also those that carry something only because of an earlier one."""
    for ship in s.each(Ship):
        if s.cargo[giver] > s.heaviest:  # distinguishes
            s.cargo[ship] = 0


@action("test")
def leave_and_join(s: Fleet, other: Ship) -> None:
    """Ships leave the sea, or call another to it."""
    for ship in s.each(Ship):
        if s.damaged[ship]:
            s.at_sea = without(s.at_sea, other)  # distinguishes
        else:
            s.at_sea = with_member(s.at_sea, other)


@action("test")
def repair_until_one_is_whole(s: Fleet) -> None:
    """Repair ships up to the first that is whole."""
    for ship in s.each(Ship):
        if not s.damaged[ship]:
            return  # distinguishes
        s.damaged[ship] = False


@action("test")
def keep_the_last_name(s: Fleet, ship: Ship) -> None:
    """A loop that leaves its last ship behind in a name that had a value."""
    for ship in s.each(Ship):  # distinguishes  # noqa: PLR1704
        s.damaged[ship] = False
    s.lead = ship


@action("test")
def repair_after_another(s: Fleet, giver: Ship) -> None:
    """A helper writes what the loop reads of other ships."""
    for ship in s.each(Ship):
        repair_after(s, ship, giver)  # distinguishes


def repair_after(s: Fleet, ship: Ship, giver: Ship) -> None:
    if s.damaged[giver]:
        s.damaged[ship] = False


@action("test")
def avoid_the_first_number(s: Fleet, ship: Ship) -> None:
    """Every ship but the first may lead."""
    require(ship > 0)  # distinguishes

    s.lead = ship


@action("test")
def damage_the_first(s: Fleet) -> None:
    """The ship that is counted first is damaged."""
    count = 0
    for ship in s.each(Ship):
        if count < 1:  # distinguishes
            s.damaged[ship] = True
        count = count + 1


@action("test")
def divert_all(s: Fleet, harbour: Ship) -> None:
    """Every ship is followed by itself, or makes another follow it that follows nobody yet."""
    for ship in s.each(Ship):
        divert(s, ship, ship, harbour)  # distinguishes


def divert(s: Fleet, ship: Ship, target: Ship, harbour: Ship) -> None:
    if s.damaged[ship]:
        target = harbour
    if s.follows[target] == NONE:
        s.follows[target] = ship


@always("The sum of the numbers of the ships at sea is small.")
def numbers_are_small(s: Fleet) -> bool:
    total = 0
    for ship in s.each(Ship):
        if contains(s.at_sea, ship):
            total += ship  # distinguishes
    return total < 2


@always("The flagship is in port.")
def flagship_is_in_port(s: Fleet) -> bool:
    return not contains(s.at_sea, FLAGSHIP)  # distinguishes


def ships_at_sea(s: Fleet) -> int:
    """The set as a number: what uses `s.at_sea` itself as one is refused as no Model Python."""
    return s.at_sea


@always("The set of ships at sea is no large number.")
def few_at_sea(s: Fleet) -> bool:
    return ships_at_sea(s) < 3  # distinguishes


@always("No ship follows one with a lower number.")
def nobody_follows_a_lower(s: Fleet) -> bool:
    for ship in s.each(Ship):
        followed_ship = s.follows[ship]
        if followed_ship < ship and followed_ship != NONE:  # distinguishes
            return False
    return True


@always("The first ship at sea or damaged is at sea.")
def the_first_is_at_sea(s: Fleet) -> bool:
    for ship in s.each(Ship):
        if contains(s.at_sea, ship):
            return True
        if s.damaged[ship]:
            return False  # distinguishes
    return True


@always("The lead has a number.")
def lead_is_true(s: Fleet) -> bool:
    return not s.lead  # distinguishes


@always("The last ship that is damaged is empty.")
def the_last_damaged_is_empty(s: Fleet) -> bool:
    last = 0
    for ship in s.each(Ship):
        if s.damaged[ship]:
            last = s.cargo[ship]  # distinguishes
    return last == 0


@always("Some choice by number.")
def a_choice_by_number(s: Fleet) -> bool:
    return s.cargo[FLAGSHIP if s.lead == NONE else s.lead] == 0  # distinguishes


@always("The crowd is empty, or the flagship's.")
def crowd_is_of_the_flagship(s: Fleet) -> bool:
    crowd = EMPTY
    for ship in s.each(Ship):
        if s.cargo[ship] > 0:
            crowd = with_member(crowd, ship)
    return crowd == with_member(EMPTY, FLAGSHIP) or crowd == EMPTY  # distinguishes


@always("The number of the lead is small.")
def lead_is_small(s: Fleet) -> bool:
    return s.lead + 1 < 2  # distinguishes


@always("Cargo added up, and cut down on the way, is nothing.")
def nothing_is_left(s: Fleet) -> bool:
    total = 0
    for ship in s.each(Ship):
        if s.damaged[ship]:
            total = min(total, s.cargo[ship])  # distinguishes
        else:
            total += s.cargo[ship]
    return total == 0


@always("No ship has the number of the set of ships at sea.")
def no_ship_is_a_set(s: Fleet) -> bool:
    for ship in s.each(Ship):
        same = ships_at_sea(s) == ship  # distinguishes
        if same and s.damaged[ship]:
            return False
    return True


ACTIONS = (
    prefer_the_lower, promote_the_flagship, unload_the_flagship, avoid_the_flagship, follow_the_next, load_by_number,
    lead_by_cargo, promote_the_first, promote_the_last, hand_over, take_over, leave_and_join, repair_until_one_is_whole,
    keep_the_last_name, repair_after_another, avoid_the_first_number, damage_the_first, divert_all,
)  # fmt: skip
PROPERTIES = (
    numbers_are_small, flagship_is_in_port, few_at_sea, nobody_follows_a_lower, the_first_is_at_sea, lead_is_true,
    the_last_damaged_is_empty, a_choice_by_number, crowd_is_of_the_flagship,
    lead_is_small, nothing_is_left, no_ship_is_a_set,
)  # fmt: skip
ASYMMETRIC = {
    **{a.name: ALIKE.replacing(f"test/{a.name}", a.statement, set_sail=a) for a in ACTIONS},
    **{p.name: ALIKE.replacing(f"test/{p.name}", p.statement, properties=(p,)) for p in PROPERTIES},
}
UNEVEN_START = ALIKE.replacing("test/uneven-start", "A ship is at the first berth.", state=Berths)
PREFERS_THE_LOWER = ASYMMETRIC["prefer_the_lower"]
