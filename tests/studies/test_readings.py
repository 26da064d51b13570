"""The verdict on files that leave something open is the worst of those that each known value gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from command_line import Run, running
from hypothesis import given, settings
from hypothesis import strategies as st

from neverlost.explorer.answers.questions import Answer, Answers, Question
from neverlost.explorer.search import Limits
from neverlost.explorer.verdict import Verdict
from neverlost.reports.audit.readings import readings_block
from neverlost.spec.configuration import ConfigurationError, read_deployments
from neverlost.spec.kafka.releases import RELEASES
from neverlost.studies.audit.audit import audit_of
from neverlost.studies.audit.examination import worst_of
from neverlost.studies.audit.reading_verdicts import Readings, examine_readings
from neverlost.studies.study import Study

FIRSTS = (
    "0.10.2.2",
    "0.11.0.3",
    "1.1.1",
    "2.0.0",
    "2.8.1",
    "3.0.1",
    "3.4.1",
    "3.9.0",
    "3.9.1",
    "4.0.1",
    "4.1.1",
    "4.3.1",
)
ASSUMED = [
    f"{mode}elr={elr},client={client}"
    for mode in ("mode=kraft,", "mode=zookeeper,", "")
    for elr in ("on", "off")
    for client in ("java", "java-2.8", "java-2.0", "librdkafka")
]


class ByChance(Answers):
    """Answers that are drawn by the question: one of `odds` is violated."""

    def __init__(self, odds: int, salt: int) -> None:
        super().__init__(None)
        self.odds, self.salt = odds, salt

    def known(self, question: Question) -> Answer:
        drawn = int.from_bytes(sha256(f"{self.salt} {question.key}".encode()).digest()[:4], "big")
        violated = drawn % self.odds == 0
        return Answer(
            verdict=Verdict.VIOLATED if violated else Verdict.HOLDS,
            distinct=1,
            depth=1,
            complete=not violated,
            hidden=None if violated else 0,
            trace=None,
        )


FILES = st.fixed_dictionaries(
    {
        "topic": st.fixed_dictionaries(
            {"replication.factor": st.sampled_from(["3", "1"]), "min.insync.replicas": st.sampled_from(["1"])}
        ),
        "producer": st.fixed_dictionaries(
            {},
            optional={
                "acks": st.sampled_from(["all", "1"]),
                "retries": st.just("7"),
                "max.in.flight.requests.per.connection": st.sampled_from(["1", "9"]),
                "key.serializer": st.just("a.B"),
            },
        ).filter(lambda keys: bool({"acks", "retries"} & keys.keys())),
        "broker": st.sampled_from(
            [
                {},
                {"process.roles": "broker", "min.insync.replicas": "1"},
                {"zookeeper.connect": "a:1", "min.insync.replicas": "1"},
            ]
        ),
    }
)


def written(folder: Path, texts: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The arguments for files with these keys."""
    for role, keys in texts.items():
        (folder / role).write_text("".join(f"{key}={value}\n" for key, value in keys.items()), encoding="utf-8")
    return [f"{role}:{folder / role}" for role, keys in texts.items() if keys]


MODES = {"process.roles": "KRaft", "zookeeper.connect": "ZooKeeper"}
"""The mode that a key of a broker says."""


