"""A produce request whose last appends take seconds: which partitions a broker appends to later, and a batch that is slow to check."""

from __future__ import annotations

import struct
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import repeat

from kafka.record.util import calc_crc32c

from .wire import Partition

RECORDS, RECORD_BYTES = 16, 60_000_000
"""One batch has so many records of so many zeros. gzip makes less than a megabyte of them, which a topic takes; the broker
decompresses it all before it appends the batch."""
CHUNK = bytes(1 << 20)
GZIP, MAGIC = 1, 2
SLOTS = 16
MOST_PARTITIONS = 10
"""Up to eleven entries, a hash map of Scala has 16 slots, and is read slot by slot."""


@cache
def long_batch() -> bytes:
    """A batch that a broker checks for a second or more before it appends it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = [packer.compress(part) for number in range(RECORDS) for part in _record(number)]
    records = b"".join([*packed, packer.flush()])
    now = int(time.time() * 1000)
    checked = struct.pack(">hiqqqhii", GZIP, RECORDS - 1, now, now, -1, -1, -1, RECORDS) + records
    rest = struct.pack(">ib", -1, MAGIC) + struct.pack(">I", calc_crc32c(checked)) + checked
    return struct.pack(">qi", 0, len(rest)) + rest


def _record(number: int) -> Iterator[bytes]:
    """Attributes, a timestamp and an offset as differences, no key, the value, and no headers."""
    head = b"\0" + _varint(0) + _varint(number) + _varint(-1) + _varint(RECORD_BYTES)
    yield _varint(len(head) + RECORD_BYTES + 1) + head
    whole, rest = divmod(RECORD_BYTES, len(CHUNK))
    yield from repeat(CHUNK, whole)
    yield CHUNK[:rest] + b"\0"


def _varint(number: int) -> bytes:
    left = (number << 1) ^ (number >> 63)
    found = bytearray()
    while left > 0x7F:
        found.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*found, left])


def appended_after(first: Partition, others: Iterable[Partition], topic_ids: Mapping[str, bytes]) -> list[Partition]:
    """The partitions to which a broker appends after `first`, if one request has them all; at most ten are given.

    A broker puts the partitions of a request into a mutable hash map of Scala 2.13, by topic and number, from 4.1 on by the topic's
    id too (then `topic_ids` has them), and appends as it goes through the map.
    """
    place = _place(first, topic_ids)
    return [other for other in others if _place(other, topic_ids) > place][:MOST_PARTITIONS]


def _place(partition: Partition, topic_ids: Mapping[str, bytes]) -> tuple[int, int]:
    """Where an entry is in the map: its slot, and in the slot its hash, which Java compares with its sign."""
    topic, number = partition
    hashed = 31 * (31 + number) + _hash_of_text(topic)
    if topic in topic_ids:
        high, low = struct.unpack(">II", _folded(topic_ids[topic]))
        hashed += 31 * (31 + (high ^ low))
    hashed &= 0xFFFFFFFF
    hashed ^= hashed >> 16
    return hashed % SLOTS, hashed - (hashed >> 31 << 32)


def _folded(topic_id: bytes) -> bytes:
    high, low = struct.unpack(">QQ", topic_id)
    return struct.pack(">Q", high ^ low)


def _hash_of_text(text: str) -> int:
    found = 0
    for letter in text:
        found = 31 * found + ord(letter) & 0xFFFFFFFF
    return found
