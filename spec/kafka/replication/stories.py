"""What a trace shows, in Kafka's words: which record, when, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.model.core import NONE
from neverlost.model.kafka.replication.cleaner import holds_newest
from neverlost.model.kafka.replication.state import ACKNOWLEDGED, AGAIN, NEVER, Acks, Partition, Replica, Value


def true_leader(s: Partition) -> int:
    """The broker that leads and knows itself in the controller's newest epoch; NONE if there is none."""
    leader = s.controller_leader
    return leader if leader != NONE and s.leader[leader] == leader and s.epoch[leader] == s.newest_epoch else NONE


def values(s: Partition) -> range:
    """Every value that the producer writes."""
    return range(len(s.delivery))


def loss_story(states: Sequence[Partition]) -> str:
    """Which acknowledged value is lost: when it was acknowledged, and who leads without it."""
    last = states[-1]
    leader = true_leader(last)
    lost = [v for v in values(last) if last.delivery[v] == ACKNOWLEDGED]
    value = next(v for v in lost if not holds_newest(last, Replica(leader), Value(v)))
    step = next(n for n, s in enumerate(states) if s.delivery[value] == ACKNOWLEDGED)
    acknowledged, named = (
        f"Value {value} was acknowledged with acks={Acks.names[last.acks]}",
        f"the leader r{leader + 1}",
    )
    if step == len(states) - 1:
        return (
            f"{acknowledged} at step {step}, when {named}, in epoch {last.newest_epoch}, did not have it: it is lost."
        )
    without = f"at step {len(states) - 1} {named}, in epoch {last.newest_epoch}, does not have it: it is lost."
    return f"{acknowledged} at step {step}; {without}"


def instead_of(s: Partition, offset: int, leader: Replica) -> str:
    """What a leader has in place of the value that was first exposed or read at an offset: `the leader r2, in epoch 3, has ...`."""
    value = s.record_value[leader][offset]
    has = f"has value {value} there" if value != NONE else "has nothing there"
    return f"the leader r{leader + 1}, in epoch {s.epoch[leader]}, {has}"


def vanished_story(states: Sequence[Partition]) -> str:
    """Which record that consumers could read is lost again: when they could read it first, and who leads without it."""
    before, last = states[-2], states[-1]
    leader = true_leader(last)
    for offset, value in enumerate(before.committed):
        if value != NONE and last.record_value[leader][offset] != value:
            step = next(n for n, s in enumerate(states) if s.committed[offset] != NONE)
            return (
                f"Consumers could read value {value} at offset {offset} from step {step} on; at step {len(states) - 1}"
                f" {instead_of(last, offset, Replica(leader))}: it was read, and is lost again."
            )
    return ""


def read_story(states: Sequence[Partition]) -> str:
    """Which record the consumer has read is lost: when it read it, and who leads without it."""
    last = states[-1]
    leader = true_leader(last)
    for offset, value in enumerate(last.read):
        if value != NONE and last.record_value[leader][offset] != value:
            step = next(n for n, s in enumerate(states) if s.read[offset] == value)
            return (
                f"The consumer read value {value} at offset {offset} at step {step}; at step {len(states) - 1}"
                f" {instead_of(last, offset, Replica(leader))}: it was read, and is lost."
            )
    return ""


def exposed_story(states: Sequence[Partition]) -> str:
    """Which exposed record is lost: when consumers could read it first, and who leads without it."""
    last = states[-1]
    leaders = [r for r in range(len(last.leader)) if last.leader[r] == r]
    for leader in leaders:
        for offset, value in enumerate(last.committed):
            if value != NONE and last.record_value[leader][offset] != value:
                step = next(n for n, s in enumerate(states) if s.committed[offset] != NONE)
                return (
                    f"Consumers could read value {value} at offset {offset} from step {step} on; at step {len(states) - 1}"
                    f" {instead_of(last, offset, Replica(leader))}."
                )
    return ""


def duplicate_story(states: Sequence[Partition]) -> str:
    """Which value lies twice in the leader's log."""
    last = states[-1]
    leader = true_leader(last)
    for value in values(last):
        offsets = [offset for offset, held in enumerate(last.record_value[leader]) if held == value]
        if len(offsets) > 1:
            return (
                f"Value {value} was sent once by the program, and lies at offsets {offsets[0]} and {offsets[1]} of the leader"
                f" r{leader + 1} at step {len(states) - 1}: it is duplicated."
            )
    return ""


def disorder_story(states: Sequence[Partition]) -> str:
    """Which value lies behind one that was sent after it."""
    last = states[-1]
    for replica, log in enumerate([list(log) for log in last.record_value]):
        for offset, value in enumerate(log):
            for later, other in enumerate(log[offset + 1 :], start=offset + 1):
                if NONE != other < value:
                    return (
                        f"Value {other} was sent before value {value}; in the log of r{replica + 1} they lie at offsets {later} and"
                        f" {offset} at step {len(states) - 1}: they are out of order."
                    )
    return ""


def skipped_story(states: Sequence[Partition]) -> str:
    """Which value no consumer will ever process."""
    last = states[-1]
    for offset in range(min(last.committed_offset, last.processed_end)):
        value = last.committed[offset]
        if value != NONE and last.processed[value] == NEVER:
            return (
                f"The consumers go on at offset {last.committed_offset} at step {len(states) - 1}, and nobody has processed"
                f" value {value} at offset {offset}: it is skipped."
            )
    return ""


def repeated_story(states: Sequence[Partition]) -> str:
    """Which value is processed twice."""
    value = next(v for v in values(states[-1]) if states[-1].processed[v] == AGAIN)
    step = next(n for n, s in enumerate(states) if s.processed[value] != NEVER)
    return f"Value {value} was processed at step {step}, and is processed again at step {len(states) - 1}."
