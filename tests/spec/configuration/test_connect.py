"""Kafka Connect's producers and consumers: what Connect sets, what a worker sets, what a connector overrides."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import (
    ConfigurationError,
    Deployment,
    read_configuration,
    read_deployment,
    read_deployments,
)
from neverlost.spec.configuration.forms.connect import sinks_with_workers

TOPIC = "replication.factor=3\nmin.insync.replicas=2\nunclean.leader.election.enable=false\n"
WORKER = (
    "bootstrap.servers=a\ngroup.id=c\nkey.converter=a.B\noffset.storage.topic=o\noffset.storage.replication.factor=3\n"
)
SOURCE = "name=s\nconnector.class=a.Source\ntasks.max=1\n"
SINK = "name=s\nconnector.class=a.Sink\ntopics=orders\n"
STRIMZI = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnect
metadata:
  name: connect
  annotations: {strimzi.io/use-connector-resources: "true"}
spec:
  version: 4.1.0
  bootstrapServers: a:9092
  config:
    group.id: connect
    offset.storage.topic: o
    producer.acks: 1
"""
CONNECTOR = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnector
metadata:
  name: source
  labels:
    strimzi.io/cluster: connect
spec:
  class: a.Source
  tasksMax: 1
  config:
    producer.override.acks: all
    producer.override.enable.idempotence: true
