"""Where a producer sends records that name no partition (R-CLIENT-1): one topic, its partitions, and the producer's metadata.

Modelled: the choice of the partition by 0.8's producer, by round robin, and sticky per batch; refreshes of metadata by time and
after a failed send; partitions that lose their leader. Left out: the content of the records, and where they end up.
"""

from __future__ import annotations

from neverlost.model.core import (
    EMPTY,
    NONE,
    Index,
    State,
    SubsetOf,
    action,
    any_of,
    contains,
    flag,
    optional,
    require,
    setting,
    with_member,
    without,
)


class PartitionNumber(Index, bound="partitions", prefix="p"):
    """A partition of the topic."""


class Partitions(SubsetOf, of=PartitionNumber):
    """A set of partitions."""


class Strategy(Index, names=("sticky-until-refresh", "round-robin", "sticky-per-batch")):
    """How the producer chooses: as in 0.8; in turn, as the Java producer before 2.4; one partition for each batch, from 2.4."""


STICKY_UNTIL_REFRESH, ROUND_ROBIN, STICKY_PER_BATCH = 0, 1, 2


class Routing(State):
    """What the producer knows of the topic, its current partition, and where it has sent records without a key."""

    strategy = setting(any_of(Strategy))
    """How the producer chooses a partition for a record without a key."""

    led = any_of(Partitions)
    """The partitions that have a leader."""
    known_led = any_of(Partitions)
    """The partitions that had a leader when the producer last refreshed its metadata."""
    kept = optional(PartitionNumber)
    """The current partition of a producer that keeps to one."""
    last = optional(PartitionNumber)
    """The partition that it chose last."""
    failed = flag()
    """Did the latest send fail, so that metadata is refreshed before the next one?"""
    used = any_of(Partitions)
    """Where records without a key went since the last refresh."""


def initial(s: Routing) -> None:
    """Every partition has a leader, the producer knows this, and has sent nothing."""
    s.led = s.all_of(PartitionNumber)
    s.known_led = s.all_of(PartitionNumber)
    s.kept = NONE
    s.last = NONE


def is_next(s: Routing, partition: PartitionNumber) -> bool:
    """Is the partition next in turn after the last one, skipping those without a known leader?"""
    turns = distance(s, partition)
    for other in s.each(PartitionNumber):
        if contains(s.known_led, other) and distance(s, other) < turns:
            return False
    return contains(s.known_led, partition)


def distance(s: Routing, partition: PartitionNumber) -> int:
    """How many turns this partition comes after the last one."""
    if partition > s.last:
        return partition - s.last
    return partition - s.last + s.size(PartitionNumber)


def may_choose(s: Routing, partition: PartitionNumber) -> bool:
    """May the producer send a record without a key there?"""
    if s.strategy == ROUND_ROBIN:
        return is_next(s, partition)
    if s.kept != NONE:
        return s.kept == partition
    return contains(s.known_led, partition)


@action("R-CLIENT-1, R-CLIENT-2")
def send_without_key(s: Routing, partition: PartitionNumber) -> None:
    """The producer sends a record without a key; if the partition has no leader, the send fails."""
    require(not s.failed)
    require(may_choose(s, partition))

    s.last = partition
    if s.strategy != ROUND_ROBIN:
        s.kept = partition
    s.used = with_member(s.used, partition)
    s.failed = not contains(s.led, partition)


@action("R-CLIENT-1")
def complete_batch(s: Routing) -> None:
    """A batch is full or due: the producer chooses a new sticky partition (2.4 and later)."""
    require(s.strategy == STICKY_PER_BATCH)
    require(s.kept != NONE)

    s.kept = NONE


@action("R-CLIENT-2")
def refresh_metadata(s: Routing) -> None:
    """The interval has passed, or a send failed: the producer learns the leaders, and forgets its current partition."""
    s.known_led = s.led
    s.failed = False
    s.used = EMPTY
    if s.strategy == STICKY_UNTIL_REFRESH:
        s.kept = NONE


@action("R-ELECT-1")
def lose_leader(s: Routing, partition: PartitionNumber) -> None:
    """A partition loses its leader; the producer does not know yet."""
    require(contains(s.led, partition))

    s.led = without(s.led, partition)


@action("R-ELECT-1")
def gain_leader(s: Routing, partition: PartitionNumber) -> None:
    """A partition has a leader again."""
    require(not contains(s.led, partition))

    s.led = with_member(s.led, partition)
