"""Which partition a record goes to (R-CLIENT-1)."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from random import Random
from typing import Protocol

NO_LEADER = -1


class NoPartitionAvailable(Exception):
    """Every partition of the topic is without a leader."""


def partition_of_key(key: str, partitions: int) -> int:
    """The key's hash modulo the number of partitions: a key always goes to the same one, even if that has no leader."""
    return zlib.crc32(key.encode()) % partitions


def available(leaders: Mapping[int, int]) -> list[int]:
    """The partitions that have a leader. Raises NoPartitionAvailable."""
    found = sorted(partition for partition, leader in leaders.items() if leader != NO_LEADER)
    if not found:
        raise NoPartitionAvailable("no partition of the topic has a leader")
    return found


class Keyless(Protocol):
    """Where records without a key go."""

    def partition(self, topic: str, leaders: Mapping[int, int]) -> int:
        """The partition of the next record."""

    def refreshed(self) -> None:
        """The metadata was refreshed."""


class StickyUntilRefresh:
    """0.8.2: one random available partition, kept for the topic until the next refresh of the metadata."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._chosen: dict[str, int] = {}

    def partition(self, topic: str, leaders: Mapping[int, int]) -> int:
        if topic not in self._chosen:
            self._chosen[topic] = self._random.choice(available(leaders))
        return self._chosen[topic]

    def refreshed(self) -> None:
        self._chosen.clear()


class RoundRobin:
    """Older Java producers: each record to the next available partition."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def partition(self, topic: str, leaders: Mapping[int, int]) -> int:
        choices = available(leaders)
        turn = self._next.get(topic, 0)
        self._next[topic] = turn + 1
        return choices[turn % len(choices)]

    def refreshed(self) -> None:
        """The turn does not change."""


class StickyPerBatch:
    """From 2.4 on: one available partition until its batch is full, then another."""

    def __init__(self, random: Random, batch_records: int) -> None:
        self._random, self._batch_records = random, batch_records
        self._chosen: dict[str, tuple[int, int]] = {}

    def partition(self, topic: str, leaders: Mapping[int, int]) -> int:
        choices = available(leaders)
        chosen, taken = self._chosen.get(topic, (NO_LEADER, 0))
        if chosen not in choices or taken >= self._batch_records:
            others = [choice for choice in choices if choice != chosen] or choices
            chosen, taken = self._random.choice(others), 0
        self._chosen[topic] = (chosen, taken + 1)
        return chosen

    def refreshed(self) -> None:
        """The batch does not change."""
