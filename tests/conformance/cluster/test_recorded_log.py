"""An event log is made of what was seen: each event where it is certain, and in an order in which the model can do it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from recorded_logs import verdict
from sampling import quick_one_in

pytest.importorskip("kafka", reason="kafka-python is not there: pip install 'neverlost[brokers]'")

from neverlost.conformance.cluster.log_files import LogRecord
from neverlost.conformance.cluster.recorded_log import RecordingError, log_lines
from neverlost.conformance.cluster.sightings import (
    SESSION_ENDS,
    AskedIsr,
    BrokerState,
    Decision,
    Exchange,
    Happened,
    LeaderAndIsr,
    Seen,
    Sent,
)
from neverlost.conformance.cluster.wire import PartitionState
from neverlost.conformance.validation import LogVerdict
from neverlost.spec import profiles

SETTINGS = {"acks": "all", "min_isr": 2, "unclean": False}
BROKERS = (1, 2, 3)
OLD, NEW = "kafka-0.9", "kafka-4.1"
WITH_EPOCHS = {OLD: False, NEW: True}
EVERYBODY = (1, 2, 3)


def record(offset: int, value: int, epoch: int | None) -> LogRecord:
    return LogRecord(offset=offset, epoch=epoch, value=b"v%d" % value, start=0)


def decision(at: float, leader: int, epoch: int, isr: tuple[int, ...]) -> Decision:
    return Decision(at=at, state=PartitionState(leader=leader, leader_epoch=epoch, isr=isr))


class Story:
    """Two values written in a row, with a fetch of each follower for each, and one that tells the leader."""

    def __init__(self, profile: str) -> None:
        self.profile, self.with_epochs = profile, WITH_EPOCHS[profile]
        self.seen = Seen(decisions=[decision(0.0, 1, 0, EVERYBODY)])

    def fetched(
        self, at: float, follower: int, leader: int, offset: int, high_watermark: int, *got: LogRecord, epoch: int = 0
    ) -> None:
        self.seen.exchanges.append(
            Exchange(
                follower=follower,
                leader=leader,
                began=at,
                ended=at + 0.01,
                offset=offset,
                epoch=epoch if self.with_epochs else None,
                error=0,
                high_watermark=high_watermark,
                records=got,
            )
        )

    def at_epoch(self, offset: int, value: int, epoch: int) -> LogRecord:
        return record(offset, value, epoch if self.with_epochs else None)

    def write(
        self, at: float, value: int, offset: int, leader: int = 1, followers: tuple[int, ...] = (2, 3), epoch: int = 0
    ) -> None:
        """A value is sent, comes to the followers, and is acknowledged when they have asked for the next."""
        self.seen.sent.append(Sent(value=value, broker=leader, began=at, ended=at + 0.4, error=0, offset=offset))
        for number, follower in enumerate(followers):
            moment = at + 0.1 + number / 100
            self.fetched(moment, follower, leader, offset, offset, self.at_epoch(offset, value, epoch), epoch=epoch)
            self.fetched(moment + 0.2, follower, leader, offset + 1, offset + 1, epoch=epoch)
            self.fetched(moment + 0.5, follower, leader, offset + 1, offset + 1, epoch=epoch)

    def end(self, *log: LogRecord) -> list[str]:
        for broker in BROKERS:
            self.seen.brokers[broker] = BrokerState(log=log, high_watermark=len(log))
        return self.lines()

    def lines(self) -> list[str]:
        return log_lines(self.seen, profiles()[self.profile], SETTINGS, BROKERS)


def events(lines: list[str]) -> Iterator[dict[str, Any]]:
    return map(json.loads, lines[1:])


def names(lines: list[str]) -> list[str]:
    return [event["event"] for event in events(lines)]


@pytest.mark.parametrize("profile", [OLD, NEW])
def test_a_quiet_run_is_a_run_of_the_model(profile: str) -> None:
    story = Story(profile)
    story.write(1, 0, 0)
    story.write(2, 1, 1)
    lines = story.end(story.at_epoch(0, 0, 0), story.at_epoch(1, 1, 0))
    assert names(lines).count("produce") == 2
    assert verdict(lines) is LogVerdict.ACCEPTED


def failed_over(profile: str) -> list[str]:
    """Broker 1 dies with value 0, which all have; broker 2 takes value 1; broker 1 comes back."""
    story = Story(profile)
    seen = story.seen
    story.write(1, 0, 0)
    seen.happened += [
        Happened(action="crash", broker=1, at=2, log=(story.at_epoch(0, 0, 0),), checkpoint=1),
        Happened(action=SESSION_ENDS, broker=1, at=2.1),
        Happened(action="restart", broker=1, at=5),
    ]
    seen.decisions.append(decision(2.2, 2, 1, (2, 3)))
    if profile == OLD:
        seen.leader_and_isr += [
            LeaderAndIsr(broker=broker, leader=2, leader_epoch=1, began=2.3, ended=2.35) for broker in (2, 3)
        ]
    story.fetched(2.5, 3, 2, 1, 1, epoch=1)
    story.write(3, 1, 1, leader=2, followers=(3,), epoch=1)
    story.fetched(5.5, 1, 2, 1, 2, story.at_epoch(1, 1, 1), epoch=1)
    story.fetched(5.6, 1, 2, 2, 2, epoch=1)
    seen.decisions.append(decision(5.7, 2, 1, (1, 2, 3)))
    if profile == NEW:
        seen.asked.append(AskedIsr(leader=2, isr=EVERYBODY, began=5.65, error=0))
    story.fetched(6, 1, 2, 2, 2, epoch=1)
    return story.end(story.at_epoch(0, 0, 0), story.at_epoch(1, 1, 1))


@pytest.mark.parametrize("profile", [OLD, NEW])
def test_a_fail_over_is_a_run_of_the_model(profile: str) -> None:
    lines = failed_over(profile)
    assert [name for name in names(lines) if name not in ("fetch", "produce")] == [
        "crash",
        "fail_over",
        "become_leader",
        "become_follower",
        "restart",
        "become_follower",
        "expand_isr",
        *(["grant_isr"] if profile == NEW else []),
    ]
    assert verdict(lines) is LogVerdict.ACCEPTED


def forged(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The log without something that happened, or with an end that is otherwise than it was."""
    for number, line in enumerate(lines):
        name = json.loads(line).get("event")
        if name in ("produce", "fail_over", "expand_isr", "restart"):
            yield f"without {name}", [*lines[:number], *lines[number + 1 :]]
    last = json.loads(lines[-1])
    for field, wrong in (
        ("log_end", {"r1": 1}),
        ("high_watermark", {"r2": 1}),
        ("record_value", {"r3": {"0": 1}}),
        ("newest_epoch", 0),
        ("delivery", {"1": "unknown"}),
    ):
        forgery = last | {"observed": {**last["observed"], field: wrong}}
        yield f"a wrong {field}", [*lines[:-1], json.dumps(forgery)]


