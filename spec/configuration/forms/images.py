"""The container images that run a broker, as data: what each makes of variables, what it sets by itself, which release it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field


def names(text: str) -> frozenset[str]:
    """The names in a text, with blanks between."""
    return frozenset(text.split())


PLATFORM = re.compile(r"\d+\.\d+(?:\.\d+)?")
"""A version with two or three numbers, at the beginning of a tag: `3.7`, `3.7.0-debian-12-r0`. One number alone names no release."""

OF_CONFLUENT: Mapping[str, str] = {
    "2.0": "0.9.0",
    "3.0": "0.10.0",
    "3.1": "0.10.1",
    "3.2": "0.10.2",
    "3.3": "0.11.0",
    "4.0": "1.0",
    "4.1": "1.1",
    **{f"5.{minor}": f"2.{minor}" for minor in range(6)},
    **{f"6.{minor}": f"2.{minor + 6}" for minor in range(3)},
    **{f"7.{minor}": f"3.{minor}" for minor in range(10)},
    **{f"8.{minor}": f"4.{minor}" for minor in range(4)},
}
"""The version of Kafka in each version of Confluent Platform: "Supported Versions and Interoperability" at docs.confluent.io."""

OF_THE_MACHINE = frozenset(
    (
        "KAFKA_DEBUG",
        "KAFKA_GC_LOG_OPTS",
        "KAFKA_HEAP_OPT",
        "KAFKA_HEAP_OPTS",
        "KAFKA_HOME",
        "KAFKA_JVM_PERFORMANCE_OPTS",
        "KAFKA_OPTS",
        "KAFKA_TOOLS_LOG4J_LOGLEVEL",
        "KAFKA_VERSION",
    )
)
OF_LOGS = ("KAFKA_JMX_", "KAFKA_LOG4J_")
"""Variables of every image that are for Java, its log files and its metrics: bin/kafka-run-class.sh of Kafka, KafkaDockerWrapper."""


@dataclass(frozen=True, kw_only=True)
class Image:
    """An image that runs a broker.

    A variable that begins with `prefix` is one of Kafka's keys, after `spelling` has been applied to the rest in small letters. Those
    in `own`, or that begin with one of `own_beginnings`, set nothing of what is read here. `ships` is what its server.properties sets,
    `alone` if only where no variable sets anything. `folders` are those that it reads configuration from. A version in its tag stands
    after `tag`; `releases` translates it, if it is not Kafka's own. `newest` is the newest release that an image which gets no new ones
    has, by its name. `scripts` are variables whose commands may change values.
    `starts` is what its broker is started with, and `data` where its logs lie if nothing sets it,
    `data_alone` if no variable sets anything. `sets_logs`: it sets log.dirs if no variable does, so log.dir never counts. `of_host`:
    below `data` they lie in a folder with the name of the host.
    `source` says where all this stands.
    """

    names: tuple[str, ...]
    starts: re.Pattern[str] = re.compile(r"(?!)")
    data: str = "/tmp/kafka-logs"
    data_alone: str = ""
    sets_logs: bool = True
    of_host: bool = False
    prefix: str = "KAFKA_"
    spelling: tuple[tuple[str, str], ...] = (("_", "."), ("...", "-"), ("..", "_"))
    own: frozenset[str] = frozenset()
    own_beginnings: tuple[str, ...] = ()
    ships: Mapping[str, str] = field(default_factory=dict)
    alone: bool = False
    folders: tuple[str, ...] = ()
    tag: str = ""
    releases: Mapping[str, str] = field(default_factory=dict)
    creates_topics: bool = False
    scripts: frozenset[str] = frozenset()
    newest: Mapping[str, str] = field(default_factory=dict)
    source: str = ""

    def key(self, variable: str) -> str | None:
        """Kafka's key that a variable sets; None if it sets none."""
        if not variable.startswith(self.prefix) or variable in self.own | OF_THE_MACHINE:
            return None
        if variable.startswith((*OF_LOGS, *self.own_beginnings)):
            return None
        key = variable.removeprefix(self.prefix).lower()
        for written, meant in self.spelling:
            key = key.replace(written, meant)
        return key

    def has(self, variable: str) -> bool:
        """Is it a variable that this image knows, and that sets nothing of Kafka's?"""
        known = variable in self.own | OF_THE_MACHINE or variable.startswith((*OF_LOGS, *self.own_beginnings))
        return known or not variable.startswith("KAFKA_")

    def release(self, tag: str) -> str | None:
        """The version of Kafka that a tag names; None if it names none. Raises LookupError for one of which Kafka's is not known."""
        matched = re.match(self.tag, tag)
        version = PLATFORM.match(tag, matched.end()) if matched else None
        if version is None or not self.releases:
            return version[0] if version else None
        return self.releases[".".join(version[0].split(".")[:2])]


