"""`reproduce`, `known`, `soak` and `conform --adapter kafka` without a cluster: what they refuse, and what a report says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Run, running
from played_runs import (
    ACKNOWLEDGED,
    MOVES,
    REFUSED,
    groups_story_run,
    loss,
    played,
    quorum_story_run,
    scheduled,
    story_run,
)

from neverlost.cli.commands.soak import runs_there
from neverlost.conformance.adapter import StateDifference
from neverlost.conformance.cluster.reproduction import Reproduced, Reproduction
from neverlost.conformance.cluster.scenarios import ScenarioRun, scenarios
from neverlost.conformance.cluster.soaking import Kind
from neverlost.explorer.traces.trace import Trace
from neverlost.explorer.traces.trace_json import trace_json
from neverlost.reports.reproduce.as_json import reproduction_values
from neverlost.reports.reproduce.as_text import reproduction_text


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return running(capsys)


def test_a_record_that_was_acknowledged_and_is_gone_is_reproduced() -> None:
    found = played(loss(), consumer=(), delivery=ACKNOWLEDGED)
    assert (found.verdict, found.lost) == (Reproduced.YES, (0,))
    lines = reproduction_text(found, "loss.json", False, None).split("\n")
    assert lines[0] == (
        "loss.json on Kafka 4.1.1 with KRaft: REPRODUCED. Acknowledged and gone: v0; a consumer does not read it."
    )
    assert "  a consumer reads: nothing" in lines


def test_a_record_that_is_kept_is_not_reproduced_though_every_step_went_as_in_the_run() -> None:
    found = played(loss(), consumer=("v0",), delivery=ACKNOWLEDGED)
    assert found.verdict is Reproduced.NO
    assert reproduction_text(found, "loss.json", True, 2) == (
        "loss.json on Kafka 4.1.1 with KRaft, run 2: NOT REPRODUCED. Every acknowledged record is there."
    )


def test_a_step_that_differs_is_named_with_what_was_seen() -> None:
    difference = StateDifference(place="leader[r2]", expected="r2", seen="another")
    found = played(loss(), consumer=(), delivery=ACKNOWLEDGED, last={"differences": (difference,)})
    assert found.verdict is Reproduced.NO
    lines = reproduction_text(found, "loss.json", False, None).split("\n")
    assert "The brokers differ from the model at step 3." in lines[0]
    assert "       leader[r2] is another; the model says r2" in lines


@pytest.mark.parametrize(
    ("last", "as_known"),
    [
        ({"differences": (StateDifference(place="leader[r2]", expected="r2", seen="another"),)}, True),
        ({"refusal": "it did not come within 30 s"}, False),
    ],
)
def test_a_release_is_known_to_keep_a_record_only_where_it_was_seen_to_differ(
    last: dict[str, object], as_known: bool
) -> None:
    (scenario,) = scenarios(["kip-101"])
    run = played(loss(), consumer=("v0",), delivery=ACKNOWLEDGED, last=last)
    found = ScenarioRun(scenario=scenario, release=run.release, version="kafka-4.1", expected=False, runs=(run,))
    assert found.as_known is as_known


def test_a_loss_of_what_was_never_acknowledged_is_none() -> None:
    found = played(loss(), consumer=(), delivery=REFUSED)
    assert (found.verdict, found.lost) == (Reproduced.NO, ())


def test_a_reproduction_is_written_as_plain_values() -> None:
    values = json.loads(json.dumps(reproduction_values(played(loss(), consumer=("v0",), delivery=ACKNOWLEDGED))))
    assert (values["verdict"], values["lost"], values["deliveries"]) == ("not reproduced", [], ["acknowledged"])
    assert values["final"]["logs"] == {"r1": ["v0@0"], "r2": ["v0@0"]}
    assert [step["step"] for step in values["steps"]] == list(MOVES)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--kafka", "4.1.0"), "no release of Kafka that can be run is named '4.1.0'. Did you mean '4.1.1'?"),
        (("--kafka", "4.1.1", "--mode", "zookeeper"), "Kafka 4.1.1 runs with KRaft here, not with zookeeper"),
    ],
)
def test_a_release_that_cannot_be_run_is_refused(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], why: str
) -> None:
    file = tmp_path / "loss.json"
    file.write_text(trace_json(loss()), encoding="utf-8")
    code, out, err = run("reproduce", str(file), *arguments)
    assert (code, out) == (2, "")
    assert why in err


SMALL = ("--replicas", "2", "--log-size", "1", "--values", "1", "--leader-epochs", "3", "--power-losses", "1")
"""Bounds in which 3.6 loses a record in six steps, by one that brokers cannot be made to do, and in nine without it."""


def test_the_run_of_a_profile_that_brokers_can_be_made_to_do_is_searched_and_what_was_tried_is_said(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "found.json"
    code, out, _ = run("reproduce", "kafka-3.6", *SMALL, "--kafka", "3.6.2", "--list", "--trace-out", str(file))
    lines = out.splitlines()
    assert code == 0
    assert lines[0].startswith("kafka-3.6, 6 steps: step 5, restart(replica=r1), cannot be scheduled: ")
    assert lines[1] == "seen/kafka-3.6, 9 steps: brokers can be made to do these"
    assert lines[2] == "  1. produce(leader=r1, value=0, response=delivered)"
    assert len(lines) == 11
    assert run("replay", str(file))[0] == 0


def test_the_run_that_was_found_is_played(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[Trace]()

    def play(trace: Trace, *_: object, **__: object) -> Reproduction:
        asked.append(trace)
        return played(loss(), consumer=(), delivery=ACKNOWLEDGED)

    monkeypatch.setattr("neverlost.conformance.cluster.reproduction.reproduce", play)
    code, out, _ = run("reproduce", "kafka-3.6", *SMALL, "--kafka", "3.6.2", "--quiet")
    assert code == 0
    assert [(trace.model.profile.name, len(trace.steps)) for trace in asked] == [("seen/kafka-3.6", 9)]
    assert out.splitlines()[-1].startswith("seen/kafka-3.6 on Kafka 4.1.1 with KRaft: REPRODUCED.")


def test_where_no_run_is_found_no_broker_starts_and_nothing_is_decided(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("neverlost.conformance.cluster.clusters.Clusters.for_run")
    code, out, _ = run("reproduce", "kafka-3.6", *SMALL, "--power-losses", "0", "--kafka", "3.6.2")
    assert code == 3
    assert out.splitlines() == [
        "kafka-3.6, no run: there is none within these bounds",
        "kafka-3.6 on Kafka 3.6.2 with KRaft: UNDECIDED, no run was found that real brokers can be made to do",
    ]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("loss.json", "--leader-moves", "3"), "--leader-moves is for the search of a profile"),
        (("loss.json", "--property", "acked_never_lost"), "--property is for the search of a profile"),
        (("loss.json", "--list"), "--list is for the search of a profile"),
        (("kafka-3.6", "--profile", "own.py:OWN"), "--profile says which profile a trace is of"),
        (("kafka-3.6", "--leader-move", "3"), "Did you mean --leader-moves?"),
        (("kafka-36",), "no profile is named 'kafka-36'"),
        (("water-jugs.json",), "water-jugs.json cannot be read"),
    ],
)
def test_a_trace_takes_no_options_of_a_search_and_a_search_none_of_a_trace(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loss.json").write_text(trace_json(loss()), encoding="utf-8")
    code, out, err = run("reproduce", *arguments, "--kafka", "3.6.2")
    assert (code, out) == (2, "")
    assert why in " ".join(err.split())


def test_a_scenario_that_is_not_known_is_refused(run: Run) -> None:
    code, _, err = run("known", "kip-100")
    assert code == 2
    assert "Did you mean 'kip-101'?" in err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (
            ("kafka-1148", "--kafka", "0.9.0.1"),
            "none of these scenarios is known of 0.9.0.1, so there is nothing to play",
        ),
        (("kafka-1148", "--kafka", "4.1.1", "--kafka", "0.9.0.1"), "known of 0.9.0.1"),
        (("kafka-1148", "--kafka", "9.9.9"), "no release of Kafka that can be run is named '9.9.9'"),
        (("kafka-1148", "--unpatched"), "--unpatched leaves out every schedule"),
    ],
)
def test_nothing_to_play_is_not_all_as_known(arguments: tuple[str, ...], why: str, run: Run) -> None:
    code, out, err = run("known", *arguments)
    assert (code, out) == (2, "")
    assert why in " ".join(err.split())


def test_the_known_scenarios_are_listed_without_a_cluster(run: Run) -> None:
    code, out, _ = run("known", "--list", "rolling-restart")
    assert (code, out.splitlines()[0]) == (0, "rolling-restart")


def test_a_schedule_is_listed_and_shown_step_by_step(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("known", "--list", "kafka-1148")[1].startswith("kafka-1148\n    a delayed produce")
    module = "neverlost.conformance.cluster.performances.play_schedules"
    monkeypatch.setattr(module, lambda *_, **__: iter([scheduled()]))
    code, out, _ = run("known", "kafka-1148", "--steps")
    assert code == 0
    assert out.startswith("kafka-1148 on Kafka 4.1.1 with KRaft: ")
    assert "\n  m was acknowledged at offset 0\n" in out
    assert "\n1 run of 1 step on real brokers: all as known" in out


def test_a_schedule_that_does_not_come_out_as_known_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    module = "neverlost.conformance.cluster.performances.play_schedules"
    monkeypatch.setattr(module, lambda *_, **__: iter([scheduled(with_trouble=True)]))
    code, out, _ = run("known", "kafka-1148")
    assert code == 1
    assert "1 scenario NOT as known" in out


def test_a_story_of_transactions_is_listed_and_shown_step_by_step(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = run("known", "--family", "transactions", "--list")[1]
    assert "late-marker\n    a marker that is held up" in listed
    module = "neverlost.conformance.cluster.transactions.stories.play_stories"
    monkeypatch.setattr(module, lambda *_, **__: iter([story_run("late-end", "4.1.1")]))
    code, out, _ = run("known", "--family", "transactions", "late-end", "--kafka", "4.1.1", "--steps")
    assert code == 0
    assert out.startswith("late-end on Kafka 4.1.1 with KRaft, tv0, the run of kafka-transactions-4.0, tv0: an EndTxn")
    assert "Torn: of t2, readers see the record in a2 since step 18, and never that in a1." in out
    assert "happens 1 of 1; EndTxn: no error" in out
    assert "\n1 run of 18 steps on real brokers: all as the model says" in out


def test_a_story_that_comes_out_otherwise_than_the_search_says_is_an_error(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "neverlost.conformance.cluster.transactions.stories.play_stories"
    monkeypatch.setattr(module, lambda *_, **__: iter([story_run("late-end", "4.1.1", as_the_model=False)]))
    code, out, _ = run("known", "--family", "transactions", "late-end", "--kafka", "4.1.1")
    assert code == 1
    assert "does not happen; EndTxn: PRODUCER_FENCED; differs at step 18" in out
    assert "1 of 1 NOT as the model says" in out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("late-ends",), "no story of transactions is named 'late-ends'. Did you mean 'late-end'?"),
        (("--kafka", "0.10.2.2"), "Kafka 0.10.2.2 has no transactions; they came with 0.11.0.0."),
        (("--unpatched",), "of transactions no request is changed"),
        (("--client", "jav"), "no client is named 'jav'. Did you mean 'java'?"),
    ],
)
def test_a_story_that_cannot_be_played_is_refused(arguments: tuple[str, ...], why: str, run: Run) -> None:
    code, out, err = run("known", "--family", "transactions", *arguments)
    assert (code, out) == (2, "")
    assert why in err


def test_a_story_of_the_quorum_is_listed_and_shown_step_by_step(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = run("known", "--family", "quorum", "--list")[1]
    assert "auto-join\n    a controller whose directory was lost" in listed
    module = "neverlost.conformance.cluster.quorum.stories.play_stories"
    runs = [
        quorum_story_run("two-leaders", quorum, "3.9.1") for quorum in ("static voters", "static voters, only a crash")
    ]
    monkeypatch.setattr(module, lambda *_, **__: iter(runs))
    asked = ("known", "--family", "quorum", "two-leaders", "--kafka", "3.9.1", "--steps", "--markdown", "-")
    code, out, shown = run(*asked)
    assert code == 0
    assert shown.startswith("two-leaders on Kafka 3.9.1 with KRaft, static voters: a voter's file quorum-state")
    assert "The model refuses step 6 too: elections.py" in shown
    assert "2 runs of 13 steps on real controllers: all as the model says" in shown
    assert "| 3.9.1 with KRaft | static voters | violated in 8 steps | 8 of 8 |" in out
    assert "| 3.9.1 with KRaft | static voters, only a crash | holds | 5 of 8 |" in out


def test_a_story_of_the_quorum_that_comes_out_otherwise_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    module = "neverlost.conformance.cluster.quorum.stories.play_stories"
    found = quorum_story_run("two-leaders", "static voters", "3.9.1", as_the_model=False)
    monkeypatch.setattr(module, lambda *_, **__: iter([found]))
    code, out, _ = run("known", "--family", "quorum", "two-leaders", "--kafka", "3.9.1", "--steps")
    assert code == 1
    assert "win(controller=c1)" in out
    assert "not done: it did not come" in out
    assert "1 run of 7 steps on real controllers: 1 of 1 NOT as the model says" in out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("two-leader",), "no story of the quorum is named 'two-leader'. Did you mean 'two-leaders'?"),
        (("--kafka", "2.8.2"), "none of these stories of the quorum is played on 2.8.2"),
        (("--unpatched",), "of the quorum no request is changed"),
    ],
)
def test_a_story_of_the_quorum_that_cannot_be_played_is_refused(arguments: tuple[str, ...], why: str, run: Run) -> None:
    code, out, err = run("known", "--family", "quorum", *arguments)
    assert (code, out) == (2, "")
    assert why in err


def test_a_story_of_groups_is_listed_and_shown_step_by_step(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = run("known", "--family", "groups", "--list")[1]
    assert "new-partition\n    a partition is added" in listed
    runs = [
        groups_story_run("failed-record", one, "3.9.1") for one in ("enable.auto.commit", "commitSync after processing")
    ]
    monkeypatch.setattr("neverlost.conformance.cluster.groups.stories.play_stories", lambda *_, **__: iter(runs))
    asked = ("known", "--family", "groups", "failed-record", "--kafka", "3.9.1", "--steps", "--markdown", "-")
    code, out, shown = run(*asked)
    assert code == 0
    assert shown.startswith("failed-record on Kafka 3.9.1 with KRaft, enable.auto.commit: processing fails")
    assert "In the end records were processed so many times: p1 at 0: 1." in shown
    assert "2 runs of 6 steps on real consumers: all as the model says" in shown
    assert "| 3.9.1 with KRaft | enable.auto.commit | violated in 3 steps | 3 of 3 |" in out
    assert "| 3.9.1 with KRaft | commitSync after processing | holds | 3 of 3 |" in out


def test_a_soak_goes_on_in_no_file_of_another_kind(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("buy milk\n", encoding="utf-8")
    code, _, err = run("soak", "--kafka", "4.1.1", "--out", str(file))
    assert code == 2
    assert f"{file}, line 1 is no run of a soak" in err
    assert file.read_text(encoding="utf-8") == "buy milk\n"


def test_a_soak_goes_on_after_the_runs_of_its_release_mode_and_length(tmp_path: Path) -> None:
    file = tmp_path / "soak.ndjson"
    lines = [
        {"release": "3.9.1", "mode": "KRaft", "number": 7},
        {"release": "3.9.1", "mode": "KRaft", "number": 3, "longest": 120},
        {"release": "3.9.1", "mode": "ZooKeeper", "number": 9, "longest": 60},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert runs_there(file, "3.9.1", "KRaft", Kind(longest=60)) == 7
    assert runs_there(file, "3.9.1", "KRaft", Kind(longest=120)) == 3
    assert runs_there(file, "3.9.1", "ZooKeeper", Kind(longest=60)) == 9
    assert runs_there(file, "3.9.1", "ZooKeeper", Kind(longest=120)) == 0


@pytest.mark.parametrize("arguments", [("--adapter", "kafka"), ("--adapter", "inprocess", "--kafka", "4.1.1")])
def test_the_adapter_of_real_brokers_and_a_release_go_together(run: Run, arguments: tuple[str, ...]) -> None:
    code, _, err = run("conform", "suite", *arguments)
    assert code == 2
    assert "--adapter kafka and --kafka VERSION go together" in err


def test_what_changed_between_two_releases_is_said_without_brokers(run: Run) -> None:
    code, out, _ = run("compare", "3.9", "4.1", "--rules")
    assert code == 0
    assert out.startswith("Kafka 3.9.2 and 4.1.2 (KRaft): ")
    rules, _, losses = out.partition("Losses that only 3.9.2 has")
    assert "KIP-966; eligible.leader.replicas.version" in " ".join(rules.split())
    assert "KIP-966: the last replica standing loses power" in losses.partition("Losses that only 4.1.2 has")[0]
    assert max(map(len, out.splitlines())) <= 100
    upgraded = " ".join(out.splitlines()[-3:])
    assert "New clusters have eligible.leader.replicas.version=1 and transaction.version=2 on" in " ".join(
        upgraded.split()
    )
    assert "kafka-features.sh" not in run("compare", "3.8", "3.9", "--rules")[1]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [(("3.9", "9"), "no release of Kafka is named '9'"), (("3.9", "4.1", "--quiet"), "--rules shows text only")],
)
def test_rules_of_what_is_no_release_or_quietly_are_refused(run: Run, arguments: tuple[str, ...], why: str) -> None:
    code, out, err = run("compare", *arguments, "--rules")
    assert (code, out) == (2, "")
    assert why in err
