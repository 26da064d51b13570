"""Events by the names that operators use: what each stands for, and what is no event."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.model.kafka.replication.state import Partition
from neverlost.spec.configuration import EVENTS, ConfigurationError, parse_survival

CLI = Path(__file__).parents[3] / "docs" / "reference" / "cli.md"


def test_events_are_read_in_every_spelling() -> None:
    assert parse_survival("Rolling Restart, node_loss") == {
        "rolling-restart": {"leader_moves": 1, "shutdowns": 2},
        "node-loss": {"power_losses": 1},
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' is no event."),
        ("node-los", "'node-los' is no event."),
        ("1 crash", "'1-crash' is no event."),
        ("pod-kill, pod kill", "pod-kill is there twice."),
    ],
)
def test_what_is_no_event_is_refused_with_the_names(text: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_survival(text)
    assert said in str(caught.value)
    assert all(event.name in str(caught.value) for event in EVENTS)


def test_every_event_is_made_of_faults_of_the_model() -> None:
    known = {fault.name for fault in Partition.faults}
    assert all(set(event.faults) <= known and event.faults for event in EVENTS)


def test_the_table_of_the_reference_says_what_each_event_is() -> None:
    text = CLI.read_text(encoding="utf-8")
    for event in EVENTS:
        assert f"| `{event.name}` | {Partition.fault_words(event.faults)} | {event.about} |" in text
