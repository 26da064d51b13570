"""`neverlost audit`: what it says of every example, what it hands to programs, what it refuses."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest
from command_line import Run, running
from golden_text import expect_golden

from neverlost.cli.main import main
from neverlost.explorer.answers import questions
from neverlost.spec.configuration import Deployment, read_deployment
from neverlost.spec.faults import NO_FAULT, Faults, all_within, maximal, minimal
from neverlost.spec.kafka.replication.exposure import NONE_GIVEN_UP
from neverlost.studies.audit.changes import candidates, changed
from neverlost.studies.audit.dangers import DANGERS, rests_on

pytestmark = pytest.mark.xdist_group("one store for all audits")

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "audit"
WRONG = Path("tests") / "spec" / "configuration" / "wrong"
ONE_REPLICA = "replication-factor-1"
ONE_READING = ("--kafka-version", "4.1.1", "--assume", "elr=on,client=java")
"""What some claims are not about: else every release and every client is asked."""
LOST, _, DUPLICATED, *_ = DANGERS


@pytest.fixture
def audit(store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(ROOT)

    def audit(*arguments: str) -> tuple[int, str, str]:
        return running(capsys, "audit")("--store", str(store), *arguments)

    return audit


def files(name: str) -> list[str]:
    """The files of an example, as one writes them in the root of the project."""
    return [str(path.relative_to(ROOT)) for path in sorted((EXAMPLES / name).iterdir())]


def deployment(name: str) -> Deployment:
    version = "0.10.2" if name == "version-with-a-hole" else None
    return read_deployment([str(ROOT / path) for path in files(name)], kafka_version=version)


EXIT_CODES = {
    "good": 0,
    "acks-1": 1,
    "min-isr-1": 1,
    "unclean": 0,
    "compose": 1,
    "strimzi": 1,
    "many-topics": 1,
    "spring": 1,
    ONE_REPLICA: 1,
    "version-with-a-hole": 1,
    "after-describe": 1,
    "exactly-once": 1,
    "consumer": 1,
    "controllers": 1,
}


SAID = {
    "version-with-a-hole": ("--kafka-version", "0.10.2"),
    "good": ("--assume", "commit=sync"),
    "exactly-once": ("--kafka-version", "4.1.1"),
    "consumer": ("--kafka-version", "4.3.1"),
    "controllers": ("--kafka-version", "3.9.1"),
}
"""What no file of an example says: its release, and when its program commits."""
QUICK = ("good",)
"""What is said of acks-1 is in the how-to page too, whose commands are run."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.thorough) for name in EXIT_CODES]
)
def test_what_an_audit_says_of_an_example(name: str, audit: Run, tmp_path: Path) -> None:
    code, out, _ = audit(*files(name), *SAID.get(name, ()), "--json", str(tmp_path / "audit.json"))
    expect_golden(f"audit_{name}.txt", out)
    assert code == EXIT_CODES[name]
    assert "\x1b" not in out
    assert max(len(line) for line in out.splitlines()) <= 100


def test_every_example_is_audited() -> None:
    assert {path.name for path in EXAMPLES.iterdir()} == set(EXIT_CODES)


def as_json(audit: Run, path: Path, *arguments: str) -> dict[str, Any]:
    audit(*arguments, "--json", str(path))
    return dict(json.loads(path.read_text(encoding="utf-8")))


def test_programs_get_every_question_with_its_verdict_and_its_fix(audit: Run, tmp_path: Path) -> None:
    result = as_json(audit, tmp_path / "audit.json", *files("acks-1"))
    assert (result["schema"], result["verdict"], result["tolerance"]) == (3, "violated", None)
    (only,) = result["classes"]
    assert (only["topics"], only["internal"], only["replication_factor"]) == ([], False, 3)
    by_question = {(f["property"], str(f["faults"])): f for f in only["findings"]}
    lost = by_question["acked_never_lost", "{'leader_moves': 1}"]
    assert (lost["verdict"], lost["trace_length"], lost["tolerated"]) == ("violated", 4, True)
    assert lost["settings"]["acks"] == "1"
    assert [(c["key"], c["from"], c["to"], c["line"]) for c in lost["fix"]["changes"]] == [
        ("acks", "1", "all", 7),
        ("max.in.flight.requests.per.connection", "5", "1", None),
    ]
    assert lost["fix"]["distinct"] > 100_000
    held = by_question["acked_never_lost", "{}"]
    assert (held["verdict"], held["fix"], held["trace_length"]) == ("holds", None, None)
    assert only["assumed_defaults"]["flush.messages"] == "9223372036854775807"
    assert only["deciding_defaults"] == {
        "retries": "2147483647",
        "enable.idempotence": "false",
        "max.in.flight.requests.per.connection": "5",
        "unclean.leader.election.enable": "false",
    }
    assert {warning["key"] for warning in only["warnings"]} >= {"acks", "min.insync.replicas"}


