"""A running cluster is read as what it is, asked for nothing that changes it, and nobody sees how the way to it is secured."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Run, running

pytest.importorskip("confluent_kafka", reason="confluent-kafka is not there: pip install 'neverlost[cluster]'")
pytest.importorskip("kafka", reason="kafka-python is not there: pip install 'neverlost[cluster]'")

from confluent_kafka import KafkaError
from fake_clusters import BROKER, FEATURES, IN_SYNC, TOPIC, FakeCluster

import neverlost
from neverlost.spec.configuration import ConfigurationError, Deployment, read_deployments
from neverlost.studies.cluster_reading import ClusterAddress, asking, read_cluster
from neverlost.studies.cluster_reading.admin_settings import read_admin_settings
from neverlost.studies.cluster_reading.features import METADATA_VERSIONS

SECRET = "planted-Pa55word"
USER = "planted-user"
JAAS = f'org.apache.kafka.common.security.scram.ScramLoginModule required username="{USER}" password="{SECRET}";'
SASL = f"security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\nsasl.jaas.config={JAAS}\nrequest.timeout.ms=100\n"
PRODUCER = "acks=all\nenable.idempotence=true\nkey.serializer=a.B\nmax.in.flight.requests.per.connection=1\n"
ADDRESS = ("--bootstrap-server", "kafka1:9092,kafka2:9092")


@pytest.fixture
def config(tmp_path: Path) -> Callable[[str], str]:
    def written(text: str) -> str:
        path = tmp_path / "admin.properties"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written


@pytest.fixture
def producer(tmp_path: Path) -> str:
    path = tmp_path / "producer.properties"
    path.write_text(PRODUCER, encoding="utf-8")
    return str(path)


def deployments(*topics: str, producer: str) -> list[Deployment]:
    read = read_cluster(ClusterAddress(bootstrap="kafka1:9092,kafka2:9092", topics=topics))
    return read_deployments([producer], cluster=read)


def test_a_cluster_tells_every_value_and_its_layer(monkeypatch: pytest.MonkeyPatch, producer: str) -> None:
    FakeCluster().placed(monkeypatch)
    (found,) = deployments(producer=producer)
    assert (found.topics, found.version, found.mode, found.replication_factor) == (("orders",), "4.1", "KRaft", 3)
    assert (found.settings["min_isr"], found.settings["unclean"], found.settings["acks"]) == (2, False, "all")
    reported = {key: (source.value, source.layer, source.file, source.line) for key, source in found.sources.items()}
    assert reported["min.insync.replicas"] == ("2", "topic", "topic orders of kafka1:9092", None)
    assert reported["flush.messages"] == ("9223372036854775807", "default", "topic orders of kafka1:9092", None)
    assert reported["eligible.leader.replicas.version"] == ("1", "broker", "features of kafka1:9092", None)
    assert "elr" not in found.settings
    assert "unclean.leader.election.enable" in found.assumed_defaults  # its brokers are no controllers
    assert found.doubts == ()


def test_a_cluster_without_the_feature_has_no_eligible_leader_replicas(
    monkeypatch: pytest.MonkeyPatch, producer: str
) -> None:
    unfinalized = {**FEATURES, "eligible.leader.replicas.version": {"supported": (0, 1)}}
    FakeCluster(features=unfinalized).placed(monkeypatch)
    (found,) = deployments(producer=producer)
    assert (found.sources["eligible.leader.replicas.version"].value, found.settings["elr"]) == ("0", False)


@pytest.mark.parametrize(
    ("features", "why"),
    [
        (OSError("connection lost"), "connection lost"),
        ({"metadata.version": {"finalized": (999, 999)}}, "level 999, which is newer"),
    ],
)
def test_features_that_are_not_known_are_a_doubt(
    features: Exception, why: str, monkeypatch: pytest.MonkeyPatch, producer: str
) -> None:
    FakeCluster(features=features).placed(monkeypatch)
    (found,) = deployments(producer=producer)
    doubts = " ".join(doubt.what for doubt in found.doubts)
    assert "the cluster's features are not known" in doubts
    assert why in doubts
    readings = [found, *found.others]
    assert {one.reading.open.get("elr") for one in readings} == {None, "on", "off"}
    assert len({one.release for one in readings}) > 5


def test_brokers_without_features_have_the_version_of_their_protocol(
    monkeypatch: pytest.MonkeyPatch, producer: str
) -> None:
    broker = {**BROKER, "inter.broker.protocol.version": ("3.2-IV0", "DEFAULT_CONFIG")}
    FakeCluster(brokers=dict.fromkeys((1, 2, 3), broker), features={}).placed(monkeypatch)
    (found,) = deployments(producer=producer)
    assert (found.version, found.mode, found.doubts) == ("3.2", "KRaft", ())


def test_features_in_a_file_go_with_a_cluster(monkeypatch: pytest.MonkeyPatch, producer: str, tmp_path: Path) -> None:
    FakeCluster(features=OSError("no")).placed(monkeypatch)
    path = tmp_path / "features"
    path.write_text(
        "Feature: metadata.version\tSupportedMaxVersion: 4.0-IV3\tFinalizedVersionLevel: 4.0-IV3\tEpoch: 9\n",
        encoding="utf-8",
    )
    (found,) = read_deployments([producer, str(path)], cluster=read_cluster(ClusterAddress(bootstrap="kafka1:9092")))
    assert found.version == "4.0"


def test_brokers_on_zookeeper_are_not_asked_for_features(monkeypatch: pytest.MonkeyPatch, producer: str) -> None:
    broker = {
        **BROKER,
        "process.roles": ("", "DEFAULT_CONFIG"),
        "zookeeper.connect": ("z:2181", "STATIC_BROKER_CONFIG"),
        "inter.broker.protocol.version": ("3.9-IV0", "DEFAULT_CONFIG"),
    }
    fake = FakeCluster(brokers=dict.fromkeys((1, 2, 3), broker), features=OSError("no")).placed(monkeypatch)
    (found,) = deployments(producer=producer)
    assert (found.version, found.mode) == ("3.9", "ZooKeeper")
    assert found.doubts == ()
    assert fake.kafka_python == {}


def test_fewer_live_brokers_than_replicas_are_a_doubt(monkeypatch: pytest.MonkeyPatch, producer: str) -> None:
    FakeCluster(brokers=dict.fromkeys((1, 2), BROKER)).placed(monkeypatch)
    (found,) = deployments(producer=producer)
    assert [doubt.what for doubt in found.doubts] == ["3 replicas, and the cluster has 2 brokers."]


def test_brokers_of_a_cluster_that_have_different_values_are_refused(
    monkeypatch: pytest.MonkeyPatch, producer: str
) -> None:
    other = {**BROKER, "min.insync.replicas": ("2", "DYNAMIC_BROKER_CONFIG")}
    topics = {"orders": (IN_SYNC, {**TOPIC, "min.insync.replicas": ("1", "DEFAULT_CONFIG")})}
    FakeCluster(brokers={1: BROKER, 2: BROKER, 3: other}, topics=topics).placed(monkeypatch)
    with pytest.raises(ConfigurationError, match=r"broker 1 has '1', and broker 3 has '2'"):
        deployments(producer=producer)
    FakeCluster(brokers={1: BROKER, 2: BROKER, 3: other}).placed(monkeypatch)
    assert deployments(producer=producer)[0].settings["min_isr"] == 2, "the topic has its own"


def test_partitions_out_of_order_are_doubts(monkeypatch: pytest.MonkeyPatch, producer: str) -> None:
    partitions = (((1, 2, 3), (2, 1)), ((1, 2), (1, 2)), ((3, 1, 2), ()))
    FakeCluster(topics={"orders": (partitions, TOPIC)}).placed(monkeypatch)
    (found,) = deployments(producer=producer)
    assert found.replication_factor == 2
    assert [doubt.what for doubt in found.doubts] == [
        "this partition has 2 replicas, and the topic's replication factor is 3.",
        "only 2 of 3 replicas were in sync.",
        "only 0 of 3 replicas were in sync.",
    ]


def test_a_thousand_topics_are_a_few_questions_and_a_few_classes(
    monkeypatch: pytest.MonkeyPatch, producer: str
) -> None:
    loose = {**TOPIC, "unclean.leader.election.enable": ("true", "DYNAMIC_TOPIC_CONFIG")}
    topics = {f"topic-{number}": (IN_SYNC, loose if number % 10 == 0 else TOPIC) for number in range(1000)}
    fake = FakeCluster(topics=topics).placed(monkeypatch)
    found = deployments(producer=producer)
    assert sorted((len(one.topics), one.settings["unclean"]) for one in found) == [(100, True), (900, False)]
    assert fake.batches == [1, 1, 1, *[100] * 10]


def test_only_the_topics_that_are_named_are_read(monkeypatch: pytest.MonkeyPatch, producer: str) -> None:
    FakeCluster(topics=dict.fromkeys(("a", "b", "c"), (IN_SYNC, TOPIC))).placed(monkeypatch)
    (found,) = deployments("c", "a", "c", producer=producer)
    assert found.topics == ("c", "a")


def test_brokers_that_differ_contradict_each_other(monkeypatch: pytest.MonkeyPatch, producer: str) -> None:
    lag = {"replica.lag.time.max.ms": ("500", "STATIC_BROKER_CONFIG")}
    other = {"replica.lag.time.max.ms": ("900", "STATIC_BROKER_CONFIG")}
    FakeCluster(brokers={1: {**BROKER, **lag}, 2: {**BROKER, **other}}).placed(monkeypatch)
    with pytest.raises(ConfigurationError, match=r"'900' here, and '500' at broker 1 of kafka1:9092\."):
        deployments(producer=producer)


@pytest.mark.parametrize("name", ["server.properties", "topic.properties"])
def test_a_file_of_brokers_or_topics_is_refused_beside_a_cluster(
    name: str, monkeypatch: pytest.MonkeyPatch, run: Run, tmp_path: Path
) -> None:
    FakeCluster().placed(monkeypatch)
    path = tmp_path / name
    path.write_text("min.insync.replicas=1\n", encoding="utf-8")
    code, out, err = run("audit", *ADDRESS, str(path))
    assert (code, out) == (2, "")
    assert "the running cluster gives the settings of its" in err


def error(name: str, text: str) -> KafkaError:
    return KafkaError(getattr(KafkaError, name), text)


FAILURES = {
    "no connection": (
        FakeCluster(
            silent=True,
            events=[error("_TRANSPORT", f"kafka1:9092/bootstrap: refused {SECRET}"), error("_ALL_BROKERS_DOWN", "")],
        ),
        "kafka1:9092,kafka2:9092 cannot be reached: refused ***. Check host and port",
    ),
    "not let in": (
        FakeCluster(silent=True, events=[error("_AUTHENTICATION", f"no {USER} with {SECRET}")]),
        "does not let this user in: no *** with ***. Check security.protocol, mechanism, user and password in ",
    ),
    "not let in when it answers": (
        FakeCluster(refusals={"describe_cluster": error("SASL_AUTHENTICATION_FAILED", SECRET)}),
        "does not let this user in: ***. Check",
    ),
    "may not describe brokers": (
        FakeCluster(refusals={"BROKER 2": error("CLUSTER_AUTHORIZATION_FAILED", f"denied {SECRET}")}),
        "this user may not describe all of kafka1:9092,kafka2:9092: denied ***. It needs DESCRIBE_CONFIGS on the cluster",
    ),
    "may not describe topics": (
        FakeCluster(refusals={"TOPIC orders": error("TOPIC_AUTHORIZATION_FAILED", "denied")}),
        "--operation Describe --operation DescribeConfigs --cluster --topic '*'",
    ),
    "no time": (FakeCluster(silent=True), "did not answer within 0.1 s"),
    "no time when it answers": (
        FakeCluster(refusals={"list_topics": error("_TIMED_OUT", SECRET)}),
        "did not answer within 0.1 s. Check host, port and security.protocol, or give it more time: request.timeout.ms, in ",
    ),
    "no topic": (FakeCluster(topics={}), "kafka1:9092 names no topic: it has none, or this user may DESCRIBE none."),
    "too old": (
        FakeCluster(refusals={"BROKER 1": error("_UNSUPPORTED_FEATURE", "old")}),
        "does not give its settings: old. Kafka does so from 0.11 on.",
    ),
    "something else": (
        FakeCluster(refusals={"TOPIC orders": error("_FAIL", SECRET)}),
        "does not give what an audit needs: ***.",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_what_goes_wrong_is_said_and_no_secret_is(
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    config: Callable[[str], str],
    run: Run,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(asking, "GRACE_SECONDS", 0.1)
    fake, said = FAILURES[name]
    fake.placed(monkeypatch)
    code, out, err = run("audit", *ADDRESS, "--command-config", config(SASL))
    assert fake.settings["sasl.password"] == SECRET
    assert (code, out) == (2, "")
    assert said in err
    assert not {word for word in (SECRET, USER) if word in err + caplog.text}


def test_a_whole_audit_shows_no_secret(
    monkeypatch: pytest.MonkeyPatch, config: Callable[[str], str], run: Run, tmp_path: Path, producer: str
) -> None:
    fake = FakeCluster(
        topics={"orders": ((((1,), (1,)),), {"min.insync.replicas": ("1", "DEFAULT_CONFIG")})},
        features=OSError(f"no way with {SECRET}"),
    ).placed(monkeypatch)
    target = tmp_path / "audit.json"
    code, out, err = run(
        *("audit", *ADDRESS, "--command-config", config(SASL), "--tolerate", "1 crash", "--kafka-version", "4.1"),
        *("--store", str(tmp_path / "store"), "--json", str(target), producer),
    )
    assert (code, err) == (0, "")
    assert "topic orders of kafka1:9092" in out
    assert "no way with ***" in " ".join(out.split())
    shown = out + target.read_text()
    assert json.loads(target.read_text())["classes"]
    assert not [word for word in (SECRET, USER, "planted-in-the-broker") if word in shown]
    assert fake.kafka_python["sasl_plain_password"] == SECRET


def test_kafka_python_logs_nothing_of_its_settings(
    monkeypatch: pytest.MonkeyPatch, config: Callable[[str], str], caplog: pytest.LogCaptureFixture
) -> None:
    from kafka.admin import KafkaAdminClient

    caplog.set_level(logging.DEBUG)
    FakeCluster().placed(monkeypatch)
    monkeypatch.setattr("kafka.admin.KafkaAdminClient", KafkaAdminClient)
    text = SASL.replace("SASL_SSL", "SASL_PLAINTEXT")
    address = ClusterAddress(bootstrap="127.0.0.1:1", command_config=config(text))
    read = read_cluster(address)
    assert ["the cluster's features are not known" in warning.what for file in read for warning in file.warnings] == [
        True
    ]
    assert SECRET not in caplog.text
    assert SECRET not in repr(read)


def test_settings_show_no_value(config: Callable[[str], str]) -> None:
    assert SECRET not in repr(read_admin_settings(config(SASL)))


SCRAM = {"sasl.username": USER, "sasl.password": SECRET}
PLAIN = "sasl.jaas.config=a.PlainLoginModule required"
TRANSLATED: list[tuple[str, dict[str, str]]] = [
    (SASL, {"security.protocol": "SASL_SSL", "sasl.mechanisms": "SCRAM-SHA-512", **SCRAM}),
    (f"{PLAIN} password='x\"y' username=u ;\n", {"sasl.username": "u", "sasl.password": 'x"y'}),
    (
        PLAIN + r""" username="u" password="a\\"b\\\\;c";""",
        {"sasl.username": "u", "sasl.password": r'a"b\;c'},
    ),
    ("ssl.truststore.type=PEM\nssl.truststore.location=/ca.pem\n", {"ssl.ca.location": "/ca.pem"}),
    ("ssl.truststore.certificates=CA\n", {"ssl.ca.pem": "CA"}),
    ("ssl.keystore.key=K\nssl.keystore.certificate.chain=C\n", {"ssl.key.pem": "K", "ssl.certificate.pem": "C"}),
    (
        "ssl.keystore.type=PEM\nssl.keystore.location=/me.pem\nssl.key.password=p\n",
        {"ssl.certificate.location": "/me.pem", "ssl.key.location": "/me.pem", "ssl.key.password": "p"},
    ),
    (
        "ssl.keystore.type=PKCS12\nssl.keystore.location=/me.p12\nssl.keystore.password=p\n",
        {"ssl.keystore.location": "/me.p12", "ssl.keystore.password": "p"},
    ),
    ("ssl.endpoint.identification.algorithm=\n", {"ssl.endpoint.identification.algorithm": "none"}),
    ("ssl.endpoint.identification.algorithm=HTTPS\n", {"ssl.endpoint.identification.algorithm": "https"}),
    ("security.protocol=ssl\nssl.ca.location=/ca\n", {"security.protocol": "ssl", "ssl.ca.location": "/ca"}),
    ("bootstrap.servers=other:1\nretries=5\ndebug=all\nplugin.library.paths=x\n", {}),
]


