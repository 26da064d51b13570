"""From files to a deployment: the examples, everything that is wrong at once, warnings, layers, versions."""

from __future__ import annotations

from pathlib import Path

import pytest
from finalized_features import finalized
from golden_text import expect_golden

from neverlost.spec.configuration import (
    ConfigurationError,
    Deployment,
    parse_tolerance,
    read_deployment,
    read_deployments,
)
from neverlost.spec.configuration.defaults import CONFIGURATION_KEYS, ConfigurationKey
from neverlost.spec.configuration.features import ELR_KEY
from neverlost.spec.kafka.releases import KRAFT, ZOOKEEPER

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "audit"
WRONG = Path(__file__).parent / "wrong"
FOLDER = Path(__file__).parent / "golden"

SAFE = {
    "acks": "all",
    "min_isr": 2,
    "unclean": False,
    "retries": 1,
    "idempotence": True,
    "pipelined": True,
    "flush": False,
    "commit": "none",
}
JAVA = "acks=all\nkey.serializer=a.B\n"
"""A producer's file with what only the Java client has, whose defaults then hold."""

ONE_REQUEST = {**SAFE, "pipelined": False}
RENUMBERS = {**SAFE, "renumbers": True}
HOLE = {"idempotence": False, "pipelined": False}
EXPECTED = {
    "good": ("4.1", "kafka-4.1", 3, {**ONE_REQUEST, "commit": "after"}),
    "acks-1": ("4.1", "kafka-4.1", 3, {**SAFE, "acks": "1", "idempotence": False}),
    "min-isr-1": ("4.1", "kafka-4.1", 3, {**ONE_REQUEST, "min_isr": 1}),
    "unclean": ("4.1", "kafka-4.1", 3, {**ONE_REQUEST, "unclean": True}),
    "replication-factor-1": ("4.1", "kafka-4.1", 1, {**ONE_REQUEST, "min_isr": 1}),
    "version-with-a-hole": ("0.10.2", "kafka-0.9", 3, {**SAFE, **HOLE}),
    "after-describe": ("4.0", "kafka-4.0", 3, RENUMBERS),
    "compose": ("4.1", "kafka-4.1", 3, RENUMBERS),
    "strimzi": ("4.1", "kafka-4.1", 3, RENUMBERS),
    "spring": ("4.4", "kafka-4.3", 3, {**RENUMBERS, "commit": "after"}),
    "many-topics": ("4.1", "kafka-4.1", 3, ONE_REQUEST),
}

OF_SECTIONS = ("consumer", "controllers", "exactly-once")
"""What the audit says of these in sections of their own is a golden text."""


def files(folder: Path) -> list[str]:
    return [str(path) for path in sorted(folder.iterdir())]


def example(name: str) -> Deployment:
    """What the files of an example amount to; for several topics, those of the first class."""
    version = "0.10.2" if name == "version-with-a-hole" else None
    return read_deployments(files(EXAMPLES / name), refused=[], kafka_version=version)[0]


def said(lines: object) -> str:
    return f"{lines}\n".replace(f"{ROOT}/", "")


@pytest.mark.parametrize("name", EXPECTED)
def test_an_example_is_read_as_it_is_meant(name: str) -> None:
    found = example(name)
    assert (found.version, found.profile, found.replication_factor, dict(found.settings)) == EXPECTED[name]


def test_every_example_has_its_expectation() -> None:
    assert {path.name for path in EXAMPLES.iterdir()} == {*EXPECTED, *OF_SECTIONS}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_warnings_of_an_example_are_golden(name: str) -> None:
    found = example(name)
    expect_golden(f"warnings_{name}.txt", said("\n".join(map(str, found.warnings))), FOLDER)


