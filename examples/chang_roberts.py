"""Leader election on a unidirectional ring (Chang and Roberts, 1979): can two nodes think that they lead?

Nodes with distinct ids sit on a ring in any arrangement. A node sends its id to the next one. A node passes on larger ids, swallows
smaller ones, and leads when its own id comes back. Then it announces itself. A message into a place may overtake another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from neverlost.modelling import (
    EMPTY,
    NONE,
    Index,
    Profile,
    State,
    SubsetOf,
    action,
    always,
    any_of,
    budget,
    contains,
    counter,
    eventually,
    flag,
    lemma,
    optional,
    per,
    require,
    setting,
    sometimes,
    up_to,
    with_member,
    without,
)


class Place(Index, bound="nodes", prefix="place"):
    """A place on the ring. The next one is the place after it, and after the last comes the first."""


class Id(Index, bound="nodes", prefix="id"):
    """The id of a node. Larger ones win."""


class Ids(SubsetOf, of=Id):
    """A set of ids, in messages."""


class Loss(Index, members=2):
    """A message that is lost."""


class Ring(State):
    """The ring, and what is on its way to each place."""

    swallows_smaller = setting(flag(), off="forwards_smaller")
    """Does a node swallow ids that are smaller than its own?"""
    checks_id = setting(flag(), off="wins_by_any_id")
    """Does a node that has sent its id lead only when that id comes back, and not when any id comes?"""
    losses = budget(up_to(Loss), singular="lost message", whose="the network")
    """How many messages may be lost."""
    losses_left = counter(losses)
    """How many still may."""

    seated = up_to(Place)
    """How many places have a node."""
    id_at = per(Place, optional(Id))
    """The id of the node at each place."""
    taken = any_of(Ids)
    """The ids that sit somewhere."""
    started = per(Place, flag())
    """Has the node sent its id?"""
    inbox = per(Place, any_of(Ids))
    """The ids that are on their way to each place."""
    leads = per(Place, flag())
    """Does the node think that it leads?"""
    news = per(Place, any_of(Ids))
    """The announcements of leaders that are on their way to each place."""
    knows = per(Place, optional(Id))
    """The leader that each node has heard of."""

    owners: ClassVar[Mapping[str, tuple[str, ...]]] = {"ring": ("seated", "taken")}


def initial(s: Ring) -> None:
    """Nobody sits on the ring."""
    s.losses_left = s.losses


def after(s: Ring, place: Place) -> int:
    """The next place."""
    return (place + 1) % s.size(Place)


def send_own(s: Ring, place: Place) -> None:
    """A node sends its id."""
    s.started[place] = True
    s.inbox[after(s, place)] = with_member(s.inbox[after(s, place)], s.id_at[place])


@action("arrangement")
def sit(s: Ring, number: Id) -> None:
    """A node takes the next place. So every arrangement is possible."""
    require(s.seated < s.size(Place))
    require(not contains(s.taken, number))

    s.id_at[s.seated] = number
    s.taken = with_member(s.taken, number)
    s.seated += 1


@action("Chang and Roberts")
def start(s: Ring, place: Place) -> None:
    """A node starts an election."""
    require(s.seated == s.size(Place))
    require(not s.started[place])

    send_own(s, place)


@action("Chang and Roberts")
def pass_on(s: Ring, place: Place, number: Id) -> None:
    """A node passes on an id that is larger than its own."""
    require(contains(s.inbox[place], number))
    require(number > s.id_at[place] or (number < s.id_at[place] and not s.swallows_smaller))

    s.inbox[place] = without(s.inbox[place], number)
    s.inbox[after(s, place)] = with_member(s.inbox[after(s, place)], number)


@action("Chang and Roberts")
def swallow(s: Ring, place: Place, number: Id) -> None:
    """A node drops an id that is smaller than its own. It sends its own, if it has not yet."""
    require(contains(s.inbox[place], number))
    require(number < s.id_at[place] and s.swallows_smaller)

    s.inbox[place] = without(s.inbox[place], number)
    if not s.started[place]:
        send_own(s, place)


@action("Chang and Roberts")
def win(s: Ring, place: Place, number: Id) -> None:
    """A node whose id comes back leads, and announces it."""
    require(contains(s.inbox[place], number))
    require(number == s.id_at[place] or (s.started[place] and not s.checks_id))

    s.inbox[place] = without(s.inbox[place], number)
    s.leads[place] = True
    s.knows[place] = s.id_at[place]
    s.news[after(s, place)] = with_member(s.news[after(s, place)], s.id_at[place])


@action("announcement")
def hear(s: Ring, place: Place, number: Id) -> None:
    """A node hears who leads, and passes it on, unless it is itself."""
    require(contains(s.news[place], number))

    s.news[place] = without(s.news[place], number)
    if number != s.id_at[place]:
        s.knows[place] = number
        s.news[after(s, place)] = with_member(s.news[after(s, place)], number)


@action("loss")
def lose(s: Ring, place: Place, number: Id) -> None:
    """An id is lost on its way."""
    require(s.losses_left > 0)
    require(contains(s.inbox[place], number))

    s.losses_left -= 1
    s.inbox[place] = without(s.inbox[place], number)


def is_leader(s: Ring, number: Id) -> bool:
    """Does the node with this id lead?"""
    return any(s.leads[p] and s.id_at[p] == number for p in s.each(Place))


def who_leads(states: Sequence[Ring]) -> str:
    """The story of a trace at whose end two nodes lead."""
    last = states[-1]
    leaders = [f"the node with id{last.id_at[p]} at place{p}" for p, leads in enumerate(last.leads) if leads]
    return f"After step {len(states) - 1}, {' and '.join(leaders)} lead."


@always("At most one node thinks that it leads.", story=who_leads)
def one_leader(s: Ring) -> bool:
    return sum(1 for p in s.each(Place) if s.leads[p]) <= 1


@always("Only the node with the largest id leads.")
def largest_leads(s: Ring) -> bool:
    return all(not s.leads[p] or s.id_at[p] == s.size(Id) - 1 for p in s.each(Place))


@always("Whoever is known as the leader leads.")
def known_leaders_lead(s: Ring) -> bool:
    return all(s.knows[p] == NONE or is_leader(s, s.knows[p]) for p in s.each(Place))


@sometimes("Every node knows a leader.")
def all_know(s: Ring) -> bool:
    return all(s.knows[p] != NONE for p in s.each(Place))


def somebody_started(s: Ring) -> bool:
    """An election is under way, or was."""
    return any(s.started[p] for p in s.each(Place))


@eventually(
    "Once a node has started, every node hears of a leader.", after=somebody_started, weak=(pass_on, swallow, win, hear)
)
def all_know_in_the_end(s: Ring) -> bool:
    return all_know(s)


@lemma("Only a free id is given to a node.")
def taken_ids_sit(s: Ring, p: Place) -> bool:
    return s.id_at[p] == NONE or contains(s.taken, s.id_at[p])


@lemma("Nodes sit down one after the other.")
def seats_in_order(s: Ring, p: Place) -> bool:
    return (p >= s.seated or s.id_at[p] != NONE) and (p < s.seated or s.id_at[p] == NONE)


@lemma("An id is given once.")
def ids_differ(s: Ring, p: Place, q: Place) -> bool:
    return p == q or s.id_at[p] == NONE or s.id_at[p] != s.id_at[q]


@lemma("Messages are sent when all nodes sit.")
def nothing_before_all_sit(s: Ring, p: Place) -> bool:
    return s.seated == s.size(Place) or (s.inbox[p] == EMPTY and not s.leads[p])


@lemma("An id has passed only nodes with smaller ids: all nodes between its own and the place that it goes to.")
def passed_smaller(s: Ring, home: Place, target: Place, between: Place) -> bool:
    if s.id_at[home] == NONE or not contains(s.inbox[target], s.id_at[home]) or between == home:
        return True
    way = (between - home) % s.size(Place)
    return (target != home and (target - home) % s.size(Place) <= way) or s.id_at[between] < s.id_at[home]


@lemma("A leader's id has gone round.")
def leader_is_larger(s: Ring, p: Place, q: Place) -> bool:
    return not s.leads[p] or p == q or s.id_at[q] < s.id_at[p]


@lemma("Only leaders are announced, and heard of.")
def news_of_leaders(s: Ring, place: Place, number: Id) -> bool:
    return (not contains(s.news[place], number) and s.knows[place] != number) or is_leader(s, number)


CHANG_ROBERTS = Profile(
    name="chang-roberts",
    statement="Nodes on a ring elect the one with the largest id.",
    state=Ring,
    initial=initial,
    actions=(sit, start, pass_on, swallow, win, hear, lose),
    properties=(one_leader, largest_leads, known_leaders_lead, all_know, all_know_in_the_end),
    lemmas=(
        taken_ids_sit,
        seats_in_order,
        ids_differ,
        nothing_before_all_sit,
        passed_smaller,
        leader_is_larger,
        news_of_leaders,
    ),
    default_bounds={"nodes": 3},
    settings={"swallows_smaller": 1, "checks_id": 1},
)
