"""The in-process groups by themselves: what Kafka does, also where the model has it in a simpler form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from neverlost.conformance.inprocess.errors import ErrorCode
from neverlost.conformance.inprocess.groups.classic_consumer import ClassicConsumer, ClientState
from neverlost.conformance.inprocess.groups.classic_group import GroupState
from neverlost.conformance.inprocess.groups.consumer import CommitFailed, Config, Position, Reset
from neverlost.conformance.inprocess.groups.consumer_group import ConsumerGroup, MemberState
from neverlost.conformance.inprocess.groups.coordinator import GroupCoordinator
from neverlost.conformance.inprocess.groups.new_consumer import NewConsumer
from neverlost.conformance.inprocess.groups.offsets import RETENTION_MS, OffsetAndMetadata, OffsetsLog, OffsetStore
from neverlost.conformance.inprocess.groups.release import (
    KAFKA_0_9,
    KAFKA_2_8_1,
    KAFKA_2_8_2,
    KAFKA_3_4_1,
    KAFKA_4_0,
    KAFKA_4_2_2,
    KAFKA_4_3_1,
    Release,
)
from neverlost.conformance.inprocess.groups.source import SourcePartition


class Listener:
    """An application that notes how it is called back."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[int]]] = []

    def revoked(self, partitions: Iterable[int]) -> None:
        self.calls.append(("revoked", list(partitions)))

    def lost(self, partitions: Iterable[int]) -> None:
        self.calls.append(("lost", list(partitions)))


class Cluster:
    """A coordinator, a topic, and consumers of one group."""

    def __init__(self, release: Release, partitions: int = 2) -> None:
        self.coordinator = GroupCoordinator(release)
        self.sources: Sequence[SourcePartition] = [SourcePartition() for _ in range(partitions)]
        self.metadata = list(range(partitions))
        self.coordinator.partitions_changed(self.metadata)

    def config(self, name: str, *, reset: Reset = Reset.EARLIEST, auto_commit: bool = False) -> Config:
        return Config(client_id=name, reset=reset, auto_commit=auto_commit)

    def classic(self, name: str, *, cooperative: bool = False, auto_commit: bool = False) -> ClassicConsumer:
        return ClassicConsumer(
            self.config(name, auto_commit=auto_commit),
            self.coordinator,
            self.sources,
            Listener(),
            cooperative=cooperative,
            metadata=self.metadata,
        )

    def new(self, name: str) -> NewConsumer:
        return NewConsumer(self.config(name), self.coordinator, self.sources, Listener(), process=1)

    def rebalance(self, *consumers: ClassicConsumer) -> None:
        for one in consumers:
            one.join()
        assert self.coordinator.classic.try_complete_join()
        for one in consumers:
            assert one.sync()


def calls(consumer: ClassicConsumer | NewConsumer) -> list[tuple[str, list[int]]]:
    assert isinstance(consumer.listener, Listener)
    return consumer.listener.calls


def test_a_rebalance_of_a_cooperative_member_begins_with_its_join_group_so_that_others_still_sync() -> None:
    cluster = Cluster(KAFKA_4_3_1)
    one, other = cluster.classic("a", cooperative=True), cluster.classic("b", cooperative=True)
    cluster.rebalance(one)
    assert set(one.assigned) == {0, 1}
    other.join()
    one.heartbeat()
    one.join()
    assert cluster.coordinator.classic.try_complete_join()
    assert one.sync()
    assert calls(one) == [("revoked", [1])]
    assert cluster.coordinator.classic.state is GroupState.STABLE
    assert other.sync()
    assert not other.assigned
    one.join()
    assert other.heartbeat() is ErrorCode.REBALANCE_IN_PROGRESS


def test_a_follower_that_joins_again_with_the_same_subscription_starts_no_rebalance_and_a_leader_does() -> None:
    cluster = Cluster(KAFKA_4_3_1)
    leader, follower = cluster.classic("a"), cluster.classic("b")
    cluster.rebalance(leader, follower)
    classic = cluster.coordinator.classic
    classic.join(follower.member, classic.members[follower.member].subscription, follower.joined)
    assert classic.state is GroupState.STABLE
    assert follower.sync()
    leader.join()
    assert classic.state is GroupState.PREPARING_REBALANCE


