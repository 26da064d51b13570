"""An idempotent producer whom a partition may forget before it sends a record again for the last time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from neverlost.spec.configuration import Deployment, read_deployment, read_deployments

TOPIC = "replication.factor=3\nmin.insync.replicas=2\n"
JAVA = "acks=all\nenable.idempotence=true\nkey.serializer=a.B\n"
BROKER = "process.roles=broker\nlog.dirs=/data\n"
OLD_BROKER = "zookeeper.connect=a:1\nlog.dirs=/data\n"
STREAMS = "application.id=a\nreplication.factor=3\nprocessing.guarantee=exactly_once_v2\n"
FORGETS, OLDER = "a partition may forget an idempotent producer", "records have the time of those that they are made of"


def made(folder: Path, version: str, **texts: str) -> Deployment:
    arguments = []
    for role, text in {"topic": TOPIC, **texts}.items():
        path = folder / f"{role}.conf"
        path.write_text(text, encoding="utf-8")
        arguments.append(f"{role}:{path}")
    return read_deployment(arguments, kafka_version=version)


def doubts(found: Deployment, beginning: str) -> list[str]:
    return [doubt.what for doubt in found.doubts if doubt.what.removeprefix("by default ").startswith(beginning)]


@pytest.mark.parametrize(
    ("version", "texts", "forgotten"),
    [
        ("4.1.1", {"producer": JAVA, "broker": BROKER}, False),
        ("4.1.1", {"producer": JAVA, "broker": f"{BROKER}producer.id.expiration.ms=120000\n"}, True),
        ("4.1.1", {"producer": JAVA, "broker": f"{BROKER}producer.id.expiration.ms=120001\n"}, False),
        ("4.1.1", {"producer": f"{JAVA}delivery.timeout.ms=86400000\n", "broker": BROKER}, True),
        ("4.1.1", {"producer": "acks=all\nkey.serializer=a.B\nenable.idempotence=false\n", "broker": BROKER}, False),
        ("4.1.1", {"producer": JAVA, "broker": f"{BROKER}transactional.id.expiration.ms=1000\n"}, False),
        ("3.3.2", {"producer": JAVA, "broker": f"{OLD_BROKER}transactional.id.expiration.ms=1000\n"}, True),
        ("2.0.1", {"producer": JAVA, "broker": OLD_BROKER}, False),
        ("2.0.1", {"producer": JAVA, "broker": f"{OLD_BROKER}transactional.id.expiration.ms=86400000\n"}, True),
    ],
)
def test_a_producer_that_is_forgotten_before_it_gives_up_is_a_doubt(
    tmp_path: Path, version: str, texts: Mapping[str, str], forgotten: bool
) -> None:
    assert bool(doubts(made(tmp_path, version, **texts), FORGETS)) == forgotten


@pytest.mark.parametrize(("timeout", "forgotten"), [("", False), ("=0", True), ("=400000", True), ("=300000", False)])
def test_librdkafka_gives_up_after_its_own_time(tmp_path: Path, timeout: str, forgotten: bool) -> None:
    producer = "acks=all\nenable.idempotence=true\nsasl.username=a\nmax.in.flight=1\n"
    producer += f"message.timeout.ms{timeout}\n" if timeout else ""
    found = made(tmp_path, "4.1.1", producer=producer, broker=f"{BROKER}producer.id.expiration.ms=400000\n")
    assert bool(doubts(found, FORGETS)) == forgotten


@pytest.mark.parametrize(("topic", "older"), [("", True), ("message.timestamp.type=LogAppendTime\n", False)])
def test_streams_sends_records_that_a_partition_counts_as_old(tmp_path: Path, topic: str, older: bool) -> None:
    (tmp_path / "topic.conf").write_text(f"{TOPIC}{topic}", encoding="utf-8")
    (tmp_path / "streams.conf").write_text(STREAMS, encoding="utf-8")
    found = read_deployment_of_the_topic(tmp_path)
    assert bool(doubts(found, OLDER)) == older


def read_deployment_of_the_topic(folder: Path) -> Deployment:
    """The deployment of the topic that a file describes, beside that of the topics which Streams creates."""
    found = read_deployments([f"topic:{folder / 'topic.conf'}", str(folder / "streams.conf")], kafka_version="4.1.1")
    return next(one for one in found if one.settings["min_isr"] == 2)
