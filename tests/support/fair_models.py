"""Small systems with textbook answers about fairness: a server and its clients, two ways to share a room, a lossy line."""

from __future__ import annotations

from neverlost.model.core import (
    NONE,
    Index,
    Profile,
    State,
    action,
    always,
    eventually,
    flag,
    optional,
    per,
    require,
    sometimes,
    step_always,
)


class Client(Index, bound="clients", prefix="c", first=1):
    """Somebody who asks."""


class Office(State):
    """Who waits for an answer, and whom the server attends to."""

    waiting = per(Client, flag())
    attended = optional(Client)


def initial(s: Office) -> None:
    """Nobody waits."""
    s.attended = NONE


@action("test")
def ask(s: Office, client: Client) -> None:
    """A client asks."""
    require(not s.waiting[client])

    s.waiting[client] = True


@action("test")
def attend(s: Office, client: Client) -> None:
    """The server, if it is free, turns to a client who waits."""
    require(s.attended == NONE)
    require(s.waiting[client])

    s.attended = client


@action("test")
def answer(s: Office, client: Client) -> None:
    """The server answers the client it attends to."""
    require(s.attended == client)

    s.waiting[client] = False
    s.attended = NONE


@action("test")
def look_around(s: Office) -> None:
    """Nothing comes of it."""
    s.attended = s.attended


def first_waits(s: Office) -> bool:
    """The first client waits."""
    return s.waiting[0]


@always("The server attends only to one who waits.")
def attends_to_one_who_waits(s: Office) -> bool:
    return s.attended == NONE or s.waiting[s.attended]


@sometimes("The server attends to somebody.")
def somebody_is_attended(s: Office) -> bool:
    return s.attended != NONE


@step_always("The server never turns from one to another.")
def no_turning(before: Office, after: Office) -> bool:
    return min(before.attended, after.attended) == NONE or before.attended == after.attended


@eventually("The first client is answered.", after=first_waits)
def answered_without_fairness(s: Office) -> bool:
    return not s.waiting[0]


@eventually("The first client is answered.", after=first_waits, weak=(attend, answer))
def answered_if_weak(s: Office) -> bool:
    return not s.waiting[0]


@eventually("The first client is answered.", after=first_waits, weak=answer, strong="attend")
def answered_if_strong(s: Office) -> bool:
    return not s.waiting[0]


@eventually("Somebody is attended to at some time.", weak=(attend, answer))
def attended_at_some_time(s: Office) -> bool:
    return s.attended != NONE


@eventually("Somebody is attended to at some time.", weak=(ask, attend, answer))
def attended_if_all_ask(s: Office) -> bool:
    return s.attended != NONE


@eventually("Whoever is attended to is let go.", after=somebody_is_attended, weak=answer)
def let_go(s: Office) -> bool:
    return s.attended == NONE


@eventually("Looking around, the server comes to attend to somebody.", weak=look_around)
def looking_helps(s: Office) -> bool:
    return s.attended != NONE


OFFICE = Profile(
    name="test/office",
    statement="A server that attends to one client at a time.",
    state=Office,
    initial=initial,
    actions=(ask, attend, answer, look_around),
    properties=(
        attends_to_one_who_waits,
        somebody_is_attended,
        no_turning,
        answered_without_fairness,
        answered_if_weak,
        answered_if_strong,
        attended_at_some_time,
        attended_if_all_ask,
        let_go,
        looking_helps,
    ),
    default_bounds={"clients": 2},
)

OFFICE_VERDICTS = {
    "attends_to_one_who_waits": "holds",
    "somebody_is_attended": "holds",
    "no_turning": "holds",
    "answered_without_fairness": "violated",  # nothing need ever happen
    "answered_if_weak": "violated",  # the other client may always come first: attending is not enabled all the time
    "answered_if_strong": "holds",
    "attended_at_some_time": "violated",  # nobody need ever ask
    "attended_if_all_ask": "holds",
    "let_go": "holds",
    "looking_helps": "violated",  # a step that changes nothing is none that fairness is about
}


