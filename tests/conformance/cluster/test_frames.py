"""Frames on their way between brokers: which gate they come to, what they say of a partition, and the one change made to a fetch."""

from __future__ import annotations

import struct
from types import SimpleNamespace

import pytest

pytest.importorskip("kafka", reason="kafka-python is not there: pip install 'neverlost[brokers]'")

from neverlost.conformance.cluster import frames
from neverlost.conformance.cluster.gates import ALTER_ISR, CONTROL, FETCH, METADATA_LOG, OTHER, SHUTDOWN, Frame
from neverlost.conformance.cluster.releases import release_named
from neverlost.conformance.cluster.wire import Wire


def frame(key: int, version: int, client: str, body: bytes = b"", destination: int | str = 2) -> Frame:
    head = struct.pack(">hhih", key, version, 5, len(client)) + client.encode()
    return Frame(SimpleNamespace(destination=destination), head + body)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("key", "version", "client", "body", "kind", "source"),
    [
        (1, 12, "broker-3-fetcher-0", b"\0", FETCH, 3),
        (1, 17, "raft-client-1", b"\0", METADATA_LOG, 1),
        (1, 11, "some consumer", b"", OTHER, None),
        (1, 2, "ReplicaFetcherThread-0-1", struct.pack(">i", 3), FETCH, 3),
        (4, 1, "100", b"", CONTROL, 100),
        (4, 0, "id_100-host_127.0.0.1-port_9092", b"", CONTROL, 100),
        (56, 3, "2", b"\0", ALTER_ISR, 2),
    ],
)
def test_a_frame_comes_to_the_gate_of_its_kind_and_sender(
    key: int, version: int, client: str, body: bytes, kind: str, source: int | None
) -> None:
    assert frame(key, version, client, body).place == (kind, source, 2)


def test_a_fetch_is_changed_in_three_numbers_and_nowhere_else() -> None:
    body = struct.pack(">iiii", 3, 500, 1, 1 << 20) + b"the rest"
    fetch = frame(1, 5, "broker-3-fetcher-0", body)
    frames.ask_for_one_record_now(fetch)
    assert bytes(fetch.data[fetch.body :]) == struct.pack(">iiii", 3, 0, 0, 1) + b"the rest"


def test_a_fetch_of_the_oldest_brokers_is_limited_to_one_record_of_each_partition() -> None:
    head = struct.pack(">iiii", 3, 500, 1, 1)
    body = (
        head
        + struct.pack(">h", 2)
        + b"tt"
        + struct.pack(">i", 2)
        + struct.pack(">iqiiqi", 0, 7, 1 << 20, 1, 8, 1 << 20)
    )
    fetch = frame(1, 0, "ReplicaFetcherThread-0-1", body)
    frames.ask_for_one_record_now(fetch)
    assert struct.unpack_from(">iqiiqi", fetch.data, len(fetch.data) - 32) == (0, 7, one_record(), 1, 8, one_record())


def one_record() -> int:
    """How many bytes a record with a value of two digits takes as kafka-python writes it in the oldest format."""
    return len(Wire(release_named("0.8.2.1"))._batch(b"v10"))


def test_the_request_for_a_shutdown_of_0_8_has_no_client_id_and_is_known_by_its_broker() -> None:
    data = struct.pack(">hhi", 7, 0, 5) + struct.pack(">i", 3)
    found = Frame(SimpleNamespace(destination=100), data)  # type: ignore[arg-type]
    assert found.place == (SHUTDOWN, 3, 100)


def test_a_controllers_word_on_a_leader_is_read_from_the_request_of_old_brokers() -> None:
    state = struct.pack(">h", 1) + b"t" + struct.pack(">iiiii", 0, 1, 2, 7, 2) + struct.pack(">ii", 2, 3)
    news = frames.leadership(frame(4, 0, "100", struct.pack(">iii", 100, 1, 1) + state), "t")
    assert news == frames.Leadership(leader=2, leader_epoch=7, isr=(2, 3))


def test_the_isr_that_a_leader_asks_for_is_read_with_the_epochs_of_its_members() -> None:
    topic_id = bytes(range(16))
    members = b"".join(struct.pack(">iq", member, 9) + b"\0" for member in (3, 1))
    body = b"\0" + struct.pack(">iq", 1, 9) + b"\2" + topic_id + b"\2" + struct.pack(">ii", 0, 4) + b"\3" + members
    assert frames.asked_isr(frame(56, 3, "1", body), "t", topic_id) == (1, 3)
    assert frames.asked_in_epoch(frame(56, 3, "1", body), "t", topic_id) == 4
    assert frames.asked_isr(frame(56, 3, "1", body), "another", bytes(16)) is None


@pytest.mark.parametrize("version", [0, 2, 3])
def test_the_partition_epoch_that_a_leader_knows_stands_after_the_isr_that_it_asks_for(version: int) -> None:
    named = b"\2t" if version < 2 else bytes(range(16))
    member = struct.pack(">iq", 1, 9) + b"\0" if version == 3 else struct.pack(">i", 1)
    recovers = b"\1" if version >= 1 else b""
    part = struct.pack(">ii", 0, 4) + b"\2" + member + recovers + struct.pack(">i", 7) + b"\0"
    body = b"\0" + struct.pack(">iq", 1, 9) + b"\2" + named + b"\2" + part
    assert frames.asked_with_partition_epoch(frame(56, version, "1", body), "t", bytes(range(16))) == 7


@pytest.mark.parametrize("isr", [(1,), (1, 2, 3)])
@pytest.mark.parametrize("version", [2, 3])
def test_a_request_for_an_isr_is_changed_in_its_members_and_nowhere_else(version: int, isr: tuple[int, ...]) -> None:
    topic_id = bytes(range(16))
    member = struct.pack(">iq", 1, 9) + b"\0" if version == 3 else struct.pack(">i", 1)
    body = (
        b"\0"
        + struct.pack(">iq", 1, 9)
        + b"\2"
        + topic_id
        + b"\2"
        + struct.pack(">ii", 0, 4)
        + b"\2"
        + member
        + b"the rest"
    )
    request = frame(56, version, "1", body)
    before = bytes(request.data)
    frames.ask_for_isr(request, "t", topic_id, isr)
    assert frames.asked_isr(request, "t", topic_id) == isr
    assert bytes(request.data).startswith(before[: before.index(topic_id) + 25])
    assert bytes(request.data).endswith(b"the rest")
