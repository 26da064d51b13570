"""`neverlost audit --baseline`: what a change of files makes better or worse."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import Run, running
from hypothesis import given
from hypothesis import strategies as st
from published_json import expect_published

from neverlost.explorer.answers.questions import Answer
from neverlost.explorer.verdict import Verdict
from neverlost.spec.configuration import Deployment, RefusedTopics, read_deployment
from neverlost.spec.faults import NO_FAULT, Faults
from neverlost.studies.audit.comparison import Change, Examined, compare, verdict_on
from neverlost.studies.audit.dangers import DANGERS, dangers_of
from neverlost.studies.audit.examination import DecidedDanger, Examination, is_tolerated

pytestmark = pytest.mark.xdist_group("one store for all audits")

ROOT = Path(__file__).parents[2]
SAFE = "acks=all\nenable.idempotence=true\nmax.in.flight.requests.per.connection=1\nkey.serializer=a.B\n"
LOSES = "acks=1\nenable.idempotence=false\nretries=0\nmax.in.flight.requests.per.connection=1\n"
TOPIC = "replication.factor=2\nmin.insync.replicas=1\nunclean.leader.election.enable=false\n"


@pytest.fixture
def audit(store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)

    def audit(*arguments: str) -> tuple[int, str, str]:
        common = ("--kafka-version", "4.0.1", "--tolerate", "1 leader move", "--store", str(store))
        return running(capsys, "audit")(*common, *arguments)

    return audit


def state(folder: str, producer: str, topic: str = TOPIC) -> str:
    """A folder with the files of a deployment."""
    Path(folder).mkdir()
    Path(folder, "producer.properties").write_text(producer, encoding="utf-8")
    Path(folder, "topic.properties").write_text(topic, encoding="utf-8")
    return folder


def baseline(audit: Run, *arguments: str) -> tuple[int, dict[str, Any]]:
    code, out, _ = audit(*arguments, "--format", "json")
    expect_published("audit", json.loads(out))
    return code, json.loads(out)["baseline"]


def changes(compared: dict[str, Any], tolerated: bool = True) -> set[tuple[str, str]]:
    (part,) = compared["parts"]
    return {(f["property"], f["change"]) for f in part["findings"] if f["tolerated"] == tolerated}


def test_what_gets_worse_fails_and_says_what_is_new(audit: Run) -> None:
    old, new = state("old", SAFE), state("new", LOSES)
    code, compared = baseline(audit, new, "--baseline", old)
    assert (code, compared["verdict"]) == (1, "violated")
    assert changes(compared) == {("acked_never_lost", "new")}
    _, out, _ = audit(new, "--baseline", old, "--quiet")
    first, second, *_ = out.splitlines()
    assert first == "WORSE than the baseline. Findings: 1 new."
    assert second == "  new: an acknowledged record is lost, with 1 leader move"


def test_what_is_as_bad_as_before_passes_with_its_own_verdict(audit: Run) -> None:
    old, new = state("old", LOSES), state("new", f"# Moved down.\n\n{LOSES}linger.ms=5\n")
    code, compared = baseline(audit, new, "--baseline", old)
    assert (code, compared["verdict"]) == (0, "holds")
    assert changes(compared) == {("acked_never_lost", "unchanged")}
    code, out, _ = audit(new, "--baseline", old, "--quiet")
    assert code == 0
    assert "NOT WORSE than the baseline. Findings: 1 unchanged.\n" in out
    assert "NOT SAFE with 1 leader move" in out


def test_what_gets_better_passes_and_says_what_is_gone(audit: Run) -> None:
    old, new = state("old", LOSES), state("new", SAFE)
    code, compared = baseline(audit, new, "--baseline", old)
    assert (code, changes(compared)) == (0, {("acked_never_lost", "gone")})
    (part,) = compared["parts"]
    assert (part["before"], part["after"]) == ("violated", "holds")
    assert {(w["warning"]["key"], w["change"]) for w in part["warnings"] if w["warning"]["key"] == "acks"} == {
        ("acks", "gone")
    }


def test_to_acknowledge_nothing_is_worse_than_to_keep_what_is_acknowledged(audit: Run) -> None:
    silent = state("silent", "acks=0\nenable.idempotence=false\nretries=0\nmax.in.flight.requests.per.connection=1\n")
    safe, loses = state("safe", SAFE), state("loses", LOSES)
    code, out, _ = audit(silent, "--baseline", safe, "--quiet")
    assert code == 1
    assert "WORSE than the baseline" in out
    assert "new warning: silent/producer.properties:1: acks: nothing is ever acknowledged." in " ".join(out.split())
    for new, old in ((silent, loses), (loses, silent)):
        code, compared = baseline(audit, new, "--baseline", old)
        assert code == 0
        assert "gone" not in {change for _, change in changes(compared)}


def test_without_a_decision_it_is_undecided_whether_it_is_worse(audit: Run) -> None:
    old, new = state("old", SAFE), state("new", f"{SAFE}linger.ms=5\n")
    code, compared = baseline(audit, new, "--baseline", old, "--max-states", "1", "--store", "none", "--search")
    assert (code, compared["verdict"]) == (3, "undecided")


def test_what_gets_worse_in_another_reading_fails_and_is_named(audit: Run) -> None:
    old, new = state("old", SAFE), state("new", "acks=all\n")
    code, out, _ = audit(new, "--baseline", old, "--quiet")
    assert code == 1
    assert out.startswith("WORSE than the baseline.")
    assert ": a record is written twice, with no fault" in out.partition("\n\n")[0]
    code, out, _ = audit(old, "--baseline", new, "--quiet")
    assert code == 0
    assert "new" not in out.partition("\n\n")[0]


def test_what_happened_before_in_the_same_reading_is_neither_new_nor_gone(audit: Run) -> None:
    three = "replication.factor=3\nmin.insync.replicas=2\nunclean.leader.election.enable=false\n"
    same = "key.serializer=a.B\nretries=3\nmax.in.flight.requests.per.connection=1\n"
    old, new = state("old", f"{same}acks=1\n", three), state("new", f"{same}acks=all\n", three)
    said = ("--kafka-version", "4.1.1", "--assume", "client=java", "--tolerate", "1 power loss", "--quiet")
    code, out, _ = audit(new, "--baseline", old, *said)
    assert code == 0
    assert "new:" not in out.partition("\n\n")[0]
    _, out, _ = audit(old, "--baseline", new, *said)
    assert "gone:" not in out.partition("\n\n")[0]


def test_files_of_the_baseline_may_be_named_one_by_one(audit: Run) -> None:
    old, new = state("old", SAFE), state("new", LOSES)
    one_by_one = ("--baseline", f"{old}/producer.properties", "--baseline", f"topic:{old}/topic.properties")
    assert baseline(audit, new, *one_by_one) == baseline(audit, new, "--baseline", old)


def test_what_is_wrong_in_the_baseline_is_reported_and_no_verdict(audit: Run) -> None:
    code, out, err = audit(state("new", SAFE), "--baseline", state("old", "acks=2\nlinger.ms=5\n"))
    assert (code, out) == (2, "")
    assert "old/producer.properties:1: acks: '2' is no value of acks" in err


def test_the_baseline_is_not_written_over(audit: Run) -> None:
    old, new = state("old", SAFE), state("new", LOSES)
    code, _, err = audit(new, "--baseline", f"{old}/producer.properties", "--json", f"{old}/producer.properties")
    assert code == 2
    assert "--json would write over old/producer.properties" in err


@pytest.mark.parametrize(("producer", "expected"), [(LOSES, "unchanged"), (SAFE, "new")])
def test_every_format_marks_what_is_new(producer: str, expected: str, audit: Run) -> None:
    old, new = state("old", producer), state("new", LOSES)
    _, out, _ = audit(new, "--baseline", old, "--format", "sarif")
    results = json.loads(out)["runs"][0]["results"]
    assert {r["baselineState"] for r in results if r["level"] == "error"} == {expected}
    assert {r["baselineState"] for r in results} <= {"new", "unchanged"}
    _, out, _ = audit(new, "--baseline", old, "--format", "github")
    loss = next(line for line in out.splitlines() if "acknowledged%2C then lost" in line)
    assert loss.startswith("::error " if expected == "new" else "::notice ")
    _, out, _ = audit(new, "--baseline", old, "--format", "junit")
    assert ("<failure" in out, '<skipped type="unchanged"' in out) == (expected == "new", expected == "unchanged")
    _, out, _ = audit(new, "--baseline", old, "--format", "markdown")
    assert f"acknowledged, then lost, with 1 leader move ({expected})" in out


DESCRIBED = (
    "Topic: {name}\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: min.insync.replicas={isr},"
    "unclean.leader.election.enable={unclean}\n\tTopic: {name}\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
)


def topics(folder: str, **unclean: str) -> str:
    """A folder with a safe producer, and topics that may have unclean elections."""
    state(folder, SAFE)
    Path(folder, "topic.properties").unlink()
    text = "".join(DESCRIBED.format(name=name, isr=1, unclean=value) for name, value in unclean.items())
    Path(folder, "topics.txt").write_text(text, encoding="utf-8")
    return folder


def test_topics_are_compared_by_their_names(audit: Run) -> None:
    crashes = ("--tolerate", "1 crash, 1 leader move")
    old = topics("old", a="false", b="false", gone="true")
    new = topics("new", b="true", a="false", added="false")
    code, compared = baseline(audit, new, "--baseline", old, *crashes)
    by_topic = {name: part for part in compared["parts"] for name in part["topics"]}
    assert set(by_topic) == {"a", "b", "gone", "added"}
    assert (by_topic["gone"]["after"], by_topic["added"]["before"]) == (None, None)
    worse = {name for name, part in by_topic.items() if part["verdict"] == "violated"}
    new_losses = {
        name
        for name, part in by_topic.items()
        if any(f["change"] == "new" and f["tolerated"] for f in part["findings"])
    }
    assert worse == new_losses
    assert "b" in worse
    assert "a" not in worse
    assert code == 1


def deployment(folder: Path, producer: str) -> Deployment:
    (folder / "producer.properties").write_text(producer, encoding="utf-8")
    (folder / "topic.properties").write_text(TOPIC, encoding="utf-8")
    return read_deployment([str(folder)], kafka_version="4.0.1")


LOST = DANGERS[0]
SETS = [NO_FAULT, *(Faults.of(f) for f in ({"crashes": 1}, {"leader_moves": 1}, {"crashes": 1, "leader_moves": 1}))]
VERDICTS = st.dictionaries(st.sampled_from(SETS), st.sampled_from([Verdict.HOLDS, Verdict.VIOLATED, Verdict.UNDECIDED]))


def examined(one: Deployment, verdicts: dict[Faults, Verdict]) -> Examination:
    """An examination that says this of one danger."""

    def answer(verdict: Verdict) -> Answer:
        return Answer(verdict=verdict, distinct=1, depth=1, complete=False, hidden=None, trace=None)

    decided = [
        DecidedDanger(danger=LOST, faults=faults, answer=answer(verdict), tolerated=is_tolerated(faults, None))
        for faults, verdict in verdicts.items()
    ]
    return Examination(deployment=one, tolerance=None, decided=decided)


def state_of(*examinations: Examination, refused: str = "") -> Examined:
    return Examined(
        examinations=examinations, refused=[RefusedTopics(topics=(name,), problems=()) for name in refused.split()]
    )


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    return deployment(tmp_path_factory.mktemp("one"), SAFE)


@given(VERDICTS)
def test_nothing_is_worse_or_new_or_gone_beside_itself(one: Deployment, verdicts: dict[Faults, Verdict]) -> None:
    compared = compare(state_of(examined(one, verdicts)), state_of(examined(one, verdicts)))
    (part,) = compared.parts
    assert {change for _, change in part.findings} <= {Change.UNCHANGED}
    assert compared.verdict != Verdict.VIOLATED


@given(VERDICTS, VERDICTS)
def test_a_finding_is_new_where_it_is_gone_the_other_way_round(
    one: Deployment, first: dict[Faults, Verdict], second: dict[Faults, Verdict]
) -> None:
    forth = compare(state_of(examined(one, first)), state_of(examined(one, second)))
    back = compare(state_of(examined(one, second)), state_of(examined(one, first)))

    def found(compared: Any, change: Change) -> set[str]:
        return {str(f.faults) for part in compared.parts for f, c in part.findings if c == change}

    assert found(forth, Change.NEW) == found(back, Change.GONE)
    assert found(forth, Change.GONE) == found(back, Change.NEW)


@given(VERDICTS, VERDICTS)
def test_it_is_worse_only_if_what_was_held_before_happens_now(
    one: Deployment, first: dict[Faults, Verdict], second: dict[Faults, Verdict]
) -> None:
    before, after = examined(one, first), examined(one, second)
    worse = any(
        d.tolerated and d.verdict == Verdict.VIOLATED and verdict_on(before, LOST, d.faults) == Verdict.HOLDS
        for d in after.decided
    )
    if compare(state_of(before), state_of(after)).verdict == Verdict.VIOLATED:
        assert worse


def test_what_happened_with_fewer_faults_before_is_not_new_with_more(one: Deployment) -> None:
    crash, both = SETS[1], SETS[3]
    before = examined(one, {NO_FAULT: Verdict.HOLDS, crash: Verdict.VIOLATED})
    after = examined(one, {NO_FAULT: Verdict.HOLDS, crash: Verdict.HOLDS, both: Verdict.VIOLATED})
    (part,) = compare(state_of(before), state_of(after)).parts
    assert [(str(f.faults), c) for f, c in part.findings] == [(str(both), Change.UNCHANGED), (str(crash), Change.GONE)]


def test_faults_that_made_no_difference_before_are_left_out_of_the_comparison(tmp_path: Path) -> None:
    lost_response = Faults.of({"lost_responses": 1})
    before = deployment(tmp_path, SAFE)
    after = deployment(tmp_path, LOSES)
    assert (before.settings["acks"], after.settings["acks"]) == ("all", "1")
    assert LOST in dangers_of(after)
    compared = compare(
        state_of(examined(before, {NO_FAULT: Verdict.HOLDS})),
        state_of(examined(after, {lost_response: Verdict.VIOLATED})),
    )
    (part,) = compared.parts
    assert [change for _, change in part.findings] == [Change.NEW]


def test_a_danger_that_is_not_asked_any_more_is_not_gone(tmp_path: Path, one: Deployment) -> None:
    (tmp_path / "consumer.properties").write_text("group.id=a\nenable.auto.commit=true\n", encoding="utf-8")
    with_consumer = deployment(tmp_path, SAFE)
    skipped = next(danger for danger in dangers_of(with_consumer) if danger not in dangers_of(one))
    crash = Faults.of({"consumer_crashes": 1})
    answer = Answer(verdict=Verdict.VIOLATED, distinct=1, depth=1, complete=False, hidden=None, trace=None)
    decided = [DecidedDanger(danger=skipped, faults=crash, answer=answer, tolerated=False)]
    before = Examination(deployment=with_consumer, tolerance=None, decided=decided)
    (part,) = compare(state_of(before), state_of(examined(one, {NO_FAULT: Verdict.HOLDS}))).parts
    assert [change for _, change in part.findings] == [Change.OPEN]


def test_topics_that_are_refused_in_a_state_are_not_known_to_be_worse_or_better(one: Deployment) -> None:
    crash = SETS[1]
    safe, lost = {NO_FAULT: Verdict.HOLDS, crash: Verdict.HOLDS}, {NO_FAULT: Verdict.HOLDS, crash: Verdict.VIOLATED}
    a, b = (replace(one, topics=(name,)) for name in "ab")
    other = examined(b, safe)
    before_unknown = compare(state_of(other, refused="a"), state_of(other, examined(a, lost)))
    after_unknown = compare(state_of(other, examined(a, lost)), state_of(other, refused="a"))
    both_unknown = compare(state_of(other, refused="a"), state_of(other, refused="a"))
    now_safe = compare(state_of(other, refused="a"), state_of(other, examined(a, safe)))
    verdicts = [compared.verdict for compared in (before_unknown, after_unknown, both_unknown, now_safe)]
    assert verdicts == [Verdict.UNDECIDED] * 3 + [Verdict.HOLDS]
    assert [c for part in after_unknown.parts for _, c in part.findings] == [Change.OPEN]


def files(folder: str, **texts: str) -> str:
    """A folder with these files beside a topic's."""
    state(folder, SAFE)
    Path(folder, "producer.properties").unlink()
    for name, text in texts.items():
        Path(folder, f"{name.replace('_', '-')}.properties").write_text(text, encoding="utf-8")
    return folder