def test_what_a_process_owned_that_died_while_it_joined_is_free_one_generation_later() -> None:
    cluster = Cluster(KAFKA_4_3_1)
    dies, other = cluster.classic("b", cooperative=True), cluster.classic("a", cooperative=True)
    cluster.rebalance(dies)
    other.join()
    dies.heartbeat()
    dies.join()
    assert cluster.coordinator.classic.try_complete_join()
    assert other.sync()
    assert not other.assigned
    assert cluster.coordinator.expire_heartbeat(dies.member)
    cluster.rebalance(other)
    assert set(other.assigned) == {0, 1}


def test_who_waits_for_others_is_expected_to_be_silent_unless_it_is_new() -> None:
    cluster = Cluster(KAFKA_4_3_1)
    known, late, new = cluster.classic("a"), cluster.classic("b"), cluster.classic("c")
    cluster.rebalance(known, late)
    new.join()
    known.heartbeat()
    known.join()
    assert not cluster.coordinator.expire_heartbeat(known.member)
    assert cluster.coordinator.expire_heartbeat(new.member)
    assert new.state is ClientState.UNJOINED


def test_a_consumer_that_joins_commits_nothing_even_when_it_is_closed() -> None:
    cluster = Cluster(KAFKA_4_3_1)
    one, other = cluster.classic("a", cooperative=True, auto_commit=True), cluster.classic("b", cooperative=True)
    cluster.rebalance(one)
    other.join()
    one.heartbeat()
    one.join()
    cluster.sources[0].append()
    assert one.poll(0) == Position(offset=1, epoch=0)
    with pytest.raises(CommitFailed, match="waits for others"):
        one.commit_automatically(0)
    one.close()
    assert cluster.coordinator.fetch_offset(0) == OffsetAndMetadata(offset=0)
    assert calls(one)[-1] == ("lost", [0, 1])


def test_a_joining_member_of_the_new_protocol_is_assigned_what_is_free_at_once() -> None:
    cluster = Cluster(KAFKA_4_3_1)
    one = cluster.new("a")
    one.join()
    one.reconcile()
    assert set(one.assigned) == {0, 1}


def test_who_is_not_in_a_group_of_the_new_protocol_commits_for_it_while_it_has_no_members() -> None:
    cluster = Cluster(KAFKA_4_3_1)
    first, second = cluster.new("m1"), cluster.new("m2")
    first.join()
    first.reconcile()
    cluster.coordinator.consumer.remove(first.member)
    second.join()
    with pytest.raises(CommitFailed, match="UNKNOWN_MEMBER_ID"):
        first.commit_sync(0, 1, None)
    second.close()
    first.commit_sync(0, 1, None)
    assert cluster.coordinator.fetch_offset(0) == OffsetAndMetadata(offset=1)


def with_two_to_give_up(release: Release) -> tuple[ConsumerGroup, str]:
    """A group whose first member has given up a partition, and is to give up another by now."""
    group = ConsumerGroup(release)
    group.metadata_changed(range(3))
    group.heartbeat("b", 0, frozenset())
    group.heartbeat("c", 0, frozenset())
    asked = group.heartbeat("b", 2, None)
    assert asked.assigned == {0, 2}
    group.heartbeat("a", 0, frozenset())
    next_answer = group.heartbeat("b", asked.epoch, frozenset({0, 2}))
    assert next_answer.assigned == frozenset()
    return group, "b"


@pytest.mark.parametrize(("release", "raised"), [(KAFKA_4_0, 1), (KAFKA_4_2_2, 0)], ids=["4.0", "4.2"])
def test_who_must_give_up_more_is_in_the_next_epoch_from_3_8_to_4_1(release: Release, raised: int) -> None:
    group, name = with_two_to_give_up(release)
    member = group.members[name]
    assert member.state is MemberState.UNREVOKED_PARTITIONS
    assert (set(member.pending_revocation), member.epoch) == ({0, 2}, 2 + raised)


