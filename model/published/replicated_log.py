"""Logs with appends, cuts and copies between them, without any protocol.

Source: hachikuji/kafka-specification, module FiniteReplicatedLog.
"""

from __future__ import annotations

from neverlost.model.core import NONE, Index, State, action, optional, per, require, up_to


class Replica(Index, bound="replicas", prefix="r", first=1, symmetric=True):
    """A replica that holds a log."""


class Value(Index, bound="records", symmetric=True):
    """A value that may be written, any number of times."""


class Offset(Index, bound="log_size"):
    """A position in a log."""


class Logs(State):
    """One log per replica."""

    log_end = per(Replica, up_to(Offset))
    value = per(Replica, Offset, optional(Value))


def initial(s: Logs) -> None:
    """Every log is empty."""


def append_value(s: Logs, replica: Replica, value: int) -> None:
    """Write a value at the log end."""
    end = s.log_end[replica]
    require(end < s.size(Offset))

    s.value[replica][end] = value
    s.log_end[replica] = end + 1


@action("FiniteReplicatedLog, Append")
def append(s: Logs, replica: Replica, value: Value) -> None:
    """A replica that is not full appends a value."""
    append_value(s, replica, value)


@action("FiniteReplicatedLog, TruncateTo")
def truncate_to(s: Logs, replica: Replica, end: Offset) -> None:
    """A replica cuts its log at an offset that it has reached; a cut at its log end changes nothing."""
    require(end <= s.log_end[replica])

    for offset in s.each(Offset):
        if offset >= end:
            s.value[replica][offset] = NONE
    s.log_end[replica] = end


@action("FiniteReplicatedLog, ReplicateTo")
def replicate_to(s: Logs, source: Replica, target: Replica) -> None:
    """A replica copies what another has at the offset of its own log end."""
    end = s.log_end[target]
    require(end < s.log_end[source])

    append_value(s, target, s.value[source][end])
