"""A cluster without brokers, as confluent-kafka's AdminClient shows it: it answers what reads, and has nothing that writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import (
    BrokerMetadata,
    ClusterMetadata,
    ConfigEntry,
    ConfigSource,
    PartitionMetadata,
    TopicMetadata,
)

Values = Mapping[str, tuple[str | None, str]]
"""Values of keys, each with the name of its source."""
Partitions = Sequence[tuple[Sequence[int], Sequence[int]]]
"""Replicas and ISR of each partition."""

BROKER: Values = {
    "process.roles": ("broker", "STATIC_BROKER_CONFIG"),
    "default.replication.factor": ("3", "STATIC_BROKER_CONFIG"),
    "min.insync.replicas": ("1", "DEFAULT_CONFIG"),
    "ssl.key.password": ("planted-in-the-broker", "STATIC_BROKER_CONFIG"),
    "offsets.topic.replication.factor": ("3", "DEFAULT_CONFIG"),
}
TOPIC: Values = {
    "min.insync.replicas": ("2", "DYNAMIC_TOPIC_CONFIG"),
    "unclean.leader.election.enable": ("false", "DEFAULT_CONFIG"),
    "flush.messages": ("9223372036854775807", "DEFAULT_CONFIG"),
}
IN_SYNC: Partitions = (((1, 2, 3), (1, 2, 3)),)
FEATURES = {
    "metadata.version": {"supported": (7, 27), "finalized": (27, 27)},
    "eligible.leader.replicas.version": {"supported": (0, 1), "finalized": (1, 1)},
}


@dataclass
class FakeCluster:
    """What the cluster has, what goes wrong with it, and what it was asked."""

    brokers: Mapping[int, Values] = field(default_factory=lambda: dict.fromkeys((1, 2, 3), BROKER))
    topics: Mapping[str, tuple[Partitions, Values]] = field(default_factory=lambda: {"orders": (IN_SYNC, TOPIC)})
    features: Mapping[str, Mapping[str, tuple[int, int]]] | Exception = field(default_factory=lambda: FEATURES)
    events: Sequence[KafkaError] = ()
    refusals: Mapping[str, KafkaError] = field(default_factory=dict)
    silent: bool = False
    settings: dict[str, Any] = field(default_factory=dict)
    kafka_python: dict[str, Any] = field(default_factory=dict)
    batches: list[int] = field(default_factory=list)

    def placed(self, patch: pytest.MonkeyPatch) -> FakeCluster:
        """The cluster, where the clients find it."""

        class Admin:
            def __init__(_, settings: dict[str, Any]) -> None:
                self.settings = settings

            def poll(_, seconds: float) -> None:
                for event in self.events:
                    self.settings["error_cb"](event)

            def describe_cluster(_, request_timeout: float) -> Future[Any]:
                nodes = []
                for number in self.brokers:
                    node = BrokerMetadata()
                    node.id = number
                    nodes.append(node)
                return self._answer("describe_cluster", type("Described", (), {"nodes": nodes}))

            def list_topics(_, timeout: float) -> ClusterMetadata:
                if "list_topics" in self.refusals:
                    raise KafkaException(self.refusals["list_topics"])
                found = ClusterMetadata()
                found.topics = {name: self._topic(partitions) for name, (partitions, _) in self.topics.items()}
                return found

            def describe_configs(_, resources: Sequence[Any], request_timeout: float) -> dict[Any, Future[Any]]:
                kinds = {resource.restype.name for resource in resources}
                assert kinds == {"TOPIC"} or (kinds == {"BROKER"} and len(resources) == 1)
                self.batches.append(len(resources))
                return {
                    resource: self._answer(f"{resource.restype.name} {resource.name}", self._configs(resource))
                    for resource in resources
                }

        class FeatureClient:
            def __init__(_, **settings: object) -> None:
                self.kafka_python = settings

            def __enter__(self) -> FeatureClient:
                return self

            def __exit__(self, *_: object) -> None:
                pass

            def describe_features(_) -> object:
                if isinstance(self.features, Exception):
                    raise self.features
                return self.features

        patch.setattr("confluent_kafka.admin.AdminClient", Admin)
        patch.setattr("kafka.admin.KafkaAdminClient", FeatureClient)
        return self

    def _answer(self, question: str, found: object) -> Future[Any]:
        future: Future[Any] = Future()
        if question in self.refusals:
            future.set_exception(KafkaException(self.refusals[question]))
        elif not self.silent:
            future.set_result(found)
        return future

    def _configs(self, resource: Any) -> dict[str, ConfigEntry]:
        of_topic = resource.restype.name == "TOPIC"
        values = self.topics[resource.name][1] if of_topic else self.brokers[int(resource.name)]
        return {
            key: ConfigEntry(key, value, source=ConfigSource[source].value, is_sensitive="password" in key)
            for key, (value, source) in values.items()
        }

    def _topic(self, partitions: Partitions) -> TopicMetadata:
        found = TopicMetadata()
        for number, (replicas, in_sync) in enumerate(partitions):
            partition = PartitionMetadata()
            partition.id, partition.replicas, partition.isrs = number, list(replicas), list(in_sync)
            found.partitions[number] = partition
        return found
