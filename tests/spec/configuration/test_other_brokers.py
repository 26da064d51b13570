"""Brokers that are not Apache Kafka, or that nobody can see, are never audited as if they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import ConfigurationError, read_configuration, read_deployment

CLOUD = "pkc-abcd1.us-east-1.aws.confluent.cloud:9092"
HOSTS = {
    "Confluent Cloud": CLOUD,
    "Azure Event Hubs": "shop.servicebus.windows.net:9093",
    "Amazon MSK Serverless": "boot-a1b2.c1.kafka-serverless.us-east-1.amazonaws.com:9098",
    "Redpanda Cloud": "seed-1a2b.c3d4.fmc.prd.cloud.redpanda.com:9092",
    "WarpStream": "serverless.warpstream.com:9092",
    "OCI Streaming": "cell-1.streaming.us-phoenix-1.oci.oraclecloud.com:9092",
}
THEIRS = "this connects to Confluent Cloud."
CONNECT = """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaConnect
metadata: {{name: a}}
spec:
  bootstrapServers: {0}
  config:
    group.id: a
"""
VALUES = """\
ProducerConfig values:
\tacks = -1
\tbootstrap.servers = [{0}]
\tenable.idempotence = true
\tmax.in.flight.requests.per.connection = 5
\tretries = 1
\tvalue.serializer = class a.B
"""
SPRING = "spring:\n  kafka:\n    bootstrap-servers: {0}\n    producer:\n      acks: all\n"
REFUSED = {
    **{
        name: (
            "producer.properties:3",
            f"acks=all\nenable.idempotence=true\nbootstrap.servers={host}\n",
            f"this connects to {name}",
        )
        for name, host in HOSTS.items()
    },
    "Confluent Cloud with a network of one's own": (
        "producer.properties:1",
        "bootstrap.servers=lkc-1a2b3.dom4c5d6.eu-west-1.aws.confluent.cloud:9092\nacks=all\n",
        THEIRS,
    ),
    "a client of librdkafka": (
        "rdkafka.conf:1",
        f"metadata.broker.list={CLOUD}\nacks=all\nqueue.buffering.max.ms=5\n",
        THEIRS,
    ),
    "a client's JSON": ("client.json:2", f'{{"acks": "all",\n "bootstrap.servers": "{CLOUD}"}}\n', THEIRS),
    "a client's INI": ("client.ini:2", f"[default]\nbootstrap.servers={CLOUD}\n[producer]\nacks=all\n", THEIRS),
    "an application of Spring": ("application.yml:3", SPRING.format(CLOUD), THEIRS),
    "an application of Spring with a list": ("application.yml:4", SPRING.format(f"\n      - {CLOUD}"), THEIRS),
    "a worker": ("worker.properties:1", f"bootstrap.servers={CLOUD}\noffset.storage.topic=a\n", THEIRS),
    "Strimzi's workers": ("connect.yaml:5", CONNECT.format(CLOUD), THEIRS),
    "what a client logs": ("app.log:3", VALUES.format(CLOUD), THEIRS),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_client_of_such_a_service_is_refused(name: str, tmp_path: Path) -> None:
    place, text, said = REFUSED[name]
    file = place.partition(":")[0]
    (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        read_configuration(str(tmp_path / file))
    (problem,) = caught.value.problems
    assert problem.text.startswith(f"{tmp_path}/{place}: {said}")
    assert "protocol" in problem.why or "a service whose brokers cannot be seen" in problem.why


OWN = "this is Redpanda's configuration: its brokers are not those of Apache Kafka."
OF_REDPANDA = {
    "Redpanda's file": (
        "redpanda:\n  data_directory: /a\n  seed_servers: []\n  kafka_api:\n    - port: 9092\nrpk: {}\n",
        OWN,
    ),
    "Redpanda's file with a broker's keys": ("redpanda:\n  seed_servers: []\nmin.insync.replicas: 2\n", OWN),
    "the settings of Redpanda's cluster": ("auto_create_topics_enabled: true\ndefault_topic_replications: 3\n", OWN),
}


@pytest.mark.parametrize("name", OF_REDPANDA)
@pytest.mark.parametrize("file", ["redpanda.yaml", "server.properties"])
def test_redpandas_configuration_is_refused_by_any_name(name: str, file: str, tmp_path: Path) -> None:
    text, said = OF_REDPANDA[name]
    (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        read_configuration(str(tmp_path / file))
    assert f"{said} They speak Kafka's protocol" in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        f"# bootstrap.servers={CLOUD}",
        "schema.registry.url=https://psrc-1a2b.us-east-2.aws.confluent.cloud",
        "bootstrap.servers=b-1.shop.a1b2.c3.kafka.eu-west-1.amazonaws.com:9096",
        "bootstrap.servers=kafka-shop.aivencloud.com:12345",
        "bootstrap.servers=confluent.cloud.example:9092",
    ],
)
def test_brokers_that_may_be_kafkas_are_read(line: str, tmp_path: Path) -> None:
    (tmp_path / "producer.properties").write_text(
        f"acks=all\nenable.idempotence=true\nretries=5\n{line}\n", encoding="utf-8"
    )
    assert read_deployment([str(tmp_path / "producer.properties")], kafka_version="4.1").settings["acks"] == "all"


def test_a_program_that_uses_such_a_service_beside_brokers_of_ones_own_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text(
        "services:\n  kafka:\n    image: apache/kafka:4.1.0\n"
        f"  app:\n    image: shop\n    environment:\n      BOOTSTRAP_SERVERS: {CLOUD}\n",
        encoding="utf-8",
    )
    assert read_deployment([str(tmp_path / "compose.yaml")]).release == "4.1.0"
