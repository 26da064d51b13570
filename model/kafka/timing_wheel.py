"""The broker's timer: a hierarchy of timing wheels, and one task that waits in it (R-TIMER).

All levels have the same number of slots; the tick of a level is the interval of the level below, a whole turn of that wheel. Buckets
wait in a delay queue; the clock jumps from expiration to expiration. Simplified: the delay queue is perfectly punctual. Left out:
other tasks, since a bucket is a linked list that an insert or a cancel changes in one place.
"""

from __future__ import annotations

from neverlost.model.core import Index, State, action, any_of, optional, per, require, up_to


class Slot(Index, bound="slots"):
    """A slot of a wheel; all wheels have the same number."""


class Level(Index, bound="levels", prefix="level ", first=1):
    """A wheel of the hierarchy; the first has the finest tick."""


class Tick(Index, bound="horizon"):
    """A time in ticks of the lowest wheel."""


class Start(Index, bound="starts"):
    """A time at which the task may be inserted."""


class Phase(Index, names=("choosing", "waiting", "fired", "cancelled")):
    """The state of the task."""


CHOOSING, WAITING, FIRED, CANCELLED = 0, 1, 2, 3


class Wheels(State):
    """The clock of the wheels, and the task with its deadline and the bucket that it waits in."""

    tick = per(Level, up_to(Tick))
    """The length of a slot of the level: a whole turn of the level below."""
    phase = any_of(Phase)
    """Whether the task is not inserted yet, waits, has fired, or was cancelled."""
    clock = up_to(Tick)
    """The current time of the wheels."""
    started = up_to(Tick)
    """The time at which the task was inserted."""
    delay = up_to(Tick)
    """How long after its insertion the task is due."""
    level = optional(Level)
    """The level that the task waits in."""
    first_level = optional(Level)
    """The level that the task was put in when it was inserted."""
    expiration = up_to(Tick)
    """The time at which the bucket of the task expires."""
    looked_at = up_to(Level)
    """How many wheels the latest insert checked."""
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
    """A task due within the lowest tick fires; else it goes to the first level within whose turn it is due (R-TIMER-1)."""
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
    """The task's delay grows by a tick of some level, so that every delay is tried."""
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
    """The bucket of the task expires: the clock reaches it, and the task is inserted again, so that it fires or moves down."""
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
