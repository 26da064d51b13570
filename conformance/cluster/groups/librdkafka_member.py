"""Obeys commands from a socket with librdkafka's consumer of a group, as `GroupMember.java` does with Kafka's own.

A program of its own, since a story may kill it. Where librdkafka does not store offsets by itself, it stores that of what is processed.
"""

from __future__ import annotations

import socket
import sys
from typing import Any

HOST = "127.0.0.1"
WAIT_SECONDS = 10.0


class Member:
    """A consumer that returns records only of the partition that is polled."""

    def __init__(self, settings: dict[str, str], topic: str) -> None:
        from confluent_kafka import Consumer, TopicPartition

        self.topic, self.reset = topic, settings["auto.offset.reset"]
        self.stores = settings["enable.auto.offset.store"] == "false"
        self.partition_of: Any = TopicPartition
        self.consumer: Any = Consumer(settings)
        self.owned: set[int] = set()
        self.lost: set[int] = set()
        self.polled: set[int] = set()
        self.consumer.subscribe([topic], on_assign=self._assigned, on_revoke=self._revoked)

    def _assigned(self, consumer: Any, partitions: list[Any]) -> None:
        consumer.assign(partitions)
        consumer.pause(partitions)
        self.owned = {one.partition for one in partitions}

    def _revoked(self, consumer: Any, partitions: list[Any]) -> None:
        consumer.unassign()
        self.lost |= self.owned
        self.owned, self.polled = set(), set()

    def _at(self, partition: str, offset: str = "-1001") -> Any:
        return self.partition_of(self.topic, int(partition), int(offset))

    def poll(self, milliseconds: str, wanted: str) -> str:
        """Poll for so long at most: the partition of this number, or none."""
        asked = {int(wanted)} & self.owned if wanted != "none" else set()
        if rest := self.polled - asked:
            self.consumer.pause([self._at(str(one)) for one in rest])
        if new := asked - self.polled:
            self.consumer.resume([self._at(str(one)) for one in new])
        self.polled = asked
        found = self.consumer.poll(int(milliseconds) / 1000)
        return "" if found is None or found.error() else f"{found.partition()}:{found.offset()}"

    def assigned(self) -> str:
        """The partitions that it owns."""
        return ",".join(map(str, sorted(self.owned)))

    def revoked(self) -> str:
        """The partitions that it has given up since this was asked."""
        found, self.lost = self.lost, set()
        return ",".join(map(str, sorted(found)))

    def position(self, partition: str) -> str:
        """What it reads next. librdkafka gives this only once it has read: before, it is what is committed, or where it is reset to."""
        (found,) = self.consumer.position([self._at(partition)])
        if found.offset < 0:
            (found,) = self.consumer.committed([self._at(partition)], WAIT_SECONDS)
        if found.offset >= 0:
            return str(found.offset)
        ends = self.consumer.get_watermark_offsets(self._at(partition), WAIT_SECONDS)
        return str(ends[0] if self.reset == "earliest" else ends[1])

    def commit(self, partition: str, offset: str) -> str:
        """Commit an offset, and wait for the answer."""
        self.consumer.commit(offsets=[self._at(partition, offset)], asynchronous=False)
        return ""

    def done(self, partition: str, offset: str) -> str:
        """The application has processed what comes before an offset."""
        if self.stores:
            self.consumer.store_offsets(offsets=[self._at(partition, offset)])
        return ""

    def close(self) -> str:
        """Leave the group."""
        self.consumer.close()
        return ""


def main(properties: str, topic: str, port: str) -> None:
    """Answer by the command's number: an error or none, and what it says."""
    with open(properties, encoding="utf-8") as file:
        settings = dict(line.rstrip("\n").split("=", 1) for line in file)
    member = Member(settings, topic)
    with (
        socket.create_connection((HOST, int(port))) as connection,
        connection.makefile("rw", encoding="utf-8") as lines,
    ):
        for line in lines:
            number, command, *arguments = line.split()
            error = said = ""
            try:
                said = getattr(member, command)(*arguments)
            except Exception as problem:
                error = type(problem).__name__
            lines.write(f"{number} {error} {said}\n")
            lines.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