@pytest.mark.parametrize("name", sorted(path.name for path in WRONG.iterdir() if path.name != "other-version"))
def test_everything_that_is_wrong_is_reported_at_once(name: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_deployment(files(WRONG / name), kafka_version="3.6" if name == "unreachable-min-isr" else None)
    expect_golden(f"wrong_{name}.txt", said(caught.value), FOLDER)


def test_keys_that_went_with_a_version_are_refused_for_it_and_tell_it_otherwise() -> None:
    found = read_deployment(files(WRONG / "other-version"))
    assert (found.version, found.settings["acks"]) == ("1.1", "all")
    with pytest.raises(ConfigurationError) as caught:
        read_deployment(files(WRONG / "other-version"), kafka_version="3.9.1")
    expect_golden("wrong_other-version.txt", said(caught.value), FOLDER)


def made(tmp_path: Path, version: str | None = "3.9", **texts: str) -> Deployment:
    """The deployment of files that are named by their role."""
    arguments = []
    for role, text in texts.items():
        path = tmp_path / f"{role}.conf"
        path.write_text(text, encoding="utf-8")
        arguments.append(f"{role}:{path}")
    return read_deployment(arguments, kafka_version=version)


def test_the_topic_overrides_the_broker_and_the_broker_the_default(tmp_path: Path) -> None:
    broker = "default.replication.factor=3\nmin.insync.replicas=2\nlog.flush.interval.messages=1\n"
    found = made(tmp_path, broker=broker, topic="min.insync.replicas=1\n")
    layers = {key: (source.value, source.layer, source.line) for key, source in found.sources.items()}
    assert layers["min.insync.replicas"] == ("1", "topic", 1)
    assert layers["replication.factor"] == ("3", "broker", 1)
    assert layers["flush.messages"] == ("1", "broker", 3)
    assert layers["unclean.leader.election.enable"] == ("false", "default", None)
    assert found.settings["flush"] is True
    assert "'2' has no effect on this topic, which has '1'" in said(found.warnings)


def test_what_the_cluster_describes_goes_before_the_file_of_the_broker(tmp_path: Path) -> None:
    described = (
        "All configs for topic a are:\n  min.insync.replicas=1 sensitive=false "
        "synonyms={DEFAULT_CONFIG:min.insync.replicas=1}\n"
    )
    broker = "min.insync.replicas=2\ndefault.replication.factor=3\n"
    found = made(tmp_path, broker=broker, topic=described)
    source = found.sources["min.insync.replicas"]
    assert (source.value, source.layer, source.line) == ("1", "default", 2)
    assert not source.is_assumed
    assert "'2' has no effect on this topic, which has '1'" in said("\n".join(map(str, found.warnings)))


def test_a_key_left_over_from_the_old_producer_makes_no_old_producer(tmp_path: Path) -> None:
    rest = "bootstrap.servers=a:1\nserializer.class=a.B\n"
    found = made(tmp_path, None, producer=f"{rest}key.serializer=a.C\nretries=5\n")
    assert (found.version, found.settings["acks"], found.settings["idempotence"]) == ("4.4", "all", True)
    assert "1.1 was the last that had" in said("\n".join(map(str, found.warnings)))
    old = made(tmp_path, None, producer="metadata.broker.list=a:1\nserializer.class=a.B\nretries=5\n")
    assert (old.version, old.settings["acks"], old.settings["pipelined"]) == ("1.1", "0", False)


def test_the_old_consumer_commits_by_itself_too(tmp_path: Path) -> None:
    found = made(tmp_path, "0.8", consumer="zookeeper.connect=a:1\ngroup.id=b\nauto.commit.enable=false\n")
    assert found.settings["commit"] == "after"


def test_assumed_defaults_are_exactly_what_no_file_sets(tmp_path: Path) -> None:
    found = made(tmp_path, producer=JAVA, consumer="enable.auto.commit=true\n", broker="default.replication.factor=3\n")
    assert "acks" not in found.assumed_defaults
    assert found.assumed_defaults["auto.offset.reset"] == "latest"
    assert found.assumed_defaults == {k: s.value for k, s in found.sources.items() if s.file is None}


@pytest.mark.parametrize(
    ("consumer", "commit"),
    [("enable.auto.commit=TRUE\n", "auto"), ("group.id=a\nenable.auto.commit=false\n", "after")],
)
def test_the_consumer_decides_how_offsets_are_committed(tmp_path: Path, consumer: str, commit: str) -> None:
    assert made(tmp_path, consumer=consumer).settings["commit"] == commit
    assert made(tmp_path, producer=JAVA).settings["commit"] == "none"


@pytest.mark.parametrize(
    ("texts", "version", "part"),
    [
        (
            {"topic": "replication.factor=3\nmin.insync.replicas=3\n"},
            "3.9",
            "min.insync.replicas is the replication factor",
        ),
        ({"topic": "replication.factor=3\n"}, "3.9", "acks=all is satisfied by one replica"),
        ({"topic": "replication.factor=1\n"}, "3.9", "the topic has one replica"),
        ({"topic": "min.insync.replicas=1\n"}, "3.9", "replication.factor: by default the topic has one replica"),
        ({"topic": "replication.factor=2\n"}, "3.9", "the topic has two replicas"),
        ({"topic": "replication.factor=7\n"}, "3.9", "the topic has 7 replicas"),
        ({"producer": "acks=1\n", "topic": "replication.factor=3\nmin.insync.replicas=2\n"}, "3.9", "has no effect"),
        ({"producer": "acks=0\n"}, "3.9", "nothing is ever acknowledged"),
        ({"producer": "acks=1\n"}, "2.1", "the leader alone acknowledges"),
        ({"producer": "acks=all\nretries=0\n"}, "3.9", "the producer does not retry"),
        ({"producer": "acks=1\n"}, "3.9", "this switches idempotence off"),
        ({"producer": "max.in.flight.requests.per.connection=9\n"}, "3.9", "this switches idempotence off"),
        ({"producer": "acks=all\n"}, "2.1", "retries without idempotence"),
        ({"topic": "unclean.leader.election.enable=true\n"}, "3.9", "unclean leader elections are on"),
        ({"topic": "min.insync.replicas=1\n"}, "0.10", "by default unclean leader elections are on"),
        ({"topic": "flush.messages=1\n"}, "3.9", "flushed before it is acknowledged"),
        ({"topic": "flush.messages=10000\n"}, "3.9", "flushed every 10,000 records"),
        ({"consumer": "enable.auto.commit=true\n"}, "3.9", "the consumer commits by itself"),
        ({"broker": "min.insync.replicas=1\noffsets.topic.replication.factor=1\n"}, "3.9", "offsets have one replica"),
        ({"broker": "min.insync.replicas=1\n"}, "4.0", "(KIP-966) are off"),
        ({"producer": "acks=1 \n"}, "3.9", "ends with blanks"),
        ({"producer": "acks=1\nlinger=3\n"}, "3.9", "Did you mean linger.ms?"),
        ({"producer": "acks=1\nconfluent.x.y=3\n"}, "3.9", "unless a plug-in of yours reads it"),
        ({"producer": "acks=1\ngroup.id=3\n"}, "3.9", "this is no key of a producer"),
        ({"broker": "inter.broker.protocol.version=2.6-IV0\n"}, "3.5", "held to the protocol of 2.6"),
        ({"broker": "min.insync.replicas=1\nadvertised.port=3\n"}, "3.5", "2.8 was the last that had"),
        ({"broker": "min.insync.replicas=1\nprocess.roles=broker\n"}, "2.0", "which came with 2.8"),
        ({"broker": "min.insync.replicas=1\n"}, "3.5", "no producer's configuration is given"),
        ({"broker": "default.replication.factor=3\n"}, "3.5", "no topic's configuration is given"),
        (
            {"broker": "default.replication.factor=3\n", "topic": "min.insync.replicas=2\n"},
            "3.5",
            "how many replicas the topic has is not given: the broker's default is taken",
        ),
        ({"producer": "acks=1\n"}, "3.5", "neither a topic's nor a broker's"),
    ],
)
def test_what_is_suspicious_is_warned_of(tmp_path: Path, texts: dict[str, str], version: str | None, part: str) -> None:
    assert part in said("\n".join(map(str, made(tmp_path, version, **texts).warnings)))


DOUBTS = {
    "held to the protocol of 2.6": ({"broker": "min.insync.replicas=1\ninter.broker.protocol.version=2.6\n"}, "3.5"),
    "clients are taken to have their defaults": ({"topic": "replication.factor=1\n"}, "3.9"),
    "neither a topic's nor a broker's": ({"producer": JAVA}, "3.9"),
    "no topic's configuration": ({"producer": JAVA, "broker": "default.replication.factor=3\n"}, "3.9"),
    "of which the model has 5": ({"producer": JAVA, "topic": "replication.factor=7\n"}, "3.9"),
    "no producer of Kafka's has such a key": (
        {"producer": f"{JAVA}my.key=1\n", "topic": "replication.factor=1\n"},
        "3.9",
    ),
}


@pytest.mark.parametrize("part", DOUBTS)
def test_a_warning_that_could_change_the_verdict_says_so(tmp_path: Path, part: str) -> None:
    texts, version = DOUBTS[part]
    assert part in said("\n".join(doubt.short for doubt in made(tmp_path, version, **texts).doubts))


def test_a_warning_that_follows_from_the_settings_is_no_doubt(tmp_path: Path) -> None:
    found = made(tmp_path, "4.0.1", producer="acks=1 \ngroup.id=a\n", topic="replication.factor=2\nflush.messages=9\n")
    assert len(found.warnings) > 4
    assert found.doubts == ()


@pytest.mark.parametrize(
    ("producer", "named"),
    [
        (JAVA, {"retries", "enable.idempotence", "max.in.flight.requests.per.connection"}),
        ("acks=all\nenable.idempotence=true\n", set()),
        ("transactional.id=a\n", {"acks"}),
        ("acks=1\n", {"retries", "enable.idempotence", "max.in.flight.requests.per.connection"}),
        ("acks=1\nenable.idempotence=false\n", {"retries", "max.in.flight.requests.per.connection"}),
    ],
)
def test_the_defaults_that_decide_are_those_that_no_file_settles(
    tmp_path: Path, producer: str, named: set[str]
) -> None:
    topic = "replication.factor=3\nmin.insync.replicas=2\nunclean.leader.election.enable=false\n"
    assert set(made(tmp_path, "3.9", producer=producer, topic=topic).deciding_defaults) == named


@pytest.mark.parametrize(
    ("version", "topic", "doubted"),
    [
        ("4.1", "replication.factor=3\n", True),
        ("4.1", "replication.factor=3\nmin.insync.replicas=2\n", False),
        ("4.0", "replication.factor=3\n", False),
    ],
)
def test_min_isr_of_brokers_is_doubted_where_eligible_leader_replicas_are_on(
    tmp_path: Path, version: str, topic: str, doubted: bool
) -> None:
    found = made(tmp_path, version, producer=JAVA, topic=topic, broker="min.insync.replicas=2\n")
    doubts = said("\n".join(doubt.short for doubt in found.doubts))
    assert ("a broker's own min.insync.replicas is not used" in doubts) == doubted


def test_a_sound_configuration_has_no_warning(tmp_path: Path) -> None:
    topic = "replication.factor=3\nmin.insync.replicas=2\n"
    broker = "process.roles=broker\nmin.insync.replicas=2\nlog.dirs=/data\n"
    assert made(tmp_path, "3.9.1", producer=JAVA, topic=topic, broker=broker).warnings == ()
    broker = "zookeeper.connect=a\nmin.insync.replicas=2\nlog.dirs=/data\n"
    assert made(tmp_path, "3.9.1", producer=JAVA, topic=topic, broker=broker).warnings == ()


@pytest.mark.parametrize(
    ("texts", "version", "part"),
    [
        ({"producer": "ack=all\n"}, "3.9", "Did you mean acks?"),
        ({"topic": "min.insync.replcias=2\n"}, "3.9", "Did you mean min.insync.replicas?"),
        ({"producer": "enable.idempotent=true\n"}, "3.9", "ignores it, so enable.idempotence is not set"),
        ({"producer": "enable.idempotance=true\n"}, "3.9", "Did you mean enable.idempotence?"),
        ({"producer": "ACKS=all\n"}, "3.9", "Did you mean acks?"),
        ({"producer": "enable.idempotence=true\n"}, "0.10.2", "which came with 0.11"),
        ({"producer": "acks=${env:ACKS}\n"}, "3.9", "is a reference"),
        ({"producer": "acks=ALL\n"}, "3.9", "no value of acks"),
        ({"producer": "retries=1_0\n"}, "3.9", "no value of it"),
        ({"broker": "inter.broker.protocol.version=3.5\n"}, "3.4", "They do not start"),
        ({"broker": "inter.broker.protocol.version=9.9\n"}, None, "not a version that can be audited"),
        ({"broker": "broker.id=1\n"}, "5.0", "Known: 0.8.2, 0.9"),
        ({"broker": "broker.id=1\n"}, "latest", "not a version"),
        ({"broker": "min.insync.replicas=2\n"}, "3.9", "the default, for no replication.factor is set"),
        (
            {"producer": "key.serializer=a.B\nenable.idempotence=true\nmax.in.flight.requests.per.connection=6\n"},
            "4.0",
            "does not start",
        ),
    ],
)
def test_what_is_wrong_is_refused(tmp_path: Path, texts: dict[str, str], version: str | None, part: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        made(tmp_path, version, **texts)
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("level", "version", "elr"),
    [("0", "4.0", None), ("1", "4.0", True), ("0", "4.1", False), ("1", "4.1", None)],
)
def test_eligible_leader_replicas_are_a_setting_where_they_differ(
    tmp_path: Path, level: str, version: str, elr: bool | None
) -> None:
    found = made(tmp_path, version, broker=finalized(ELR_KEY, level))
    assert found.settings.get("elr") is elr


def test_two_files_of_one_role_may_not_contradict_each_other(tmp_path: Path) -> None:
    for name, value in (("a", 1), ("b", 2)):
        (tmp_path / name).write_text(f"min.insync.replicas={value}\nretention.ms=5\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="'2' here, and '1' at"):
        read_deployment([str(tmp_path / "a"), str(tmp_path / "b")])


def test_whose_configuration_a_file_is_may_have_to_be_said(tmp_path: Path) -> None:
    path = tmp_path / "my.conf"
    path.write_text("min.insync.replicas=1\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="Say it: broker:") as caught:
        read_deployment([str(path)])
    assert len(caught.value.problems) == 1
    assert read_deployment([f"topic:{path}"]).sources["min.insync.replicas"].layer == "topic"


BOUNDARIES = {
    "acks": {"0.8.2": "1", "2.8": "1", "3.0": "all", "4.1": "all"},
    "retries": {"0.8.2": "0", "2.0": "0", "2.1": "2147483647"},
    "enable.idempotence": {"0.10.2": None, "0.11": "false", "2.8": "false", "3.0": "true"},
    "max.in.flight.requests.per.connection": {"0.8.2": "5", "4.1": "5"},
    "transactional.id": {"0.10.2": None, "0.11": ""},
    "enable.auto.commit": {"0.8.2": "true", "4.1": "true"},
    "auto.offset.reset": {"0.8.2": "largest", "0.9": "latest", "4.1": "latest"},
    "isolation.level": {"0.10.2": None, "0.11": "read_uncommitted"},
    "replication.factor": {"0.8.2": "1", "4.1": "1"},
    "min.insync.replicas": {"0.8.2": "1", "4.1": "1"},
    "unclean.leader.election.enable": {"0.8.2": "true", "0.10.2": "true", "0.11": "false", "4.1": "false"},
    "flush.messages": {"0.8.2": "9223372036854775807", "4.1": "9223372036854775807"},
    "eligible.leader.replicas.version": {"3.9": None, "4.0": "0", "4.1": "1"},
    "replica.lag.time.max.ms": {"0.8.2": "10000", "2.4": "10000", "2.5": "30000", "4.1": "30000"},
    "offsets.topic.replication.factor": {"0.8.2": "3", "4.1": "3"},
}


@pytest.mark.parametrize("setting", CONFIGURATION_KEYS, ids=lambda setting: setting.key)
def test_a_default_changes_with_the_version_that_changed_it(setting: ConfigurationKey) -> None:
    expected = BOUNDARIES[setting.key]
    assert {version: setting.default(version) for version in expected} == expected


@pytest.mark.parametrize(
    ("named", "broker", "release", "mode", "profile"),
    [
        ("0.8.2.1", "", "0.8.2.1", ZOOKEEPER, "kafka-0.8"),
        ("0.10.2", "", "0.10.2.0", ZOOKEEPER, "kafka-0.9"),
        ("1.0.2", "", "1.0.2", ZOOKEEPER, "kafka-0.11"),
        ("1.1.1", "", "1.1.1", ZOOKEEPER, "kafka-1.1"),
        ("2.0.0", "", "2.0.0", ZOOKEEPER, "kafka-2.0.0"),
        ("2.0", "", "2.0.1", ZOOKEEPER, "kafka-2.0"),
        ("2.0.1", "", "2.0.1", ZOOKEEPER, "kafka-2.0"),
        ("2.7.1", "", "2.7.1", ZOOKEEPER, "kafka-2.7"),
        ("2.8", "", "2.8.1", ZOOKEEPER, "kafka-2.8"),
        ("2.8.1", "", "2.8.1", ZOOKEEPER, "kafka-2.8"),
        ("2.8.9", "", "2.8.2", ZOOKEEPER, "kafka-2.8"),
        ("3.4", "zookeeper.connect=zk:2181\n", "3.4.1", ZOOKEEPER, "kafka-3.4.1"),
        ("3.4", "process.roles=broker\n", "3.4.1", KRAFT, "kafka-3.4.1-kraft"),
        ("3.9.1", "zookeeper.connect=zk:2181\n", "3.9.1", ZOOKEEPER, "kafka-3.9-zk"),
        ("3.9.1", "process.roles=broker,controller\n", "3.9.1", KRAFT, "kafka-3.9"),
        ("3.9.1", "", "3.9.1", KRAFT, "kafka-3.9"),
        ("4.0", "", "4.0.1", KRAFT, "kafka-4.0"),
        ("4.3", "", "4.3.0", KRAFT, "kafka-4.3"),
    ],
)
def test_release_and_mode_decide_the_profile(
    tmp_path: Path, named: str, broker: str, release: str, mode: str, profile: str
) -> None:
    found = made(tmp_path, named, broker=f"min.insync.replicas=1\n{broker}")
    assert (found.release, found.mode, found.profile) == (release, mode, profile)


@pytest.mark.parametrize(
    ("roles", "doubtful", "fixed", "ticket"),
    [
        ({"topic": "cleanup.policy=compact,delete\n"}, "3.0.2", "3.1.0", "KAFKA-13194"),
        ({"broker": "min.insync.replicas=1\nlog.cleanup.policy=compact\n"}, "2.8.2", "3.1.0", "KAFKA-13194"),
        (
            {"broker": "min.insync.replicas=1\nzookeeper.connect=zk:2181\nreplica.selector.class=org.example.Near\n"},
            "3.4.0",
            "3.4.1",
            "KAFKA-14704",
        ),
        ({"consumer": "enable.auto.commit=false\n"}, "2.5.0", "2.5.1", "KAFKA-9835"),
        (
            {"broker": "min.insync.replicas=1\nzookeeper.connect=zk:2181\nzookeeper.metadata.migration.enable=true\n"},
            "3.5.1",
            "3.5.2",
            "KAFKA-15552",
        ),
    ],
)
def test_what_a_release_does_that_no_question_is_about_is_a_doubt(
    tmp_path: Path, roles: dict[str, str], doubtful: str, fixed: str, ticket: str
) -> None:
    base = {
        "producer": "acks=all\nretries=5\nenable.idempotence=true\n",
        "topic": "replication.factor=3\nmin.insync.replicas=2\n",
    }
    files = {**base, **{role: base.get(role, "") + text for role, text in roles.items()}}
    given = ["\n".join(d.why for d in made(tmp_path, release, **files).doubts) for release in (doubtful, fixed)]
    assert [ticket in text for text in given] == [True, False]


def test_a_version_whose_releases_differ_is_audited_as_each_of_them(tmp_path: Path) -> None:
    topic = "replication.factor=3\nmin.insync.replicas=2\n"
    producer = "acks=all\nretries=5\nenable.idempotence=false\n"
    found = made(tmp_path, "2.8", producer=producer, topic=topic)
    assert [one.release for one in (found, *found.others)] == ["2.8.1", "2.8.0"]
    assert made(tmp_path, "2.8.2", producer=producer, topic=topic).others == ()


def test_a_tolerance_is_read_in_singular_and_plural() -> None:
    assert parse_tolerance("1 crash, 1 power loss,2 leader-moves") == {
        "crashes": 1,
        "power_losses": 1,
        "leader_moves": 2,
    }
    assert parse_tolerance("0 crashes, 3 lost responses, 1 Disk  Losses, 2 pauses") == {
        "crashes": 0,
        "lost_responses": 3,
        "disk_losses": 1,
        "pauses": 2,
    }


@pytest.mark.parametrize(
    "text", ["", "crash", "4 crashes", "1 crash, 2 crashes", "1 earthquake", "-1 crash", "1 crash,", "\u0661 crash"]
)
def test_a_tolerance_that_says_nothing_known_is_refused_with_the_names(text: str) -> None:
    with pytest.raises(
        ConfigurationError,
        match="crashes, power losses, disk losses, leader moves, pauses, shutdowns, controller changes, lost responses",
    ):
        parse_tolerance(text)