class Process(Index, bound="processes", prefix="p", first=1):
    """One of two processes."""


class Room(State):
    """Peterson's algorithm: who wants the room, whose turn it is, who has asked, and who is in."""

    wants = per(Process, flag())
    asked = per(Process, flag())
    inside = per(Process, flag())
    turn = optional(Process)


def empty_room(s: Room) -> None:
    """Nobody is in, or wants to be."""
    s.turn = 0


@action("Peterson")
def want(s: Room, process: Process) -> None:
    """A process raises its flag."""
    require(not s.wants[process])

    s.wants[process] = True


@action("Peterson")
def give_way(s: Room, process: Process, other: Process) -> None:
    """It then gives the turn to the other."""
    require(process != other)
    require(s.wants[process])
    require(not s.asked[process])

    s.turn = other
    s.asked[process] = True


@action("Peterson")
def enter(s: Room, process: Process, other: Process) -> None:
    """It enters when the other does not want to, or the turn is its own."""
    require(process != other)
    require(s.asked[process])
    require(not s.inside[process])
    require(not s.wants[other] or s.turn == process)

    s.inside[process] = True


@action("a room without turns")
def barge_in(s: Room, process: Process, other: Process) -> None:
    """It enters when the other is not in: safe, but the other may be faster every time."""
    require(process != other)
    require(s.asked[process])
    require(not s.inside[process])
    require(not s.inside[other])

    s.inside[process] = True


@action("Peterson")
def leave(s: Room, process: Process) -> None:
    """It leaves, and lowers its flag."""
    require(s.inside[process])

    s.inside[process] = False
    s.asked[process] = False
    s.wants[process] = False


@always("At most one is in.")
def one_at_a_time(s: Room) -> bool:
    return not (s.inside[0] and s.inside[1])


def first_wants(s: Room) -> bool:
    """The first process wants the room."""
    return s.wants[0]


@eventually("The first process comes in.", after=first_wants)
def enters_without_fairness(s: Room) -> bool:
    return s.inside[0]


@eventually("The first process comes in.", after=first_wants, weak=(give_way, enter, leave))
def enters_if_weak(s: Room) -> bool:
    return s.inside[0]


@eventually("The first process comes in.", after=first_wants, weak=(give_way, enter))
def enters_if_none_leaves(s: Room) -> bool:
    return s.inside[0]


PETERSON = Profile(
    name="test/peterson",
    statement="Two processes that share a room by Peterson's algorithm.",
    state=Room,
    initial=empty_room,
    actions=(want, give_way, enter, leave),
    properties=(one_at_a_time, enters_without_fairness, enters_if_weak, enters_if_none_leaves),
    default_bounds={"processes": 2},
)

PETERSON_VERDICTS = {
    "one_at_a_time": "holds",
    "enters_without_fairness": "violated",
    "enters_if_weak": "holds",
    "enters_if_none_leaves": "violated",
}


@eventually("The first process comes in.", after=first_wants, weak=(give_way, barge_in, leave))
def barges_in_if_weak(s: Room) -> bool:
    return s.inside[0]


@eventually("The first process comes in.", after=first_wants, weak=(give_way, leave), strong=barge_in)
def barges_in_if_strong(s: Room) -> bool:
    return s.inside[0]


BARGING = PETERSON.replacing(
    "test/barging",
    "Two processes that share a room without turns.",
    enter=barge_in,
    properties=(one_at_a_time, enters_without_fairness, barges_in_if_weak, barges_in_if_strong),
)

BARGING_VERDICTS = {
    "one_at_a_time": "holds",
    "enters_without_fairness": "violated",
    "barges_in_if_weak": "violated",
    "barges_in_if_strong": "holds",
}

VERDICTS = {OFFICE.name: OFFICE_VERDICTS, PETERSON.name: PETERSON_VERDICTS, BARGING.name: BARGING_VERDICTS}
FAIR_PROFILES = (OFFICE, PETERSON, BARGING)
