"""The clients that read a producer's or a consumer's configuration: what each sets by itself, takes by default, and calls the keys.

Kafka's Java client has its defaults by version in `defaults`. Frameworks around it set some keys before the user's; librdkafka is a
client of its own, on which those of C, Python, Go, .NET, Node, PHP and Rust are built.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LARGEST = "2147483647"


@dataclass(frozen=True, kw_only=True, eq=False)
class Client:
    """A client, or a framework around the Java client.

    `sets` are the values that it sets itself, by role, where the user sets nothing: to the producer within they are set. `defaults` are
    what it takes instead of the Java client's defaults. `aliases` are its other names of keys. `added_as` is what stands before one of
    Kafka's keys where a user adds it. `source` says where these facts stand.
    """

    name: str
    about: str
    source: str
    sets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    defaults: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    added_as: Mapping[str, str] = field(default_factory=dict)


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
)
CONNECT = Client(
    name="connect",
    about="Kafka Connect, which sets its producers and consumers up by itself",
    source="org.apache.kafka.connect.runtime.Worker, baseProducerConfigs and baseConsumerConfigs (KAFKA-13759)",
    sets={
        "producer": {
            "acks": "all",
            "retries": LARGEST,
            "max.in.flight.requests.per.connection": "1",
            "enable.idempotence": "false",
        },
        "consumer": {"enable.auto.commit": "false", "auto.offset.reset": "earliest"},
    },
    added_as={"producer": "producer.", "consumer": "consumer."},
)
LIBRDKAFKA = Client(
    name="librdkafka",
    about="librdkafka, on which the clients of C, Python, Go, .NET, Node, PHP and Rust are built",
    source="librdkafka's CONFIGURATION.md, from 1.0 to 2.15; rdkafka_conf.c, rd_kafka_conf_finalize",
    defaults={
        "producer": {
            "acks": "all",
            "retries": LARGEST,
            "max.in.flight.requests.per.connection": "1000000",
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
        "max.in.flight": "max.in.flight.requests.per.connection",
        "auto.commit.enable": "enable.auto.commit",
    },
)

CLIENTS: Mapping[str, Client] = {client.name: client for client in (JAVA, SPRING, CONNECT, LIBRDKAFKA)}
FRAMEWORKS = (SPRING, CONNECT)
"""What sets the Java client up by itself."""
