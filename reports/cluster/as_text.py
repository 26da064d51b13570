"""A cluster of real brokers in the hands of an operator, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neverlost.conformance.cluster.log_files import LogRecord
from neverlost.conformance.cluster.operating import named
from neverlost.conformance.cluster.serving import RunningCluster

from ..table import table_text

CONTROLLERS = ("controller", "process", "takes itself for", "epoch", "log end")
CONSUMED = ("offset", "epoch", "value")


def up_text(about: RunningCluster, min_isr: int) -> str:
    """What runs, and how to go on."""
    clients = ",".join(f"127.0.0.1:{about.port(broker)}" for broker in range(1, len(about.client_ports)))
    replicas = " ".join(f"r{broker}" for broker in about.replicas)
    return "\n".join(
        [
            f"Kafka {about.release} runs",
            f"  clients  {clients}",
            f"  topic    {about.topic}, on {replicas}, min.insync.replicas {min_isr}",
            f"  folder   {about.folder}",
            "In another terminal",
            "  neverlost cluster status    and produce, consume, hold, open, cut, kill, fence, restart, move, elect",
            "  neverlost cluster down      ends it, and so does Ctrl-C here",
        ]
    )


def state_line(status: Mapping[str, Any]) -> str:
    """Who leads, in a line."""
    leader = "nobody leads" if status["leader"] == -1 else f"r{status['leader']} leads"
    dead = [f"r{row['broker']}" for row in status["brokers"] if row["process"] == "dead"]
    held = [f"{row['kind']} {row['gate']}" for row in status["held"]]
    return " | ".join(
        [
            f"Kafka {status['release']}, Ctrl-C ends it: {leader}, epoch {status['leader_epoch']}, ISR {named(status['isr'])}",
            *([f"dead {' '.join(dead)}"] if dead else []),
            *([f"held {', '.join(held)}"] if held else []),
        ]
    )


def status_text(status: Mapping[str, Any]) -> str:
    """The status of a cluster, for people."""
    titles = ("broker", "process", "session", "log end", "high watermark", "takes itself for", "epoch")
    rows = [
        (
            f"r{row['broker']}",
            row["process"],
            row["session"],
            row["log_end"],
            row["high_watermark"],
            None if row["leads"] is None else "leader" if row["leads"] else "follower",
            row["leader_epoch"],
        )
        for row in status["brokers"]
    ]
    leader = "nobody leads" if status["leader"] == -1 else f"r{status['leader']} leads"
    isr = f"ISR {named(status['isr'])}"
    eligible = "" if status["eligible"] is None else f", ELR {named(status['eligible'])}"
    held = [f"  {row['kind']} {row['gate']}, {row['waiting']} waiting" for row in status["held"]]
    controllers = [
        (f"c{row['controller']}", row["process"], "leader" if row["leads"] else "", row["epoch"], row["log_end"])
        for row in status.get("controllers", ())
    ]
    quorum = table_text(CONTROLLERS, controllers).split("\n") if controllers else []
    return "\n".join(
        [
            f"Kafka {status['release']} with {status['mode']}, topic {status['topic']}",
            *(f"  {line}" for line in table_text(titles, rows).split("\n")),
            f"The controller knows: {leader}, epoch {status['leader_epoch']}, {isr}{eligible}",
            *(f"  {line}" for line in quorum),
            *(["Held", *held] if held else []),
        ]
    )


def consumed_text(broker: int, records: Sequence[LogRecord]) -> str:
    """The records that a broker has for consumers."""
    table = table_text(CONSUMED, consumed_rows(records)).split("\n")
    return "\n".join([f"r{broker} has for consumers", *(f"  {line}" for line in table)])


def consumed_rows(records: Sequence[LogRecord]) -> list[tuple[int, int | None, str]]:
    """Offset, epoch and value of each record."""
    return [(record.offset, record.epoch, record.value.decode("utf-8", "replace")) for record in records]