APART = ("--assume", "files=apart,client=java", "--quiet")
MOVES = "enable.auto.commit=true\nkey.deserializer=a.B\ngroup.id={}\n"


@pytest.mark.parametrize("same_settings", [True, False])
def test_a_new_program_that_loses_records_is_worse_beside_one_that_did_before(same_settings: bool, audit: Run) -> None:
    more = LOSES if same_settings else f"{LOSES}linger.ms=5\n"
    old, new = files("old", logs_producer=LOSES), files("new", logs_producer=LOSES, pay_producer=more)
    code, out, _ = audit(new, "--baseline", old, *APART)
    assert code == 1
    assert "new: an acknowledged record is lost, with 1 leader move (pay-producer.properties)" in out
    assert "logs-producer" not in out.partition("\n\n")[0].replace("new/logs-producer.properties:", "")
    code, out, _ = audit(old, "--baseline", new, *APART)
    said = " ".join(out.partition("\n\n")[0].split())
    assert code == 3
    assert "gone" not in said
    assert "open: no file leads to the program of before: pay-producer.properties any more" in said
    assert audit(new, "--baseline", new, *APART)[0] == 0


def test_a_program_that_takes_the_place_of_another_one_is_not_compared_with_it(audit: Run) -> None:
    old, new = files("old", logs_producer=LOSES), files("new", pay_producer=LOSES)
    code, out, _ = audit(new, "--baseline", old, *APART)
    said = " ".join(out.partition("\n\n")[0].split())
    assert code == 1
    assert "new: an acknowledged record is lost" in said
    assert "open: no file leads to the program of before: logs-producer.properties any more" in said


