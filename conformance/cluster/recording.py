"""Recordings of real brokers: runs of one topic each, as many as the time allows, as event logs and as a history of clients."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from neverlost.explorer.process.watch import UNWATCHED, Watch

from .cluster import SHORT_LAG_MS, Cluster
from .live_run import BROKER_SETTINGS, LiveRun, LiveSettings
from .recorded_log import log_lines
from .releases import ClusterError, RunnableRelease
from .sightings import Happened, Sent
from .wire import NO_ERROR, NOT_ENOUGH_REPLICAS

ONE_RECORD_A_FETCH_FROM = (0, 10, 1)
"""The first release whose followers can be made to fetch one record at a time (KIP-74)."""
FIRST_FOR_CLIENTS = (0, 11)
"""The first release that speaks the message format of the clients of now."""


@dataclass(frozen=True, kw_only=True)
class RecordedRun:
    """The run of a topic: its event log, what a client sent, and what a consumer read at the end, with offsets.

    The log is empty where the client itself chose the brokers that it sent to: what it sent is then not seen.
    """

    number: int
    topic: str
    log: tuple[str, ...]
    sent: tuple[Sent, ...]
    read: tuple[tuple[int, int], ...]
    happened: tuple[Happened, ...]

    @property
    def events(self) -> int:
        """How many events the log has."""
        return max(len(self.log) - 1, 0)

    @property
    def acknowledged(self) -> int:
        """How many values the client knows to be written."""
        return sum(1 for one in self.sent if one.error == NO_ERROR)


def ensure_recordable(release: RunnableRelease, client: str) -> None:
    """Raises ClusterError if runs of the release with this client cannot be recorded."""
    if release.number < ONE_RECORD_A_FETCH_FROM:
        raise ClusterError(
            f"Kafka {release.version} cannot be recorded: its followers fetch any number of records at once"
        )
    if client != "raw" and release.number < FIRST_FOR_CLIENTS:
        raise ClusterError(f"the clients of now do not speak to Kafka {release.version}; record it with the raw client")


def record(
    release: RunnableRelease,
    numbers: Iterable[int],
    settings: LiveSettings,
    *,
    seed: int = 0,
    watch: Watch[str] = UNWATCHED,
) -> Iterator[RecordedRun]:
    """Do the runs of these numbers on one cluster, and record each. A seed makes the same choices again, not the same run.

    Raises KeyboardInterrupt if the watch is interrupted, ClusterError if the brokers do not start or do not come back.
    """
    ensure_recordable(release, settings.client)
    profile = release.profile
    with Cluster(release, lag_ms=SHORT_LAG_MS, settings=BROKER_SETTINGS, watch=watch) as cluster:
        for number in numbers:
            topic = f"run-{number:03}"
            first = (number - 1) * settings.values
            seen = LiveRun(cluster, topic, settings, Random(f"{seed} {number}"), first=first).run()
            raw = settings.client == "raw"
            leader = seen.decisions[-1].state.leader
            read = cluster.wire.fetch(cluster.client_port[leader], topic).records
            yield RecordedRun(
                number=number,
                topic=topic,
                log=tuple(log_lines(seen, profile, settings.of_the_model, cluster.brokers)) if raw else (),
                sent=tuple(seen.sent),
                read=tuple((record.offset, record.number) for record in read),
                happened=tuple(seen.happened),
            )


def history_lines(runs: Sequence[RecordedRun]) -> list[str]:
    """What clients saw, as `neverlost history` reads it: a consumer reads each topic, a partition here, at the end."""
    operations: list[tuple[float, dict[str, Any]]] = []
    for run in runs:
        for sent in run.sent:
            about = {"f": "produce", "process": "producer", "key": run.topic, "value": sent.value}
            offset = {"offset": sent.offset} if sent.error == NO_ERROR and sent.offset is not None else {}
            operations.append((sent.began, {"type": "invoke", **about}))
            operations.append((sent.ended, {"type": _outcome(sent), **about, **offset}))
    operations.sort(key=lambda operation: operation[0])
    found = [operation for _, operation in operations]
    found.append({"type": "ok", "f": "assign", "process": "consumer", "value": [run.topic for run in runs]})
    for run in runs:
        reader = {"f": "consume", "process": "consumer", "key": run.topic}
        found += [{"type": "ok", **reader, "offset": offset, "value": value} for offset, value in run.read]
    return [json.dumps(operation) for operation in found]


def _outcome(sent: Sent) -> str:
    """Written, refused, or unknown: only a refusal for too small an ISR is certain to have written nothing."""
    if sent.error == NO_ERROR:
        return "ok"
    return "fail" if sent.error == NOT_ENOUGH_REPLICAS else "info"
