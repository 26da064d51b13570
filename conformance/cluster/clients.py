"""Clients that send values to a topic while things fail: requests of this package to one chosen broker, Kafka's own producer in
Java, and librdkafka. Each sends one value after the other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from random import Random
from typing import TYPE_CHECKING, Any

from .log_files import bytes_of
from .releases import NO_CONFLUENT_KAFKA, ClusterError, MissingError
from .sightings import Sent
from .wire import HOST, NO_ERROR, NO_LEADER

if TYPE_CHECKING:
    from .cluster import Cluster

ACKS = {"0": 0, "1": 1, "all": -1}
ANSWER_MS, ANSWER_SECONDS = 2500, 4.0
DELIVERY_MS = 15_000
"""So long a client of Kafka tries to deliver a value."""
LONGEST_PAUSE = 0.6
STARTED_SECONDS = 60.0
SOURCE, SENT = "SendAndTell.java", "sent"


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a client is to send: values that begin with `first`, to a topic, with what it waits for and settings of its own."""

    topic: str
    first: int
    count: int
    acks: str
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def values(self) -> range:
        """The values."""
        return range(self.first, self.first + self.count)


Client = Callable[["Cluster", Task, Random], Callable[[], list[Sent]]]
"""Begins to send the values of a task; what it returns waits until all are sent, and says what became of them."""


def _in_a_thread(send: Callable[[int], Sent], task: Task, random: Random) -> Callable[[], list[Sent]]:
    """Send each value in a thread, after a pause."""
    sent: list[Sent] = []
    pauses = [random.uniform(0, LONGEST_PAUSE) for _ in task.values]

    def send_all() -> None:
        for value, pause in zip(task.values, pauses, strict=True):
            time.sleep(pause)
            sent.append(send(value))

    thread = threading.Thread(target=send_all, daemon=True)
    thread.start()

    def finish() -> list[Sent]:
        thread.join()
        return sent

    return finish


def by_request(cluster: Cluster, task: Task, random: Random) -> Callable[[], list[Sent]]:
    """Each value in one request, to whom a live broker, which may be behind, takes for the leader."""
    choice = Random(random.random())

    def send(value: int) -> Sent:
        broker = _supposed_leader(cluster, task.topic, choice)
        began, offset = time.time(), None
        error: int | str | None
        try:
            answer = cluster.wire.produced(
                cluster.client_port[broker],
                task.topic,
                bytes_of(value),
                ACKS[task.acks],
                wait_ms=ANSWER_MS,
                timeout=ANSWER_SECONDS,
            )
            error, offset = (None, None) if answer is None else answer
        except OSError as problem:
            error = type(problem).__name__
        return Sent(value=value, broker=broker, began=began, ended=time.time(), error=error, offset=offset)

    return _in_a_thread(send, task, random)


def _supposed_leader(cluster: Cluster, topic: str, choice: Random) -> int:
    live = [broker for broker in cluster.brokers if broker not in cluster.dead]
    try:
        found = cluster.wire.metadata(cluster.client_port[choice.choice(live)], topic)
        leader = int(found.topics[0].partitions[0].leader_id)
    except (OSError, LookupError):
        leader = NO_LEADER
    return leader if leader in cluster.brokers else choice.choice(live)


def _common_settings(cluster: Cluster, task: Task) -> dict[str, str]:
    """What both libraries call by the same name."""
    brokers = ",".join(f"{HOST}:{cluster.client_port[broker]}" for broker in cluster.brokers)
    return {
        "bootstrap.servers": brokers,
        "acks": task.acks,
        "request.timeout.ms": str(ANSWER_MS),
        "retry.backoff.ms": "100",
        "reconnect.backoff.max.ms": "200",
        "linger.ms": "0",
    }


def by_java(cluster: Cluster, task: Task, random: Random) -> Callable[[], list[Sent]]:
    """By the producer of the release's own Java library."""
    settings = _common_settings(cluster, task) | {"max.block.ms": str(DELIVERY_MS)}
    if cluster.release.number >= (2, 1):
        settings["delivery.timeout.ms"] = str(DELIVERY_MS)
    properties = cluster.folder / f"{task.topic}.properties"
    lines = [f"{name}={value}\n" for name, value in {**settings, **task.settings}.items()]
    properties.write_text("".join(lines), encoding="utf-8")
    pause_ms = round(random.uniform(0, LONGEST_PAUSE) * 1000)
    said = [properties, task.topic, task.first, task.count, pause_ms]
    process = cluster.run_java(f"{task.topic}-client", str(files(__package__) / SOURCE), list(map(str, said)))

    def finish() -> list[Sent]:
        cluster.until(process.has_ended, STARTED_SECONDS + task.count * DELIVERY_MS / 1000, "the end of the client")
        if process.process.returncode:
            raise ClusterError(f"the Java client ended with code {process.process.returncode}: {process.last_lines()}")
        rows = [line.split() for line in process.output().splitlines() if line.startswith(f"{SENT} ")]
        return [_sent_by_java(row[1:], task) for row in rows]

    return finish


def _sent_by_java(row: list[str], task: Task) -> Sent:
    value, began, ended, offset, *error = row
    return Sent(
        value=int(value),
        began=int(began) / 1000,
        ended=int(ended) / 1000,
        error=error[0] if error else _acknowledged(task),
        offset=int(offset) if int(offset) >= 0 else None,
    )


def _acknowledged(task: Task) -> int | None:
    """What stands for success: with acks=0 nothing is known."""
    return None if task.acks == "0" else NO_ERROR


def by_librdkafka(cluster: Cluster, task: Task, random: Random) -> Callable[[], list[Sent]]:
    """By librdkafka, through confluent-kafka. Raises MissingError if that is not there."""
    try:
        from confluent_kafka import Producer
    except ImportError:
        raise MissingError(NO_CONFLUENT_KAFKA) from None
    settings = _common_settings(cluster, task) | {"delivery.timeout.ms": str(DELIVERY_MS), "log_level": "0"}
    producer = Producer({**settings, **task.settings})

    def send(value: int) -> Sent:
        began, said = time.time(), list[tuple[Any, Any]]()
        producer.produce(
            task.topic, bytes_of(value), partition=0, on_delivery=lambda error, message: said.append((error, message))
        )
        producer.flush()
        ((error, message),) = said
        offset = None if error is not None or message.offset() < 0 else message.offset()
        outcome = _acknowledged(task) if error is None else error.name()
        return Sent(value=value, began=began, ended=time.time(), error=outcome, offset=offset)

    return _in_a_thread(send, task, random)


CLIENTS: Mapping[str, Client] = {"raw": by_request, "java": by_java, "librdkafka": by_librdkafka}
"""The clients, by name."""
