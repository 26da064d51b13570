"""What is seen of one partition while brokers run: frames between them with their answers, decisions of the controller, requests
of a client, and faults. Times are seconds of the machine's clock."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kafka.protocol.consumer import FetchRequest, FetchResponse

from . import frames
from .gates import ALTER_ISR, CONTROL, FETCH, Frame
from .log_files import LogRecord, records_of
from .wire import FIRST_FETCH_WITH_EPOCH, PartitionState

SESSION_ENDS = "end_session"
"""What happens to a broker that the controller takes for dead; the controller's decision is the step of the model."""
PARTITION_CHANGE = 5
ISR_TAG, LEADER_TAG = 0, 1
BATCH_TIME_AT = 27
"""Where a batch of records has its time."""


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A follower's fetch and its answer. `epoch` is the leader epoch that the follower is in; None where fetches do not have it."""

    follower: int
    leader: int
    began: float
    ended: float
    offset: int
    epoch: int | None
    error: int
    high_watermark: int
    records: tuple[LogRecord, ...] = ()

    @property
    def end(self) -> int:
        """Where the follower's log ends with what it got."""
        return self.offset + len(self.records)


@dataclass(frozen=True, kw_only=True)
class LeaderAndIsr:
    """A controller on ZooKeeper sent the partition's leader to a broker (LeaderAndIsr)."""

    broker: int
    leader: int
    leader_epoch: int
    began: float
    ended: float


@dataclass(frozen=True, kw_only=True)
class AskedIsr:
    """A leader asked the controller for another ISR."""

    leader: int
    isr: tuple[int, ...]
    began: float
    error: int


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What the controller has of the partition from a moment on."""

    at: float
    state: PartitionState


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A value that a client sent; `error` is an error code, or the name of what went wrong; None if no answer was asked for.

    `broker` is None where the client itself chooses the brokers that it sends to.
    """

    value: int
    began: float
    ended: float
    error: int | str | None
    broker: int | None = None
    offset: int | None = None


@dataclass(frozen=True, kw_only=True)
class Happened:
    """A fault, or the end of one, as a step of the model; `log` is what was on the disk of a broker that was killed."""

    action: str
    broker: int
    at: float
    log: tuple[LogRecord, ...] = ()
    checkpoint: int | None = None


@dataclass(frozen=True, kw_only=True)
class BrokerState:
    """What was seen of a broker when all was quiet."""

    log: tuple[LogRecord, ...]
    high_watermark: int


@dataclass(kw_only=True)
class Seen:
    """All that was seen in a run of one topic, and how things were at its end."""

    exchanges: list[Exchange] = field(default_factory=list)
    leader_and_isr: list[LeaderAndIsr] = field(default_factory=list)
    asked: list[AskedIsr] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    happened: list[Happened] = field(default_factory=list)
    brokers: dict[int, BrokerState] = field(default_factory=dict)

    def take(self, frame: Frame, topic: str, topic_id: bytes, began: float, ended: float) -> None:
        """Keep what a frame and its answer say of the topic, if anything."""
        if not frames.names(frame, topic, topic_id) or frame.reply is None:
            return
        if frame.kind == FETCH:
            exchange = exchange_of(frame, topic, topic_id, began, ended)
            self.exchanges.extend([exchange] if exchange else [])
        elif frame.kind == CONTROL:
            news = frames.leadership(frame, topic)
            if news is not None and isinstance(frame.connection.destination, int):
                self.leader_and_isr.append(
                    LeaderAndIsr(
                        broker=frame.connection.destination,
                        leader=news.leader,
                        leader_epoch=news.leader_epoch,
                        began=began,
                        ended=ended,
                    )
                )
        elif frame.kind == ALTER_ISR and isinstance(frame.source, int):
            isr = frames.asked_isr(frame, topic, topic_id)
            if isr is not None:
                error = frames.isr_error(frame, topic, topic_id)
                self.asked.append(AskedIsr(leader=frame.source, isr=isr, began=began, error=error))


def exchange_of(frame: Frame, topic: str, topic_id: bytes, began: float, ended: float) -> Exchange | None:
    """What a follower's fetch asks and gets of the topic; None if it does not ask for it, or the answer does not have it."""
    version = frame.version
    request = FetchRequest.decode(bytes(frame.data), version=version, header=True)
    answer = FetchResponse.decode(frame.reply, version=version, header=True)
    asked = frames.of_topic(request.topics, version, topic, topic_id)
    got = frames.of_topic(answer.responses, version, topic, topic_id)
    if asked is None or got is None or not isinstance(frame.source, int):
        return None
    wanted, found = asked.partitions[0], got.partitions[0]
    destination = frame.connection.destination
    assert isinstance(destination, int)
    return Exchange(
        follower=frame.source,
        leader=destination,
        began=began,
        ended=ended,
        offset=wanted.fetch_offset,
        epoch=wanted.current_leader_epoch if frame.version >= FIRST_FETCH_WITH_EPOCH else None,
        error=found.error_code,
        high_watermark=found.high_watermark,
        records=tuple(
            record for record in records_of(bytes(found.records or b"")) if record.offset >= wanted.fetch_offset
        ),
    )


def decisions_of(log: bytes, topic_id: bytes, start: PartitionState) -> Iterator[Decision]:
    """A KRaft controller's decisions on a partition after its creation, from the bytes of the metadata log."""
    state = start
    for record in records_of(log):
        change = _partition_change(record.value, topic_id)
        if change is None:
            continue
        isr, leader = change.get(ISR_TAG), change.get(LEADER_TAG)
        members = state.isr if isr is None else struct.unpack_from(f">{isr[0] - 1}i", isr, 1)
        state = PartitionState(
            leader=state.leader if leader is None else struct.unpack(">i", leader)[0],
            leader_epoch=state.leader_epoch + (leader is not None),
            isr=tuple(sorted(members)),
        )
        (milliseconds,) = struct.unpack_from(">q", log, record.start + BATCH_TIME_AT)
        yield Decision(at=milliseconds / 1000, state=state)


def changes_of(log: bytes, topic_id: bytes) -> int:
    """How many decisions a KRaft controller has made on a partition since its creation: its partition epoch."""
    return sum(_partition_change(record.value, topic_id) is not None for record in records_of(log))


def _partition_change(value: bytes, topic_id: bytes) -> Mapping[int, bytes] | None:
    """The tagged fields of a PartitionChangeRecord of the topic: first its frame's version, its kind and its version, a byte each."""
    if len(value) < 24 or value[0] != 1 or value[1] != PARTITION_CHANGE or value[7:23] != topic_id:
        return None
    found, at = {}, 24
    for _ in range(value[23]):
        tag, size = value[at], value[at + 1]
        found[tag] = value[at + 2 : at + 2 + size]
        at += 2 + size
    return found
