"""The clients of a walk through the model: one producer that sends values, one consumer that reads and commits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neverlost.model.kafka.replication.state import (
    ACKNOWLEDGED,
    ACKS_ALL,
    ACKS_NONE,
    ACKS_ONE,
    AFTER_APPEND,
    AGAIN,
    COMMIT_AUTO,
    COMMIT_BEFORE,
    NEVER,
    NO_CONSUMER,
    ONCE,
    REFUSED,
    UNKNOWN,
    UNSENT,
    WAITING,
)

from ..adapter import NotPerformed
from ..inprocess import messages
from ..inprocess.delayed_produce import DelayedProduce
from ..inprocess.errors import ErrorCode
from ..inprocess.exchanges import HeldRequest
from ..inprocess.group_coordinator import GroupAnswer, OffsetCommit, OffsetFetch, Offsets
from ..inprocess.log import ProducerStamp, Record
from ..inprocess.protocol import TopicPartition
from ..inprocess.stepped_cluster import ClientRequest, SteppedCluster

FAILED = (REFUSED, AFTER_APPEND, UNKNOWN)

PARTITION = TopicPartition(topic="orders")
LONG_MS = 1 << 30
"""A deadline that no walk reaches: the model says which operations reach theirs."""

COORDINATOR = 100
"""A broker that hosts only the offsets topic and never fails: the model has no loss of committed offsets."""

ACKS = {ACKS_NONE: messages.ACKS_NONE, ACKS_ONE: messages.ACKS_LEADER, ACKS_ALL: messages.ACKS_ALL}

OUTCOMES = {
    ErrorCode.NONE: ACKNOWLEDGED,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: REFUSED,
    ErrorCode.NOT_ENOUGH_REPLICAS: REFUSED,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND: AFTER_APPEND,
    ErrorCode.REQUEST_TIMED_OUT: UNKNOWN,
    ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER: REFUSED,
    ErrorCode.INVALID_PRODUCER_EPOCH: REFUSED,
}


@dataclass(frozen=True, kw_only=True)
class Sent:
    """The latest request with a value: its broker, and whether it waited for replication there."""

    broker: int
    request: messages.ProduceRequest
    asked: ClientRequest
    waited: bool


class Sender:
    """The producer: one request at a time for each value, and what it knows about each."""

    def __init__(self, brokers: SteppedCluster, settings: Mapping[str, int]) -> None:
        self._brokers, self._acks = brokers, settings["acks"]
        self._numbers = bool(settings["idempotence"]) and self._acks == ACKS_ALL
        self._pipelined = bool(settings["pipelined"])
        self._acks_earlier = bool(settings["acks_earlier"])
        self._acknowledged: set[int] = set()
        self._first_numbered: list[int] = []
        """The first value of each further epoch."""
        self._sent: dict[int, Sent] = {}

    def _stamp(self, value: int) -> ProducerStamp | None:
        """How an idempotent producer numbers a value: in one sequence if it sends several at a time.

        One that sends a value at a time gives up on it before it sends the next, and then numbers from the start. So does one that
        has begun a further epoch.
        """
        if not self._numbers:
            return None
        if not self._pipelined:
            return ProducerStamp(producer_id=1, producer_epoch=value, sequence=0)
        firsts = [first for first in self._first_numbered if first <= value]
        return ProducerStamp(producer_id=1, producer_epoch=len(firsts), sequence=value - max(firsts, default=0))

    def _request(self, value: int) -> messages.ProduceRequest:
        return messages.ProduceRequest(
            acks=ACKS[self._acks],
            timeout_ms=LONG_MS,
            records={PARTITION: (Record(value=str(value), stamp=self._stamp(value)),)},
        )

    def send(self, broker: int, value: int, *, lose_response: bool) -> None:
        """Send a value to a broker, which handles it at once."""
        request = self._request(value)
        asked = self._brokers.ask(broker, request, lose_answer=lose_response)
        waited = asked.open and self._acks == ACKS_ALL
        self._sent[value] = Sent(broker=broker, request=request, asked=asked, waited=waited)
        if waited and lose_response:
            self.give_up(value)

    def begin_epoch(self, broker: int, value: int) -> None:
        """Send a value again, and number it and later ones anew as it is out of sequence. Raises NotPerformed if it is not."""
        self.send(broker, value, lose_response=False)
        answer = self._sent[value].asked.answer
        error = answer.partitions[PARTITION].error if isinstance(answer, messages.ProduceResponse) else None
        if error is not ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER:
            raise NotPerformed(f"broker {broker} does not refuse value {value} for its number: {answer}")
        self._first_numbered.append(value)

    def send_and_hold(self, broker: int, value: int) -> HeldRequest:
        """Send a value to a broker, whose handler appends it, and is held up before it makes the delayed produce."""
        request = self._request(value)
        asked, held = self._brokers.ask_and_hold(broker, request)
        self._sent[value] = Sent(broker=broker, request=request, asked=asked, waited=True)
        return held

    def waits_for(self, held: HeldRequest) -> bool:
        """Does the producer still wait for the outcome of a request that is held up?"""
        return any(sent.asked.open and sent.asked.connection == held.call.source for sent in self._sent.values())

    def give_up(self, value: int) -> None:
        """Wait no more for the outcome of a value."""
        self._sent[value].asked.closed = True

    def delivery(self, value: int) -> int:
        """What the producer knows about a value."""
        if self._acks_earlier:
            self._acknowledge_earlier()
        return ACKNOWLEDGED if value in self._acknowledged else self._outcome(value)

    def _acknowledge_earlier(self) -> None:
        """Note what has been acknowledged since, and with it what failed before."""
        for value in sorted(self._sent.keys() - self._acknowledged):
            if self._outcome(value) == ACKNOWLEDGED:
                earlier = {one for one in self._sent if one < value and self._outcome(one) in FAILED}
                self._acknowledged |= {value, *earlier}

    def _outcome(self, value: int) -> int:
        """What came of the latest request with a value."""
        sent = self._sent.get(value)
        if sent is None:
            return UNSENT
        if sent.asked.closed:
            return REFUSED if self._acks == ACKS_NONE else UNKNOWN
        if not isinstance(sent.asked.answer, messages.ProduceResponse):
            return WAITING if sent.waited else UNKNOWN
        error = sent.asked.answer.partitions[PARTITION].error
        if error is ErrorCode.NOT_LEADER_OR_FOLLOWER:
            return UNKNOWN if sent.waited else REFUSED
        return OUTCOMES[error]

    def delayed(self, value: int) -> tuple[int, DelayedProduce] | None:
        """The broker at which a value waits, with the operation; None if it does not wait, or while a thread looks at it."""
        waiting = self.in_purgatory(value)
        return None if waiting is None or waiting[1].looked_at else waiting

    def in_purgatory(self, value: int) -> tuple[int, DelayedProduce] | None:
        """The broker at which a value waits, with the operation in its purgatory; None if it does not wait."""
        if self.delivery(value) != WAITING:
            return None
        broker = self._sent[value].broker
        process = self._brokers.brokers[broker].process
        waiting = [] if process is None else process.manager.produces.waiting()
        for operation in waiting:
            if isinstance(operation, DelayedProduce) and operation.request is self._sent[value].request:
                return broker, operation
        return None

    def time_out(self, value: int) -> None:
        """The deadline of a waiting request comes. Raises NotPerformed if none waits."""
        waiting = self.in_purgatory(value)
        if waiting is None:
            raise NotPerformed(f"no produce request with value {value} waits anywhere")
        waiting[1].expire()
        self._brokers.let_clients_hear()


class Reader:
    """The consumer: it polls one record at a time, processes, and commits by its mode."""

    def __init__(self, brokers: SteppedCluster, settings: Mapping[str, int], *, offsets: int, values: int) -> None:
        self._brokers, self._mode = brokers, settings["commit"]
        self.position = self.processed_end = 0
        self.read: list[int] = [-1] * offsets
        self.processed: list[int] = [NEVER] * values

    def only_reads(self, offset: int) -> bool:
        """Whether a poll at this offset is due, and changes nothing if it finds nothing. With auto-commit every poll commits."""
        due = self.position == self.processed_end == offset
        return due and self._mode not in (NO_CONSUMER, COMMIT_AUTO)

    def poll(self, broker: int, *, meets_append: bool = False) -> None:
        """Get the next record from a broker, and one more if it is appended meanwhile. Raises NotPerformed if there are fewer."""
        if self._mode == COMMIT_AUTO:
            self._commit(self.position)
        wanted = 2 if meets_append else 1
        position = messages.FetchPosition(offset=self.position, max_records=wanted, meets_append=meets_append)
        answer = self._brokers.ask(
            broker, messages.FetchRequest(replica=messages.CONSUMER, positions={PARTITION: position})
        ).answer
        entries = answer.partitions[PARTITION].entries if isinstance(answer, messages.FetchResponse) else ()
        if len(entries) < wanted:
            raise NotPerformed(
                f"broker {broker} gives {len(entries)} records at offset {self.position} to consumers: {answer}"
            )
        for entry in entries:
            self.read[self.position] = int(entry.record.value)
            self.position += 1
        if self._mode == COMMIT_BEFORE:
            self._commit(self.position)

    def process(self) -> None:
        """Process the next record that was polled."""
        value = self.read[self.processed_end]
        self.processed[value] = ONCE if self.processed[value] == NEVER else AGAIN
        self.processed_end += 1

    def commit_processed(self) -> None:
        """Commit the offset up to which records were processed."""
        self._commit(self.processed_end)

    def _commit(self, offset: int) -> None:
        answer = self._brokers.ask(COORDINATOR, OffsetCommit(group="readers", offsets={PARTITION: offset})).answer
        if not isinstance(answer, GroupAnswer) or answer.error is not ErrorCode.NONE:
            raise NotPerformed(f"the offset {offset} was not committed: {answer}")

    def committed(self) -> int:
        """The committed offset that the coordinator gives to a successor."""
        if self._mode == NO_CONSUMER:
            return 0
        answer = self._brokers.ask(COORDINATOR, OffsetFetch(group="readers", partitions=(PARTITION,))).answer
        return answer.offsets.get(PARTITION, 0) if isinstance(answer, Offsets) else 0

    def crash(self) -> None:
        """A successor continues from the committed offset."""
        self.position = self.processed_end = self.committed()
