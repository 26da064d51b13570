"""Schedules: every step is a command, every loss has a control, the page shows every run, and a run is judged by what is written."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("kafka", reason="kafka-python is not there: pip install 'neverlost[brokers]'")

from played_runs import scheduled

from neverlost.conformance.cluster import performances
from neverlost.conformance.cluster.known import known
from neverlost.conformance.cluster.performances import Performed, ScheduleRun, play_schedules, steps_performed
from neverlost.conformance.cluster.performing import COMMANDS, answer_in_words, record_batch
from neverlost.conformance.cluster.releases import ClusterError, RunnableRelease, release_at
from neverlost.conformance.cluster.schedules import Outcome, Schedule, read_step, schedules
from neverlost.model.core import UnknownNameError
from neverlost.reports.known.as_json import schedule_values
from neverlost.reports.known.as_markdown import schedules_markdown
from neverlost.reports.known.as_text import schedule_rows, steps_text

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "real-steps-on-brokers.md"
ALL = schedules()
PLACES = [(schedule, place) for schedule in ALL for place in schedule.outcomes]
named = pytest.mark.parametrize("schedule", ALL, ids=lambda schedule: schedule.name)


def outcome(answers: dict[str, str], *logs: tuple[str, ...]) -> Outcome:
    return Outcome(answers=answers, logs={"orders-0": dict(enumerate(logs, start=1))})


@named
def test_every_step_is_a_command_with_the_arguments_that_it_takes(schedule: Schedule) -> None:
    for command, arguments, options in schedule.commands:
        inspect.signature(COMMANDS[command]).bind(None, *arguments, **options)


@named
def test_a_schedule_names_partitions_that_it_creates_and_values_that_it_sends(schedule: Schedule) -> None:
    partitions = {
        f"{topic}-{number}" for topic, shape in schedule.topics.items() for number, _ in enumerate(shape.partitions)
    }
    sent = {arguments[0] for command, arguments, _ in schedule.commands if command in ("produce", "send")}
    for written in schedule.outcomes.values():
        assert set(written.logs) <= partitions
        assert set(written.answers) == sent
        assert {value for logs in written.logs.values() for log in logs.values() for value in log} <= sent
        consumed = [command for command, _, _ in schedule.commands if command == "consume"]
        assert len(written.reads) == len(consumed)


@pytest.mark.parametrize(("schedule", "place"), PLACES, ids=lambda value: getattr(value, "name", value))
def test_a_loss_has_a_control_that_keeps_the_record(schedule: Schedule, place: str) -> None:
    written = schedule.outcomes[place]
    if not written.lost and not written.diverged:
        return
    controls = [one.outcomes[place] for one in ALL if one.control_of == schedule.name and place in one.outcomes]
    elsewhere = [one for one in schedule.outcomes.values() if not one.lost and not one.diverged]
    beside = [
        value for value in written.answers if value not in written.lost and written.answers[value].startswith("ack")
    ]
    in_another_partition = len(written.logs) > 1 and beside
    assert in_another_partition or elsewhere or any(not one.lost and not one.diverged for one in controls)


def test_a_control_is_of_a_schedule_that_is_there() -> None:
    names = {schedule.name for schedule in ALL}
    assert {schedule.control_of for schedule in ALL if schedule.control_of} <= names


@pytest.mark.parametrize("place", sorted({place for _, place in PLACES}))
def test_every_release_that_a_schedule_names_can_be_run(place: str) -> None:
    assert release_at(place).produce >= 3


def test_a_step_is_a_command_with_arguments_and_options() -> None:
    assert read_step("send m to=r1 then=long*5") == ("send", ["m"], {"to": "r1", "then": "long*5"})


def test_what_was_acknowledged_and_is_in_no_log_is_lost() -> None:
    answers = {"m": "acknowledged at offset 0", "n": "acknowledged at offset 1", "o": "answered with REQUEST_TIMED_OUT"}
    assert outcome(answers, ("m",), ()).lost == ("n",)
    assert outcome(answers, ("m",), ()).in_words == "lost: n"
    assert outcome(answers, ("m", "n"), ("m",)).in_words == "kept"


def test_logs_that_have_different_values_at_an_offset_differ() -> None:
    assert outcome({}, ("a", "b"), ("a", "c")).diverged == ("orders-0",)
    assert outcome({}, ("a", "b"), ("a",)).diverged == ()


@pytest.mark.parametrize(
    ("answer", "acks", "said"),
    [
        ((0, 7), "all", "acknowledged at offset 7"),
        ((0, 7), "1", "appended with acks=1 at offset 7"),
        ((6, -1), "all", "answered with NOT_LEADER_OR_FOLLOWER"),
        ((99, -1), "all", "answered with error 99"),
        ("TimeoutError", "all", "not answered: TimeoutError"),
    ],
)
def test_only_an_answer_to_acks_all_is_called_acknowledged(answer: tuple[int, int] | str, acks: str, said: str) -> None:
    assert answer_in_words(answer, acks) == said


def test_a_batch_of_an_idempotent_producer_names_it() -> None:
    plain, repeated = record_batch("v"), record_batch("v", producer=4243)
    assert plain[43:57] == b"\xff" * 14
    assert repeated[43:57] == (4243).to_bytes(8) + (0).to_bytes(2) + (0).to_bytes(4)


def run_of(*runs: Performed) -> ScheduleRun:
    return replace(scheduled(), runs=runs)


def as_known() -> Performed:
    return scheduled().runs[0]


def test_a_run_is_as_known_only_if_all_that_is_written_down_came_of_it() -> None:
    good = as_known()
    assert good.outcome is not None
    assert run_of(good, good).as_known
    for other in (
        replace(good.outcome, answers={"m": "answered with NOT_LEADER_OR_FOLLOWER"}),
        replace(good.outcome, logs={"orders-0": {1: ("m",), 2: ("m",), 3: ("m",)}}),
        replace(good.outcome, reads=()),
    ):
        assert not run_of(good, replace(good, outcome=other)).as_known
    assert not run_of(Performed(seen=(), outcome=None, trouble="move r3: it did not come")).as_known


def test_what_came_of_a_schedule_is_shown_step_by_step() -> None:
    played = run_of(as_known())
    lines = steps_text(played, played.runs[0]).splitlines()
    assert lines[0].startswith("kafka-1148 on Kafka 4.1.1 with KRaft: ")
    assert "move r3" in lines[1]
    assert lines[1].endswith("r3 leads, epoch 1")
    assert lines[2:] == [
        "In the end",
        "  m was acknowledged at offset 0",
        "  other was acknowledged at offset 0",
        "  logs of orders-0: r1 [other], r2 [other], r3 [other]",
        "  lost: m",
    ]
    assert schedule_rows([played]) == [("kafka-1148", "4.1.1 with KRaft", "its steps", "1", "lost: m", "as known")]
    assert "| 4.1.1 with KRaft | 1 | lost: m |" in schedules_markdown([played])
    assert steps_performed([played]) == 1


def test_a_run_that_did_not_go_on_says_where_and_why() -> None:
    played = run_of(Performed(seen=(), outcome=None, trouble="move r3: it did not come"))
    assert steps_text(played, played.runs[0]).endswith("It did not go on: move r3: it did not come")
    assert schedule_rows([played])[0][-1] == "NOT as known"
    assert "(**not as known**)" in schedules_markdown([played])
    assert schedule_values([played])[0]["runs"][0]["outcome"] is None


class Played:
    """In place of a schedule on brokers: one step is not done."""

    closed = 0

    def __init__(self, schedule: Schedule, cluster: object) -> None:
        self.fails_at = schedule.steps[2]

    def begin(self) -> None:
        """Nothing is to be done."""

    def perform(self, step: str) -> str:
        if step == self.fails_at:
            raise ClusterError("it did not come within 30 s")
        return "done"

    def close(self) -> None:
        Played.closed += 1


def test_a_step_that_brokers_do_not_do_ends_the_run_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(performances, "Cluster", lambda *_, **__: nullcontext())
    monkeypatch.setattr(performances, "Performance", Played)
    (schedule,) = schedules(["late-bytes"])
    run = performances.performed(schedule, release_at("4.3.1"), schedule.outcomes["4.3.1"])
    assert run.seen == tuple((step, "done") for step in schedule.steps[:2])
    assert (run.outcome, run.trouble) == (None, f"{schedule.steps[2]}: it did not come within 30 s")
    assert Played.closed == 1


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (
            [],
            [
                "3.9.1 with ZooKeeper",
                "3.9.1 with KRaft",
                "3.9.2 with ZooKeeper",
                "3.9.2 with KRaft",
                "4.1.1 with KRaft",
                "4.1.2 with KRaft",
                "4.3.1 with KRaft",
                "4.4.0 with KRaft",
            ],
        ),
        (["3.9.1"], ["3.9.1 with ZooKeeper", "3.9.1 with KRaft"]),
        (["3.9.1/ZooKeeper", "4.3.1"], ["3.9.1 with ZooKeeper", "4.3.1 with KRaft"]),
    ],
)
def test_a_schedule_is_played_on_the_releases_that_are_wanted_as_often_as_is_wanted(
    wanted: list[str], found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(performances, "performed", lambda *_, **__: as_known())
    played = list(play_schedules(known(["kafka-1148"], wanted)[1], times=2))
    assert [one.release for one in played] == found
    assert all(len(one.runs) == 2 and one.as_known for one in played)


def test_schedules_are_known_beside_scenarios_and_both_have_names_of_their_own() -> None:
    of_the_model, by_steps = known()
    names = [one.name for one in of_the_model] + [one.name for one in by_steps]
    assert len(names) == len(set(names))
    chosen = known(["kip-101", "kafka-1148"])
    assert [[one.name for one in kind] for kind in chosen] == [["kip-101"], ["kafka-1148"]]
    with pytest.raises(UnknownNameError, match="kafka-1148"):
        known(["kafka-1149"])


def test_the_page_shows_every_schedule_on_every_release_as_known() -> None:
    table = PAGE.read_text(encoding="utf-8").split("<!-- schedules: begin -->")[1].split("<!-- schedules: end -->")[0]
    shown = {}
    for section in table.split("### ")[1:]:
        rows = [line.strip("|").split("|") for line in section.splitlines() if " with " in line and line[0] == "|"]
        name = section.splitlines()[0]
        shown |= {(name, release.strip()): (int(times), what.strip()) for release, times, what in rows}
    assert shown == {
        (schedule.name, str(release_at(place))): (3, schedule.outcomes[place].in_words) for schedule, place in PLACES
    }


def test_the_page_explains_every_command() -> None:
    table = PAGE.read_text(encoding="utf-8").split("## What a schedule is")[1].split("## What came of it")[0]
    explained = {words.split()[0] for words in re.findall(r"`([^`]+)`", table)}
    assert set(COMMANDS) <= explained


@pytest.mark.brokers
@pytest.mark.xdist_group("brokers")
@pytest.mark.parametrize(("schedule", "place"), PLACES, ids=lambda value: getattr(value, "name", value))
def test_real_brokers_do_what_a_schedule_says(
    schedule: Schedule, place: str, runnable: Callable[..., RunnableRelease]
) -> None:
    release = release_at(place)
    runnable(release.version, release.mode)
    played = [one for one in play_schedules(known([schedule.name], [place])[1]) if one.release == str(release)]
    assert [one.runs for one in played if not one.as_known] == []
    assert played