def test_a_new_coordinator_of_0_11_0_0_keeps_what_it_has_read_first() -> None:
    log = OffsetsLog()
    for offset in (1, 2):
        log.append(0, OffsetAndMetadata(offset=offset))
    for keeps, found in ((True, 1), (False, 2)):
        store = OffsetStore(log)
        store.load(first_read={0: 1}, keeps_first=keeps)
        assert store.offsets[0].offset == found


@pytest.mark.parametrize(("release", "counts_at_once"), [(KAFKA_3_4_1, False), (KAFKA_4_0, True)])
def test_a_commit_that_is_not_replicated_in_time_counts_at_once_or_when_the_log_is_loaded(
    release: Release, counts_at_once: bool
) -> None:
    cluster = Cluster(release)
    consumer, coordinator = cluster.classic("a"), cluster.coordinator
    cluster.rebalance(consumer)
    request = consumer.commit_request(0, 1, None)
    assert coordinator.commit(request, new_protocol=False, in_time=False) is not ErrorCode.NONE
    found = coordinator.fetch_offset(0)
    assert (found is not None) == counts_at_once
    coordinator.moved({})
    found = coordinator.fetch_offset(0)
    assert found is not None
    assert found.offset == 1


def test_a_tombstone_is_read_too() -> None:
    store = OffsetStore(OffsetsLog())
    store.commit(0, OffsetAndMetadata(offset=1))
    store.expire(lambda _: True)
    store.load(first_read={}, keeps_first=False)
    assert store.offsets == {}


@pytest.mark.parametrize(
    ("release", "in_use", "in_a_rebalance"),
    [(KAFKA_0_9, True, True), (KAFKA_2_8_1, False, True), (KAFKA_2_8_2, False, False)],
    ids=["0.9", "2.8.1", "2.8.2"],
)
def test_offsets_expire_in_use_in_a_rebalance_or_in_an_empty_group(
    release: Release, in_use: bool, in_a_rebalance: bool
) -> None:
    def expires(*, leaves: bool) -> bool:
        cluster = Cluster(release, partitions=1)
        one, other = cluster.classic("a"), cluster.classic("b")
        cluster.rebalance(one)
        one.commit_sync(0, 1, None)
        if leaves:
            one.close()
            other.join()
        cluster.coordinator.now_ms += RETENTION_MS
        cluster.coordinator.expire_offsets(new_protocol=False)
        return cluster.coordinator.fetch_offset(0) is None

    assert (expires(leaves=False), expires(leaves=True)) == (in_use, in_a_rebalance)


def test_an_old_offset_of_the_new_protocol_expires_as_soon_as_the_group_is_empty() -> None:
    cluster = Cluster(KAFKA_4_3_1, partitions=1)
    one = cluster.new("a")
    one.join()
    one.reconcile()
    one.commit_sync(0, 1, None)
    cluster.coordinator.now_ms += RETENTION_MS
    cluster.coordinator.expire_offsets(new_protocol=True)
    assert cluster.coordinator.fetch_offset(0) is not None
    one.close()
    cluster.coordinator.expire_offsets(new_protocol=True)
    assert cluster.coordinator.fetch_offset(0) is None


def test_a_position_that_was_reset_has_no_epoch_and_a_truncation_below_it_goes_unnoticed() -> None:
    cluster = Cluster(KAFKA_4_3_1, partitions=1)
    source = cluster.sources[0]
    source.append()
    latest = ClassicConsumer(
        cluster.config("a", reset=Reset.LATEST),
        cluster.coordinator,
        cluster.sources,
        Listener(),
        cooperative=False,
        metadata=cluster.metadata,
    )
    cluster.rebalance(latest)
    source.lose_last()
    source.append()
    latest.validate(0)
    assert latest.position(0) == Position(offset=1)
    assert latest.poll(0) is None