def test_the_json_may_go_to_standard_output_with_the_text_beside_it(audit: Run) -> None:
    _, out, err = audit(*files(ONE_REPLICA), "--json", "-")
    assert json.loads(out)["classes"][0]["replication_factor"] == 1
    assert "NOT SAFE with a single fault" in err


def test_the_command_that_an_audit_names_finds_the_same(
    audit: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = as_json(audit, tmp_path / "audit.json", *files("acks-1"))
    finding = next(f for f in result["classes"][0]["findings"] if f["trace_length"] == 4)
    again = tmp_path / "check.json"
    words = shlex.split(" ".join(finding["command"]))
    assert main([*words[1:], "--json", str(again)]) == 1
    capsys.readouterr()
    checked = json.loads(again.read_text(encoding="utf-8"))
    assert checked["properties"][finding["property"]]["trace_length"] == finding["trace_length"]
    assert checked["settings"] == finding["settings"]


def test_an_audit_that_was_done_before_searches_no_more(audit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = (*files(ONE_REPLICA), *ONE_READING, "--tolerate", "1 crash", "--search")
    before = audit(*asked)
    monkeypatch.delattr(questions, "explore")
    assert audit(*asked)[:2] == before[:2]


def test_a_tolerance_decides_the_exit_code(audit: Run) -> None:
    code, out, _ = audit(*files(ONE_REPLICA), "--tolerate", "2 crashes", "--quiet")
    assert code == 0
    assert "\nSAFE with 2 crashes, if these keys, which no file sets, have their defaults:" in out
    code, out, _ = audit(*files(ONE_REPLICA), "--tolerate", "1 crash, 2 power losses", "--quiet")
    assert code == 1
    assert "NOT SAFE with 1 crash + 2 power losses" in out
    assert "acknowledged, then lost 1 power loss  " in out


def test_without_acknowledgements_nothing_is_promised(audit: Run, tmp_path: Path) -> None:
    (tmp_path / "producer.properties").write_text("acks=0\nlinger.ms=5\n", encoding="utf-8")
    topic = next(path for path in files(ONE_REPLICA) if path.endswith("topic.properties"))
    _, out, _ = audit(str(tmp_path / "producer.properties"), topic, "--tolerate", "1 pause", *ONE_READING, "--quiet")
    assert "acknowledged, then lost any fault or none                   NOT PROMISED" in out
    assert "with acks=0 the producer never learns what was lost" in " ".join(out.split())
    assert "NOTHING IS PROMISED (acks=0), and nothing else happens with 1 pause" in " ".join(out.split())
    assert "\nSAFE" not in out


FOREIGN = {
    "application.yml": "quarkus:\n  kafka:\n    producer:\n      acks: 1\n",
    "producer.json": '{\n  "producer": {"acks": "1"}\n}\n',
    "connect.properties": "group.id=a\nkey.converter=a.B\nproducer.acks=1\n",
    "orders-topic.yaml": "kind: KafkaTopic\nspec:\n  replicas: 1\n",
    "linger.properties": "linger.ms=5\nkey.serializer=a.B\n",
}
"""Files that were once audited as what they are not, and called SAFE."""


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_not_understood_is_never_safe(name: str, audit: Run, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FOREIGN[name], encoding="utf-8")
    own = [path for path in files("good") if "consumer" not in path]
    for role in ("", "producer:", "consumer:", "topic:"):
        beside = [path for path in own if "topic" not in role or "topic" not in path]
        code, out, err = audit(f"{role}{tmp_path / name}", *(path for path in beside if "producer" not in path))
        assert (code, out) == (2, ""), role
        assert name in err


def test_the_verdict_names_the_defaults_it_rests_on_and_what_could_change_it(audit: Run, tmp_path: Path) -> None:
    (tmp_path / "topic.properties").write_text("replication.factor=1\nmin.insync.replicas=1\n", encoding="utf-8")
    topic = str(tmp_path / "topic.properties")
    code, out, _ = audit(
        topic, "--kafka-version", "4.1.1", "--assume", "elr=on,client=java", "--tolerate", "0 crashes", "--quiet"
    )
    verdict = " ".join(out.split("What may happen")[0].split())
    assert code == 0
    assert (
        "SAFE with no fault, if these keys, which no file sets, have their defaults: acks=all, retries=2147483647,"
        " enable.idempotence=true,"
        " max.in.flight.requests.per.connection=5 and unclean.leader.election.enable=false."
        " It assumes that no exchange is delayed, the controllers lose no decision,"
        " no record is refused for good while an earlier one waits for its answer (KAFKA-14034)"
        " and no producer sends memory of an expired batch that it has used again (KAFKA-19012)."
        " Assumed, as --assume says: elr=on and client=java."
        " The verdict may be different, because"
        " no producer's configuration is given: clients are taken to have their defaults." in verdict
    )


ASKED = ("replication.factor=3\nmin.insync.replicas=2\n", "acks=all\nenable.idempotence=true\n")


@pytest.mark.parametrize(
    ("added", "arguments", "renumbers"),
    [
        ("transactional.id=payments\n", ("--kafka-version", "4.1.1", "--assume", "client=java"), True),
        ("max.in.flight.requests.per.connection=1\n", ("--kafka-version", "4.1.1", "--assume", "client=java"), False),
        ("", ("--kafka-version", "2.2.1", "--assume", "client=java"), False),
        ("", ("--kafka-version", "4.1.1", "--assume", "client=librdkafka"), False),
    ],
    ids=["transactions", "one request in flight", "a client before KIP-360", "another client"],
)
def test_no_duplicate_is_promised_only_if_a_refusal_renumbers_nothing(
    added: str, arguments: tuple[str, ...], renumbers: bool, audit: Run, tmp_path: Path
) -> None:
    """TransactionManager.handleFailedBatch of Java's client from 2.5 on: KAFKA-14034."""
    topic, producer = ASKED
    (tmp_path / "topic.properties").write_text(topic, encoding="utf-8")
    (tmp_path / "producer.properties").write_text(producer + added, encoding="utf-8")
    result = as_json(audit, tmp_path / "audit.json", *map(str, sorted(tmp_path.iterdir())), *arguments)
    findings = [finding for one in result["classes"] for finding in one["findings"]]
    assert any(finding["property"] == "written_once" and finding["verdict"] == "holds" for finding in findings)
    named = {one["property"] for one in findings if any("KAFKA-14034" in clause for clause in one["assumes"])}
    assert named == ({"written_once"} if renumbers else set())


def test_javas_producer_writes_twice_and_out_of_order_unless_it_sends_one_request_at_a_time(
    audit: Run, tmp_path: Path
) -> None:
    """KAFKA-15591, as TransactionManager.canRetry has it from 2.5 on."""
    (tmp_path / "topic.properties").write_text(ASKED[0], encoding="utf-8")
    (tmp_path / "producer.properties").write_text(ASKED[1], encoding="utf-8")
    paths = map(str, sorted(tmp_path.iterdir()))
    asked = ("--kafka-version", "4.1.1", "--assume", "client=java,elr=on", "--survive", "preferred-election")
    result = as_json(audit, tmp_path / "audit.json", *paths, *asked)
    (one,) = result["classes"]
    verdicts = {finding["property"]: finding["verdict"] for finding in one["findings"]}
    assert verdicts == {
        "acked_never_lost": "holds",
        "committed_never_lost": "holds",
        "written_once": "violated",
        "written_in_order": "violated",
    }
    fixes = [finding["fix"]["changes"] for finding in one["findings"] if finding["fix"] is not None]
    assert [[(change["key"], change["to"]) for change in changes] for changes in fixes] == [
        [("max.in.flight.requests.per.connection", "1")],
        [("max.in.flight.requests.per.connection", "1")],
    ]


def test_an_order_is_promised_without_idempotence_only_if_no_request_that_was_given_up_is_written(
    audit: Run, tmp_path: Path
) -> None:
    (tmp_path / "topic.properties").write_text(ASKED[0], encoding="utf-8")
    producer = "acks=all\nenable.idempotence=false\nretries=0\nmax.in.flight.requests.per.connection=1\n"
    (tmp_path / "producer.properties").write_text(producer, encoding="utf-8")
    asked = (*map(str, sorted(tmp_path.iterdir())), "--kafka-version", "4.1.1", "--assume", "client=java,elr=on")
    (one,) = as_json(audit, tmp_path / "audit.json", *asked)["classes"]
    kept = [finding for finding in one["findings"] if finding["verdict"] == "holds"]
    named = {finding["property"] for finding in kept if NONE_GIVEN_UP in finding["assumes"]}
    assert named == {"written_in_order"}


def test_an_idempotent_librdkafka_loses_a_record_that_one_request_at_a_time_keeps(audit: Run, tmp_path: Path) -> None:
    (tmp_path / "topic.properties").write_text(ASKED[0], encoding="utf-8")
    (tmp_path / "producer.properties").write_text(ASKED[1], encoding="utf-8")
    paths = map(str, sorted(tmp_path.iterdir()))
    code, out, _ = audit(
        *paths, "--kafka-version", "4.1.1", "--assume", "client=librdkafka,elr=on", "--survive", "preferred-election"
    )
    said = " ".join(out.split())
    assert code == 1
    assert "NOT SAFE with preferred-election: an acknowledged record is lost" in said
    assert "acknowledged, then lost 1 leader move HAPPENS in 8 steps" in said
    assert "max.in.flight.requests.per.connection=1" in said.partition("Fix:")[2]


def test_a_reassignment_is_said_to_be_moves_of_the_leader_alone(audit: Run) -> None:
    _, out, _ = audit(*files("good"), "--survive", "planned-reassignment", "--quiet")
    assert "that a replica is removed, and added again, is not searched" in " ".join(out.split())


@pytest.mark.parametrize(
    ("version", "client", "tickets"),
    [
        (
            "2.1.1",
            "java",
            {"KAFKA-1120", "KAFKA-9254", "KAFKA-10778"},
        ),  # KAFKA-1120 is fixed in 2.2.0, KAFKA-9254 in 2.4.1
        ("2.2.0", "java", {"KAFKA-9254", "KAFKA-10778"}),
        ("2.7.2", "java", {"KAFKA-10778"}),  # fixed in 2.8.0
        ("2.8.0", "java", {"KAFKA-19012"}),  # since 2.8.0, fixed in 3.9.2, 4.0.2, 4.1.2 and 4.2.0
        ("3.5.1", "java", {"KAFKA-15375", "KAFKA-19012"}),  # KAFKA-15375 is fixed in 3.5.2
        ("3.5.2", "java", {"KAFKA-19012"}),
        ("3.9.1", "java", {"KAFKA-19012"}),
        ("3.9.2", "java", set()),
        ("4.0.1", "java", {"KAFKA-19012"}),
        ("4.1.2", "java", set()),
        ("4.1.1", "java", {"KAFKA-19012"}),
        ("4.1.1", "librdkafka", set()),
        ("4.2.0", "java", set()),
    ],
)
def test_a_verdict_assumes_that_bugs_which_the_model_does_not_have_do_not_happen(
    version: str, client: str, tickets: set[str], tmp_path: Path
) -> None:
    topic, producer = ASKED
    (tmp_path / "topic.properties").write_text(topic, encoding="utf-8")
    (tmp_path / "producer.properties").write_text(producer, encoding="utf-8")
    deployment = read_deployment([str(tmp_path)], kafka_version=version, assume=f"client={client}")
    twice, lost = (next(d for d in DANGERS if d.property == name) for name in ("written_once", "acked_never_lost"))
    said = " ".join(rests_on(deployment, twice))
    of_logs, of_producers = {"KAFKA-1120", "KAFKA-9254", "KAFKA-10778"}, {"KAFKA-15375", "KAFKA-19012"}
    assert {ticket for ticket in of_logs | of_producers if ticket in said} == tickets
    of_loss = " ".join(rests_on(deployment, lost))
    assert {ticket for ticket in of_logs | of_producers if ticket in of_loss} == tickets & of_logs


def test_a_verdict_that_rests_on_nothing_unsaid_names_no_default(audit: Run, tmp_path: Path) -> None:
    producer = "acks=all\nenable.idempotence=true\nkey.serializer=a.B\nmax.in.flight.requests.per.connection=1\n"
    (tmp_path / "producer.properties").write_text(producer, encoding="utf-8")
    topic = "replication.factor=1\nmin.insync.replicas=1\nunclean.leader.election.enable=false\n"
    (tmp_path / "topic.properties").write_text(topic, encoding="utf-8")
    paths = [str(path) for path in sorted(tmp_path.iterdir())]
    _, out, _ = audit(*paths, "--kafka-version", "2.2.1", "--tolerate", "1 pause", "--quiet")
    verdict = (
        "idempotent producer SAFE with 1 pause. It assumes that no exchange is delayed, the controllers lose no decision, no broker"
        " that crashes or loses power is the controller, brokers' defaults for logs are not changed twice while they run (KAFKA-9254)"
        ", no broker goes on with a log after an error of its disk (KAFKA-10778) and no producer sends memory of an expired batch"
        " that it has used again (KAFKA-19012)."
    )
    assert " ".join(out.split("What may happen")[0].split()).endswith(verdict)


def test_topics_of_several_classes_have_an_answer_each_and_one_exit_code(audit: Run, tmp_path: Path) -> None:
    result = as_json(audit, tmp_path / "a.json", *files("many-topics"), "--tolerate", "1 power loss", "--quiet")
    assert [(one["topics"], one["internal"], one["verdict"]) for one in result["classes"]] == [
        (["orders", "payments"], False, "holds"),
        (["clicks"], False, "violated"),
        (["scratch"], False, "violated"),
        (["__consumer_offsets"], True, "holds"),
    ]
    assert {finding["property"] for finding in result["classes"][3]["findings"]} == {
        "acked_never_lost",
        "committed_never_lost",
    }
    assert (result["refused"], result["verdict"]) == ([], "violated")


def test_topics_that_cannot_be_audited_leave_the_whole_undecided(audit: Run, tmp_path: Path) -> None:
    (tmp_path / "topics.txt").write_text(
        "Topic: a\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: min.insync.replicas=1\n"
        "Topic: b\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: min.insync.replicas=2\n",
        encoding="utf-8",
    )
    code, out, _ = audit(str(tmp_path / "topics.txt"), "--kafka-version", "3.6", "--tolerate", "0 crashes")
    assert code == 3
    assert out.startswith("2 topics: 1 REFUSED and 1 SAFE.\n")
    overview = [line.split() for line in out.splitlines()[1:6]]
    assert ["1", "1", "SAFE", "a"] in overview
    assert ["2", "1", "REFUSED", "b"] in overview


def test_a_replica_that_was_out_of_sync_is_part_of_the_verdict(audit: Run, tmp_path: Path) -> None:
    (tmp_path / "orders.txt").write_text(
        "Topic: a\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: min.insync.replicas=1\n"
        "\tTopic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1\n",
        encoding="utf-8",
    )
    asked = (str(tmp_path / "orders.txt"), *ONE_READING, "--tolerate", "0 crashes", "--quiet")
    result = as_json(audit, tmp_path / "a.json", *asked)
    assert [w["what"] for w in result["classes"][0]["warnings"] if w["decides"] and w["key"] == "Isr"] == [
        "only 1 of 2 replicas were in sync."
    ]


def test_a_search_that_is_cut_short_is_undecided(audit: Run, tmp_path: Path) -> None:
    asked = ("--tolerate", "3 crashes", "--max-states", "9", "--search", "--store", str(tmp_path))
    code, out, _ = audit(*files(ONE_REPLICA), *asked)
    assert code == 3
    assert "UNDECIDED" in out
    assert "Raise --max-states or --time-limit" in out


def test_a_verdict_counts_the_questions_that_it_leaves_open(audit: Run, tmp_path: Path) -> None:
    """With acks=1 two records overtake one another in three steps, and 900 states are too few to say anything of the rest."""
    asked = ("--tolerate", "1 crash", "--max-states", "900", "--search", "--quiet", "--json", str(tmp_path / "a.json"))
    code, out, _ = audit(*files("acks-1"), *asked, "--store", str(tmp_path / "store"))
    verdict = " ".join(out.split("\n\n")[0].split())
    (only,) = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["classes"]
    left = [asked["verdict"] for asked in only["findings"]].count("undecided")
    assert (code, bool(left)) == (1, True)
    assert "NOT SAFE with 1 crash" in verdict
    assert f"Undecided, because searches were cut short: {left} of {len(only['findings'])} questions" in verdict


def test_a_release_that_is_newer_than_those_that_are_known_is_an_assumption_of_the_verdict(audit: Run) -> None:
    _, out, _ = audit(*files("good"), "--kafka-version", "4.1.7", "--assume", "elr=on", "--quiet")
    first = " ".join(out.split("\n\n")[1].split())
    assert "Assumed: Kafka 4.1.7, which is not known here, behaves as 4.1.2." in first
    _, known, _ = audit(*files("good"), "--kafka-version", "4.1.1", "--assume", "elr=on", "--quiet")
    assert "which is not known here" not in known


def test_acks_all_comes_with_idempotence_where_a_client_does_not_have_it_by_default(audit: Run) -> None:
    """With acks=all alone, such a producer's retries write records twice: KIP-679 made idempotence the default in 3.0."""
    given = ("--kafka-version", "4.1.1", "--assume", "elr=on,client=java-2.8")
    _, out, _ = audit(*files("acks-1"), *given)
    lost = " ".join(out.partition("acknowledged record is lost")[2].split())
    fix = lost.partition("Fix: ")[2][:400]
    assert "acks=all" in fix
    assert "enable.idempotence=true" in fix


def test_the_help_of_the_command(audit: Run) -> None:
    code, out, _ = audit("--help")
    expect_golden("help_audit.txt", out)
    assert code == 0


WRONG_INPUTS = {
    "unknown-key": "producer.properties:",
    "duplicate-key": "topic.properties:4: min.insync.replicas: set again to",
    "bad-values": "'2' is no value of acks",
    "unreachable-min-isr": "5 replicas must be in sync, and the topic has 3",
    "latin-1": "topic.properties:1: byte 0xfc is not UTF-8",
    "empty": "topic.properties: ",
}


@pytest.mark.parametrize("name", WRONG_INPUTS)
def test_wrong_configurations_are_reported_with_file_and_line(name: str, audit: Run) -> None:
    paths = (str(path.relative_to(ROOT)) for path in sorted((ROOT / WRONG / name).iterdir()))
    code, out, err = audit(*paths, *(("--kafka-version", "3.6") if name == "unreachable-min-isr" else ()))
    assert (code, out) == (2, "")
    assert WRONG_INPUTS[name] in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no configuration file is named"),
        (("no-such.properties",), "no-such.properties"),
        ((*files("good"), "--kafka-version", "9.9"), "is not a version that can be audited"),
        ((*files("good"), "--tolerate", "1 meteor"), "'1 meteor' is not a number and a fault."),
        ((*files("good"), "--json", "/no/such/folder/x.json"), "--json /no/such/folder/x.json cannot be written"),
        ((*files("good"), "--time-limit", "soon"), "is not a time above 0"),
    ],
)
def test_wrong_arguments_are_refused_before_any_search(arguments: tuple[str, ...], said: str, audit: Run) -> None:
    code, out, err = audit(*arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_sets_of_faults_are_ordered_by_what_may_happen_with_them() -> None:
    crash, two, both = Faults.of({"crashes": 1}), Faults.of({"crashes": 2}), Faults.of({"pauses": 1, "crashes": 1})
    assert NO_FAULT.within(crash)
    assert crash.within(two)
    assert crash.within(both)
    assert not two.within(both)
    assert minimal([two, crash, both]) == [crash]
    assert maximal([two, crash, both]) == [two, both]
    assert [str(faults) for faults in all_within(both)] == ["no fault", "1 pause", "1 crash", "1 crash + 1 pause"]


def test_a_change_brings_what_it_implies() -> None:
    before = deployment("acks-1")
    first = next(iter(candidates(before, LOST)))
    assert [(change.key, change.value) for change in first] == [("unclean.leader.election.enable", "false")]
    assert changed(before, first) is None
    acks = next(found for found in candidates(before, DUPLICATED) if found[0].key == "acks")
    after = changed(before, acks)
    assert after is not None
    assert (before.settings["idempotence"], after.settings["idempotence"]) == (False, True)


def test_a_change_that_kafka_would_refuse_is_none() -> None:
    before = deployment(ONE_REPLICA)
    alone = next(found for found in candidates(before, LOST) if found[0].key == "min.insync.replicas")
    assert changed(before, alone) is None


def test_single_changes_and_those_that_go_together_come_before_pairs_and_cheap_ones_before_dear_ones() -> None:
    found = list(candidates(deployment("version-with-a-hole"), LOST))
    pairs = 1 + max(number for number, changes in enumerate(found) if len(changes) == 1)
    assert {len(changes) for changes in found[pairs:]} == {2}
    for part in (found[:pairs], found[pairs:]):
        costs = [sum(change.cost for change in changes) for changes in part]
        assert costs == sorted(costs)


def test_the_store_is_kept_in_the_cache_unless_another_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from neverlost.cli.stores import open_store

    monkeypatch.setitem(os.environ, "NEVERLOST_CACHE", str(tmp_path))
    assert open_store(None).folder == tmp_path / "answers"
    assert open_store("here").folder == Path("here")
