"""The clients that read a producer's or a consumer's configuration: what each sets by itself, takes by default, and calls the keys.

Kafka's Java client has its defaults by version in `defaults`. Frameworks around it set some keys before the user's; librdkafka is a
client of its own, on which those of C, Python, Go, .NET, Node, PHP and Rust are built. KafkaJS, Sarama, franz-go and kafka-python are
clients without files: a user writes down in Kafka's names what the program sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

LARGEST = "2147483647"


@dataclass(frozen=True, kw_only=True, eq=False)
class Client:
    """A client, or a framework around the Java client.

    `sets` are the values that it sets itself, by role, where the user sets nothing: to the producer within they are set. `defaults` are
    what it takes instead of the Java client's defaults. `aliases` are its other names of keys. `added_as` is what stands before one of
    Kafka's keys where a user adds it. `source` says where these facts stand.

    `java` is the version and the release of the Java client whose defaults and rules it follows; `lacks` are keys that it lacks.
    `idempotent` is what it takes with idempotence for keys that are not set, and `most_in_flight` how many requests it then
    allows. `ignores_in_flight`: with idempotence its own number counts. `not_modelled` is why an idempotent one is not audited.
    `retries_reorder`: may records change their order when it sends again, even with one request in flight? `takes_refused_again`: does
    it send again what a broker refused, though retries are 0? `bumps_for_all`: does an error of one partition begin a new epoch for
    all? `acks_earlier`: with idempotence, does it take a record for written that was refused, because a later one was written?
    `least_retries`: how often does it send again at least, whatever is set? `retries_skip` is why a send that succeeds after a
    retry may have left a record out.
    `checks_epochs`: does its consumer notice by leader epochs that a partition was truncated (KIP-320)? None if releases differ.
    `commits_epochs`: do the offsets that it commits carry the leader epoch of their record?
    """

    name: str
    about: str
    source: str
    sets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    defaults: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    added_as: Mapping[str, str] = field(default_factory=dict)
    java: tuple[str, str] | None = None
    lacks: frozenset[str] = frozenset()
    idempotent: Mapping[str, str] = field(default_factory=dict)
    most_in_flight: int = 5
    ignores_in_flight: bool = False
    not_modelled: str = ""
    retries_reorder: bool = False
    takes_refused_again: bool = False
    bumps_for_all: bool = False
    acks_earlier: bool = False
    least_retries: int = 0
    retries_skip: str = ""
    checks_epochs: bool | None = True
    commits_epochs: bool = True


IN_FLIGHT = "max.in.flight.requests.per.connection"

JAVA = Client(
    name="java",
    about="Kafka's Java client",
    source="the client of every version from 0.8.2 to 4.1 was asked; docs/reference/configuration.md has its defaults",
)
SPRING = Client(
    name="spring",
    about="Spring for Apache Kafka, whose listeners commit after they have processed",
    source="spring-kafka since 2.3, ContainerProperties and KafkaMessageListenerContainer; Spring Boot's KafkaProperties",
    sets={"consumer": {"enable.auto.commit": "false"}},
    added_as={"producer": "spring.kafka.producer.properties.", "consumer": "spring.kafka.consumer.properties."},
    commits_epochs=False,
)
CONNECT = Client(
    name="connect",
    about="Kafka Connect, which sets its producers and consumers up by itself",
    source="org.apache.kafka.connect.runtime.Worker, baseProducerConfigs and baseConsumerConfigs (KAFKA-13759)",
    sets={
        "producer": {
            "acks": "all",
            "retries": LARGEST,
            IN_FLIGHT: "1",
            "enable.idempotence": "false",
            "delivery.timeout.ms": LARGEST,
        },
        "consumer": {"enable.auto.commit": "false", "auto.offset.reset": "earliest"},
    },
    added_as={"producer": "producer.", "consumer": "consumer."},
    commits_epochs=False,
)
SPRING_CLOUD = Client(
    name="spring-cloud",
    about="the Kafka binder of Spring Cloud Stream, whose listeners commit after they have processed",
    source="KafkaBinderConfigurationProperties and BindingUtils of Spring Cloud Stream, of 2.0.0 to 5.0.3; from 5.0.3 on acks=all",
    sets={"producer": {"acks": "1"}, "consumer": {"enable.auto.commit": "false"}},
    added_as={
        "producer": "spring.cloud.stream.kafka.binder.producer-properties.",
        "consumer": "spring.cloud.stream.kafka.binder.consumer-properties.",
    },
    commits_epochs=False,
)
STREAMS = Client(
    name="streams",
    about="Kafka Streams, which commits after it has processed, and sends again",
    source="org.apache.kafka.streams.StreamsConfig, PRODUCER_DEFAULT_OVERRIDES and CONSUMER_DEFAULT_OVERRIDES, of 0.11.0.0 to 4.3;"
    " to 2.0 it sets retries=10, later the Java client has retries by default",
    sets={
        "producer": {"retries": LARGEST},
        "consumer": {"enable.auto.commit": "false", "auto.offset.reset": "earliest"},
    },
    added_as={"producer": "producer.", "consumer": "main.consumer."},
    commits_epochs=False,
)
LIBRDKAFKA = Client(
    name="librdkafka",
    about="librdkafka, on which the clients of C, Python, Go, .NET, Node, PHP and Rust are built",
    source="librdkafka's CONFIGURATION.md, from 1.0 to 2.15; rdkafka_conf.c, rd_kafka_conf_finalize; rdkafka_request.c,"
    " rd_kafka_handle_Produce_error (retries=0), rd_kafka_handle_idempotent_Produce_error (issue 4953) and _success",
    defaults={
        "producer": {
            "acks": "all",
            "retries": LARGEST,
            IN_FLIGHT: "1000000",
            "enable.idempotence": "false",
        },
        "consumer": {
            "enable.auto.commit": "true",
            "auto.offset.reset": "largest",
            "isolation.level": "read_committed",
        },
    },
    aliases={
        "request.required.acks": "acks",
        "message.send.max.retries": "retries",
        "max.in.flight": IN_FLIGHT,
        "auto.commit.enable": "enable.auto.commit",
    },
    idempotent={IN_FLIGHT: "5"},
    takes_refused_again=True,
    bumps_for_all=True,
    acks_earlier=True,
    checks_epochs=None,
)

OLD_LIBRDKAFKA = replace(
    LIBRDKAFKA,
    name="librdkafka-0.11",
    about="librdkafka before 1.0, which waits for the leader alone",
    source="librdkafka's CONFIGURATION.md of 0.11.6: request.required.acks, message.send.max.retries; rdkafka_request.c: what a lost"
    " connection leaves unanswered is sent again, whatever retries is",
    defaults={
        "producer": {**LIBRDKAFKA.defaults["producer"], "acks": "1", "retries": "2"},
        "consumer": {**LIBRDKAFKA.defaults["consumer"], "isolation.level": "read_uncommitted"},
    },
    lacks=frozenset({"enable.idempotence", "transactional.id"}),
    least_retries=1,
    checks_epochs=False,
    commits_epochs=False,
)
SARAMA = Client(
    name="sarama",
    about="Sarama, of Shopify and IBM, for Go",
    source="config.go, NewConfig and Validate, of 1.20.0 to 1.46.0; issues 2619 and 2860: retries out of order",
    defaults={
        "producer": {"acks": "1", "retries": "3", IN_FLIGHT: "5", "enable.idempotence": "false"},
        "consumer": {
            "enable.auto.commit": "true",
            "auto.offset.reset": "latest",
            "isolation.level": "read_uncommitted",
        },
    },
    most_in_flight=1,
    retries_reorder=True,
    checks_epochs=False,
    commits_epochs=False,
)
SKIPPED_BY_KAFKAJS = (
    "When KafkaJS sends again it looks for the leaders again, and takes a broker that has answered once as done, also for records that"
    " it was not sent (sendMessages.js of 2.2.4; pull request 1798). A send may succeed without them."
)
KAFKAJS = Client(
    name="kafkajs",
    about="KafkaJS, for Node",
    source="src/producer/index.js and messageProducer.js, src/index.js, src/consumer/index.js, of 2.2.4",
    defaults={
        "producer": {"acks": "all", "retries": "5", IN_FLIGHT: LARGEST, "enable.idempotence": "false"},
        "consumer": {"enable.auto.commit": "true", "auto.offset.reset": "latest", "isolation.level": "read_committed"},
    },
    idempotent={"retries": LARGEST, IN_FLIGHT: "1"},
    most_in_flight=int(LARGEST),
    not_modelled=SKIPPED_BY_KAFKAJS,
    retries_skip=SKIPPED_BY_KAFKAJS,
    checks_epochs=False,
    commits_epochs=False,
)
FRANZ_GO = Client(
    name="franz-go",
    about="franz-go, for Go",
    source="pkg/kgo/config.go, defaultCfg and validate, of 1.0.0 to 1.20.0",
    defaults={
        "producer": {"acks": "all", "retries": LARGEST, IN_FLIGHT: "1", "enable.idempotence": "true"},
        "consumer": {
            "enable.auto.commit": "true",
            "auto.offset.reset": "earliest",
            "isolation.level": "read_uncommitted",
        },
    },
    idempotent={IN_FLIGHT: "5"},
    most_in_flight=1,
    ignores_in_flight=True,
)
_PYTHON = "kafka/producer/kafka.py, DEFAULT_CONFIG"
KAFKA_PYTHON = Client(
    name="kafka-python-3.0",
    about="kafka-python from 3.0 on, which does as Java's client of 3.9",
    source=f"{_PYTHON}, of 3.0.0 to 3.0.11",
    java=("3.9", "3.9.1"),
)
KAFKA_PYTHON_2_2 = Client(
    name="kafka-python-2.2",
    about="kafka-python 2.2 and 2.3, which do as Java's client of 2.8",
    source=f"{_PYTHON}, of 2.2.0 to 2.3.2",
    java=("2.8", "2.8"),
    checks_epochs=False,
    commits_epochs=False,
)
KAFKA_PYTHON_2_0 = Client(
    name="kafka-python-2.0",
    about="kafka-python to 2.1, which does as Java's client of 0.10.2",
    source=f"{_PYTHON}, of 1.4.7 to 2.1.6",
    java=("0.10.2", "0.10.2"),
    lacks=frozenset({"enable.idempotence", "transactional.id"}),
    checks_epochs=False,
    commits_epochs=False,
)

OTHER_CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        *(LIBRDKAFKA, OLD_LIBRDKAFKA, SARAMA, KAFKAJS, FRANZ_GO),
        *(KAFKA_PYTHON, KAFKA_PYTHON_2_2, KAFKA_PYTHON_2_0),
    )
}
"""The clients that are not Kafka's own, by name."""
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "kafka-python": (KAFKA_PYTHON.name, KAFKA_PYTHON_2_2.name, KAFKA_PYTHON_2_0.name),
}
"""The names that stand for all versions of a client."""
ON_LIBRDKAFKA = (
    *("confluent-kafka-python", "confluent-kafka-go", "confluent-kafka-dotnet", "confluent-kafka-javascript"),
    *("node-rdkafka", "rust-rdkafka", "php-rdkafka", "kcat"),
)
"""What is built on librdkafka, and does as it does."""

CLIENTS: Mapping[str, Client] = {
    **{client.name: client for client in (JAVA, SPRING, SPRING_CLOUD, CONNECT, STREAMS)},
    **OTHER_CLIENTS,
}
FRAMEWORKS = (SPRING, SPRING_CLOUD, CONNECT, STREAMS)
"""What sets the Java client up by itself."""


def other_client(name: str) -> Client | None:
    """The client of this name, or the newest of a family, that is not Kafka's own."""
    return OTHER_CLIENTS.get(FAMILIES.get(name, (name,))[0])
