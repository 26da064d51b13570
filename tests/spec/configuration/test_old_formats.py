"""A message format without leader epochs: the model cuts as 0.10 does."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import read_deployment

TOPIC = "replication.factor=3\nmin.insync.replicas=2\n"


@pytest.mark.parametrize(
    ("version", "topic", "broker", "cuts"),
    [
        ("2.4.1", "message.format.version=0.10.2\n", "", True),
        ("2.4.1", "message.format.version=0.11.0\n", "", False),
        ("2.4.1", "", "log.message.format.version=0.10.0-IV1\n", True),
        ("2.4.1", "message.format.version=2.4\n", "log.message.format.version=0.10.0-IV1\n", False),
        ("3.6.2", "message.format.version=0.10.2\n", "", False),
        ("3.6.2", "message.format.version=0.10.2\n", "inter.broker.protocol.version=2.8\n", True),
        ("0.10.2.2", "message.format.version=0.9.0\n", "", False),
    ],
)
def test_a_format_without_epochs_is_cut_to_the_high_watermark(
    tmp_path: Path, version: str, topic: str, broker: str, cuts: bool
) -> None:
    (tmp_path / "topic.properties").write_text(TOPIC + topic, encoding="utf-8")
    (tmp_path / "server.properties").write_text(f"zookeeper.connect=a:1\nlog.dirs=/data\n{broker}", encoding="utf-8")
    found = read_deployment(
        [str(tmp_path / "topic.properties"), str(tmp_path / "server.properties")], kafka_version=version
    )
    assert found.settings.get("truncation") == ("high-watermark" if cuts else None)
