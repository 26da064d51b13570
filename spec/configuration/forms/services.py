"""The resources of Terraform that have to do with Kafka, as data: what is read of each, and what the services behind them set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .images import names


@dataclass(frozen=True, kw_only=True)
class TopicResource:
    """A resource that is a topic.

    `name` and `cluster` are the attributes with its name and that of its cluster. `keys` are attributes that are keys of Kafka's under
    other names, `config` is the attribute that holds keys: with `_` in place of `.` if it is a `block`. `beside` are its other
    attributes, which set nothing of Kafka's. `unset` are keys for which the service's own defaults are not known. `source` says where
    this stands.
    """

    name: str
    keys: Mapping[str, str]
    config: str
    beside: frozenset[str]
    cluster: str | None = None
    block: bool = False
    unset: tuple[str, ...] = ()
    source: str = ""

    @property
    def attributes(self) -> frozenset[str]:
        """Every attribute that it is known to have."""
        own = {self.name, self.config, *self.keys} | ({self.cluster} if self.cluster else set())
        return self.beside | own


TOPICS: Mapping[str, TopicResource] = {
    "kafka_topic": TopicResource(
        name="name",
        keys={"partitions": "partitions", "replication_factor": "replication.factor"},
        config="config",
        beside=frozenset(("id", "timeouts")),
        source="Mongey/terraform-provider-kafka",
    ),
    "aiven_kafka_topic": TopicResource(
        name="topic_name",
        cluster="service_name",
        keys={
            "partitions": "partitions",
            "replication": "replication.factor",
            "minimum_in_sync_replicas": "min.insync.replicas",
            "cleanup_policy": "cleanup.policy",
        },
        config="config",
        block=True,
        beside=names(
            "id owner_user_group_id project retention_bytes retention_hours tag termination_protection timeouts "
            "topic_description"
        ),
        source="docs/resources/kafka_topic.md of aiven/terraform-provider-aiven",
    ),
    "google_managed_kafka_topic": TopicResource(
        name="topic_id",
        cluster="cluster",
        keys={"partition_count": "partitions", "replication_factor": "replication.factor"},
        config="configs",
        beside=frozenset(("deletion_policy", "id", "location", "name", "project", "timeouts")),
        unset=("min.insync.replicas", "unclean.leader.election.enable"),
        source="google_managed_kafka_topic of hashicorp/terraform-provider-google",
    ),
}

NEUTRAL = names(
    "kafka_acl kafka_quota kafka_user_scram_credential aiven_kafka_acl aiven_kafka_native_acl aiven_kafka_quota "
    "aiven_kafka_schema aiven_kafka_schema_configuration aiven_kafka_schema_registry_acl aiven_kafka_user "
    "aws_msk_cluster_policy aws_msk_scram_secret_association aws_msk_single_scram_secret_association "
    "aws_msk_vpc_connection aws_msk_bootstrap_brokers aws_msk_broker_nodes aws_msk_kafka_version "
    "google_managed_kafka_acl google_managed_kafka_cluster"
)
"""Resources and data sources that set nothing of what is read here: access, quotas, users, schemas, addresses, machines."""

REFUSED: tuple[tuple[str, str], ...] = (
    (r"confluent_.*", "Confluent Cloud runs an engine of its own, which is not the Kafka that is modelled"),
    (r"azurerm_eventhub.*", "Event Hubs are not Kafka's brokers, though they speak its protocol"),
    (r"aws_msk_serverless_cluster", "its brokers are Amazon's own affair: nothing shows their settings"),
    (
        r"aws_mskconnect_.*|.*kafka_connect.*|google_managed_kafka_connector",
        "Kafka Connect starts producers with defaults of its own",
    ),
    (r"aws_msk_replicator|.*mirrormaker.*", "it starts producers with defaults of its own"),
)
"""Resources that hold records or write them, and are not read, with the reason."""

RELATED = r".*(?:kafka|msk|eventhub|event_streams|mirrormaker|redpanda).*|confluent_.*"
"""Types of resources that have to do with Kafka."""
DEPLOYING = names("docker_container helm_release kubectl_manifest kubernetes_manifest kubernetes_manifest_v1")
"""Types of resources that may set up anything, Kafka too; all others are ignored."""


MSK_BY_ZONES: Mapping[int, Mapping[str, str]] = {
    2: {"default.replication.factor": "2", "min.insync.replicas": "1"},
    3: {"default.replication.factor": "3", "min.insync.replicas": "2"},
}
MSK_SOURCE = "It is in Amazon's developer guide of MSK, default configuration."


def msk_defaults(zones: int | None, *, tiered: bool) -> dict[str, str]:
    """What the brokers of Amazon MSK take for what their configuration does not set; if the zones are not known, what all take.

    Amazon's developer guide of MSK, "Default Amazon MSK configuration" (msk-default-configuration); "Custom Amazon MSK configurations"
    there (msk-configuration-properties) says that a custom configuration takes them too for what it does not set.
    """
    of_zones = {} if zones is None else MSK_BY_ZONES[zones]
    return {
        "replica.lag.time.max.ms": "30000",
        "unclean.leader.election.enable": "false" if tiered else "true",
        **of_zones,
    }


AIVEN: Mapping[str, str] = {"default.replication.factor": "3", "min.insync.replicas": "1"}
"""What Aiven's brokers take for what is not set: docs/resources/kafka.md of aiven/terraform-provider-aiven, kafka_user_config.kafka."""
AIVEN_SOURCE = "It is in Aiven's documentation of aiven_kafka."
