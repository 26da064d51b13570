"""The adapter of the in-process transactions: every action of the model as the requests that cause it there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

from neverlost.model.core import NONE, Model, Step
from neverlost.model.kafka.transactions.state import (
    Decision,
    Epoch,
    Fate,
    Held,
    Numbering,
    Partition,
    Phase,
    Producer,
    Result,
    Sent,
    Stage,
    Txn,
    Unanswered,
    Way,
)

from ..adapter import NotPerformed, Partial
from ..inprocess.errors import BrokerError, ErrorCode
from ..inprocess.transactions.coordinator import Answer, TransactionCoordinator
from ..inprocess.transactions.leader import PartitionLeader
from ..inprocess.transactions.markers import Marker
from ..inprocess.transactions.metadata import PREPARED, TransactionState
from ..inprocess.transactions.producer import IllegalState, ProducerState, Progress, Sending, TransactionalProducer
from ..inprocess.transactions.producer_state import Batch, VerificationGuard
from ..stepped import SteppedAdapter, copied
from .settings import release_of

SEEN = (
    *("phase", "epoch", "must_abort", "needs_bump", "next_number"),
    *("stage", "owner", "txn_epoch", "sent", "number", "record", "copy", "read_early"),
    *("late_init", "late_bump", "late_add", "late_produce", "late_end"),
    *("late_marker", "late_marker_epoch", "late_marker_coordinator", "late_marker_v2"),
    *("state", "newest_epoch", "last_epoch", "partitions", "logged_partitions", "prepared_in_v2", "coordinator_epoch"),
    *("seen_epoch", "expected", "seen_coordinator"),
)
"""The fields that are seen: all but which record a marker ended last, what is last in the coordinator's log and not acknowledged, its
last decision, and remaining faults."""

ATTEMPTS = (
    *("start", "begin", "add_partition", "produce", "end", "end_unstarted", "bump_epoch"),
    *("time_out", "write_marker", "complete", "expire_producer"),
    *("late_init_arrives", "late_bump_arrives", "late_add_arrives", "late_end_arrives", "late_marker_arrives"),
    *("verify_late", "append_late"),
)
"""The actions that are also tried when the model refuses them."""

DECISIONS = {
    TransactionState.EMPTY: Decision.EMPTY,
    TransactionState.ONGOING: Decision.ONGOING,
    TransactionState.PREPARE_COMMIT: Decision.PREPARE_COMMIT,
    TransactionState.PREPARE_ABORT: Decision.PREPARE_ABORT,
    TransactionState.COMPLETE_COMMIT: Decision.COMPLETE_COMMIT,
    TransactionState.COMPLETE_ABORT: Decision.COMPLETE_ABORT,
}

SENT = {
    Progress.MAY_BE_SENT: Sent.ADDED,
    Progress.IN_FLIGHT: Sent.UNANSWERED,
    Progress.ACKNOWLEDGED: Sent.ACKNOWLEDGED,
    Progress.FAILED: Sent.FAILED,
    Progress.DROPPED: Sent.DROPPED,
}

IN_TRANSACTION = (
    ProducerState.IN_TRANSACTION,
    ProducerState.COMMITTING,
    ProducerState.ABORTING,
    ProducerState.ABORTABLE_ERROR,
)


@dataclass(kw_only=True)
class _Transaction:
    """A transaction as the application sees it."""

    owner: int = NONE
    epoch: int = NONE
    stage: int = Stage.NOT_BEGUN
    records: dict[int, Sending] = field(default_factory=dict)
    unanswered: set[int] = field(default_factory=set)
    """Partitions whose AddPartitionsToTxn was held up."""


@dataclass(kw_only=True)
class _HeldProduce:
    """A Produce that is held up: on its way, or with a guard in the broker."""

    batch: Batch
    guard: VerificationGuard | None = None
    asked: bool = False


@dataclass(kw_only=True)
class _World:
    """Everything that a step can change."""

    coordinator: TransactionCoordinator
    leaders: list[PartitionLeader]
    producers: list[TransactionalProducer]
    transactions: list[_Transaction]
    inits: set[int] = field(default_factory=set)
    bumps: dict[int, int | None] = field(default_factory=dict)
    adds: set[tuple[int, int]] = field(default_factory=set)
    produces: dict[tuple[int, int], _HeldProduce] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)
    markers: dict[int, Marker] = field(default_factory=dict)
    read: set[tuple[int, int]] = field(default_factory=set)


class TransactionsAdapter(SteppedAdapter[_World]):
    """One transactional id on in-process brokers, driven by the steps of its model. Raises AdapterError for another model.

    While an end is prepared, brokers tell a request to wait that they will refuse when the end is complete. The model refuses it at
    once, so who is to be refused gets here the answer that will come then.
    """

    subject: ClassVar[str] = "transactions"
    refusals: ClassVar[tuple[type[Exception], ...]] = (BrokerError, IllegalState)

    def __init__(self, model: Model) -> None:
        self.release = release_of(model)
        self.version = min(self.release.client_version, self.release.transaction_version)
        self.unanswered = model.settings["unanswered"]
        self.partitions = range(Partition.size(model.bounds))
        world = _World(
            coordinator=TransactionCoordinator(self.release, []),
            leaders=[PartitionLeader(self.release, partition) for partition in self.partitions],
            producers=[
                TransactionalProducer(self.release, version=self.version) for _ in range(Producer.size(model.bounds))
            ],
            transactions=[_Transaction() for _ in range(Txn.size(model.bounds))],
        )
        self._refuses_in_advance = True
        super().__init__(model, world, fields=SEEN, attempts=ATTEMPTS)

    def perform(self, step: Step) -> None:
        """Make the step happen. Raises as every adapter does."""
        super().perform(step)
        self._drop_stale_guards()

    def attempt(self, step: Step) -> bool:
        """Let a request be sent, or what was held up arrive, although the model refuses it.

        False also if an epoch would be needed that the model has not.
        """
        self._refuses_in_advance = False
        try:
            return super().attempt(step)
        finally:
            self._refuses_in_advance = True

    def _is_thinkable(self, action: str, **picks: int) -> bool:
        world, producer, txn = self.world, picks.get("producer", 0), picks.get("txn", 0)
        partition = picks.get("partition", 0)
        metadata = world.coordinator.states.metadata
        if metadata is not None and metadata.producer_epoch + 2 >= Epoch.size(self.model.bounds):
            return False
        if picks.get("way", Way.AT_ONCE) != Way.AT_ONCE:
            return False
        match action:
            case "start":
                before = world.producers[:producer]
                return self._phase(producer) in (Phase.NEW, Phase.STARTING) and all(
                    self._phase(number) > Phase.STARTING for number in range(len(before))
                )
            case "begin":
                return world.transactions[txn].stage == Stage.NOT_BEGUN and all(
                    one.stage != Stage.NOT_BEGUN for one in world.transactions[:txn]
                )
            case "bump_epoch":
                return self._phase(producer) == Phase.BUMPING
            case "add_partition" | "produce" | "end":
                return self._is_current(producer, txn)
            case "end_unstarted":
                has_records = bool(world.transactions[txn].records)
                return has_records and self._is_current(producer, txn)
            case "time_out":
                return metadata is not None
            case "write_marker":
                return partition in world.coordinator.markers.unanswered
            case "complete":
                return metadata is not None and metadata.state in PREPARED
            case "expire_producer":
                return world.leaders[partition].producer is not None
            case "late_init_arrives":
                return producer in world.inits
            case "late_bump_arrives":
                return producer in world.bumps
            case "late_add_arrives":
                return (txn, partition) in world.adds
            case "late_end_arrives":
                return txn in world.ends
            case "late_marker_arrives":
                return partition in world.markers
        held = world.produces.get((txn, partition))
        return held is not None and held.asked == (action == "append_late")

    def _is_current(self, producer: int, txn: int) -> bool:
        one = self.world.transactions[txn]
        asked = one.stage in (Stage.BEGUN, Stage.COMMITTING, Stage.ABORTING)
        return asked and one.owner == producer and self.world.producers[producer].state in IN_TRANSACTION

    def _drop_stale_guards(self) -> None:
        """A Produce whose guard is gone: behind another append it is as one on its way; after a marker it goes on, and is refused."""
        for (txn, partition), held in list(self.world.produces.items()):
            leader = self.world.leaders[partition]
            if not held.asked or leader.is_good(held.guard):
                continue
            if leader.producer is not None and leader.producer.first_offset is not None:
                self.world.produces[txn, partition] = _HeldProduce(batch=held.batch)
                continue
            del self.world.produces[txn, partition]
            with suppress(BrokerError):
                leader.append(held.batch, held.guard)

    def _answer(self, ask: Callable[[TransactionCoordinator], Answer]) -> Answer:
        """What the coordinator answers. Raises NotPerformed if it says to wait, and would not refuse when the end is complete."""
        answer = ask(self.world.coordinator)
        if answer.error is not ErrorCode.CONCURRENT_TRANSACTIONS:
            return answer
        metadata = self.world.coordinator.states.known()
        if self._refuses_in_advance and metadata.state in PREPARED:
            later = copied(self.world.coordinator)
            for marker in list(later.markers.unanswered.values()):
                later.markers.answered(marker, ErrorCode.NONE)
            later.states.replicate()
            refusal = ask(later)
            if refusal.error not in (ErrorCode.NONE, ErrorCode.CONCURRENT_TRANSACTIONS):
                return refusal
        raise NotPerformed("the coordinator says to wait")

    def do_start(self, producer: int, way: int) -> None:
        """A producer calls initTransactions. If a transaction is ongoing, it has to ask again."""
        one = self.world.producers[producer]
        one.init_transactions()
        if way == Way.LATE:
            self.world.inits.add(producer)
            return
        before = len(self.world.coordinator.states.log)
        one.initialized(self._changing(self.world.coordinator.init_producer_id(None), before))

    def _changing(self, answer: Answer, before: int) -> Answer:
        """An answer, if the coordinator has written to its log. Raises NotPerformed if it has not."""
        if len(self.world.coordinator.states.log) == before:
            raise NotPerformed(f"the coordinator answers {answer.error.name}, and changes nothing")
        return answer

    def _replaced(self, ask: Callable[[TransactionCoordinator], Answer]) -> None:
        """The coordinator writes what it is asked for, and another that has that in its log takes its place before it answers."""
        before = len(self.world.coordinator.states.log)
        self._changing(ask(self.world.coordinator), before)
        self.do_move_coordinator()

    def do_begin(self, producer: int, txn: int) -> None:
        """The application begins a transaction."""
        one = self.world.producers[producer]
        one.begin()
        self.world.transactions[txn] = _Transaction(owner=producer, epoch=one.epoch, stage=Stage.BEGUN)

    def do_add_partition(self, producer: int, txn: int, partition: int, way: int) -> None:
        """AddPartitionsToTxn of a producer, which the record waits for."""
        one, transaction = self.world.producers[producer], self.world.transactions[txn]
        if one.version >= 2:
            raise NotPerformed("in version 2 the leader adds the partition")
        if partition not in transaction.records:
            transaction.records[partition] = one.send(partition, (txn, partition))
        one.add(partition)
        if way == Way.LATE:
            self.world.adds.add((txn, partition))
            transaction.unanswered.add(partition)
            return
        epoch = transaction.epoch
        if way == Way.UNACKNOWLEDGED:
            self._replaced(lambda coordinator: coordinator.add_partition(epoch, partition, 0))
            transaction.unanswered.add(partition)
            return
        one.added(partition, self._answer(lambda coordinator: coordinator.add_partition(epoch, partition, 0)))

    def do_produce(self, producer: int, txn: int, partition: int, way: int) -> None:
        """A Produce; its leader asks the coordinator if it must."""
        one, transaction = self.world.producers[producer], self.world.transactions[txn]
        if one.version >= 2 and partition not in transaction.records:
            transaction.records[partition] = one.send(partition, (txn, partition))
        if partition not in transaction.records:
            raise NotPerformed("the partition is not added")
        batch = one.drain(partition)
        if way == Way.LATE:
            self.world.produces[txn, partition] = _HeldProduce(batch=batch)
            return
        if way == Way.UNACKNOWLEDGED:
            self._replaced(lambda coordinator: coordinator.add_partition(batch.epoch, partition, self.version))
            return
        one.produced(partition, self._produced(batch))

    def _produced(self, batch: Batch) -> ErrorCode:
        try:
            self.world.leaders[batch.partition].produce(batch, self.world.coordinator, self.version)
        except BrokerError as refused:
            if refused.code is not ErrorCode.CONCURRENT_TRANSACTIONS:
                return refused.code
            epoch, partition, version = batch.epoch, batch.partition, self.version
            return self._answer(lambda coordinator: coordinator.add_partition(epoch, partition, version)).error
        return ErrorCode.NONE

    def do_give_up(self, producer: int, txn: int, partition: int) -> None:
        """`delivery.timeout.ms` has passed, and the record was sent more than once."""
        self.world.producers[producer].expire(partition, retried=True)

    def do_give_up_in_the_same_epoch(self, producer: int, txn: int, partition: int, numbering: int) -> None:
        """The same, where the record was sent once, or was refused at last; from 2.5 on while the transaction ends."""
        one = self.world.producers[producer]
        if self.release.producer_bumps:
            one.begin_end(commit=one.state is ProducerState.IN_TRANSACTION)
        if numbering == Numbering.AGAIN:
            one.refused_at_last(partition)
        else:
            one.expire(partition, retried=False)

    def do_end(self, producer: int, txn: int, result: int, way: int) -> None:
        """EndTxn."""
        one, transaction = self.world.producers[producer], self.world.transactions[txn]
        asked = Stage.COMMITTING if result == Result.COMMIT else Stage.ABORTING
        if transaction.stage == Stage.BEGUN:
            one.begin_end(commit=result == Result.COMMIT)
            if not one.sends_end():
                raise NotPerformed("EndTxn is not sent: the coordinator has heard nothing of the transaction")
        elif transaction.stage != asked:
            raise NotPerformed("the application has asked for the other end")
        transaction.stage = asked
        if way != Way.AT_ONCE:
            if way == Way.LATE:
                self.world.ends[txn] = result
            else:
                self._replaced(lambda coordinator: self._end(coordinator, transaction.epoch, result))
            if self.unanswered == Unanswered.NEW_EPOCH:
                one.ask_for_new_epoch()
            if self.unanswered == Unanswered.CLOSES:
                one.close()
            return
        one.ended(self._answer(lambda coordinator: self._end(coordinator, transaction.epoch, result)))
        self._learn(transaction, one)

    def _end(self, coordinator: TransactionCoordinator, epoch: int, result: int) -> Answer:
        return coordinator.end_transaction(epoch, result == Result.COMMIT, self.version)

    def _learn(self, transaction: _Transaction, producer: TransactionalProducer) -> None:
        """If the producer goes on, the application knows how its transaction has ended."""
        if producer.state in (ProducerState.READY, ProducerState.INITIALIZING):
            transaction.stage = Stage.COMMITTED if transaction.stage == Stage.COMMITTING else Stage.ABORTED

    def do_end_unstarted(self, producer: int, txn: int) -> None:
        """The application aborts, and no EndTxn is sent."""
        one, transaction = self.world.producers[producer], self.world.transactions[txn]
        one.begin_end(commit=False)
        if one.sends_end():
            raise NotPerformed("EndTxn is sent")
        transaction.stage = Stage.ABORTING
        self._learn(transaction, one)

    def do_bump_epoch(self, producer: int, way: int) -> None:
        """InitProducerId of a producer that goes on after an error."""
        one = self.world.producers[producer]
        expected = one.expected_epoch
        if way == Way.LATE:
            self.world.bumps[producer] = expected
            return
        coordinator = self.world.coordinator
        before = len(coordinator.states.log)
        answer = coordinator.init_producer_id(expected)
        if answer.error is ErrorCode.CONCURRENT_TRANSACTIONS:
            self._changing(answer, before)
        one.initialized(answer)

    def do_time_out(self) -> None:
        """The coordinator looks for transactions that last too long."""
        if not self.world.coordinator.abort_timed_out():
            raise NotPerformed("no transaction is ongoing")

    def do_write_marker(self, partition: int, way: int) -> None:
        """WriteTxnMarkers, and its answer; or a copy of it is held up."""
        markers = self.world.coordinator.markers
        if partition not in markers.unanswered:
            raise NotPerformed("the coordinator has no marker for the partition")
        marker = markers.unanswered[partition]
        if way == Way.LATE:
            self.world.markers[partition] = marker
            return
        self.world.leaders[partition].write_marker(marker)
        markers.answered(marker, ErrorCode.NONE)

    def do_complete(self) -> None:
        """The completion, which was appended with the last answer, is replicated."""
        states = self.world.coordinator.states
        if not states.awaits_replication:
            raise NotPerformed("the coordinator has not appended that the end is complete")
        states.replicate()

    def do_move_coordinator(self) -> None:
        """Another broker reads the log. What is not replicated in it is lost."""
        self.world.coordinator = self.world.coordinator.resigned()

    def do_move_without_tail(self) -> None:
        """Another broker reads its log, which lacks what is last in the log of the one before."""
        self.world.coordinator = self.world.coordinator.resigned(without_last=True)

    def do_lose_log_while_reading(self, load: int) -> None:
        """Another broker reads the log to the last decision, and is replaced. Its markers are on their way."""
        markers, after = self.world.coordinator.lost_while_read()
        if not markers:
            raise NotPerformed("no decision is in the log that a partition waits for")
        self.world.markers |= {marker.partition: marker for marker in markers}
        self.world.coordinator = after

    def do_late_init_arrives(self, producer: int) -> None:
        """The answer to an InitProducerId that was held up reaches nobody."""
        before = len(self.world.coordinator.states.log)
        self._changing(self.world.coordinator.init_producer_id(None), before)
        self.world.inits.discard(producer)

    def do_late_bump_arrives(self, producer: int) -> None:
        """The same, of one that names an epoch."""
        before = len(self.world.coordinator.states.log)
        self._changing(self.world.coordinator.init_producer_id(self.world.bumps[producer]), before)
        del self.world.bumps[producer]

    def do_late_add_arrives(self, txn: int, partition: int) -> None:
        """An AddPartitionsToTxn that was held up."""
        before, epoch = len(self.world.coordinator.states.log), self.world.transactions[txn].epoch
        self._changing(self.world.coordinator.add_partition(epoch, partition, 0), before)
        self.world.adds.discard((txn, partition))

    def do_late_end_arrives(self, txn: int) -> None:
        """An EndTxn that was held up."""
        before, epoch = len(self.world.coordinator.states.log), self.world.transactions[txn].epoch
        self._changing(self._end(self.world.coordinator, epoch, self.world.ends[txn]), before)
        del self.world.ends[txn]

    def do_late_marker_arrives(self, partition: int) -> None:
        """A marker that was held up. Its coordinator has had an answer to another copy."""
        self.world.leaders[partition].write_marker(self.world.markers[partition])
        del self.world.markers[partition]

    def do_verify_late(self, txn: int, partition: int) -> None:
        """A Produce that was held up arrives, and its leader asks the coordinator."""
        held, leader = self.world.produces[txn, partition], self.world.leaders[partition]
        guard = leader.start_verification(held.batch, self.version)
        if guard is None:
            raise NotPerformed("the leader asks nobody")
        leader.ask(held.batch, self.world.coordinator, self.version)
        self.world.produces[txn, partition] = _HeldProduce(batch=held.batch, guard=guard, asked=True)

    def do_append_late(self, txn: int, partition: int) -> None:
        """A Produce that was held up is appended, with the guard that it has."""
        held, leader = self.world.produces[txn, partition], self.world.leaders[partition]
        if not held.asked and leader.start_verification(held.batch, self.version) is not None:
            raise NotPerformed("the leader asks the coordinator first")
        before = len(leader.log)
        leader.append(held.batch, held.guard)
        if len(leader.log) == before:
            raise NotPerformed("the record is in the log already")
        del self.world.produces[txn, partition]

    def do_expire_producer(self, partition: int) -> None:
        """`producer.id.expiration.ms` has passed."""
        if not self.world.leaders[partition].expire_producer():
            raise NotPerformed("a transaction of the producer is open")

    def do_lose_marker(self, partition: int) -> None:
        """The next leader's log ends before the marker."""
        self.world.leaders[partition].lose_last_marker()

    def do_read_early(self, txn: int, partition: int) -> None:
        """A fetch of committed records, while the high watermark moves."""
        read = self.world.leaders[partition].read_while_the_high_watermark_moves()
        if (txn, partition) not in [batch.value for batch in read]:
            raise NotPerformed("the fetch is not answered the record")
        self.world.read.add((txn, partition))

    def observe(self) -> Partial:
        """What producers, coordinator and leaders know, what readers make of the logs, and what is held up."""
        return {**self._producers(), **self._transactions(), **self._held(), **self._coordinator(), **self._leaders()}

    def _phase(self, producer: int) -> int:
        one = self.world.producers[producer]
        match one.state:
            case ProducerState.UNINITIALIZED:
                return Phase.NEW
            case ProducerState.INITIALIZING:
                return Phase.BUMPING if one.expected_epoch is not None else Phase.STARTING
            case ProducerState.READY:
                return Phase.READY
            case ProducerState.FATAL_ERROR:
                return Phase.FENCED if one.fenced else Phase.DEAD
            case ProducerState.CLOSED:
                return Phase.DEAD
        ends = any(
            t.owner == producer and t.stage in (Stage.COMMITTING, Stage.ABORTING) for t in self.world.transactions
        )
        return Phase.ENDING if ends else Phase.IN_TRANSACTION

    def _producers(self) -> dict[str, Any]:
        phases = [self._phase(producer) for producer in range(len(self.world.producers))]
        goes_on = [phase not in (Phase.FENCED, Phase.DEAD) for phase in phases]
        both = list(zip(self.world.producers, phases, goes_on, strict=True))
        return {
            "phase": phases,
            "epoch": [one.epoch if on else NONE for one, _, on in both],
            "must_abort": [
                None
                if phase == Phase.ENDING
                else int(phase == Phase.IN_TRANSACTION and one.state is not ProducerState.IN_TRANSACTION)
                for one, phase, _ in both
            ],
            "needs_bump": [int(on and one.bump_required) for one, _, on in both],
            "next_number": [
                [one.next_sequences.get(p, 0) if on else 0 for p in self.partitions] for one, _, on in both
            ],
        }

    def _transactions(self) -> dict[str, Any]:
        found = self.world.transactions
        fates = [[self._fates(txn, partition) for partition in self.partitions] for txn in range(len(found))]
        return {
            "stage": [one.stage for one in found],
            "owner": [one.owner for one in found],
            "txn_epoch": [one.epoch for one in found],
            "sent": [[self._sent(one, partition) for partition in self.partitions] for one in found],
            "number": [[_number(one.records.get(partition)) for partition in self.partitions] for one in found],
            "record": [[row[0] for row in rows] for rows in fates],
            "copy": [[row[1] for row in rows] for rows in fates],
            "read_early": [
                [int((txn, partition) in self.world.read) for partition in self.partitions] for txn in range(len(found))
            ],
        }

    def _sent(self, transaction: _Transaction, partition: int) -> int:
        record = transaction.records.get(partition)
        if record is None:
            return Sent.UNSENT
        if record.progress is Progress.WAITS:
            return Sent.ADDING if partition in transaction.unanswered else Sent.UNSENT
        return SENT[record.progress]

    def _fates(self, txn: int, partition: int) -> tuple[int, int]:
        """What a reader of committed records makes of the first record of a transaction in the log, and of the last copy of it."""
        found: list[int] = []
        mine: list[int] = []
        for one in self.world.leaders[partition].log:
            if isinstance(one, Marker):
                found += [Fate.VISIBLE if one.committed else Fate.SKIPPED] * len(mine)
                mine = []
            elif one.value == (txn, partition):
                mine.append(Fate.OPEN)
        found += mine
        return found[0] if found else Fate.ABSENT, found[-1] if len(found) > 1 else Fate.ABSENT

    def _held(self) -> dict[str, Any]:
        world, txns = self.world, range(len(self.world.transactions))
        markers = [world.markers.get(partition) for partition in self.partitions]
        return {
            "late_init": [int(producer in world.inits) for producer in range(len(world.producers))],
            "late_bump": [_or_none(world.bumps.get(producer)) for producer in range(len(world.producers))],
            "late_add": [[int((txn, partition) in world.adds) for partition in self.partitions] for txn in txns],
            "late_produce": [[self._held_produce(txn, partition) for partition in self.partitions] for txn in txns],
            "late_end": [world.ends.get(txn, NONE) for txn in txns],
            "late_marker": [
                NONE if one is None else Result.COMMIT if one.committed else Result.ABORT for one in markers
            ],
            "late_marker_epoch": [NONE if one is None else one.producer_epoch for one in markers],
            "late_marker_coordinator": [0 if one is None else one.coordinator_epoch for one in markers],
            "late_marker_v2": [self._of_version_2(one) for one in markers],
        }

    def _of_version_2(self, marker: Marker | None) -> int | None:
        """Is a held-up marker one of version 2? A coordinator that does not send the version does not show it."""
        if marker is None:
            return 0
        return int(marker.version >= 2) if self.release.markers_have_version else None

    def _held_produce(self, txn: int, partition: int) -> int:
        held = self.world.produces.get((txn, partition))
        if held is None:
            return Held.NO
        return Held.VERIFIED if held.asked else Held.HELD_UP

    def _coordinator(self) -> dict[str, Any]:
        states = self.world.coordinator.states
        metadata = states.metadata
        prepared = metadata is not None and metadata.state in PREPARED
        logged = states.log[-1].partitions if prepared else ()
        return {
            "state": Decision.EMPTY if metadata is None else DECISIONS[metadata.state],
            "newest_epoch": NONE if metadata is None else metadata.producer_epoch,
            "last_epoch": NONE if metadata is None else metadata.last_producer_epoch,
            "partitions": 0 if metadata is None else sum(1 << partition for partition in metadata.partitions),
            "logged_partitions": sum(1 << partition for partition in logged),
            "prepared_in_v2": int(prepared and metadata is not None and metadata.client_version >= 2),
            "coordinator_epoch": states.coordinator_epoch,
        }

    def _leaders(self) -> dict[str, Any]:
        entries = [leader.producer for leader in self.world.leaders]
        return {
            "seen_epoch": [NONE if one is None else one.epoch for one in entries],
            "expected": [0 if one is None else one.last_sequence + 1 for one in entries],
            "seen_coordinator": [0 if one is None else max(0, one.coordinator_epoch) for one in entries],
        }


def _number(record: Sending | None) -> int:
    return NONE if record is None or record.batch is None else record.batch.sequence


def _or_none(epoch: int | None) -> int:
    return NONE if epoch is None else epoch