OWN_TOPICS = {
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
}
"""What the server.properties that come with Kafka set, of what is read here: config/ and docker/ of Kafka."""

APACHE = Image(
    names=("apache/kafka", "apache/kafka-native"),
    own=frozenset(
        f"KAFKA_SSL_{part}"
        for part in (
            "KEYSTORE_FILENAME",
            "KEYSTORE_CREDENTIALS",
            "KEY_CREDENTIALS",
            "TRUSTSTORE_FILENAME",
            "TRUSTSTORE_CREDENTIALS",
        )
    ),
    ships={"process.roles": "broker,controller", **OWN_TOPICS},
    alone=True,
    data_alone="/tmp/kraft-combined-logs",
    sets_logs=False,
    folders=("/mnt/shared/config", "/opt/kafka", "/etc/kafka/docker"),
    starts=re.compile(r"(?:/__cacert_entrypoint\.sh )?/etc/kafka/docker/run"),
    source="docker/server.properties and KafkaDockerWrapper of Kafka",
)
CONFLUENT = Image(
    names=("confluentinc/cp-kafka", "confluentinc/cp-server", "confluentinc/cp-enterprise-kafka"),
    own=APACHE.own,
    folders=("/etc/kafka", "/etc/confluent"),
    releases=OF_CONFLUENT,
    starts=re.compile(r"/etc/confluent/docker/run"),
    data="/var/lib/kafka/data",
    source="dub.py of confluent-docker-utils, env_to_props; kafka.properties.template of kafka-images",
)
BITNAMI = Image(
    names=("bitnami/kafka", "bitnamilegacy/kafka"),
    prefix="KAFKA_CFG_",
    spelling=(("_", "."), ("sasl.ssl", "sasl_ssl"), ("sasl.plaintext", "sasl_plaintext")),
    own=frozenset(
        (
            "KAFKA_BROKER_ID",
            "KAFKA_CERTIFICATE_PASSWORD",
            "KAFKA_CLUSTER_ID",
            "KAFKA_ENABLE_KRAFT",
            "KAFKA_KRAFT_BOOTSTRAP_SCRAM_USERS",
            "KAFKA_KRAFT_CLUSTER_ID",
            "KAFKA_NODE_ID",
            "KAFKA_SKIP_KRAFT_STORAGE_INIT",
        )
    ),
    own_beginnings=(
        "KAFKA_CLIENT_",
        "KAFKA_CONTROLLER_",
        "KAFKA_INTER_BROKER_",
        "KAFKA_TLS_",
        "KAFKA_ZOOKEEPER_",
    ),
    ships=OWN_TOPICS,
    folders=("/opt/bitnami/kafka", "/bitnami/kafka/config", "/docker-entrypoint-initdb.d"),
    newest={"bitnamilegacy/kafka": "4.0.0"},
    starts=re.compile(r"(?:/opt/bitnami/scripts/kafka)?/entrypoint\.sh (?:/opt/bitnami/scripts/kafka)?/run\.sh"),
    data="/bitnami/kafka/data",
    source="libkafka.sh of bitnami/containers, which changes server.properties.original of Kafka; issue 83267 there: bitnamilegacy "
    "has the images to August 2025",
)
WURSTMEISTER = Image(
    names=("wurstmeister/kafka",),
    spelling=(("_", "."),),
    own=frozenset(("KAFKA_ADVERTISED_PROTOCOL_NAME", "KAFKA_PROTOCOL_NAME")),
    own_beginnings=("KAFKA_CREATE_TOPICS",),
    ships=OWN_TOPICS,
    folders=("/opt/kafka", "/opt/overrides", "/usr/bin"),
    tag=r"(?:\d+\.\d+-)?",
    creates_topics=True,
    scripts=frozenset(("CUSTOM_INIT_SCRIPT",)),
    newest={"wurstmeister/kafka": "2.8.1"},
    starts=re.compile(r"(?:/usr/bin/)?start-kafka\.sh"),
    data="/kafka",
    of_host=True,
    source="start-kafka.sh of kafka-docker, which changes config/server.properties of Kafka",
)
HOSTS = re.compile(r"^(?:docker\.io|index\.docker\.io|registry-1\.docker\.io|registry\.hub\.docker\.com)/")
KAFKAS = re.compile(r"kafka|connect|confluent|debezium|mirror|redpanda|strimzi", re.IGNORECASE)
"""What shows that an image has to do with Kafka."""
STARTS = re.compile(r"kafka-server-start|\bkafka\.Kafka\b")
"""What shows that a command starts a broker, whatever its image is called: bin/ of Kafka, and its main class."""


