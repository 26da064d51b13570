"""Records and checkpoints on the disk of a broker: read as Kafka's own library writes them, and changed as faults do."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neverlost.conformance.cluster.log_files import HIGH_WATERMARKS, RECOVERY_POINTS, BrokerDisk, records_of

pytest.importorskip("kafka", reason="kafka-python is not there: pip install 'neverlost[brokers]'")

VALUES = st.lists(st.binary(max_size=40), min_size=1, max_size=5)


def batch(magic: int, values: list[bytes]) -> bytes:
    from kafka.record.memory_records import MemoryRecordsBuilder

    builder = MemoryRecordsBuilder(magic, 0, 1 << 20)
    for value in values:
        headers = {"headers": []} if magic == 2 else {}
        builder.append(timestamp=None if magic == 0 else 1, key=None, value=value, **headers)
    builder.close()
    return bytes(builder.buffer())


@given(VALUES, st.sampled_from((0, 1, 2)))
def test_what_kafkas_library_writes_is_read_back(values: list[bytes], magic: int) -> None:
    assert [record.value for record in records_of(batch(magic, values))] == values


@given(VALUES, st.integers(min_value=1, max_value=60))
def test_a_batch_that_is_cut_off_is_left_out(values: list[bytes], missing: int) -> None:
    whole = batch(2, values)
    assert [record.value for record in records_of(whole + whole[:-missing])] == values


def disk_with(folder: Path, values: list[bytes]) -> BrokerDisk:
    disk = BrokerDisk(folder)
    disk.partition("t").mkdir()
    data = b""
    for offset, value in enumerate(values):
        data += offset.to_bytes(8, "big") + batch(2, [value])[8:]
    (disk.partition("t") / "00000000000000000000.log").write_bytes(data)
    for name in (HIGH_WATERMARKS, RECOVERY_POINTS):
        (folder / name).write_text(f"0\n2\nother 0 7\nt 0 {len(values)}\n", encoding="ascii")
    return disk


def test_a_power_loss_takes_the_tail_and_nothing_of_other_topics(tmp_path: Path) -> None:
    disk = disk_with(tmp_path, [b"a", b"b", b"c"])
    disk.lose_tail("t", 1)
    assert [(record.offset, record.value) for record in disk.log("t")] == [(0, b"a")]
    assert [disk.checkpointed(name, "t") for name in (HIGH_WATERMARKS, RECOVERY_POINTS)] == [1, 1]
    assert disk.checkpointed(HIGH_WATERMARKS, "other") == 7


def test_a_lost_disk_leaves_neither_records_nor_checkpoints(tmp_path: Path) -> None:
    disk = disk_with(tmp_path, [b"a"])
    disk.lose("t")
    assert disk.log("t") == []
    assert disk.checkpointed(HIGH_WATERMARKS, "t") == 0
    assert disk.checkpointed(HIGH_WATERMARKS, "other") == 7
