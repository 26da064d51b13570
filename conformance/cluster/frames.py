"""What the frames of brokers say of a partition, and the one change that is made to a fetch."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from kafka.protocol.consumer import FetchResponse

from .gates import LEADER_AND_ISR_KEY, Frame
from .log_files import bytes_of, records_of

LAST_FETCH_WITH_REPLICA_FIRST = 14
"""To this version a fetch begins with the id of the follower."""
FIRST_FETCH_WITH_DIVERGING_EPOCH, FIRST_FETCH_BY_TOPIC_ID = 12, 13
FIRST_ALTER_ISR_WITH_RECOVERY = 1
"""From this version on a request for another ISR says after the members whether the leader recovers from an unclean election."""
RECORD_BYTES = 8 + 4 + 4 + 1 + 1 + 4 + 4 + len(bytes_of(99))
"""What one record takes in the oldest format: offset, size, checksum, magic, attributes, no key, and a value of the model below 100.

Brokers to 0.10.0 answer a smaller limit with part of a record, and a larger one with a record and part of the next, which is dropped.
"""


def ask_for_one_record_now(frame: Frame) -> None:
    """Change a follower's fetch so that it is answered at once, with one record if there is any: wait 0, min bytes 0, max bytes 1
    (to version 2 as many as one record has).

    A fetch that the broker made waits for data, and gets all there is.
    """
    at = frame.body + (4 if frame.version <= LAST_FETCH_WITH_REPLICA_FIRST else 0)
    struct.pack_into(">ii", frame.data, at, 0, 0)
    if frame.version >= 3:
        struct.pack_into(">i", frame.data, at + 8, 1)
    else:
        for place in _partition_limits(frame, at + 8):
            struct.pack_into(">i", frame.data, place, RECORD_BYTES)


def _partition_limits(frame: Frame, at: int) -> Iterator[int]:
    """Where a fetch up to version 2 has how many bytes each partition may bring: it has no limit for all of them."""
    (topics,) = struct.unpack_from(">i", frame.data, at)
    at += 4
    for _ in range(topics):
        (size,) = struct.unpack_from(">h", frame.data, at)
        (partitions,) = struct.unpack_from(">i", frame.data, at + 2 + size)
        at += 6 + size
        for _ in range(partitions):
            yield at + 12
            at += 16


def last_offset(frame: Frame) -> int | None:
    """The offset of the last record in the answer to a fetch of the metadata log; None if it has no record."""
    answer = FetchResponse.decode(frame.reply, version=frame.version, header=True)
    offsets = [
        record.offset
        for topic in answer.responses
        for partition in topic.partitions
        for record in records_of(bytes(partition.records or b""))
    ]
    return offsets[-1] if offsets else None


def diverging(frame: Frame, topic: str, topic_id: bytes) -> tuple[int, int] | None:
    """The epoch that an answer to a fetch says the logs part in, and where it ends in the leader's (KIP-595); None if it says none."""
    if frame.version < FIRST_FETCH_WITH_DIVERGING_EPOCH:
        return None
    answer = FetchResponse.decode(frame.reply, version=frame.version, header=True)
    found = of_topic(answer.responses, frame.version, topic, topic_id)
    said = None if found is None else found.partitions[0].diverging_epoch
    return None if said is None else (int(said.epoch), int(said.end_offset))


def of_topic(rows: Iterable[Any], version: int, topic: str, topic_id: bytes) -> Any:
    """The row of a fetch, or of its answer, that is about a topic; None if there is none."""
    by_id = version >= FIRST_FETCH_BY_TOPIC_ID
    return next((row for row in rows if (row.topic_id.bytes == topic_id if by_id else row.topic == topic)), None)


def names(frame: Frame, topic: str, topic_id: bytes) -> bool:
    """Does a request name the topic, by its name or its id?"""
    return topic.encode() in frame.data or (bool(topic_id) and topic_id in frame.data)


@dataclass(frozen=True, kw_only=True)
class Leadership:
    """What a LeaderAndIsr request says of a partition."""

    leader: int
    leader_epoch: int
    isr: tuple[int, ...]