@pytest.mark.parametrize(("text", "translated"), TRANSLATED)
def test_the_settings_of_kafkas_tools_are_translated(
    text: str, translated: dict[str, str], config: Callable[[str], str]
) -> None:
    assert read_admin_settings(config(text)).librdkafka == translated


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (
            SASL,
            {"security_protocol": "SASL_SSL", "sasl_mechanism": "SCRAM-SHA-512"}
            | {"sasl_plain_username": USER, "sasl_plain_password": SECRET},
        ),
        (
            "security.protocol=ssl\nssl.ca.location=/a\nssl.endpoint.identification.algorithm=\n",
            {"security_protocol": "SSL", "ssl_cafile": "/a", "ssl_check_hostname": False},
        ),
        ("ssl.keystore.type=PKCS12\nssl.keystore.location=/me.p12\n", None),
        ("sasl.mechanism=GSSAPI\n", None),
        ("sasl.mechanism=OAUTHBEARER\nsasl.oauthbearer.method=oidc\n", None),
        ("enable.ssl.certificate.verification=false\n", None),
    ],
)  # fmt: skip
def test_kafka_python_goes_the_same_way_or_none(
    text: str, asked: dict[str, object] | None, config: Callable[[str], str]
) -> None:
    assert read_admin_settings(config(text)).kafka_python == asked


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"ssl.truststore.location=/{SECRET}.jks\n", "ssl.truststore.location: only a trust store of type PEM"),
        (f"ssl.truststore.type=JKS\nssl.truststore.location=/{SECRET}\n", "ssl.truststore.type=PEM"),
        (f"ssl.keystore.location=/{SECRET}\n", "ssl.keystore.location: only a key store of type PEM or PKCS12"),
        (f"ssl.keystore.password={SECRET}\n", "there is no ssl.keystore.location"),
        (f"sasl.jaas.config={SECRET}\n", "sasl.jaas.config: this is not one login module with its options"),
        (f'sasl.jaas.config=a.Krb5LoginModule required principal="{SECRET}";\n', "is not one with user and password"),
        (f'{PLAIN} username="u" password="{SECRET}" tokenauth=true;\n', "not exactly username and password"),
        (f"{SASL}sasl.password={SECRET}\n", "sasl.password: sasl.password is there in another way too."),
        (f"sasl.password={SECRET}\nsasl.password={SECRET}2\n", "line 1 sets it already"),
        (f"sasl.login.callback.handler.class={SECRET}\n", "may decide how safe the connection is"),
        (f"ssl.enabled.protocols={SECRET}\n", "may decide how safe the connection is"),
        (f"ssl.endpoint.identification.algorithm={SECRET}\n", "no way to check host names"),
        (f"config.providers={SECRET}\n", "what a config provider fills in is not known here"),
        (f"request.timeout.ms={SECRET}\n", "this is no number of milliseconds"),
        (f"sasl.password=\\u{SECRET}\n", "admin.properties:1: this line cannot be read."),
        (f"security.protocol={SECRET}\n", "librdkafka does not take these settings: Invalid value for configuration property"),
        (f"security.protocol=ssl\nssl.ca.location=/{SECRET}\n", "librdkafka does not take these settings"),
        (f"security.protocol=ssl\nssl.key.pem={SECRET}\n", "librdkafka does not take these settings"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_taken_are_refused_without_their_values(
    text: str, said: str, config: Callable[[str], str], capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = running(capfd)("audit", *ADDRESS, "--command-config", config(text))
    assert (code, out) == (2, "")
    assert said in err
    assert SECRET not in err


@pytest.mark.parametrize(
    "bootstrap", ["kafka1", "kafka1:", ":9092", "kafka1:90921", "kafka1:9092,", f"u:{SECRET}@kafka1:9092"]
)
def test_what_is_no_address_is_refused(bootstrap: str, run: Run) -> None:
    code, out, err = run("audit", "--bootstrap-server", bootstrap)
    assert (code, out) == (2, "")
    assert "this is not HOST:PORT" in err
    assert SECRET not in err


@pytest.mark.parametrize(("name", "advice"), [("order", "Did you mean orders?"), ("x", "that the user may DESCRIBE")])
def test_an_unknown_topic_is_refused(name: str, advice: str, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    FakeCluster().placed(monkeypatch)
    code, out, err = run("audit", *ADDRESS, "--topic", name)
    assert (code, out) == (2, "")
    assert f"--topic: kafka1:9092 names no topic '{name}'. " in err
    assert advice in err


@pytest.mark.parametrize("option", ["--topic", "--command-config"])
def test_what_is_for_a_cluster_is_refused_without_one(option: str, run: Run) -> None:
    code, out, err = run("audit", option, "x")
    assert (code, out) == (2, "")
    assert err == f"error: {option}: this is for a running cluster. Name it with --bootstrap-server.\n"


def test_the_api_audits_a_cluster(monkeypatch: pytest.MonkeyPatch, producer: str) -> None:
    one = {"min.insync.replicas": ("1", "DEFAULT_CONFIG")}
    FakeCluster(topics={"orders": ((((1,), (1,)),), one), "other": (IN_SYNC, TOPIC)}).placed(monkeypatch)
    found = neverlost.audit(producer, bootstrap_server="kafka1:9092", topics=["orders"], tolerate="1 crash")
    assert (found.verdict, found.safe) == ("holds", True)
    with pytest.raises(ConfigurationError, match="this is for a running cluster"):
        neverlost.audit(producer, topics=["orders"])


def test_what_is_asked_is_said_while_nobody_answers(
    monkeypatch: pytest.MonkeyPatch, config: Callable[[str], str]
) -> None:
    FakeCluster(silent=True, events=[error("_AUTHENTICATION", "no")]).placed(monkeypatch)
    said: list[str] = []
    with pytest.raises(ConfigurationError):
        read_cluster(ClusterAddress(bootstrap="kafka1:9092"), said.append)
    assert said == ["asking kafka1:9092 for its brokers"]


def test_the_levels_of_the_metadata_are_all_named() -> None:
    assert list(METADATA_VERSIONS) == list(range(1, 34))
    assert METADATA_VERSIONS[21] == "3.9-IV0"
    assert METADATA_VERSIONS[27] == "4.1-IV1"
    assert METADATA_VERSIONS[33] == "4.4-IV2"
