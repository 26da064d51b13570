"""The controller: which brokers are live, who leads, who is in sync. Its decisions reach brokers as messages (R-ELECT, R-META-1)."""

from __future__ import annotations

from collections.abc import Callable

from .errors import ErrorCode
from .fetchers import broker_name
from .messages import AlterPartitionRequest, AlterPartitionResponse
from .network import Envelope, Network
from .partition_record import PartitionRecord
from .protocol import EpochPerShrink, Protocol, TopicPartition, TopicSettings

CONTROLLER = "controller"

Choice = Callable[[tuple[int, ...]], int]
"""Chooses which of several candidates is elected."""


def first(candidates: tuple[int, ...]) -> int:
    """The first in the order of the assignment."""
    return candidates[0]


class Controller:
    """Records decisions and sends them out. The caller says what happened; the controller never acts by itself."""

    def __init__(self, protocol: Protocol, network: Network) -> None:
        self.protocol, self._network = protocol, network
        self.records: dict[TopicPartition, PartitionRecord] = {}
        self.broker_epochs: dict[int, int] = {}
        self.fenced: set[int] = set()
        network.attach(CONTROLLER, self.take)

    @property
    def live(self) -> frozenset[int]:
        """The brokers that the controller considers live."""
        return frozenset(self.broker_epochs) - self.fenced

    def create(self, partition: TopicPartition, replicas: tuple[int, ...], settings: TopicSettings) -> None:
        """Create a partition: every live replica is in sync, the first leads."""
        isr = frozenset(replicas) & self.live
        self.records[partition] = PartitionRecord(
            partition=partition,
            replicas=replicas,
            leader=next((replica for replica in replicas if replica in isr), None),
            isr=isr,
            min_isr=min(settings.min_isr, settings.replicas_of_first or settings.min_isr),
            unclean_election=settings.unclean_election and not self.protocol.ignores_unclean,
            keeps_eligible=self.protocol.eligible_leaders,
        )
        self._tell(self.records[partition])

    def _tell(self, record: PartitionRecord) -> None:
        for broker in sorted(self.broker_epochs):
            self._network.send(CONTROLLER, broker_name(broker), record.news())

    def register(self, broker: int, *, clean: bool = False) -> int:
        """A broker starts. Returns its new broker epoch. It did not shut down cleanly unless it says so (R-ELECT-3).

        It asks for all metadata, and gets the newest of each partition.
        """
        self.broker_epochs[broker] = self.broker_epochs.get(broker, 0) + 1
        self.fenced.discard(broker)
        for record in self.records.values():
            if not clean:
                record.eligible -= {broker}
            self._network.send(CONTROLLER, broker_name(broker), record.news())
        return self.broker_epochs[broker]

    def heard_of(self, broker: int) -> None:
        """Unfence a broker that is still live."""
        self.fenced.discard(broker)

    def session_ended(self, broker: int, choose: Choice = first) -> None:
        """A broker was silent for too long: fence it, replace it as leader, remove it from the ISRs (R-ELECT-1)."""
        self.fenced.add(broker)
        for record in self.records.values():
            if broker in record.replicas:
                self._do_without(record, broker, choose)

    def let_go(self, broker: int, choose: Choice = first) -> bool:
        """A broker asks to shut down: others become leaders, and it leaves the ISRs. False if there is no successor (R-STOP-1)."""
        others = self.live - {broker}
        if any(record.leader == broker and not record.clean_candidates(others) for record in self.records.values()):
            return False
        self.session_ended(broker, choose)
        return True

    def _do_without(self, record: PartitionRecord, broker: int, choose: Choice) -> None:
        rest = record.without(broker)
        if record.leader != broker:
            if rest != record.isr:
                self._shrink(record, rest)
                self._tell(record)
            return
        if candidates := record.clean_candidates(self.live):
            record.elect(choose(candidates), rest)
        elif candidates := record.unclean_candidates(self.live):
            self._elect_unclean(record, choose(candidates))
        else:
            record.decide(None, rest)
            record.last_known_leader = broker if record.keeps_eligible else None
        self._tell(record)

    def _shrink(self, record: PartitionRecord, isr: frozenset[int]) -> None:
        """Record a smaller ISR: in the same leader epoch if the version does so and the partition has a leader (KAFKA-15021)."""
        if self.protocol.epoch_per_shrink is EpochPerShrink.NONE and record.leader is not None:
            record.record_isr(isr)
        else:
            record.decide(record.leader, isr)

    def elect(self, partition: TopicPartition, choose: Choice = first) -> bool:
        """Elect a leader without loss for a partition that has none, if there is a candidate (R-ELECT-1, R-ELECT-3)."""
        record = self.records[partition]
        candidates = record.clean_candidates(self.live) if record.leader is None else ()
        if candidates:
            record.elect(choose(candidates), record.isr)
            self._tell(record)
        return bool(candidates)

    def elect_unclean(self, partition: TopicPartition, choose: Choice = first) -> bool:
        """Elect any live leader for a partition that has none, if that is allowed (R-ELECT-2)."""
        record = self.records[partition]
        candidates = record.unclean_candidates(self.live) if record.leader is None else ()
        if candidates:
            self._elect_unclean(record, choose(candidates))
            self._tell(record)
        return bool(candidates)

    def _elect_unclean(self, record: PartitionRecord, leader: int) -> None:
        record.elect(leader, frozenset())
        record.eligible = frozenset()

    def move_leader(self, partition: TopicPartition, successor: int) -> bool:
        """Make another live member of the ISR the leader, as a preferred election does (R-ELECT-1)."""
        record = self.records[partition]
        if record.leader in (None, successor) or successor not in record.isr & self.live:
            return False
        record.elect(successor, record.isr)
        self._tell(record)
        return True

    def min_isr_set(self, partition: TopicPartition) -> None:
        """An operator sets the min ISR of the topic: nobody is eligible any more by what left the ISR before (KAFKA-16540)."""
        record = self.records[partition]
        record.eligible, record.last_known_leader = frozenset(), None

    def directory_assigned(self, partition: TopicPartition) -> None:
        """A replica has moved to another log directory of its broker."""
        if self.protocol.directory_moves_clear_elr:
            self.records[partition].eligible = frozenset()

    def write_isr(self, partition: TopicPartition, leader: int, leader_epoch: int, isr: frozenset[int]) -> int | None:
        """An atomic write of the ISR, fenced by the leader epoch; the partition epoch after it, None if refused (R-ISR-2)."""
        record = self.records[partition]
        if (record.leader, record.leader_epoch) != (leader, leader_epoch):
            return None
        record.record_isr(isr)
        return record.partition_epoch

    def take(self, envelope: Envelope) -> None:
        """Decide on an ISR change, and answer."""
        if isinstance(envelope.body, AlterPartitionRequest):
            self._network.send(CONTROLLER, envelope.source, self.alter_partition(envelope.body))

    def alter_partition(self, request: AlterPartitionRequest) -> AlterPartitionResponse:
        """Record the ISR that a leader asks for, or say why not (R-ISR-2).

        In KRaft the leader also reads it as metadata.
        """
        record = self.records[request.partition]
        error = self._refusal(record, request)
        if error is not ErrorCode.NONE:
            return AlterPartitionResponse(partition=request.partition, leader_epoch=request.leader_epoch, error=error)
        if self.protocol.epoch_per_shrink is EpochPerShrink.EVERY and request.isr < record.isr:
            record.decide(record.leader, request.isr)
            self._tell(record)
        else:
            record.record_isr(request.isr)
            if self.protocol.takes_back_proposals:
                self._network.send(CONTROLLER, broker_name(request.leader), record.news())
        return AlterPartitionResponse(
            partition=request.partition,
            leader_epoch=record.leader_epoch,
            isr=record.isr,
            partition_epoch=record.partition_epoch,
        )

    def _refusal(self, record: PartitionRecord, request: AlterPartitionRequest) -> ErrorCode:
        """Why the ISR is not recorded now: for good, or a member is fenced (KIP-841)."""
        fenced = self.protocol.refuses_fenced_members and request.isr & self.fenced
        return self._refusal_for_good(record, request) or (ErrorCode.INELIGIBLE_REPLICA if fenced else ErrorCode.NONE)

    def _refusal_for_good(self, record: PartitionRecord, request: AlterPartitionRequest) -> ErrorCode:
        """A stale leader or partition epoch, or a member that has restarted since (KIP-903)."""
        if (record.leader, record.leader_epoch) != (request.leader, request.leader_epoch):
            return ErrorCode.FENCED_LEADER_EPOCH
        if record.partition_epoch != request.partition_epoch:
            return ErrorCode.INVALID_UPDATE_VERSION
        return ErrorCode.INELIGIBLE_REPLICA if self._names_former_process(request) else ErrorCode.NONE

    def _names_former_process(self, request: AlterPartitionRequest) -> bool:
        stale = {b for b, epoch in request.broker_epochs.items() if self.broker_epochs.get(b) != epoch}
        return self.protocol.checks_broker_epochs and bool(request.isr & stale)

    def may_grant(self, request: AlterPartitionRequest) -> bool:
        """May the controller still record this ISR, now or once no member of it is fenced?"""
        return self._refusal_for_good(self.records[request.partition], request) is ErrorCode.NONE
