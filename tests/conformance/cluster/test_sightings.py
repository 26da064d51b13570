"""What frames between real brokers say of a partition: read from requests and answers that were recorded, and from a metadata log."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("kafka", reason="kafka-python is not there: pip install 'neverlost[brokers]'")

from kafka.record.memory_records import MemoryRecordsBuilder

from neverlost.conformance.cluster.gates import ALTER_ISR, CONTROL, FETCH, Frame
from neverlost.conformance.cluster.log_files import LogRecord
from neverlost.conformance.cluster.sightings import (
    AskedIsr,
    Decision,
    Exchange,
    LeaderAndIsr,
    Seen,
    changes_of,
    decisions_of,
)
from neverlost.conformance.cluster.wire import PartitionState

RECORDED = json.loads(Path(__file__).with_name("recorded_frames.json").read_text(encoding="utf-8"))
EVERYBODY = (1, 2, 3)


def seen_of(release: str, kind: str, topic: str | None = None) -> Seen:
    """What a recorded frame of a release says of its topic, or of another."""
    row = next(row for row in RECORDED if (row["release"], row["kind"]) == (release, kind))
    frame = Frame(SimpleNamespace(destination=row["destination"]), bytes.fromhex(row["request"]))  # type: ignore[arg-type]
    frame.reply = bytes.fromhex(row["answer"])
    seen = Seen()
    topic_id = bytes.fromhex(row["topic_id"]) if topic is None else b""
    seen.take(frame, topic or row["topic"], topic_id, 1.0, 2.0)
    return seen


@pytest.mark.parametrize(("release", "epoch"), [("2.0.1", None), ("3.9.1", 0)])
def test_a_fetch_and_its_answer_are_an_exchange(release: str, epoch: int | None) -> None:
    record = LogRecord(offset=0, epoch=0, value=b"v0", start=0)
    exchange = Exchange(
        follower=3,
        leader=1,
        began=1.0,
        ended=2.0,
        offset=0,
        epoch=epoch,
        error=0,
        high_watermark=0,
        records=(record,),
    )
    assert seen_of(release, FETCH) == Seen(exchanges=[exchange])


def test_a_controller_on_zookeeper_tells_a_broker_who_leads() -> None:
    assert seen_of("2.0.1", CONTROL) == Seen(
        leader_and_isr=[LeaderAndIsr(broker=3, leader=1, leader_epoch=1, began=1.0, ended=2.0)]
    )


def test_a_leader_asks_for_another_isr() -> None:
    assert seen_of("3.9.1", ALTER_ISR) == Seen(asked=[AskedIsr(leader=1, isr=EVERYBODY, began=1.0, error=0)])


@pytest.mark.parametrize(("release", "kind"), [(row["release"], row["kind"]) for row in RECORDED])
def test_a_frame_says_nothing_of_another_topic(release: str, kind: str) -> None:
    assert seen_of(release, kind, "another") == Seen()


def partition_change(topic_id: bytes, **fields: bytes) -> bytes:
    """A PartitionChangeRecord as KRaft writes it: version of the frame, kind, version, partition, topic, tagged fields."""
    tags = {"isr": 0, "leader": 1}
    tagged = b"".join(bytes([tags[name], len(value)]) + value for name, value in fields.items())
    return bytes([1, 5, 0]) + struct.pack(">i", 0) + topic_id + bytes([len(fields)]) + tagged


def test_the_metadata_log_has_the_controllers_decisions() -> None:
    topic_id, other = bytes(range(16)), bytes(16)
    builder = MemoryRecordsBuilder(2, 0, 1 << 16)
    for value in (
        partition_change(topic_id, isr=b"\3" + struct.pack(">ii", 3, 2), leader=struct.pack(">i", 2)),
        partition_change(other, leader=struct.pack(">i", 3)),
        bytes([1, 17, 0]),
        partition_change(topic_id, isr=b"\4" + struct.pack(">iii", 2, 3, 1)),
    ):
        builder.append(timestamp=5_000, key=None, value=value, headers=[])
    builder.close()
    start = PartitionState(leader=1, leader_epoch=0, isr=EVERYBODY)
    assert list(decisions_of(bytes(builder.buffer()), topic_id, start)) == [
        Decision(at=5.0, state=PartitionState(leader=2, leader_epoch=1, isr=(2, 3))),
        Decision(at=5.0, state=PartitionState(leader=2, leader_epoch=1, isr=EVERYBODY)),
    ]
    assert changes_of(bytes(builder.buffer()), topic_id) == 2