def test_what_still_happens_to_a_topic_is_not_gone_if_it_gets_a_second_program(audit: Run) -> None:
    for folder in ("old", "new"):
        topics(folder, orders="false")
        Path(folder, "producer.properties").rename(Path(folder, "a.properties"))
        Path(folder, "a.properties").write_text(LOSES, encoding="utf-8")
    Path("new", "b.properties").write_text(f"{LOSES}linger.ms=5\n", encoding="utf-8")
    code, out, _ = audit("new", "--baseline", "old", *APART)
    said = out.partition("\n\n")[0]
    assert code == 1
    assert "gone" not in said
    assert "new: an acknowledged record is lost, with 1 leader move (orders with b.properties)" in said


def test_a_consumer_that_takes_the_place_of_another_one_is_not_compared_with_it(audit: Run) -> None:
    old = files("old", producer=SAFE, logs_consumer=MOVES.format("logs"))
    new = files("new", producer=SAFE, pay_consumer=MOVES.format("pay"))
    code, out, _ = audit(new, "--baseline", old, *APART)
    said = " ".join(out.partition("\n\n")[0].split())
    assert code == 1
    assert "(consumer group of new/pay-consumer.properties)" in said
    assert "open: no file leads to consumer group of old/logs-consumer.properties any more" in said


