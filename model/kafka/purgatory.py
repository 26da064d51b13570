"""The broker's purgatory: delayed operations, what they wait for, and the threads that meet there (R-DP-2, R-DP-3).

Modelled: the thread of a request that tries, watches every key, tries again and sets a deadline; the threads of events, which check
one by one the operations that watched the key when the event came; the timer. Simplified: a try is one step, because it holds
the operation's lock; an operation waits for all keys, and each key's event comes once. Left out: purging the watchers' lists.
"""

from __future__ import annotations

from neverlost.model.core import (
    Index,
    State,
    SubsetOf,
    action,
    any_of,
    contains,
    flag,
    per,
    require,
    setting,
    up_to,
    with_member,
    without,
)


class Operation(Index, bound="operations", prefix="o", first=1, symmetric=True):
    """A delayed operation, as a produce request with acks=all."""


class Operations(SubsetOf, of=Operation):
    """A set of operations."""


class Key(Index, bound="keys", prefix="k", first=1, symmetric=True):
    """What operations wait for, as a partition's high watermark."""


class Keys(SubsetOf, of=Key):
    """A set of keys."""


class Responses(Index, members=2):
    """How many responses a client may get: one too many is enough to see it."""


class Phase(Index, names=("new", "watching", "timing", "looking-back", "returned")):
    """How far the request's thread has come."""


NEW, WATCHING, TIMING, LOOKING_BACK, RETURNED = 0, 1, 2, 3, 4


class Purgatory(State):
    """The operations with their threads, what they watch, and what has happened."""

    second_try = setting(flag())
    """Is an operation tried again after every key is watched (R-DP-3)?"""
    looks_back = setting(flag())
    """Is a deadline removed if the operation completed while it was set?"""

    phase = per(Operation, any_of(Phase))
    """The progress of the thread of the operation's request."""
    watches = per(Operation, any_of(Keys))
    """The keys under which the operation is watched."""
    completed = per(Operation, flag())
    """Is the operation completed?"""
    responses = per(Operation, up_to(Responses))
    """How many responses the client got."""
    has_deadline = per(Operation, flag())
    """Is the operation in the timer?"""
    happened = any_of(Keys)
    """The keys whose event has come."""
    to_look_at = per(Key, any_of(Operations))
    """The operations that the thread of a key's event still has to check."""


def initial(s: Purgatory) -> None:
    """No request has come, and nothing has happened."""


def can_complete(s: Purgatory) -> bool:
    """Has everything happened that operations wait for?"""
    for key in s.each(Key):
        if not contains(s.happened, key):
            return False
    return True


def complete(s: Purgatory, operation: Operation) -> None:
    """The first to complete the operation responds; the deadline no longer counts (R-DP-2)."""
    if not s.completed[operation]:
        s.completed[operation] = True
        s.responses[operation] += 1
        s.has_deadline[operation] = False


@action("R-DP-3")
def arrive(s: Purgatory, operation: Operation) -> None:
    """A request arrives, and its operation is tried at once."""
    require(s.phase[operation] == NEW)

    if can_complete(s):
        complete(s, operation)
        s.phase[operation] = RETURNED
    else:
        s.phase[operation] = WATCHING


@action("R-DP-3")
def watch(s: Purgatory, operation: Operation, key: Key) -> None:
    """The operation is watched under one more key."""
    require(s.phase[operation] == WATCHING)
    require(not contains(s.watches[operation], key))

    s.watches[operation] = with_member(s.watches[operation], key)


@action("R-DP-3")
def try_again(s: Purgatory, operation: Operation) -> None:
    """The operation is watched under every key and tried again: the event may have come before it was watched."""
    require(s.phase[operation] == WATCHING)
    require(s.watches[operation] == s.all_of(Key))

    if s.second_try and can_complete(s):
        complete(s, operation)
    s.phase[operation] = TIMING
    if s.completed[operation]:
        s.phase[operation] = RETURNED


@action("R-DP-3")
def set_deadline(s: Purgatory, operation: Operation) -> None:
    """The operation goes into the timer, although an event may have completed it since it was tried."""
    require(s.phase[operation] == TIMING)

    s.has_deadline[operation] = True
    s.phase[operation] = LOOKING_BACK


@action("R-DP-3")
def look_back(s: Purgatory, operation: Operation) -> None:
    """An operation that was completed meanwhile leaves the timer again, and the thread returns."""
    require(s.phase[operation] == LOOKING_BACK)

    if s.looks_back and s.completed[operation]:
        s.has_deadline[operation] = False
    s.phase[operation] = RETURNED


@action("R-DP-3")
def happen(s: Purgatory, key: Key) -> None:
    """The event of a key happens; its thread will check the operations that watch the key now."""
    require(not contains(s.happened, key))

    s.happened = with_member(s.happened, key)
    for operation in s.each(Operation):
        if contains(s.watches[operation], key):
            s.to_look_at[key] = with_member(s.to_look_at[key], operation)


@action("R-DP-3")
def look_at(s: Purgatory, key: Key, operation: Operation) -> None:
    """The thread of an event checks an operation, and completes it if possible."""
    require(contains(s.to_look_at[key], operation))

    s.to_look_at[key] = without(s.to_look_at[key], operation)
    if can_complete(s):
        complete(s, operation)


@action("R-DP-2")
def expire(s: Purgatory, operation: Operation) -> None:
    """The deadline comes: the operation completes with what it has, unless it has completed already."""
    require(s.has_deadline[operation])

    s.has_deadline[operation] = False
    complete(s, operation)
