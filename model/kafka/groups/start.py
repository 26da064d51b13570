"""How a group begins: stable, with the members and partitions that are there from the start."""

from __future__ import annotations

from .assigning import target
from .offsets import may_be_fresh
from .record import record_generation
from .state import Group, Member, Partition, Standing


def initial(s: Group) -> None:
    """The members are in the group, each with its partitions. These are empty, their beginning committed unless the group is new."""
    for member in s.each(Member):
        if member + s.joins < s.size(Member):
            s.up[member] = True
            s.standing[member] = Standing.STABLE
    for partition in s.each(Partition):
        if partition + s.partition_adds < s.size(Partition):
            s.exists[partition] = True
            s.discovered[partition] = True
            if not s.new_group:
                s.committed[partition] = 0
                s.older[partition] = 0
    for partition in s.each(Partition):
        if s.exists[partition]:
            for member in s.each(Member):
                if target(s, partition) == member:
                    s.given[partition] = member
                    s.owned[member][partition] = True
                    s.fresh[member][partition] = may_be_fresh(s) and s.new_group == 1
    s.joins_left = s.joins
    s.leaves_left = s.leaves
    s.failures_left = s.failures
    s.crashes_left = s.crashes
    s.timeouts_left = s.timeouts
    s.heartbeat_failures_left = s.heartbeat_failures
    s.commit_failures_left = s.commit_failures
    s.delays_left = s.delays
    s.expiries_left = s.expiries
    s.idle_times_left = s.idle_times
    s.coordinator_moves_left = s.coordinator_moves
    s.rollbacks_left = s.rollbacks
    s.partition_adds_left = s.partition_adds
    s.truncations_left = s.truncations
    s.removals_left = s.removals
    record_generation(s)
