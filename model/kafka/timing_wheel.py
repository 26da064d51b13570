"""The broker's timer: a hierarchy of timing wheels, and one task that waits in it (R-TIMER).

A level has as many slots as every other; its tick is the interval of the level below, the whole turn of that wheel. Buckets wait in
a delay queue; the clock goes from expiration to expiration. Simplified: the delay queue is perfectly punctual; other
tasks are left out, since a bucket is a linked list that an insert or a cancel touches in one place.
"""

from __future__ import annotations

from neverlost.model.core import Index, State, action, any_of, optional, per, require, up_to


class Slot(Index, bound="slots"):
    """A slot of a wheel: every wheel has this many."""


class Level(Index, bound="levels", prefix="level ", first=1):
    """A wheel of the hierarchy; the first has the finest tick."""


class Tick(Index, bound="horizon"):
    """A time in ticks of the lowest wheel."""


class Start(Index, bound="starts"):
    """A time at which the task may be inserted."""


class Phase(Index, names=("choosing", "waiting", "fired", "cancelled")):
    """What became of the task."""


CHOOSING, WAITING, FIRED, CANCELLED = 0, 1, 2, 3


class Wheels(State):
    """The wheels' clock, and the task with its deadline and the bucket that it waits in."""

    tick = per(Level, up_to(Tick))
    """How long a slot of the level lasts; as long as a whole turn of the level below."""
    phase = any_of(Phase)
    """Is the task yet to be inserted, does it wait, has it fired, was it cancelled?"""
    clock = up_to(Tick)
    """The time that the wheels have come to."""
    started = up_to(Tick)
    """The time at which the task was inserted."""
    delay = up_to(Tick)
    """How long after its insertion the task is due."""
    level = optional(Level)
    """The level that the task waits in."""
    first_level = optional(Level)
    """The level that it was put in when it was inserted."""
    expiration = up_to(Tick)
    """When the bucket of the task expires."""
    looked_at = up_to(Level)
    """How many wheels the latest insert has looked at."""
    inserted = up_to(Level)
    """How many times the task has been inserted, its moves to lower levels included."""


def initial(s: Wheels) -> None:
    """The clock stands at 0, and a task is about to be inserted."""
    length = 1
    for level in s.each(Level):
        s.tick[level] = min(length, s.size(Tick))
        turn = 0
        for _slot in s.each(Slot):
            turn = turn + length
        length = turn
    s.level = -1
    s.first_level = -1


def rounded_down(s: Wheels, time: int, level: int) -> int:
    """The time rounded down to the tick of a level, slot by slot of every level above."""
    rest = time
    for above in range(s.size(Level)):
        place = s.size(Level) - 1 - above
        if place >= level:
            for _slot in s.each(Slot):
                if s.tick[place] <= rest:
                    rest = rest - s.tick[place]
    return time - rest


def turn_of(s: Wheels, level: int) -> int:
    """The interval of a level: the whole turn of its wheel."""
    turn = 0
    for _slot in s.each(Slot):
        turn = turn + s.tick[level]
    return turn


def put(s: Wheels, deadline: int) -> None:
    """A task due within the lowest tick fires; else it goes to the first level whose turn it is due in (R-TIMER-1)."""
    s.level = -1
    s.expiration = 0
    s.looked_at = 0
    s.phase = FIRED
    if deadline >= s.clock + 1:
        s.phase = WAITING
        for level in s.each(Level):
            if s.level < 0:
                s.looked_at += 1
                if deadline < rounded_down(s, s.clock, level) + turn_of(s, level):
                    s.level = level
                    s.expiration = rounded_down(s, deadline, level)
        s.inserted += 1


@action("R-TIMER-1")
def lengthen(s: Wheels, level: Level) -> None:
    """The task is due later, by a tick of some level: this is how every delay is tried."""
    require(s.phase == CHOOSING)
    require(s.clock + s.delay + s.tick[level] <= s.size(Tick))
    require(rounded_down(s, s.delay, level) == s.delay)

    s.delay += s.tick[level]


@action("R-TIMER-2")
def pass_time(s: Wheels) -> None:
    """A tick passes before the task is inserted."""
    require(s.phase == CHOOSING)
    require(s.delay == 0)
    require(s.clock + 1 < s.size(Start))

    s.clock += 1


@action("R-TIMER-1")
def insert(s: Wheels) -> None:
    """The task is inserted: it fires, or waits in a bucket."""
    require(s.phase == CHOOSING)

    s.started = s.clock
    put(s, s.clock + s.delay)
    s.first_level = s.level


@action("R-TIMER-2")
def expire(s: Wheels) -> None:
    """The bucket of the task expires: the clock comes to it, and the task is inserted again, so that it fires or moves down."""
    require(s.phase == WAITING)

    s.clock = s.expiration
    put(s, s.started + s.delay)


@action("R-TIMER-3")
def cancel(s: Wheels) -> None:
    """The task is cancelled: it leaves its bucket."""
    require(s.phase == WAITING)

    s.phase = CANCELLED
    s.level = -1
    s.expiration = 0