@pytest.mark.parametrize("profile", quick_one_in(2, [NEW, OLD]))
def test_a_forged_log_is_no_run_of_the_model(profile: str) -> None:
    lines = failed_over(profile)
    followed = [what for what, forgery in forged(lines) if verdict(forgery) is not LogVerdict.REFUSED]
    assert followed == []


def test_what_a_follower_may_not_have_taken_in_is_no_event() -> None:
    story = Story(NEW)
    story.seen.sent.append(Sent(value=0, broker=1, began=1, ended=1.1, error=7))
    story.fetched(1, 2, 1, 0, 0, story.at_epoch(0, 0, 0))
    story.fetched(1.5, 2, 1, 0, 0, story.at_epoch(0, 0, 0))
    story.fetched(2, 2, 1, 1, 0)
    fetches = [
        event for event in events(story.end(story.at_epoch(0, 0, 0))) if "record_value" in event.get("observed", {})
    ]
    assert len(fetches) == 2, "the first answer was cut off; the second was taken in; and then the end"


def test_a_record_on_the_disk_of_a_dead_follower_was_taken_in() -> None:
    story = Story(NEW)
    story.seen.sent.append(Sent(value=0, broker=1, began=1, ended=1.1, error=7))
    story.fetched(1, 2, 1, 0, 0, story.at_epoch(0, 0, 0))
    story.seen.happened.append(Happened(action="crash", broker=2, at=1.005, log=(story.at_epoch(0, 0, 0),)))
    lines = story.end(story.at_epoch(0, 0, 0))
    assert names(lines)[:3] == ["produce", "fetch", "crash"]