def test_a_second_consumer_makes_nothing_new_of_its_producer(audit: Run) -> None:
    one, two = ({f"{name}_consumer": MOVES.format(name)} for name in ("logs", "pay"))
    old, new = files("old", producer=LOSES, **one), files("new", producer=LOSES, **one, **two)
    for states in ((new, old), (old, new)):
        _, out, _ = audit(states[0], "--baseline", states[1], *APART)
        said = out.partition("\n\n")[0]
        assert not any(f"{change}: an acknowledged record is lost" in said for change in ("new", "gone", "open"))


def test_clients_of_one_file_name_are_found_again_by_their_folders(audit: Run) -> None:
    for root in ("old", "new"):
        state(root, SAFE)
        for app, commit in (("a", "true"), ("b", "false")):
            text = f"enable.auto.commit={commit}\nkey.deserializer=a.B\ngroup.id={app}\n"
            folder = Path(root, "apps", app)
            folder.mkdir(parents=True)
            (folder / "consumer.properties").write_text(text, encoding="utf-8")

    def of(root: str, *before: str) -> list[str]:
        paths = [f"{root}/apps/a", f"{root}/apps/b", f"{root}/producer.properties", f"{root}/topic.properties"]
        return [part for path in paths for part in (*before, path)]

    said = ("--assume", "client=java,commit=sync,processing=poll", "--quiet")
    code, out, _ = audit(*of("new"), *of("old", "--baseline"), *said)
    assert code == 0
    assert out.splitlines()[0].endswith(" unchanged.")
    Path("new/apps/b/consumer.properties").write_text(MOVES.format("b"), encoding="utf-8")
    code, out, _ = audit(*of("new"), *of("old", "--baseline"), *said)
    assert code == 1
    assert "(consumer group of new/apps/b/consumer.properties)" in " ".join(out.partition("\n\n")[0].split())