def leadership(frame: Frame, topic: str) -> Leadership | None:
    """What a controller on ZooKeeper tells of the topic's partition; None if the request tells nothing of it."""
    if frame.key != LEADER_AND_ISR_KEY or topic.encode() not in frame.data:
        return None
    # The name of the topic, then partition, controller epoch, leader, leader epoch and ISR, whatever the version has before it.
    at = frame.data.index(topic.encode()) + len(topic)
    if frame.version >= 2:
        return _leadership_by_topics(frame, at)
    _, _, leader, leader_epoch, members = struct.unpack_from(">iiiii", frame.data, at)
    isr = struct.unpack_from(f">{members}i", frame.data, at + 20)
    return Leadership(leader=leader, leader_epoch=leader_epoch, isr=isr)


def _leadership_by_topics(frame: Frame, at: int) -> Leadership:
    """From version 2 on partitions stand below their topic; from 4 on lists are compact, from 5 on topics have ids."""
    if frame.version >= 5:
        at += 16
    at += 1 if frame.version >= 4 else 4
    _, _, leader, leader_epoch = struct.unpack_from(">iiii", frame.data, at)
    at += 16
    if frame.version >= 4:
        members, at = frame.data[at] - 1, at + 1
    else:
        (members,) = struct.unpack_from(">i", frame.data, at)
        at += 4
    isr = struct.unpack_from(f">{members}i", frame.data, at)
    return Leadership(leader=leader, leader_epoch=leader_epoch, isr=isr)


def asked_isr(frame: Frame, topic: str, topic_id: bytes) -> tuple[int, ...] | None:
    """The ISR that a leader asks for (AlterPartition, AlterIsr); None if the request is of another topic."""
    if not names(frame, topic, topic_id):
        return None
    at = _asked_isr_at(frame, topic, topic_id)
    count, size = frame.data[at] - 1, _member_size(frame)
    return tuple(sorted(struct.unpack_from(">i", frame.data, at + 1 + number * size)[0] for number in range(count)))


def asked_in_epoch(frame: Frame, topic: str, topic_id: bytes) -> int:
    """The leader epoch in which a leader asks for another ISR."""
    (epoch,) = struct.unpack_from(">i", frame.data, _asked_isr_at(frame, topic, topic_id) - 4)
    return int(epoch)


def asked_with_partition_epoch(frame: Frame, topic: str, topic_id: bytes) -> int:
    """The partition epoch that a leader knows when it asks for another ISR: each decision on the partition is the next."""
    at = _asked_isr_at(frame, topic, topic_id)
    at += 1 + (frame.data[at] - 1) * _member_size(frame) + (frame.version >= FIRST_ALTER_ISR_WITH_RECOVERY)
    return int(struct.unpack_from(">i", frame.data, at)[0])


def ask_for_isr(frame: Frame, topic: str, topic_id: bytes, isr: tuple[int, ...]) -> None:
    """Change a request for another ISR, so that it asks for this one."""
    at = _asked_isr_at(frame, topic, topic_id)
    end = at + 1 + (frame.data[at] - 1) * _member_size(frame)
    with_epochs = _member_size(frame) > 4
    members = b"".join(
        struct.pack(">iq", member, -1) + b"\0" if with_epochs else struct.pack(">i", member) for member in isr
    )
    frame.data[at:end] = bytes([len(isr) + 1]) + members


def isr_error(frame: Frame, topic: str, topic_id: bytes) -> int:
    """The error code in the answer to a request for another ISR: of the request as a whole, else of the partition."""
    assert frame.reply is not None
    # The header ends with tagged fields, of which brokers send none; then the throttle time.
    (error,) = struct.unpack_from(">h", frame.reply, 4 + 1 + 4)
    if error:
        return int(error)
    by_id = bool(topic_id) and topic_id in frame.reply
    name = topic_id if by_id else topic.encode()
    if name not in frame.reply:
        return 0
    at = frame.reply.index(name) + len(name) + 1 + 4
    return int(struct.unpack_from(">h", frame.reply, at)[0])


def _asked_isr_at(frame: Frame, topic: str, topic_id: bytes) -> int:
    by_id = bool(topic_id) and topic_id in frame.data
    start = frame.data.index(topic_id) + len(topic_id) if by_id else frame.data.index(topic.encode()) + len(topic)
    return start + 1 + 4 + 4


def _member_size(frame: Frame) -> int:
    """From version 3 on a member comes with its broker's epoch, and tagged fields."""
    return 13 if frame.version >= 3 else 4


def wishes_to_end(frame: Frame) -> bool:
    """Does a broker's heartbeat ask for a controlled shutdown?"""
    return bool(frame.data[frame.body + 4 + 8 + 8 + 1])