def test_a_value_is_appended_in_the_epoch_that_its_record_has() -> None:
    story = Story(NEW)
    story.seen.decisions.append(decision(1.0, 2, 1, EVERYBODY))
    story.seen.sent.append(Sent(value=0, broker=1, began=1.2, ended=2, error=6))
    story.fetched(1.1, 1, 2, 0, 0, epoch=1)
    story.seen.brokers[1] = BrokerState(log=(story.at_epoch(0, 0, 0),), high_watermark=0)
    happened = names(story.lines())
    assert happened.index("move_leader") < happened.index("produce") < happened.index("become_follower")


def test_values_that_reached_no_broker_do_not_count() -> None:
    story = Story(NEW)
    story.seen.sent.append(Sent(value=5, broker=1, began=0.5, ended=0.6, error="ConnectionRefusedError"))
    story.write(1, 6, 0)
    lines = story.end(story.at_epoch(0, 6, 0))
    produced = next(event for event in events(lines) if event["event"] == "produce")
    assert produced["parameters"]["value"] == 0
    assert verdict(lines) is LogVerdict.ACCEPTED


def test_what_the_controller_decided_unseen_is_said() -> None:
    story = Story(OLD)
    story.seen.decisions.append(decision(1, 2, 2, (2, 3)))
    with pytest.raises(RecordingError, match="decisions between leader epochs 0 and 2 were not seen"):
        story.end()


def test_an_end_of_a_session_without_a_decision_fences_a_follower_outside_the_isr() -> None:
    story = Story(NEW)
    story.seen.decisions[0] = replace(
        story.seen.decisions[0], state=PartitionState(leader=1, leader_epoch=0, isr=(1, 2))
    )
    story.seen.happened.append(Happened(action=SESSION_ENDS, broker=3, at=1))
    assert names(story.end())[0] == "fence_follower"


def test_a_smaller_isr_after_the_end_of_a_session_is_not_what_the_leader_asks_for_later() -> None:
    story = Story(NEW)
    story.seen.happened += [
        Happened(action="pause", broker=3, at=1),
        Happened(action=SESSION_ENDS, broker=3, at=1),
        Happened(action="unfence", broker=3, at=2),
    ]
    story.seen.decisions += [decision(1.1, 1, 0, (1, 2)), decision(3.1, 1, 0, EVERYBODY), decision(4.1, 1, 0, (1, 2))]
    story.seen.asked += [
        AskedIsr(leader=1, isr=EVERYBODY, began=3, error=0),
        AskedIsr(leader=1, isr=(1, 2), began=4, error=0),
    ]
    changes = ["pause", "fence_follower", "unfence", "expand_isr", "grant_isr", "shrink_isr", "grant_isr"]
    assert [name for name in names(story.end()) if name != "fetch"] == changes


def test_a_broker_that_refuses_a_value_leads_later() -> None:
    story = Story(NEW)
    story.seen.decisions.append(decision(1, 2, 1, EVERYBODY))
    story.fetched(1.2, 3, 2, 0, 0, epoch=1)
    story.seen.exchanges[0] = replace(story.seen.exchanges[0], ended=1.6)
    story.seen.sent.append(Sent(value=0, broker=2, began=1.3, ended=1.4, error=6))
    lines = story.end()
    assert names(lines)[:3] == ["move_leader", "refuse_as_not_leader", "become_leader"]
    assert verdict(lines) is LogVerdict.ACCEPTED


def test_a_value_that_a_leader_took_and_then_lost_was_appended_if_the_error_has_its_offset() -> None:
    story = Story(OLD)
    story.seen.happened += [Happened(action=name, broker=1, at=1) for name in ("pause", SESSION_ENDS)]
    story.seen.decisions.append(decision(1.1, 2, 1, (2, 3)))
    story.seen.sent.append(Sent(value=0, broker=1, began=1.2, ended=3, error=6, offset=0))
    assert "produce" in names(story.end())
    story.seen.sent[0] = replace(story.seen.sent[0], offset=-1)
    assert "refuse_as_not_leader" in names(story.end())


def test_a_broker_outside_the_isr_is_fenced_before_it_enters_the_isr_again() -> None:
    story = Story(OLD)
    story.seen.decisions += [decision(1, 1, 0, (1, 2)), decision(3, 1, 0, EVERYBODY)]
    story.seen.happened += [
        Happened(action="pause", broker=3, at=2),
        Happened(action=SESSION_ENDS, broker=3, at=2),
        Happened(action="unfence", broker=3, at=4),
    ]
    assert names(story.end())[:5] == ["shrink_isr", "pause", "fence_follower", "expand_isr", "unfence"]
