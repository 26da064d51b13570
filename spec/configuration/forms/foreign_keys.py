"""Whose a key is that Kafka does not have: the programs around Kafka, and how others write what decides here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ..catalogue import OLD_NAMES, ROLES
from ..defaults import deciding_keys


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program with a configuration of its own, recognised by its keys or by how they begin."""

    name: str
    keys: frozenset[str] = frozenset()
    beginnings: tuple[str, ...] = ()

    def has(self, key: str) -> bool:
        """Is it a key of this program?"""
        return key in self.keys or key.startswith(self.beginnings)


def _keys(text: str) -> frozenset[str]:
    return frozenset(text.split())


PROGRAMS = (
    Program(
        name="a connector of Kafka Connect",
        keys=_keys("connector.class tasks.max"),
        beginnings=("producer.override.", "consumer.override.", "admin.override."),
    ),
    Program(
        name="a worker of Kafka Connect",
        keys=_keys(
            "key.converter value.converter header.converter internal.key.converter internal.value.converter"
            " config.storage.topic offset.storage.topic status.storage.topic offset.storage.file.filename"
            " offset.flush.interval.ms plugin.path plugin.discovery rest.port rest.advertised.host.name"
            " exactly.once.source.support connector.client.config.override.policy"
        ),
        beginnings=("key.converter.", "value.converter.", "config.storage.", "offset.storage.", "status.storage."),
    ),
    Program(
        name="Kafka Streams",
        keys=_keys(
            "application.id application.server processing.guarantee num.stream.threads num.standby.replicas state.dir"
            " default.key.serde default.value.serde default.timestamp.extractor topology.optimization"
            " cache.max.bytes.buffering statestore.cache.max.bytes default.production.exception.handler"
            " default.deserialization.exception.handler"
        ),
        beginnings=("main.consumer.", "restore.consumer.", "global.consumer."),
    ),
    Program(name="MirrorMaker", keys=_keys("clusters source.cluster.alias target.cluster.alias")),
    Program(name="Schema Registry", keys=_keys("schema.compatibility.level"), beginnings=("kafkastore.",)),
    Program(name="ksqlDB", beginnings=("ksql.",)),
    Program(name="Spring", beginnings=("spring.",)),
    Program(name="Quarkus, or another MicroProfile", beginnings=("quarkus.", "mp.messaging.")),
    Program(name="Micronaut", beginnings=("micronaut.",)),
    Program(name="Camel, Debezium, Akka or Pekko", beginnings=("camel.", "debezium.", "akka.", "pekko.")),
    Program(
        name="log4j, which writes log files",
        keys=_keys("rootLogger appenders loggers"),
        beginnings=("log4j.", "log4j2.", "rootLogger.", "appender.", "logger."),
    ),
    Program(
        name="ZooKeeper",
        keys=_keys("tickTime dataDir dataLogDir clientPort initLimit syncLimit maxClientCnxns admin.enableServer"),
        beginnings=("autopurge.",),
    ),
    Program(
        name="a program that hands what follows producer., consumer., admin. or kafka. on to a client",
        beginnings=("producer.", "consumer.", "admin.", "kafka."),
    ),
)
"""What Kafka's own clients, brokers and topics do not have."""

SHARED_WITH_SCALA = _keys(
    "metadata.broker.list request.required.acks message.send.max.retries compression.codec batch.num.messages"
    " queue.buffering.max.messages queue.buffering.max.ms topic.metadata.refresh.interval.ms"
    " auto.commit.enable fetch.message.max.bytes fetch.wait.max.ms socket.timeout.ms"
)
"""Keys that the Scala clients of 0.8 have and librdkafka too, in which they mean other things together with other defaults."""

JAVA_MARKS = _keys(
    "key.serializer value.serializer partitioner.class interceptor.classes metric.reporters buffer.memory max.block.ms max.request.size"
    " send.buffer.bytes receive.buffer.bytes sasl.jaas.config ssl.truststore.location ssl.truststore.type block.on.buffer.full"
)
"""Keys of Kafka's own producer with which librdkafka does not start."""

