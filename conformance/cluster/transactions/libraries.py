"""Producers of client libraries that obey commands: Kafka's own in Java, and librdkafka. They send again by themselves."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Protocol

from ..cluster import Cluster
from ..gates import PRODUCERS
from ..releases import NO_CONFLUENT_KAFKA, ClusterError, MissingError, RunnableRelease
from ..steered_clients import Call, JavaClient
from ..wire import HOST
from .stories import LIBRDKAFKA, release_of_client

BLOCK_MS = 60_000
"""The time of a call."""
POLL_SECONDS = 0.05
SOURCE = "Transactor.java"


@dataclass(frozen=True)
class Patience:
    """request.timeout.ms, after which a library sends again; delivery.timeout.ms or `retries`, after which it gives a record up."""

    request_ms: int = 1500
    delivery_ms: int = 4000
    retries: int | None = None

    @property
    def given_up_seconds(self) -> float:
        """After which time it has given a record up at the latest, but for a slow machine."""
        sent = self.delivery_ms if self.retries is None else self.request_ms * (self.retries + 1)
        return sent / 1000


class Library(Protocol):
    """A producer: `call` makes a call, `init`, `begin`, `commit`, `abort`, or `send` with a partition and a value."""

    def call(self, command: str, *arguments: str) -> Call:
        """Make a call, and do not wait."""

    def suspend(self, seconds: float) -> None:
        """Suspend it, as a pause of its machine does."""

    def close(self) -> None:
        """End it without a further request, as a process that is killed."""


def _settings(cluster: Cluster, name: str, transactional_id: str, timeout_ms: int) -> dict[str, str]:
    """What both libraries call by the same name. They find the brokers behind the gates."""
    return {
        "bootstrap.servers": ",".join(f"{HOST}:{cluster.proxy_port[one]}" for one in cluster.nodes),
        "client.id": f"{PRODUCERS}{name}",
        "transactional.id": transactional_id,
        "transaction.timeout.ms": str(timeout_ms),
        "linger.ms": "0",
        "retry.backoff.ms": "100",
    }


class JavaLibrary:
    """The producer of the brokers' own release, or of another, in a process of its own."""

    def __init__(
        self,
        cluster: Cluster,
        name: str,
        transactional_id: str,
        topic: str,
        timeout_ms: int,
        patience: Patience,
        release: RunnableRelease | None = None,
    ) -> None:
        settings = _settings(cluster, name, transactional_id, timeout_ms) | {
            "request.timeout.ms": str(patience.request_ms),
            "max.block.ms": str(BLOCK_MS),
        }
        if (release or cluster.release).number >= (2, 1):
            settings["delivery.timeout.ms"] = str(patience.delivery_ms)
        if patience.retries is not None:
            settings["retries"] = str(patience.retries)
        self._client = JavaClient(
            cluster, f"{topic}-{name}", str(files(__package__) / SOURCE), settings, topic, release
        )

    def call(self, command: str, *arguments: str) -> Call:
        return self._client.call(command, *arguments)

    def suspend(self, seconds: float) -> None:
        os.killpg(self._client.process.pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.killpg(self._client.process.pid, signal.SIGCONT)

    def close(self) -> None:
        self._client.kill()


def _silent() -> logging.Logger:
    """Where librdkafka's log goes: nowhere. What it says to its application is what counts."""
    logger = logging.getLogger(__name__)
    logger.propagate = False
    logger.addHandler(logging.NullHandler())
    return logger


class LibrdkafkaLibrary:
    """librdkafka's producer, through confluent-kafka. Raises MissingError if that is not there."""

    def __init__(
        self, cluster: Cluster, name: str, transactional_id: str, topic: str, timeout_ms: int, patience: Patience
    ) -> None:
        try:
            from confluent_kafka import Producer
        except ImportError:
            raise MissingError(NO_CONFLUENT_KAFKA) from None
        self.topic, self._closed = topic, False
        self._producer: Any = Producer(
            _settings(cluster, name, transactional_id, timeout_ms)
            | {
                "socket.timeout.ms": str(patience.request_ms),
                "request.timeout.ms": str(patience.request_ms),
                "delivery.timeout.ms": str(patience.delivery_ms),
                "reconnect.backoff.max.ms": "200",
            },
            logger=_silent(),
        )
        threading.Thread(target=self._poll, daemon=True).start()

    def _poll(self) -> None:
        from confluent_kafka import KafkaException

        while not self._closed:
            # A fatal error is raised here too; calls return with it.
            with suppress(KafkaException):
                self._producer.poll(POLL_SECONDS)

    def call(self, command: str, *arguments: str) -> Call:
        call = Call()
        if command == "send":
            partition, value = arguments
            self._producer.produce(
                self.topic,
                value.encode(),
                partition=int(partition),
                on_delivery=lambda error, _: call.end("" if error is None else error.name()),
            )
            return call
        threading.Thread(target=self._make, args=(call, command), daemon=True).start()
        return call

    def _make(self, call: Call, command: str) -> None:
        from confluent_kafka import KafkaException

        made: dict[str, Callable[[], object]] = {
            "init": lambda: self._producer.init_transactions(BLOCK_MS / 1000),
            "begin": self._producer.begin_transaction,
            "commit": lambda: self._producer.commit_transaction(BLOCK_MS / 1000),
            "abort": lambda: self._producer.abort_transaction(BLOCK_MS / 1000),
        }
        try:
            made[command]()
        except KafkaException as error:
            call.end(error.args[0].name())
        else:
            call.end()

    def suspend(self, seconds: float) -> None:
        raise ClusterError("librdkafka is in this process, which cannot suspend it")

    def close(self) -> None:
        self._closed = True
        self._producer = None


def producer_of(
    library: str,
    cluster: Cluster,
    name: str,
    transactional_id: str,
    topic: str,
    timeout_ms: int,
    patience: Patience,
) -> Library:
    """A producer of a library, of those that `release_of_client` names."""
    if library == LIBRDKAFKA:
        return LibrdkafkaLibrary(cluster, name, transactional_id, topic, timeout_ms, patience)
    return JavaLibrary(cluster, name, transactional_id, topic, timeout_ms, patience, release_of_client(library))
