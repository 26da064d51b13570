"""A batch that takes a broker long, and the order in which it appends to the partitions of one request."""

from __future__ import annotations

import gzip
import struct

import pytest

pytest.importorskip("kafka", reason="kafka-python is not there: pip install 'neverlost[brokers]'")

from kafka.record.util import calc_crc32c

from neverlost.conformance.cluster import long_appends
from neverlost.conformance.cluster.long_appends import appended_after, long_batch

SLOTS_OF_LONG = (15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2, 13, 12)
SLOTS_WITH_ID = (4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 2, 3, 0, 1, 6, 7)
"""The slots of long-0 to long-15, computed by Java; with the id below too."""
TOPIC_ID = bytes.fromhex("0123456789abcdeffedcba9876546745")
LONG = [("long", number) for number in range(16)]


@pytest.mark.parametrize(("ids", "slots"), [({}, SLOTS_OF_LONG), ({"long": TOPIC_ID}, SLOTS_WITH_ID)])
@pytest.mark.parametrize("first", [0, 3, 10, 12])
def test_a_broker_appends_in_the_order_of_a_hash_map(ids: dict[str, bytes], slots: tuple[int, ...], first: int) -> None:
    later = [("long", number) for number in range(16) if slots[number] > slots[first]]
    assert appended_after(("long", first), LONG, ids) == later[:10]


def test_a_long_batch_is_one_that_a_broker_takes_and_decompresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_appends, "RECORD_BYTES", (1 << 20) + 5)
    batch = long_batch.__wrapped__()
    offset, size, epoch, magic, checksum = struct.unpack_from(">qiibI", batch)
    assert (offset, size, epoch, magic) == (0, len(batch) - 12, -1, 2)
    assert checksum == calc_crc32c(batch[21:])
    attributes, last = struct.unpack_from(">hi", batch, 21)
    assert (attributes, last) == (1, 15)
    records = gzip.decompress(batch[61:])
    assert struct.unpack_from(">i", batch, 57) == (16,)
    assert records.count(b"\0") > 16 * (1 << 20)
    assert len(records) % 16 == 0