@settings(max_examples=settings.default.max_examples // 10)
@given(
    texts=FILES,
    odds=st.sampled_from([2, 20, 400]),
    salt=st.integers(0, 999),
    known=st.lists(st.tuples(st.sampled_from(FIRSTS), st.sampled_from(ASSUMED)), min_size=3, max_size=6),
)
def test_what_is_left_open_gives_the_worst_of_the_answers_of_each_value(
    texts: Mapping[str, Mapping[str, str]], odds: int, salt: int, known: list[tuple[str, str]]
) -> None:
    study = Study(ByChance(odds, salt), Limits())
    with TemporaryDirectory() as folder:
        arguments = written(Path(folder), texts)
        (whole,) = read_deployments(arguments)
        found = examine_readings(whole, None, study)
        said = set()
        for release, assume in known:
            try:
                (one,) = read_deployments(arguments, kafka_version=release, assume=assume)
            except ConfigurationError:
                continue
            if any(one.mode != mode for key, mode in MODES.items() if key in texts["broker"]):
                continue
            said |= {judged.verdict for judged in examine_readings(one, None, study).verdicts}
    everything = {judged.verdict for judged in found.verdicts}
    assert said <= everything
    assert found.verdict == worst_of(everything)


def test_everyday_work_that_takes_back_what_was_read_is_named_in_every_reading(tmp_path: Path) -> None:
    """A record that was read and vanishes is a loss, also where every acknowledged one is kept."""

    class TakenBack(ByChance):
        """Only this happens: with several faults a record that consumers have read is lost again."""

        def known(self, question: Question) -> Answer:
            faults = sum(question.model.settings[name] for name in ("leader_moves", "shutdowns"))
            happens = question.property == "committed_never_lost" and faults > 1
            return ByChance(1 if happens else 10**9, 0).known(question)

    (whole,) = read_deployments(written(tmp_path, {"topic": TOPIC, "producer": SETTLED}))
    found = examine_readings(whole, None, Study(TakenBack(1, 0), Limits()))
    assert len(found.verdicts) > 1
    assert {judged.verdict for judged in found.verdicts} == {Verdict.HOLDS}
    assert all(judged.everyday["rolling-restart"] == Verdict.VIOLATED for judged in found.verdicts)


def test_every_release_of_the_test_is_one() -> None:
    assert set(FIRSTS) <= set(RELEASES)


TOPIC = {"replication.factor": "3", "min.insync.replicas": "2", "unclean.leader.election.enable": "false"}
SETTLED = {
    "acks": "all",
    "enable.idempotence": "true",
    "max.in.flight.requests.per.connection": "1",
    "key.serializer": "a.B",
}


def rows(folder: Path, run: Run, *arguments: str) -> tuple[int, str]:
    """The exit code of an audit, and what it says before the settings."""
    code, out, _ = run(*written(folder, {"topic": TOPIC, "producer": SETTLED}), "--quiet", *arguments)
    return code, " ".join(out.split("\nKafka ")[0].split())


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], store: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "100")
    return lambda *arguments: running(capsys, "audit")(*arguments, "--store", str(store))


def test_the_first_lines_say_on_what_a_verdict_depends_and_how_to_say_it(tmp_path: Path, run: Run) -> None:
    code, said = rows(tmp_path, run)
    assert code == 1
    assert said.startswith(
        "NOT SAFE, unless this is so: eligible leader replicas on. No file says which release of Kafka it is"
    )
    assert "eligible leader replicas on: SAFE with any single fault; NOT SAFE with rolling-restart" in said
    assert "NOT SAFE: an acknowledged record is lost, with 1 power loss" in said
    assert "To narrow this, add: --kafka-version N.N.N and --assume elr=on|off." in said


def test_what_is_said_leaves_one_reading_and_is_repeated(tmp_path: Path, run: Run) -> None:
    code, _ = rows(tmp_path, run, "--kafka-version", "4.1.1", "--assume", "elr=on")
    assert code == 0
    _, out, _ = run(
        *written(tmp_path, {"topic": TOPIC, "producer": SETTLED}), "--kafka-version", "4.1.1", "--assume", "elr=on"
    )
    assert "\nSAFE with any single fault; NOT SAFE with rolling-restart" in out
    assert "Assumed, as --assume says: elr=on." in " ".join(out.split())


def test_no_words_are_lost_on_what_makes_no_difference(tmp_path: Path) -> None:
    paths = written(
        tmp_path, {"topic": {**TOPIC, "replication.factor": "1", "min.insync.replicas": "1"}, "producer": SETTLED}
    )
    study = Study(ByChance(1, 0), Limits())
    (only,) = audit_of(read_deployments(paths), study).classes
    block = readings_block(only.readings)
    assert block is not None
    assert block.rows == ()
    assert block.say.startswith('kafka_version="N.N.N"')
    assert block.depends.startswith("NOT SAFE in every case, though no file says which release of Kafka it is")


def test_a_reading_for_which_too_much_would_be_searched_is_undecided(tmp_path: Path) -> None:
    class Unknown(ByChance):
        """The answers to questions about one reading alone are known."""

        def known(self, question: Question) -> Answer:
            return super().known(question) if question.model.profile.name == "kafka-4.3" else None  # type: ignore[return-value]

    paths = written(
        tmp_path, {"topic": {**TOPIC, "replication.factor": "1", "min.insync.replicas": "1"}, "producer": SETTLED}
    )
    (whole,) = read_deployments(paths, assume="elr=on")
    study = Study(Unknown(10**9, 0), Limits(), interrupted=lambda: True)
    found = examine_readings(whole, None, study)
    assert found.verdict == Verdict.UNDECIDED
    assert found.verdicts[0].verdict == Verdict.HOLDS