"""


def deployment(folder: Path, *texts: str) -> Deployment:
    (folder / "orders").write_text(TOPIC, encoding="utf-8")
    paths = [f"topic:{folder / 'orders'}"]
    for number, text in enumerate(texts):
        (folder / f"file{number}").write_text(text, encoding="utf-8")
        paths.append(str(folder / f"file{number}"))
    return read_deployment(paths, kafka_version="4.1")


READ = {
    "Strimzi's KafkaConnect without a config": (
        (STRIMZI[: STRIMZI.index("  config:")],),
        {"acks": "all", "retries": 1, "idempotence": False, "pipelined": False, "commit": "after"},
    ),
    "a worker, with Connect's own values": (
        (WORKER,),
        {"acks": "all", "retries": 1, "idempotence": False, "pipelined": False, "commit": "after"},
    ),
    "a worker with its producer's and consumer's": (
        (f"{WORKER}producer.acks=1\nconsumer.enable.auto.commit=true\n",),
        {"acks": "1", "commit": "auto"},
    ),
    "a worker that is idempotent": (
        (f"{WORKER}producer.enable.idempotence=true\n",),
        {"acks": "all", "idempotence": True},
    ),
    "a worker with exactly-once sources": (
        (f"{WORKER}exactly.once.source.support=enabled\n",),
        {"acks": "all", "idempotence": True},
    ),
    "a standalone worker": (("bootstrap.servers=a\noffset.storage.file.filename=/a\n",), {"idempotence": False}),
    "a source": ((f"{SOURCE}producer.override.acks=1\n",), {"acks": "1", "commit": "none"}),
    "a sink": ((f"{SINK}consumer.override.enable.auto.commit=true\n",), {"commit": "auto"}),
    "a source that keeps its status in a topic": (
        (f"{SOURCE}producer.override.acks=1\ntasks.file.status.storage.topic.replication.factor=1\n",),
        {"acks": "1", "commit": "none"},
    ),
    "a source before its worker": (
        (f"{WORKER}producer.acks=1\n", f"{SOURCE}producer.override.acks=all\n"),
        {"acks": "all", "pipelined": False, "commit": "none"},
    ),
    "a worker where its source sets nothing": ((SOURCE, f"{WORKER}producer.acks=1\n"), {"acks": "1"}),
    "JSON of a connector": (
        ('{"name": "s", "config": {"connector.class": "a", "producer.override.acks": "1"}}',),
        {"acks": "1", "commit": "none"},
    ),
    "JSON of its config": (('{"connector.class": "a", "topics": "t"}',), {"commit": "after"}),
    "Strimzi's KafkaConnect": ((STRIMZI,), {"acks": "1", "pipelined": False, "commit": "after"}),
    "Strimzi's KafkaConnector with its KafkaConnect": (
        (f"{STRIMZI}---\n{CONNECTOR}",),
        {"acks": "all", "idempotence": True, "commit": "none"},
    ),
}


@pytest.mark.parametrize("name", READ)
def test_what_connect_makes_of_it(name: str, tmp_path: Path) -> None:
    texts, settings = READ[name]
    found = deployment(tmp_path, *texts)
    assert {key: found.settings[key] for key in settings} == settings


def test_exactly_once_sources_are_not_checked(tmp_path: Path) -> None:
    found = deployment(tmp_path, f"{WORKER}exactly.once.source.support=enabled\n")
    assert "exactly-once sources of Kafka Connect" in {notice.unchecked for notice in found.unchecked}


WRONG = {
    "a connector whose key is not handed on": (
        (f"{SOURCE}acks=1\n",),
        "file0:4: acks: it ends as one that decides: acks;",
    ),
    "a connector with the worker's spelling": (
        (f"{SOURCE}producer.acks=1\n",),
        "file0:4: producer.acks: it ends as one that decides: acks;",
    ),
    "a worker with a connector's spelling": (
        (f"{WORKER}kafka.acks=1\n",),
        "file0:6: kafka.acks: it ends as one that decides: acks;",
    ),
    "a misspelt key": ((f"{WORKER}producer.enable.idempotance=true\n",), "Did you mean enable.idempotence?"),
    "a value that Kafka refuses": ((f"{WORKER}producer.acks=2\n",), "'2' is no value of acks."),
    "a reference": ((f"{WORKER}producer.acks=${{file:/a:acks}}\n",), "is a reference."),
    "a policy that refuses": (
        (f"{WORKER}connector.client.config.override.policy=None\n", f"{SOURCE}producer.override.acks=1\n"),
        "the worker's policy None does not let a connector set this.",
    ),
    "a key twice": (
        (f"{WORKER}producer.acks=1\nproducer.acks=all\n",),
        "file0:7: producer.acks: set again; line 6 has it already.",
    ),
    "JSON with a key twice": (
        ('{"connector.class": "a", "producer.override.acks": "1", "producer.override.acks": "all"}',),
        "set again",
    ),
    "JSON with parts": (('{"name": "a", "config": {"connector.class": "a", "x": ["b"]}}',), "its value has parts"),
    "JSON that is cut": (('{"name": "a", "config": {"connector.class": "a"',), "is no key of a .properties file"),
    "idempotence that does not fit": (
        (f"{WORKER}producer.enable.idempotence=true\nproducer.acks=1\n",),
        "the producer does not start with this.",
    ),
    "KafkaConnect with a list as its config": (
        (f"{STRIMZI[: STRIMZI.index('  config:')]}  config: [a]\n",),
        "the resource has no spec.config.",
    ),
    "a source that sets the replicas of a topic": (
        (f"{SOURCE}kafka.topic.replication.factor=1\n",),
        "it ends as one that decides: replication.factor;",
    ),
    "a connector of MirrorMaker": (
        ("name=m\nconnector.class=org.apache.kafka.connect.mirror.MirrorSourceConnector\nreplication.factor=3\n",),
        "connector.class: MirrorMaker's connectors set up clients of their own.",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_understood_is_refused_where_it_stands(name: str, tmp_path: Path) -> None:
    texts, said = WRONG[name]
    with pytest.raises(ConfigurationError) as caught:
        deployment(tmp_path, *texts)
    assert said in str(caught.value).replace(f"{tmp_path}/", "")


def test_a_connector_without_its_worker_is_in_doubt(tmp_path: Path) -> None:
    what = "what the worker sets for its producer is not known."
    assert what in [doubt.what for doubt in deployment(tmp_path, SOURCE).doubts]
    assert what not in [doubt.what for doubt in deployment(tmp_path, SOURCE, WORKER).doubts]


@pytest.mark.parametrize(("own", "commits"), [("", "true"), ("consumer.override.enable.auto.commit=false\n", "false")])
def test_a_sink_has_what_its_worker_sets_for_a_consumer(own: str, commits: str, tmp_path: Path) -> None:
    texts = {"worker": f"{WORKER}consumer.enable.auto.commit=true\n", "sink": f"{SINK}{own}", "source": SOURCE}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = [file for name in texts for file in read_configuration(str(tmp_path / name))]
    (sink,) = [file for file in sinks_with_workers(files) if file.role == "consumer"]
    assert {entry.key: entry.value for entry in sink.entries} == {"enable.auto.commit": commits}
    assert not any("what the worker sets" in warning.what for warning in sink.warnings)
    alone = [file for file in files if not file.path.endswith("sink")]
    assert sinks_with_workers(alone) == alone


GOING_ON = {
    "errors.tolerance=ALL": True,
    "mongo.errors.tolerance=all": True,
    "behavior.on.malformed.documents=warn": True,
    "behavior.on.error=ignore": True,
    "drop.invalid.message=TRUE": True,
    "event.processing.failure.handling.mode=skip": True,
    "errors.tolerance=none": False,
    "mongo.errors.tolerance=none": False,
    "behavior.on.malformed.documents=fail": False,
    "behavior.on.null.values=ignore": False,
    "drop.invalid.message=false": False,
    "event.processing.failure.handling.mode=fail": False,
}


@pytest.mark.parametrize("line", GOING_ON)
def test_what_has_a_connector_go_on_behind_a_record_that_fails(line: str, tmp_path: Path) -> None:
    (tmp_path / "c").write_text(f"{SINK}{line}\n", encoding="utf-8")
    (sink,) = read_configuration(str(tmp_path / "c"))
    assert (sink.passes_failed is not None) is GOING_ON[line]
    for texts in ((f"{SOURCE}{line}\n",), (f"{SOURCE}{line}\n", WORKER)):
        doubts = [doubt.key for doubt in deployment(tmp_path, *texts).doubts if "leaves it out" in doubt.what]
        assert doubts == [line.partition("=")[0]] * GOING_ON[line]


def test_lines_of_a_connectors_json_are_those_of_the_file(tmp_path: Path) -> None:
    text = '{\n  "name": "s",\n  "config": {\n    "connector.class": "a",\n    "producer.override.acks": "1"\n  }\n}\n'
    (tmp_path / "c").write_text(text, encoding="utf-8")
    (found,) = read_configuration(str(tmp_path / "c"))
    assert [(entry.key, entry.line) for entry in found.entries] == [("acks", 5)]


BROKER = "process.roles=broker\ndefault.replication.factor=3\nmin.insync.replicas=2\n"
CREATING = SOURCE + "topic.creation.default.partitions=1\ntopic.creation.default.replication.factor="
CREATING_BY_JSON = """{"name": "s", "config": {"connector.class": "a.Source",
"topic.creation.default.partitions": 1, "topic.creation.default.replication.factor": 1}}"""
GROUP = "topic.creation.groups=loose\ntopic.creation.loose.include=loose.*\n"


def created(folder: Path, *texts: str, version: str = "4.1") -> list[Deployment]:
    """The deployments of a broker's file and these texts, without a topic's."""
    (folder / "server.properties").write_text(BROKER, encoding="utf-8")
    paths = [str(folder / "server.properties")]
    for number, text in enumerate(texts):
        (folder / f"file{number}").write_text(text, encoding="utf-8")
        paths.append(str(folder / f"file{number}"))
    return read_deployments(paths, kafka_version=version)


@pytest.mark.parametrize(
    ("connector", "replicas", "layer"),
    [
        (f"{CREATING}1\n", 1, "topic"),
        (f"{CREATING}3\n", 3, "topic"),
        (f"{CREATING}-1\n", 3, "broker"),
        (SOURCE, 3, "broker"),
        (
            CREATING_BY_JSON,
            1,
            "topic",
        ),
    ],
)
def test_the_topics_that_a_source_has_created_have_the_replicas_that_it_says(
    connector: str, replicas: int, layer: str, tmp_path: Path
) -> None:
    for texts in ((connector,), (WORKER, connector), (f"{WORKER}topic.creation.enable=true\n", connector)):
        (found,) = created(tmp_path, *texts)
        assert (found.replication_factor, found.sources["replication.factor"].layer) == (replicas, layer)
        doubted = any("configuration is given" in doubt.what or "is not given" in doubt.what for doubt in found.doubts)
        assert doubted is (layer == "broker")


def test_a_worker_that_creates_no_topics_leaves_them_to_the_brokers(tmp_path: Path) -> None:
    (found,) = created(tmp_path, f"{WORKER}topic.creation.enable=False\n", f"{CREATING}1\n")
    assert found.replication_factor == 3
    assert "the worker creates no topics." in [warning.what for warning in found.warnings]
    assert any("no topic's configuration is given" in doubt.what for doubt in found.doubts)


def test_each_group_of_new_topics_is_audited_with_what_it_has_from_the_default_group(tmp_path: Path) -> None:
    other = f"{GROUP}topic.creation.loose.min.insync.replicas=1\ntopic.creation.default.min.insync.replicas=3\n"
    default, loose = created(tmp_path, f"{CREATING}3\n{other}")
    assert (default.replication_factor, default.settings["min_isr"]) == (3, 3)
    assert (loose.replication_factor, loose.settings["min_isr"]) == (3, 1)
    default, loose = created(tmp_path, f"{CREATING}-1\n{GROUP}topic.creation.loose.replication.factor=1\n")
    assert (default.replication_factor, loose.replication_factor) == (3, 1)


def test_new_topics_that_differ_from_those_that_are_described_are_in_doubt(tmp_path: Path) -> None:
    for replicas, doubted in (("1", True), ("3", False)):
        found = deployment(tmp_path, WORKER, f"{CREATING}{replicas}\n")
        assert found.replication_factor == 3
        assert any("new topics have '1'" in doubt.what for doubt in found.doubts) is doubted


def test_a_connector_without_new_topics_is_in_doubt_beside_another_one_that_has_some(tmp_path: Path) -> None:
    first, second = created(tmp_path, WORKER, SOURCE, f"{CREATING}3\n")
    said = [doubt for doubt in first.doubts if "topics of this connector are not known" in doubt.what]
    assert [doubt.file for doubt in said] == [str(tmp_path / "file1")]
    assert not any("topics of this connector are not known" in doubt.what for doubt in second.doubts)


def test_topics_are_created_from_2_6_on_and_for_sources_alone(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"replication\.factor: Kafka Connect takes this from 2\.6 on"):
        created(tmp_path, WORKER, f"{CREATING}3\n", version="2.5.1")
    (found,) = created(tmp_path, WORKER, f"{SINK}topic.creation.default.replication.factor=1\n")
    assert found.replication_factor == 3
    assert "a sink creates no topics." in [warning.what for warning in found.warnings]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{SOURCE}topic.creation.default.replication.factor=3\n", r"topic\.creation\.default\.partitions is not set"),
        (f"{SOURCE}{GROUP}", r"topic\.creation\.default\.replication\.factor is not set"),
        (
            f"{CREATING}3\ntopic.creation.loose.replication.factor=1\n",
            r"topic\.creation\.groups does not name its group",
        ),
        (f"{CREATING}0\n", "'0' is no value of it"),
    ],
)
def test_what_connect_does_not_start_with_or_ignores_is_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=said):
        created(tmp_path, WORKER, text)


def test_one_replica_of_what_connect_keeps_of_its_own_is_warned_of(tmp_path: Path) -> None:
    found = deployment(tmp_path, WORKER.replace("factor=3", "factor=1"))
    (warning,) = (one for one in found.warnings if "what Connect keeps of its own" in one.what)
    assert (warning.key, warning.line) == ("offset.storage.replication.factor", 5)