PLUG_INS = Program(
    name="a broker's plug-ins for access, metrics, licences and balancing",
    keys=_keys("allow.everyone.if.no.acl.found super.users broker.users"),
    beginnings=(
        # Access: StandardAuthorizer and AclAuthorizer of Kafka; Ranger, OPA, Keycloak, LDAP.
        *("authorizer.", "ranger.", "xasecure.", "opa.authorizer.", "strimzi.authorization.", "oauth.", "ldap."),
        # Metrics: KafkaMetricsConfig of Kafka and the reporters that go with it; Cruise Control.
        *("kafka.metrics.", "kafka.csv.metrics.", "kafka.graphite.metrics.", "kafka.ganglia.metrics."),
        *("kafka.statsd.metrics.", "kafka.http.metrics.", "external.kafka.", "cruise.control.metrics."),
        # Confluent's documentation of the configuration of Confluent Server.
        *(
            "confluent.license",
            "confluent.metadata.",
            "confluent.metrics.",
            "confluent.telemetry.",
            "confluent.support.",
        ),
        *(
            "confluent.balancer.",
            "confluent.schema.registry.",
            "confluent.http.",
            "confluent.security.",
            "confluent.oidc.",
        ),
        *("confluent.authorizer.", "confluent.basic.auth.", "confluent.reporters.", "confluent.command."),
    ),
)
"""Keys in a broker's file that Kafka does not have, and that change nothing of what is audited."""
VENDORS = Program(name="a vendor's broker", beginnings=("confluent.",))
"""Keys in a broker's file of which some may: Confluent's placement of replicas is one."""

OTHER_WORDS = (
    ("replicas",),
    ("replication",),
    ("idempotence",),
    ("idempotent",),
    ("min", "isr"),
    ("auto", "commit"),
    ("unclean",),
    ("max", "in", "flight"),
    ("max", "in", "flight", "requests"),
    ("required", "acks"),
)
"""How others end their names for what decides, beside Kafka's own."""


def program_of(key: str) -> str | None:
    """The program around Kafka that has this key; None if no known program has it."""
    return next((program.name for program in PROGRAMS if program.has(key)), None)


def decides_elsewhere(key: str) -> str | None:
    """What the key evidently means, if it ends as one that decides here: acks for KAFKA_ACKS, my.kafka.acks and requiredAcks.

    The last word may be a whole key: variables for Spring Boot have no dashes, as in SPRING_KAFKA_CONSUMER_ENABLEAUTOCOMMIT. What
    begins with `confluent.` is left alone: Confluent's broker has a replication factor for each of its own topics.
    """
    words = _words(key)
    if words[:1] == ("confluent",):
        return None
    return next((meant for tail, meant in _tails() if words[-len(tail) :] == tail), _joined().get(words[-1:]))


def sets_elsewhere(value: str) -> str | None:
    """What the value evidently sets, if it is a command or another program's text: acks in `--producer-property acks=1`."""
    for tail, meant in _tails():
        if re.search(rf"(?<![A-Za-z]){'[._ -]?'.join(tail)}[\"']?\s*[\s=:,]", value, flags=re.IGNORECASE):
            return meant
    return None


@cache
def _tails() -> tuple[tuple[tuple[str, ...], str], ...]:
    own = [key for role in ROLES for key in sorted(deciding_keys(role) | set(OLD_NAMES.get(role, ())))]
    return *((_words(key), key) for key in own), *((words, " ".join(words)) for words in OTHER_WORDS)


@cache
def _joined() -> dict[tuple[str, ...], str]:
    """What is meant by a key that is written as one word; a few of the words of others would be those of databases too."""
    joined = {"".join(tail): meant for tail, meant in _tails() if tail not in OTHER_WORDS or tail[-1] == "acks"}
    return {(word,): meant for word, meant in joined.items()}


def _words(key: str) -> tuple[str, ...]:
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", ".", key)
    return tuple(word.lower() for word in re.split(r"[._-]+", apart) if word)