def name_and_tag(text: str) -> tuple[str, str]:
    """The name of an image without Docker's own host, and its tag without a digest."""
    plain = HOSTS.sub("", text.partition("@")[0])
    name, colon, tag = plain.rpartition(":")
    return (
        (name, tag)
        if colon and "/" not in tag and "{" not in name.rpartition("/")[2]
        else (plain.partition(":")[0], "")
    )


def image_name(text: str) -> str:
    """The name of an image without Docker's own host and its tag."""
    return name_and_tag(text)[0]


IMAGES = (APACHE, CONFLUENT, BITNAMI, WURSTMEISTER)

COMMON = Image(
    names=(),
    own=APACHE.own,
    sets_logs=False,
    source="apache/kafka and confluentinc/cp-kafka, which read variables alike",
)
"""The rule for variables of no known image, unless KAFKA_CFG_ shows that they are bitnami's."""

HARMLESS = re.compile(
    r"/etc/kafka/secrets(/.*)?|/opt/bitnami/kafka/(config/certs|data|logs)(/.*)?|/opt/kafka/(data|logs)[\w-]*(/.*)?|.*/[^/]*jaas[^/]*"
)
"""What lies in the folders of the configuration and holds certificates, passwords, records and log files."""

REFUSED: tuple[tuple[str, str], ...] = (
    (r"(?:quay\.io/)?strimzi/.*", "an operator writes its configuration: audit the resources of Strimzi"),
    (r"confluentinc/confluent-local", "it sets values of its own, which are not known here"),
    (
        r".*redpanda(?:data)?/redpanda(?:-.*)?",
        "its brokers are not those of Apache Kafka, though they speak its protocol",
    ),
    (
        r".*(?:warpstream|automq|bufstream).*",
        "its brokers are not those of Apache Kafka, though they speak its protocol",
    ),
)
"""Images that hold records, and are not read, with the reason."""

CLIENTS: tuple[tuple[str, str], ...] = (
    (r".*connect(?:-base)?|(?:.*/)?(?:cp-)?(?:kafka|server)-connect-(?!ui$).+", "Kafka Connect"),
    (r"(?:.*/)?(?:cp-)?kafka-rest", "the REST proxy"),
    (r"(?:.*/)?(?:cp-)?ksqldb-server", "ksqlDB"),
    (r"(?:.*/)?kafka-bridge", "an HTTP bridge"),
    (r".*mirror-?maker.*", "MirrorMaker"),
)
"""Images that write records and read them as clients of the brokers, with what they run."""

BESIDE = (
    r"(?:.*/)?(?:cp-)?zookeeper",
    r"(?:.*/)?(?:cp-)?schema-registry",
    r"confluentinc/cp-(?:enterprise-control-center.*|kcat|kafkacat|ksqldb-cli)",
    r"(?:.*/)?(?:kafka-ui|kafbat-ui|akhq|kafdrop|cmak|kafka-manager|kafka-exporter|kafka-lag-exporter|kafka-prometheus-jmx-exporter|kowl|kafka-map|kafka-topics-ui|kafka-connect-ui|schema-registry-ui)",
    r"(?:.*/)?(?:docker\.redpanda\.com/)?redpandadata/console",
)
"""Images beside the brokers that write no records of a producer's."""
STORES = (
    r"(?:.*/)?(?:postgres|postgresql|mysql|mariadb|mongo|mongodb|redis|valkey|memcached|cassandra|elasticsearch|opensearch|rabbitmq|minio)",
    r"(?:.*/)?(?:nginx|traefik|haproxy|envoy|grafana|prometheus|loki|jaeger|zipkin|otel-collector|alpine|busybox|curl)",
)
"""Images of what applications use: databases, caches, proxies, monitoring. None of them is an application of Spring."""
