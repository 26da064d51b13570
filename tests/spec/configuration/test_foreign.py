"""What is not plainly a configuration of Kafka's own is never audited: it ends with what was seen, and where."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neverlost.spec.configuration import ConfigurationError, read_deployment
from neverlost.spec.configuration.catalogue import ROLES, catalogue
from neverlost.spec.configuration.configuration_file import ConfigEntry
from neverlost.spec.configuration.forms.foreign import is_known, refuse_foreign
from neverlost.spec.configuration.forms.foreign_keys import (
    JAVA_MARKS,
    PROGRAMS,
    SHARED_WITH_SCALA,
    decides_elsewhere,
    program_of,
    sets_elsewhere,
)

TOPIC = "replication.factor=3\nmin.insync.replicas=2\n"
PRODUCER = "acks=all\nenable.idempotence=true\nkey.serializer=a.B\n"


class Foreign(NamedTuple):
    """A file that is not Kafka's own, named as a user would, and what must be said of it."""

    argument: str
    text: str
    said: str


FOREIGN = {
    "Spring's YAML": Foreign(
        "producer:application.yml",
        "spring:\n  kafka:\n    producer:\n      acks: 1\n",
        "application.yml: these are an application of Spring Boot, which show their roles.",
    ),
    "Spring's YAML by another name": Foreign(
        "producer:application.conf",
        "spring:\n  kafka:\n    producer:\n      acks: 1\n",
        "application.conf: these are an application of Spring Boot, which show their roles.",
    ),
    "JSON": Foreign("producer:producer.json", '{\n  "producer": {"acks": "1"}\n}\n', "by its name this is JSON"),
    "JSON by another name": Foreign(
        "producer:producer.properties",
        '{"producer": {"acks": "1"}}\n',
        "producer.properties:1: '{\"producer\"' is no key",
    ),
    "librdkafka with a key that Scala has too": Foreign(
        "producer.properties",
        "bootstrap.servers=a:9092\nacks=all\nqueue.buffering.max.messages=9\n",
        "of the Scala clients of Kafka 0.8",
    ),
    "a Connect worker with a role": Foreign(
        "producer:connect-distributed.properties",
        "bootstrap.servers=a:9092\ngroup.id=connect\nkey.converter=a.B\noffset.storage.topic=o\nproducer.acks=1\n",
        "connect-distributed.properties: these are a worker of Kafka Connect, which show their roles.",
    ),
    "a part of a Connect worker": Foreign(
        "connect.properties",
        "bootstrap.servers=a:9092\ngroup.id=connect\nkey.converter=a.B\nproducer.acks=1\n",
        "connect.properties:3: key.converter: this is a key of a worker of Kafka Connect.",
    ),
    "a Connect connector with a role": Foreign(
        "consumer:sink.properties",
        "name=sink\nconnector.class=a.B\ntopics=t\nconsumer.override.enable.auto.commit=true\n",
        "sink.properties: these are a connector of Kafka Connect, which show their roles.",
    ),
    "Strimzi's KafkaTopic with a role": Foreign(
        "topic:orders.yaml",
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaTopic\nspec:\n  replicas: 1\n",
        "orders.yaml: these are Strimzi's resources, which show their roles.",
    ),
    "Strimzi's KafkaMirrorMaker2": Foreign(
        "mirror",
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaMirrorMaker2\nspec:\n  replicas: 1\n",
        "mirror:1: it does not say which cluster it copies from and into.",
    ),
    "nested YAML with comments": Foreign(
        "producer:a", "one: # of two\n  acks: all\n  enable.idempotence: true\n", "a:2: 'acks' is nested below 'one'"
    ),
    "a KafkaTopic without its nesting": Foreign(
        "topic:orders",
        "partitions: 3\nreplicas: 1\nmin.insync.replicas: 1\n",
        "orders:2: replicas: Kafka has no such key, and it ends as one that decides: replicas.",
    ),
    "a ConfigMap with a broker's file": Foreign(
        "broker:map",
        "data:\n  server.properties: |\n    min.insync.replicas=1\n    default.replication.factor=3\n",
        "map:2: 'server.properties' is nested below 'data'",
    ),
    "a YAML block": Foreign(
        "broker:values",
        "config: |\n  min.insync.replicas=1\n  default.replication.factor=3\n",
        "values:1: 'config' is no key of Kafka's",
    ),
    "a YAML list": Foreign("topic:topics", "topics:\n- name: orders\n  replicas: 1\n", "topics:2: '-' is no key"),
    "a YAML document": Foreign("producer:a", "---\nacks: all\nenable.idempotence: true\n", "a:1: '---' is no key"),
    "YAML with another file's values": Foreign(
        "producer:a", "acks: all\nenable.idempotence: true\noverrides: {acks: 1}\n", "a:3: 'overrides' is no key"
    ),
    "YAML with quotes": Foreign("producer:a", 'acks: "1"\n', "is no value of acks"),
    "TOML": Foreign("producer:a", "[kafka.producer]\nacks = 1\n", "a:1: '[kafka.producer]' is no key"),
    "TOML with quotes": Foreign("producer:a", '[producer]\nacks = "all"\n', "is no value of acks"),
    "TOML with dots": Foreign("producer:a", "acks = all\nsink.acks = 1\n", "a:2: sink.acks: Kafka has no such key"),
    "XML": Foreign("producer:a", "<entry key='acks'>all</entry>\nacks=all\n", "a:1: '<entry' is no key"),
    "Spring's properties": Foreign(
        "producer:application.properties",
        "spring.kafka.bootstrap-servers=a:9092\nspring.kafka.producer.acks=1\nacks=all\n",
        "application.properties: these are an application of Spring Boot, which show their roles.",
    ),
    "Quarkus": Foreign(
        "producer:application.properties",
        "mp.messaging.outgoing.orders.acks=1\nacks=all\nenable.idempotence=true\n",
        "this is a key of Quarkus",
    ),
    "Micronaut": Foreign(
        "producer:application.properties",
        "kafka.producers.default.acks=1\nacks=all\nenable.idempotence=true\n",
        "this is a key of a program that hands what follows",
    ),
    "a part of Kafka Streams": Foreign(
        "streams.properties",
        "num.stream.threads=2\nbootstrap.servers=a:9092\nacks=all\nenable.idempotence=true\n",
        "this is a key of Kafka Streams.",
    ),
    "MirrorMaker": Foreign(
        "topic:mm2.properties",
        "clusters=a, b\nreplication.factor=3\nmin.insync.replicas=2\n",
        "this is a key of MirrorMaker.",
    ),
    "MirrorMaker's arrows": Foreign(
        "topic:mm2",
        "a->b.enabled=true\nreplication.factor=3\n",
        "mm2: these are MirrorMaker 2, which show their roles.",
    ),
    "a StatefulSet": Foreign(
        "kafka.yaml",
        "apiVersion: apps/v1\nmetadata:\n  name: kafka\nkind: StatefulSet\nspec:\n  replicas: 3\n",
        "kafka.yaml: of resources of Kubernetes only Strimzi's are read",
    ),
    "values of a Helm chart": Foreign(
        "values-prod.yaml",
        "replicaCount: 3\nextraConfig: |\n  min.insync.replicas=2\n",
        "values-prod.yaml: by its name this has the values of a Helm chart.",
    ),
    "Schema Registry": Foreign(
        "topic:schema-registry.properties",
        "kafkastore.topic.replication.factor=1\nreplication.factor=3\n",
        "this is a key of Schema Registry.",
    ),
    "ksqlDB": Foreign(
        "producer:ksql-server.properties", "ksql.service.id=a\nacks=all\nretries=5\n", "this is a key of ksqlDB."
    ),
    "log4j": Foreign(
        "producer:log4j.properties", "log4j.rootLogger=INFO\nacks=all\n", "this is a key of log4j, which writes"
    ),
    "ZooKeeper": Foreign(
        "broker:zookeeper.properties",
        "dataDir=/tmp\nclientPort=2181\nmin.insync.replicas=2\n",
        "this is a key of ZooKeeper.",
    ),
    "an environment": Foreign(
        "producer:env",
        "KAFKA_ACKS=1\nKAFKA_RETRIES=0\nacks=all\nlinger.ms=1\n",
        "env: these are variables of a container image, which show their roles.",
    ),
    "variables with a producer's keys": Foreign(
        "env", "KAFKA_ACKS=1\nacks=all\n", "env:2: this is no line of a file of variables"
    ),
    "an environment without what decides": Foreign(
        "producer:env", "APP_HOME=/srv\nacks=all\nenable.idempotence=true\n", "a variable of an environment"
    ),
    "variables of a shell": Foreign("producer:env", "export KAFKA_ACKS=1\nacks=all\n", "env:1: 'export' is no key"),
    "Compose": Foreign(
        "broker:compose",
        "services:\n  kafka:\n    environment:\n      KAFKA_MIN_INSYNC_REPLICAS: 1\n",
        "compose: these are services of a compose file, which show their roles.",
    ),
    "Compose without an image": Foreign(
        "compose",
        "services:\n  kafka:\n    environment:\n      KAFKA_MIN_INSYNC_REPLICAS: 1\n",
        "compose:4: KAFKA_MIN_INSYNC_REPLICAS: it is not known what service kafka is",
    ),
    "services that are not Compose's": Foreign(
        "broker:services", "services:\n  kafka:\n    acks: 1\n", "services:2: 'kafka' is nested below 'services'"
    ),
    "the state of Terraform itself": Foreign(
        "topic:state", '{\n  "version": 4,\n  "resources": []\n}\n', "state:1: '{' is no key"
    ),
    "a Dockerfile": Foreign("broker:Dockerfile", "FROM a/kafka\nENV KAFKA_ACKS=1\n", "Dockerfile:1: 'FROM' is no key"),
    "a shell script": Foreign(
        "topic:create",
        "#!/bin/sh\nkafka-topics.sh --create --replication-factor 1 --config min.insync.replicas=2\n",
        "create:2: 'kafka-topics.sh' is no key",
    ),
    "a command in a value": Foreign(
        "producer:a", "acks=all\nenable.idempotence=true\ncommand=send --producer-property acks=1\n", "sets one that"
    ),
    "Terraform": Foreign(
        "topic:topic.txt",
        'resource "kafka_topic" "orders" {\n  replication_factor = 1\n}\n',
        "terraform show -json",
    ),
    "Terraform by its name": Foreign("main.tf", "acks = 1\n", "terraform show -json"),
    "a module of Terraform": Foreign(
        "topic:kafka", 'module "topics" {\n  source = "./topics"\n}\n', "terraform show -json"
    ),
    "variables of Terraform": Foreign("topic:prod.tfvars", "replication_factor = 1\n", "terraform show -json"),
    "Terraform's state": Foreign(
        "terraform.json",
        '{\n  "version": 4,\n  "terraform_version": "1.9.0",\n  "resources": []\n}\n',
        "terraform show -json",
    ),
    "HOCON": Foreign("producer:a", "kafka-clients {\n  acks = all\n}\n", "a:1: 'kafka-clients' is no key"),
    "Python": Foreign(
        "producer:send.txt", "from kafka import KafkaProducer\nacks = 1\n", "send.txt:1: 'from' is no key"
    ),
    "Python that sets a dictionary": Foreign("producer:a", "conf = {'acks': 1}\nacks = all\n", "a:1: 'conf' is no key"),
    "Java": Foreign("producer:A.txt", 'props.put("acks", "1");\n', "A.txt:1: 'props.put(\"acks\",' is no key"),
    "Go": Foreign(
        "producer:a",
        "acks=all\nretries=5\nconfig.Producer.RequiredAcks = sarama.WaitForLocal\n",
        "a:3: config.Producer",
    ),
    "Node": Foreign("producer:a", "module.exports = {\n  acks: 1,\n}\n", "a:1: 'module.exports' is no key"),
    "kafka-python": Foreign(
        "producer:a", "acks: all\nmax_in_flight_requests_per_connection: 9\nretries: 5\n", "it ends as one that decides"
    ),
    ".NET": Foreign(
        "producer:a", "Acks=All\nEnableIdempotence=false\n", "a:2: EnableIdempotence: there is no such key"
    ),
    "Logstash": Foreign("producer:a", 'output {\n  kafka { acks => "1" }\n}\n', "a:1: 'output' is no key"),
    "a table of Flink": Foreign("producer:a", "'properties.acks' = '1'\nacks = all\n", "a:1: \"'properties.acks'\""),
    "a list with commas": Foreign("producer:a", "key,value\nacks,1\n", "a:1: 'key,value' is no key"),
    "a patch": Foreign("producer:a", "-acks=all\n+acks=1\n", "a:1: '-acks' is no key"),
    "a conflict": Foreign("producer:a", "<<<<<<< HEAD\nacks=all\n=======\nacks=1\n", "a:1: '<<<<<<<' is no key"),
    "a template": Foreign("producer:a", "{% if prod %}\nacks=all\n{% endif %}\n", "a:1: '{%' is no key"),
    "a template's value": Foreign("producer:a", "acks={{ acks }}\n", "'{{ acks }}' is no value of acks"),
    "a page of text": Foreign("producer:README", "Set acks to all.\nacks=all\n", "README:1: 'Set' is no key"),
    "Markdown": Foreign("producer:README", "| acks | all |\n", "README:1: '|' is no key"),
    "a program's own settings": Foreign(
        "producer:app.properties",
        "db.url=a\ndb.user=b\nhttp.port=80\nacks=all\nenable.idempotence=true\n",
        "app.properties: Kafka does not know 3 of its 5 keys: 'db.url', 'db.user', 'http.port'.",
    ),
    "bytes": Foreign("producer:a", "\x7fELF\x02\x01\nacks=all\n", "a:1: '\\x7fELF\\x02\\x01' is no key"),
    "only a client's name": Foreign(
        "producer:producer.properties",
        "client.id=a\nkey.serializer=a.B\n",
        "producer.properties: it sets none of the keys that decide for a producer: acks, enable.idempotence",
    ),
    "only a consumer's group": Foreign(
        "consumer.properties", "group.id=a\n", "decide for a consumer: enable.auto.commit"
    ),
    "only a broker's number": Foreign("server.properties", "broker.id=1\n", "it sets none of the keys that decide for"),
    "two tools' output in one file": Foreign(
        "orders.txt",
        "Topic: orders\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
        "Dynamic configs for broker 1 are:\n  unclean.leader.election.enable=true sensitive=false synonyms={}\n",
        "orders.txt:2: this is no line of kafka-topics.sh --describe.",
    ),
    "a tool that says nothing that decides": Foreign(
        "orders.txt",
        "Dynamic configs for topic orders are:\n  retention.ms=5 sensitive=false synonyms={}\n",
        "it sets none of the keys that decide for a topic",
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_not_kafkas_own_ends_with_what_was_seen(name: str, tmp_path: Path) -> None:
    argument, text, said = FOREIGN[name]
    before, colon, file = argument.rpartition(":")
    (tmp_path / file).write_text(text, encoding="utf-8")
    beside = []
    for role, own in (("topic", TOPIC), ("producer", PRODUCER)):
        if role not in argument:
            (tmp_path / f"sound-{role}").write_text(own, encoding="utf-8")
            beside.append(f"{role}:{tmp_path / f'sound-{role}'}")
    with pytest.raises(ConfigurationError) as caught:
        read_deployment([f"{before}{colon}{tmp_path / file}", *beside], kafka_version="4.1")
    stated = str(caught.value).replace(f"{tmp_path}/", "")
    assert said in stated
    assert all(problem.advice and problem.file for problem in caught.value.problems)


OWN = {
    "acks with a colon": ("producer", "acks: 1\n", {"acks": "1"}),
    "acks with a blank": ("producer", "acks 1\n", {"acks": "1"}),
    "lines that begin with blanks": ("producer", "# sure\n  acks=1\n    retries=5\n", {"acks": "1"}),
    "Java's defaults with a key of Java's": ("producer", "acks=all\nbuffer.memory=9\n", {"idempotence": True}),
    "what is written out": ("producer", "acks=all\nenable.idempotence=true\n", {"idempotence": True}),
    "a transactional producer": ("producer", "transactional.id=a\n", {"acks": "all", "idempotence": True}),
    "keys of a serializer and an interceptor": (
        "producer",
        "acks=all\nkey.serializer=a.B\nvalue.serializer=a.C\nschema.registry.url=http://a\nmy.interceptor.mode=fast\n",
        {"acks": "all", "idempotence": True},
    ),
    "an escaped key": ("producer", "\\u0061cks=1\n", {"acks": "1"}),
    "a value that goes on": (
        "producer",
        'acks=1\nsasl.jaas.config=a.B required \\\n  username="x" \\\n  password="{";\n',
        {"acks": "1"},
    ),
    "Confluent's broker": (
        "broker",
        "min.insync.replicas=2\ndefault.replication.factor=3\nconfluent.license.topic.replication.factor=1\n",
        {"min_isr": 2},
    ),
    "a listener's keys": (
        "broker",
        (
            "min.insync.replicas=2\ndefault.replication.factor=3\nlistener.name.a.scram-sha-512.sasl.jaas.config=b\n"
            "listener.name.a.ssl.keystore.location=c\nlistener.name.a.ssl.client.auth=d\n"
        ),
        {"min_isr": 2},
    ),
    "the Scala producer": (
        "producer",
        "metadata.broker.list=a:1\nproducer.type=sync\nrequest.required.acks=1\n",
        {"acks": "1"},
    ),
}


@pytest.mark.parametrize("name", OWN)
def test_what_is_kafkas_own_is_read_however_it_is_written(name: str, tmp_path: Path) -> None:
    role, text, settings = OWN[name]
    (tmp_path / "file").write_text(text, encoding="utf-8")
    found = read_deployment([f"{role}:{tmp_path / 'file'}"], kafka_version="1.1" if "Scala" in name else "4.1")
    assert {key: found.settings[key] for key in settings} == settings


def test_no_key_of_kafkas_is_taken_for_another_programs() -> None:
    known = {key for role in ROLES for key in catalogue().keys[role]}
    for program in PROGRAMS:
        assert not program.keys & known, program.name
    old = frozenset[str]().union(*catalogue().old.values())
    assert old >= SHARED_WITH_SCALA
    assert not SHARED_WITH_SCALA & (set(catalogue().keys["broker"]) | set(catalogue().keys["topic"]))
    assert set(catalogue().keys["producer"]) - old >= JAVA_MARKS


@pytest.mark.parametrize("role", ROLES)
def test_every_key_of_a_role_may_stand_in_its_file(role: str) -> None:
    old = frozenset[str]().union(*catalogue().old.values())
    entries = [ConfigEntry(key=key, value="1", file="a", line=1) for key in catalogue().keys[role] if key not in old]
    assert entries
    refuse_foreign("x=1", entries, "a")


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("KAFKA_ACKS", "acks"),
        ("requiredAcks", "acks"),
        ("a1.sinks.k1.kafka.producer.acks", "acks"),
        ("minInsyncReplicas", "min.insync.replicas"),
        ("topic-replication-factor", "replication.factor"),
        ("KAFKA_CFG_UNCLEAN_LEADER_ELECTION_ENABLE", "unclean.leader.election.enable"),
        ("my.retries", "retries"),
        ("SPRING_KAFKA_CONSUMER_ENABLEAUTOCOMMIT", "enable.auto.commit"),
        ("SPRING_CLOUD_STREAM_KAFKA_BINDER_REQUIREDACKS", "required acks"),
        ("SPRING_CLOUD_STREAM_KAFKA_BINDER_REPLICATIONFACTOR", "replication.factor"),
        ("SPRING_DATASOURCE_HIKARI_AUTOCOMMIT", None),
        ("tracks", None),
        ("my.feedbacks", None),
        ("confluent.balancer.topic.replication.factor", None),
    ],
)
def test_a_key_that_ends_as_one_that_decides_is_known_by_its_words(key: str, meant: str | None) -> None:
    assert decides_elsewhere(key) == meant
    assert not is_known(key)


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("--producer-property acks=1", "acks"),
        ("{'acks': 1}", "acks"),
        ("KAFKA_ACKS=1", "acks"),
        ("--replication-factor 1", "replication.factor"),
        ("--spring.cloud.stream.kafka.binder.requiredAcks=1", "required acks"),
        ("-Dspring.kafka.consumer.enableAutoCommit=true", "enable.auto.commit"),
        ("a.Backs:1", None),
        ("http://acks.example.com", None),
    ],
)
def test_a_value_that_sets_what_decides_is_seen(value: str, meant: str | None) -> None:
    assert sets_elsewhere(value) == meant


def test_a_prefix_tells_whose_key_it_is() -> None:
    assert program_of("producer.linger.ms") is not None
    assert program_of("schema.registry.url") is None


LINES = (
    *("acks=all", "acks: all", "enable.idempotence=true", "key.serializer=a.B", "linger.ms=5", "# acks=1", ""),
    *("  acks: 1", "producer:", "spec:", "  replicas: 1", "- acks", "{", "[producer]", "x.acks=1", "ACKS=1"),
)


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=7))
def test_a_line_that_sets_acks_to_1_is_never_missed(lines: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "producer.properties"
        path.write_text("\n".join(lines), encoding="utf-8")
        try:
            found = read_deployment([f"producer:{path}"], kafka_version="4.1")
        except ConfigurationError:
            return
    if any(re.search(r"acks\W+1", line, re.IGNORECASE) and not line.startswith("#") for line in lines):
        assert found.settings["acks"] == "1"
