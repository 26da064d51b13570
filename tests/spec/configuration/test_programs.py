"""Where files are of several producers or consumers, each is audited, and so is one file over another; the worst of them counts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neverlost.spec.configuration import ConfigurationError, Deployment, RefusedTopics, read_deployments

TOPIC = "replication.factor=3\nmin.insync.replicas=2\nunclean.leader.election.enable=false\n"
SAFE = "key.serializer=a.B\nacks=all\nenable.idempotence=true\n"
WORKER = "bootstrap.servers=a\noffset.storage.topic=o\nconfig.storage.topic=c\nstatus.storage.topic=s\n"
SPRING = "spring:\n  kafka:\n    bootstrap-servers: a\n    producer:\n"
KNOWN = "4.1"


def read(folder: Path, files: Mapping[str, str], **said: str) -> list[Deployment]:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "topic.properties").write_text(TOPIC, encoding="utf-8")
    paths = [str(folder / name) for name in (*files, "topic.properties")]
    return read_deployments(paths, kafka_version=KNOWN, **said)


def settings_by_program(found: list[Deployment]) -> dict[tuple[str, ...], tuple[object, ...]]:
    return {one.programs: tuple(one.settings[name] for name in ("acks", "idempotence", "commit")) for one in found}


SEVERAL: Mapping[str, tuple[Mapping[str, str], Mapping[tuple[str, ...], tuple[object, ...]]]] = {
    "files of properties that set different keys": (
        {"a.properties": SAFE, "b.properties": "key.serializer=a.B\nacks=1\n"},
        {("a.properties",): ("all", True, "none"), ("b.properties",): ("1", False, "none")},
    ),
    "connectors, each with its worker's settings": (
        {
            "w.properties": WORKER + "producer.acks=1\n",
            "a.json": '{"connector.class": "a.Source", "producer.override.acks": "all"}',
            "b.json": '{"connector.class": "a.Source"}',
        },
        {("a.json",): ("all", False, "none"), ("b.json",): ("1", False, "none")},
    ),
    "applications of Spring in their folders": (
        {"orders/application.yml": f"{SPRING}      acks: all\n", "billing/application.yml": f"{SPRING}      acks: 1\n"},
        {("orders/application.yml",): ("all", True, "none"), ("billing/application.yml",): ("1", False, "none")},
    ),
    "profiles over one application": (
        {
            "app/application.yml": f"{SPRING}      acks: 1\n",
            "app/application-prod.yml": f"{SPRING}      acks: all\n",
            "app/application-test.yml": f"{SPRING}      compression-type: lz4\n",
        },
        {
            ("application-prod.yml",): ("all", True, "none"),
            ("application-test.yml",): ("1", False, "none"),
            ("application.yml",): ("1", False, "none"),
        },
    ),
    "a producer beside consumers": (
        {
            "p.properties": SAFE,
            "c.properties": "group.id=g\nkey.deserializer=a.B\nenable.auto.commit=true\n",
            "d.properties": "group.id=g\nkey.deserializer=a.B\nenable.auto.commit=false\n",
        },
        {("c.properties",): ("all", True, "auto"), ("d.properties",): ("all", True, "after")},
    ),
    "producers beside consumers, each with each": (
        {
            "p.properties": SAFE,
            "q.properties": "key.serializer=a.B\nacks=1\n",
            "c.properties": "group.id=g\nkey.deserializer=a.B\nenable.auto.commit=true\n",
            "d.properties": "group.id=g\nkey.deserializer=a.B\nenable.auto.commit=false\n",
        },
        {
            ("p.properties and c.properties",): ("all", True, "auto"),
            ("p.properties and d.properties",): ("all", True, "after"),
            ("q.properties and c.properties",): ("1", False, "auto"),
            ("q.properties and d.properties",): ("1", False, "after"),
        },
    ),
    "clients of librdkafka and of Java": (
        {"a.conf": "sasl.username=a\nacks=1\n", "b.properties": SAFE},
        {("a.conf",): ("1", False, "none"), ("b.properties",): ("all", True, "none")},
    ),
    "bindings of Spring Cloud Stream": (
        {
            "a.properties": "".join(
                f"spring.cloud.stream.{line}\n"
                for line in (
                    "defaultBinder=kafka",
                    "bindings.a-out-0.destination=a",
                    "bindings.b-out-0.destination=b",
                    "kafka.bindings.a-out-0.producer.configuration.acks=all",
                    "kafka.bindings.b-out-0.producer.configuration.acks=1",
                )
            )
        },
        {("a.properties (a-out-0)",): ("all", True, "none"), ("a.properties (b-out-0)",): ("1", False, "none")},
    ),
    "what is alike": (
        {"a.properties": SAFE, "b.properties": SAFE, "c.properties": f"{SAFE}linger.ms=5\n"},
        {("a.properties", "b.properties", "c.properties"): ("all", True, "none")},
    ),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_each_program_is_audited(name: str, tmp_path: Path) -> None:
    files, expected = SEVERAL[name]
    assert settings_by_program(read(tmp_path, files)) == expected


def test_the_producer_of_one_profile_is_never_beside_the_consumer_of_another(tmp_path: Path) -> None:
    (tmp_path / "application.yml").write_text("spring.application.name: a\n", encoding="utf-8")
    files = {
        f"application-{name}.yml": f"{SPRING}      acks: {acks}\n    consumer:\n      enable-auto-commit: {auto}\n"
        for name, acks, auto in (("prod", "all", "false"), ("dev", "1", "true"))
    }
    assert settings_by_program(read(tmp_path, files)) == {
        ("application-prod.yml",): ("all", True, "after"),
        ("application-dev.yml",): ("1", False, "auto"),
    }


def test_one_file_over_another_is_audited_too(tmp_path: Path) -> None:
    """Neither of these programs writes a record twice; the second file over the first one does."""
    below = "key.serializer=a.B\nacks=all\nenable.idempotence=false\nretries=0\n"
    over = "key.serializer=a.B\nacks=all\nretries=5\n"
    found = {one.programs: one for one in read(tmp_path, {"a.properties": below, "b.properties": over})}
    first, second, both = (
        found[program] for program in (("a.properties",), ("b.properties",), ("b.properties over a.properties",))
    )
    assert [(one.settings["idempotence"], one.settings["retries"]) for one in (first, second, both)] == [
        (False, 0),
        (True, 1),
        (False, 1),
    ]
    assert any(
        d.what.startswith("b.properties over a.properties: both files may be of one program.") for d in both.doubts
    )
    assert len(found) == 3


KEYS = st.fixed_dictionaries(
    {"key.serializer": st.just("a.B")},
    optional={
        "acks": st.sampled_from(["all", "1", "0"]),
        "retries": st.sampled_from(["0", "5"]),
        "enable.idempotence": st.sampled_from(["true", "false"]),
        "max.in.flight.requests.per.connection": st.sampled_from(["1", "9"]),
    },
)


def text_of(keys: Mapping[str, str]) -> str:
    return "".join(f"{key}={value}\n" for key, value in keys.items())


def behaviours(files: Mapping[str, Mapping[str, str]], **said: str) -> set[object]:
    """How the deployments behave in every reading; empty if a producer does not start."""
    with TemporaryDirectory() as folder:
        refused = list[RefusedTopics]()
        try:
            (Path(folder) / "topic.properties").write_text(TOPIC, encoding="utf-8")
            for name, keys in files.items():
                (Path(folder) / name).write_text(text_of(keys), encoding="utf-8")
            paths = [f"producer:{folder}/{name}" for name in files]
            found = read_deployments(
                [*paths, f"{folder}/topic.properties"], kafka_version=KNOWN, refused=refused, **said
            )
        except ConfigurationError:
            return set()
        return {one.behaviour for whole in found for one in (whole, *whole.others)}


@settings(max_examples=30)
@given(KEYS, KEYS)
def test_several_files_are_every_program_that_they_may_be(first: dict[str, str], second: dict[str, str]) -> None:
    together = {"a.properties": first, "b.properties": second}
    alone = behaviours({"a.properties": first}) | behaviours({"b.properties": second})
    laid = behaviours({"c.properties": {**first, **second}}) | behaviours({"c.properties": {**second, **first}})
    assert behaviours(together, assume="files=apart") == alone
    assert behaviours(together) == alone | laid


def test_topics_and_programs_are_distinguished_in_every_reading(tmp_path: Path) -> None:
    described = "Topic: {0}\tPartitionCount: 1\tReplicationFactor: {1}\tConfigs: min.insync.replicas=2\n"
    texts = {
        "a.properties": SAFE,
        "b.properties": "key.serializer=a.B\nacks=1\n",
        "topics.txt": "".join(described.format(*one) for one in (("x", 3), ("y", 2), ("z", 3))),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = read_deployments([str(tmp_path / name) for name in texts])
    assert {one.units for one in found} == {
        ("x with a.properties", "z with a.properties"),
        ("x with b.properties", "z with b.properties"),
        ("y with a.properties",),
        ("y with b.properties",),
    }
    assert all(other.units == one.units for one in found for other in one.others)
    assert any(one.others for one in found)


def test_each_program_is_of_the_files_of_its_producer_and_its_consumer(tmp_path: Path) -> None:
    files = {"a/p.properties": SAFE, "b.properties": SAFE, "a/c.properties": "enable.auto.commit=false\ngroup.id=g\n"}
    found = read(tmp_path, files)
    clients = {(origin.producer, origin.consumer) for one in found for origin in one.origins}
    own = {name: ((str(tmp_path / name), None, 0),) for name in files}
    assert clients == {(own[name], own["a/c.properties"]) for name in ("a/p.properties", "b.properties")}
    assert all(other.origins == one.origins for one in found for other in one.others)


@pytest.mark.parametrize(
    ("client", "expected"),
    [("java", {"4.1"}), ("java-2.8", {"2.8"}), ("librdkafka", {"4.1", "2.8"}), ("sarama", {"4.1", "2.8"})],
)
def test_what_is_assumed_of_the_client_is_of_each_program_with_which_it_goes(
    client: str, expected: set[str], tmp_path: Path
) -> None:
    files = {"application.yml": f"{SPRING}      acks: all\n", "b.properties": "acks=1\n"}
    found = read(tmp_path, files, assume=f"client={client},files=apart")
    java = {reading.java for one in found[:1] for other in (one, *one.others) for reading in other.alike}
    assert found[0].programs == ("application.yml",)
    assert java == expected


def test_a_topic_that_a_program_creates_for_itself_is_written_by_no_other(tmp_path: Path) -> None:
    text = "clusters=a,b\na->b.enabled=true\nb->a.enabled=true\na.producer.acks=1\nb->a.replication.factor=3\n"
    (tmp_path / "mm2.properties").write_text(text, encoding="utf-8")
    found = read_deployments([str(tmp_path / "mm2.properties")], kafka_version=KNOWN)
    assert [(one.units, one.settings["acks"], one.replication_factor) for one in found] == [
        (("new topics of a->b with mm2.properties (a->b)",), "all", 2),
        (("new topics of b->a with mm2.properties (b->a)",), "1", 3),
    ]


def test_bindings_of_spring_cloud_stream_may_write_to_one_topic(tmp_path: Path) -> None:
    stream = "spring.cloud.stream."
    lines = ["kafka.binder.brokers=a", "kafka.binder.replication-factor=3", "kafka.binder.required-acks=all"]
    lines += ["bindings.a-out-0.destination=orders", "bindings.b-out-0.destination=orders"]
    lines += [
        f"kafka.bindings.b-out-0.producer.{one}" for one in ("topic.replication-factor=1", "configuration.acks=1")
    ]
    (tmp_path / "application.properties").write_text("".join(f"{stream}{line}\n" for line in lines), encoding="utf-8")
    found = read_deployments([str(tmp_path / "application.properties")], kafka_version=KNOWN, assume="client=java")
    assert {(one.replication_factor, one.settings["acks"]) for one in found} == {
        (3, "all"),
        (3, "1"),
        (1, "all"),
        (1, "1"),
    }


def test_a_program_that_does_not_start_is_refused_beside_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.properties").write_text(SAFE, encoding="utf-8")
    (tmp_path / "b.properties").write_text("key.serializer=a.B\nacks=1\nenable.idempotence=true\n", encoding="utf-8")
    refused = list[RefusedTopics]()
    (found,) = read_deployments([str(tmp_path / name) for name in ("a.properties", "b.properties")], refused=refused)
    assert found.programs == ("a.properties",)
    assert [one.units for one in refused] == [("b.properties",)]
    assert "the producer does not start with this." in refused[0].problems[0].what


def test_what_is_said_of_the_files_leaves_out_the_rest(tmp_path: Path) -> None:
    files = {"a.properties": SAFE, "b.properties": "key.serializer=a.B\nacks=1\nenable.idempotence=false\n"}
    apart = read(tmp_path, files, assume="files=apart")
    assert [one.programs for one in apart] == [("a.properties",), ("b.properties",)]
    assert all(one.reading.assumed == {"files": "apart"} for one in apart)
    layers = read(tmp_path, files, assume="files=layers")
    assert {name for one in layers for name in one.programs} == {
        "a.properties over b.properties",
        "b.properties over a.properties",
    }
    with pytest.raises(ConfigurationError, match="files=layers goes with no reading of the files"):
        read(tmp_path, {"a.properties": SAFE}, assume="files=layers")


OF_PROGRAMS = {
    "MirrorMaker": "clusters=a, b\nb.bootstrap.servers=b:9092\na->b.enabled=true\na->b.replication.factor=3\n",
    "Kafka Streams": "application.id=shop\nreplication.factor=3\n",
    "Kafka Connect": "connector.class=a.Source\n"
    "topic.creation.default.replication.factor=3\ntopic.creation.default.partitions=1\n",
}


@pytest.mark.parametrize("name", OF_PROGRAMS)
def test_topics_that_no_file_describes_are_a_doubt_beside_new_ones(name: str, tmp_path: Path) -> None:
    (tmp_path / "server.properties").write_text("process.roles=broker\nlog.dirs=/a\nmin.insync.replicas=2\n")
    (tmp_path / "program.properties").write_text(OF_PROGRAMS[name])
    (tmp_path / "producer.properties").write_text(SAFE)
    paths = [str(tmp_path / file) for file in ("server.properties", "program.properties", "producer.properties")]
    of_producer = {
        doubt.what
        for one in read_deployments(paths, kafka_version="4.1.1")
        if "producer.properties" in one.programs
        for doubt in one.doubts
    }
    assert "the topics of this producer are not known: those of another program are audited." in of_producer
    for one in read_deployments(paths[:2], kafka_version="4.1.1"):
        doubts = {doubt.what for doubt in one.doubts}
        assert "new topics are audited: one that is there already keeps what it has." in doubts