BINDINGS = """
spring:
  cloud:
    stream:
      bindings:
        a-in-0: {destination: orders, group: shop}
        b-in-0: {destination: orders, group: shop2}
      kafka:
        bindings:
          a-in-0: {consumer: {enable-dlq: true}}
          b-in-0: {consumer: {configuration: {auto.offset.reset: earliest}}}
        binder: {brokers: "a:9092"}
"""


def test_bindings_of_one_file_are_found_again_by_their_names(audit: Run) -> None:
    for folder in ("old", "new"):
        files(folder)
        Path(folder, "application.yml").write_text(BINDINGS, encoding="utf-8")
    code, out, _ = audit("new", "--baseline", "old", "--quiet")
    assert code == 0
    assert out.splitlines()[0].endswith(" unchanged.")


def test_a_new_doubt_leaves_it_open_whether_topics_got_worse(audit: Run) -> None:
    broker = (
        "environment: {KAFKA_PROCESS_ROLES: broker, KAFKA_NODE_ID: 1, KAFKA_LOG_DIRS: /data}\n    volumes: [a:/data]"
    )
    compose = f"services:\n  k1:\n    image: apache/kafka:4.0.1\n    {broker}\n"
    connect = "  connect:\n    image: confluentinc/cp-kafka-connect:8.0.0\n"
    old, new = state("old", SAFE), state("new", SAFE)
    Path(old, "docker-compose.yml").write_text(f"{compose}volumes: {{a: {{}}}}\n", encoding="utf-8")
    Path(new, "docker-compose.yml").write_text(f"{compose}{connect}volumes: {{a: {{}}}}\n", encoding="utf-8")
    code, out, _ = audit(new, "--baseline", old, "--quiet")
    assert code == 3
    assert "new warning: new/docker-compose.yml:7: service connect runs Kafka Connect" in out
    assert audit(new, "--baseline", new, "--quiet")[0] == 0


def test_another_value_of_what_is_not_checked_is_named_and_counts_for_nothing(audit: Run) -> None:
    old, new = (
        state(folder, SAFE, f"{TOPIC}retention.ms={age}\n") for folder, age in (("old", "518400000"), ("new", "1"))
    )
    code, out, _ = audit(new, "--baseline", old, "--quiet")
    assert code == 0
    assert "new warning: new/topic.properties:4: retention.ms: early deletion: not checked." in out
    code, out, _ = audit(new, "--baseline", new, "--quiet")
    assert (code, "new warning" in out) == (0, False)