@pytest.mark.parametrize(
    ("racks", "zones", "most"),
    [
        ([], "", 3),
        ([""], "", 3),
        (["a"], "", 3),
        (["a", "a", "a"], "", 3),
        (["a", "a", "b"], "", 2),
        (["a", "b", ""], "", 3),
        (["a", "b", "c"], "", 1),
        (["a", "b", "c", "d"], "", 1),
        (["a"], "zones=2", 2),
        (["a"], "zones=3", 1),
    ],
)
def test_a_zone_may_have_as_many_replicas_as_the_other_zones_leave(
    tmp_path: Path, racks: Sequence[str], zones: str, most: int
) -> None:
    """With fewer zones than replicas some zone has two of them (StripedReplicaPlacer, AdminUtils)."""
    paths = written(tmp_path, {"topic": TOPIC, "producer": SETTLED})
    for number, rack in enumerate(racks):
        own = tmp_path / str(number)
        own.mkdir()
        paths += written(own, {"broker": {"min.insync.replicas": "2", **({"broker.rack": rack} if rack else {})}})
    (found,) = read_deployments(paths, kafka_version="4.1.1", assume=f"elr=on,{zones}".strip(","))
    assert found.replicas_in_one_zone == most


@pytest.mark.parametrize(
    ("zones", "code", "words"),
    [
        (
            "",
            1,
            "name no zone (broker.rack): a zone may have every replica of a partition, so az-loss is 3 power losses.",
        ),
        (
            ",zones=3",
            0,
            "az-loss takes one replica only of partitions that Kafka placed itself with racks set, in 3 zones.",
        ),
    ],
)
def test_a_zone_takes_as_many_replicas_as_it_may_have(
    tmp_path: Path, run: Run, zones: str, code: int, words: str
) -> None:
    server = {"process.roles": "broker", "log.dirs": "/data"}
    paths = written(tmp_path, {"topic": TOPIC, "producer": SETTLED, "broker": server})
    given = ("--kafka-version", "4.1.1", "--assume", f"elr=on{zones}", "--survive", "az-loss", "--quiet")
    found, out, _ = run(*paths, *given)
    assert found == code
    assert words in " ".join(out.split())


def test_what_is_undecided_is_examined_before_what_is_safe(tmp_path: Path) -> None:
    """The formats of a pipeline show the examination: it must not be that of a safe reading."""
    found = judged_twice(tmp_path)[0]
    assert found.examination.verdict == Verdict.UNDECIDED


def test_an_answer_that_was_cut_short_before_is_not_taken_for_safe(tmp_path: Path) -> None:
    first, again = judged_twice(tmp_path)
    assert [one.verdict for one in again.verdicts] == [one.verdict for one in first.verdicts]
    assert Verdict.UNDECIDED in {one.verdict for one in again.verdicts}


def judged_twice(folder: Path) -> list[Readings]:
    """The same files twice with one study, where the search about the second reading is cut short after one state."""

    class OneKnown(Answers):
        """Eligible leader replicas on: nothing happens. Off: there is no answer."""

        def known(self, question: Question) -> Answer | None:
            return ByChance(10**9, 0).known(question) if question.model.settings["elr"] else super().known(question)

    texts = {"topic": {**TOPIC, "replication.factor": "1", "min.insync.replicas": "1"}, "producer": SETTLED}
    (whole,) = read_deployments(written(folder, texts), kafka_version="4.1.1")
    study = Study(OneKnown(None), Limits(states=1))
    return [examine_readings(whole, None, study) for _ in range(2)]


def test_of_the_releases_of_a_version_the_one_is_shown_in_which_most_happens(tmp_path: Path, run: Run) -> None:
    """2.8.0 loses a record by leader moves alone, 2.8.1 does not: the table in the README."""
    code, said = rows(tmp_path, run, "--kafka-version", "2.8", "--assume", "client=java")
    assert code == 1
    assert said.startswith("NOT SAFE in every case, though no file says which release of Kafka 2.8 it is.")
    assert "Details for one case: Kafka 2.8.0." in said
