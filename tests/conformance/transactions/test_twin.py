"""The in-process transactions by themselves: what Kafka does, also where the model has it in a simpler form."""

from __future__ import annotations

from dataclasses import replace

import pytest

from neverlost.conformance.inprocess.errors import BrokerError, ErrorCode
from neverlost.conformance.inprocess.transactions.coordinator import TransactionCoordinator
from neverlost.conformance.inprocess.transactions.leader import PartitionLeader
from neverlost.conformance.inprocess.transactions.markers import Marker
from neverlost.conformance.inprocess.transactions.metadata import TransactionState
from neverlost.conformance.inprocess.transactions.producer import IllegalState, TransactionalProducer
from neverlost.conformance.inprocess.transactions.producer_state import Batch
from neverlost.conformance.inprocess.transactions.release import KAFKA_0_11, KAFKA_3_6, KAFKA_4_2, Release


class Cluster:
    """A coordinator and two partitions, by requests alone."""

    def __init__(self, release: Release) -> None:
        self.version = release.client_version
        self.coordinator = TransactionCoordinator(release, [])
        self.leaders = [PartitionLeader(release, partition) for partition in (0, 1)]

    def start(self) -> int:
        return self.coordinator.init_producer_id(None).epoch

    def write(self, partition: int, epoch: int, sequence: int, value: str) -> None:
        if self.version < 2:
            assert self.coordinator.add_partition(epoch, partition, 0).error is ErrorCode.NONE
        self.produce(partition, epoch, sequence, value)

    def produce(self, partition: int, epoch: int, sequence: int, value: str) -> None:
        batch = Batch(partition=partition, epoch=epoch, sequence=sequence, value=value)
        self.leaders[partition].produce(batch, self.coordinator, self.version)

    def end(self, epoch: int, *, commit: bool) -> ErrorCode:
        return self.coordinator.end_transaction(epoch, commit, self.version).error

    def send_markers(self) -> None:
        for marker in list(self.coordinator.markers.unanswered.values()):
            self.leaders[marker.partition].write_marker(marker)
            self.coordinator.markers.answered(marker, ErrorCode.NONE)
        self.coordinator.states.replicate()

    def log(self, partition: int) -> list[object]:
        """Records, and in their place True for a marker that commits and False for one that aborts."""
        return [one.committed if isinstance(one, Marker) else one.value for one in self.leaders[partition].log]


def test_an_end_of_version_0_that_is_late_tears_the_next_transaction() -> None:
    cluster = Cluster(KAFKA_3_6)
    epoch = cluster.start()
    cluster.write(0, epoch, 0, "t1")
    assert cluster.end(epoch, commit=True) is ErrorCode.NONE
    cluster.send_markers()
    cluster.write(0, epoch, 1, "t2")
    assert cluster.end(epoch, commit=True) is ErrorCode.NONE
    cluster.send_markers()
    cluster.write(1, epoch, 0, "t2")
    assert cluster.end(epoch, commit=False) is ErrorCode.NONE
    cluster.send_markers()
    assert (cluster.log(0), cluster.log(1)) == (["t1", True, "t2", True], ["t2", False])


def test_in_version_2_it_is_fenced() -> None:
    cluster = Cluster(KAFKA_4_2)
    epoch = cluster.start()
    cluster.write(0, epoch, 0, "t1")
    assert cluster.end(epoch, commit=True) is ErrorCode.NONE
    cluster.send_markers()
    cluster.write(0, epoch + 1, 0, "t2")
    assert cluster.end(epoch, commit=True) is ErrorCode.PRODUCER_FENCED
    assert cluster.coordinator.states.known().state is TransactionState.ONGOING


def test_a_request_waits_while_an_end_is_prepared_also_if_it_will_be_refused() -> None:
    cluster = Cluster(KAFKA_4_2)
    epoch = cluster.start()
    cluster.write(0, epoch, 0, "t1")
    cluster.end(epoch, commit=True)
    assert cluster.end(epoch + 1, commit=False) is ErrorCode.CONCURRENT_TRANSACTIONS
    assert cluster.end(epoch + 1, commit=True) is ErrorCode.CONCURRENT_TRANSACTIONS
    cluster.send_markers()
    assert cluster.end(epoch + 1, commit=True) is ErrorCode.INVALID_TXN_STATE
    assert cluster.end(epoch + 1, commit=False) is ErrorCode.NONE


def test_a_new_coordinator_does_not_know_the_epoch_before_the_newest() -> None:
    cluster = Cluster(KAFKA_4_2)
    epoch = cluster.start()
    cluster.write(0, epoch, 0, "t1")
    cluster.end(epoch, commit=True)
    assert cluster.coordinator.states.known().last_producer_epoch == epoch
    cluster.coordinator = cluster.coordinator.resigned()
    assert cluster.coordinator.states.known().last_producer_epoch == -1
    cluster.send_markers()
    assert cluster.coordinator.init_producer_id(epoch).error is ErrorCode.PRODUCER_FENCED


def test_a_late_repetition_that_asks_in_vain_makes_the_next_transaction_abort() -> None:
    """The question leaves its sequence behind, below which the next one is not (VerificationStateEntry.lowestSequence)."""
    cluster = Cluster(KAFKA_3_6)
    epoch = cluster.start()
    cluster.write(0, epoch, 0, "t1")
    cluster.end(epoch, commit=True)
    cluster.send_markers()
    with pytest.raises(BrokerError, match="TRANSACTION_ABORTABLE"):
        cluster.produce(0, epoch, 0, "t1")
    with pytest.raises(BrokerError, match="OUT_OF_ORDER_SEQUENCE_NUMBER"):
        cluster.write(0, epoch, 1, "t2")
    assert cluster.log(0) == ["t1", True]


@pytest.mark.parametrize(
    ("release", "taken"), [(KAFKA_0_11, False), (replace(KAFKA_0_11, takes_any_first_sequence=True), True)]
)
def test_up_to_2_4_the_first_sequence_of_an_unknown_producer_is_0(release: Release, taken: bool) -> None:
    cluster = Cluster(release)
    epoch = cluster.start()
    if taken:
        cluster.write(0, epoch, 1, "t1")
    else:
        with pytest.raises(BrokerError, match="1 came where 0 is due"):
            cluster.write(0, epoch, 1, "t1")


def test_a_record_whose_guard_is_not_compared_is_in_the_log_twice() -> None:
    """In version 2 without verification: the leader has asked, and forgets the producer before the append."""
    release = replace(KAFKA_4_2, verifies=False)
    cluster = Cluster(release)
    epoch, leader = cluster.start(), cluster.leaders[0]
    late = Batch(partition=0, epoch=epoch, sequence=0, value="t1")
    guard = leader.start_verification(late, 2)
    leader.ask(late, cluster.coordinator, 2)
    cluster.write(0, epoch, 0, "t1")
    cluster.end(epoch, commit=True)
    cluster.send_markers()
    assert leader.expire_producer()
    leader.append(late, guard)
    assert cluster.log(0) == ["t1", True, "t1"]


def test_a_producer_does_only_what_its_state_allows() -> None:
    producer = TransactionalProducer(KAFKA_3_6, version=0)
    with pytest.raises(IllegalState, match="uninitialized"):
        producer.begin()
    producer.init_transactions()
    with pytest.raises(IllegalState, match="initializing"):
        producer.send(0, "t1")
