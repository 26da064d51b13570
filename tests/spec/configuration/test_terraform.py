"""What Terraform shows of a state or a plan is read as the providers and the services take it; the rest is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from neverlost.spec.configuration import (
    ConfigurationError,
    Deployment,
    read_configuration,
    read_deployment,
    read_deployments,
)


def resource(kind: str, name: str, /, **values: Any) -> dict[str, Any]:
    return {
        "address": f"{kind}.{name}",
        "mode": "managed",
        "type": kind,
        "name": name,
        "provider_name": "a",
        "values": values,
    }


def shown(*resources: dict[str, Any], part: str = "values", **more: Any) -> str:
    module = {"root_module": {"resources": list(resources)}}
    return json.dumps({"format_version": "1.2", "terraform_version": "1.9.0", part: module, **more}, indent=1)


ORDERS = resource(
    "kafka_topic",
    "orders",
    id="orders",
    name="orders",
    partitions=12,
    replication_factor=3,
    config={"min.insync.replicas": "2", "cleanup.policy": "delete"},
)
AIVEN_TOPIC = resource(
    "aiven_kafka_topic",
    "orders",
    project="p",
    service_name="shop",
    topic_name="orders",
    partitions=3,
    replication=3,
    termination_protection=True,
    config=[
        {"min_insync_replicas": "2", "unclean_leader_election_enable": False, "retention_ms": "", "flush_ms": None}
    ],
)
AIVEN = resource(
    "aiven_kafka",
    "shop",
    service_name="shop",
    plan="business-4",
    kafka_user_config=[{"kafka_version": "3.9", "kafka": [{"log_retention_hours": 24}]}],
)
ARN = "arn:aws:kafka:eu-west-1:1:configuration/shop/1"
MSK_CONFIGURATION = resource(
    "aws_msk_configuration",
    "shop",
    arn=ARN,
    latest_revision=2,
    name="shop",
    kafka_versions=["3.6.0"],
    server_properties="# own\nunclean.leader.election.enable=false\nlog.retention.hours=24\n",
)
MSK = resource(
    "aws_msk_cluster",
    "shop",
    cluster_name="shop",
    kafka_version="3.6.0",
    storage_mode="LOCAL",
    configuration_info=[{"arn": ARN, "revision": 2}],
    broker_node_group_info=[{"instance_type": "kafka.m5.large", "client_subnets": ["a", "b", "c"]}],
)
PLAIN_MSK = {**MSK, "values": {**MSK["values"], "configuration_info": []}}
GOOGLE = resource(
    "google_managed_kafka_topic",
    "orders",
    topic_id="orders",
    cluster="shop",
    location="a",
    partition_count=3,
    replication_factor=3,
    configs={"min.insync.replicas": "2"},
)
NETWORK = resource("aws_vpc", "main", cidr_block="10.0.0.0/16")


def file(folder: Path, text: str, name: str = "plan.json") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def deployment(folder: Path, *resources: dict[str, Any], name: str = "plan.json") -> Deployment:
    return read_deployment([file(folder, shown(*resources), name)])


def changed(one: dict[str, Any], **values: Any) -> dict[str, Any]:
    return {**one, "values": {**one["values"], **values}}


def test_a_topic_has_its_replicas_and_its_keys(tmp_path: Path) -> None:
    found = deployment(tmp_path, NETWORK, ORDERS)
    assert (found.topics, found.replication_factor, found.settings["min_isr"]) == (("orders",), 3, 2)
    line = found.sources["min.insync.replicas"].line
    assert line is not None
    assert "min.insync.replicas" in (tmp_path / "plan.json").read_text(encoding="utf-8").splitlines()[line - 1]


def test_a_topic_in_a_module_of_a_plan_is_read_too(tmp_path: Path) -> None:
    module = {"root_module": {"child_modules": [{"address": "module.a", "resources": [ORDERS]}]}}
    text = json.dumps({"format_version": "1.2", "planned_values": module, "resource_changes": []})
    assert read_deployment([file(tmp_path, text)]).sources["replication.factor"].line == 1


def test_topics_that_are_alike_are_one_deployment_and_others_another(tmp_path: Path) -> None:
    topics = [changed(ORDERS, name=name) for name in ("a", "b", "c")]
    topics[2]["values"]["config"] = {"min.insync.replicas": "1"}
    for number, topic in enumerate(topics):
        topic["address"] = f"kafka_topic.all[{number}]"
    found = read_deployments([file(tmp_path, shown(*topics))])
    assert [(one.topics, one.settings["min_isr"]) for one in found] == [(("a", "b"), 2), (("c",), 1)]


def test_aivens_topic_and_service_are_a_deployment(tmp_path: Path) -> None:
    found = deployment(tmp_path, AIVEN, AIVEN_TOPIC)
    assert (found.version, found.replication_factor) == ("3.9", 3)
    assert (found.settings["min_isr"], found.settings["unclean"]) == (2, False)


def test_aivens_own_defaults_hold_for_what_is_not_set(tmp_path: Path) -> None:
    found = deployment(tmp_path, AIVEN)
    assert (found.replication_factor, found.settings["min_isr"]) == (3, 1)
    assert any("the service takes 3" in warning.text for warning in found.warnings)


@pytest.mark.parametrize(
    ("subnets", "tiered", "replicas", "min_isr", "unclean"),
    [(3, False, 3, 2, True), (2, False, 2, 1, True), (3, True, 3, 2, False)],
)
def test_amazons_own_defaults_hold_by_zones_and_storage(
    subnets: int, tiered: bool, replicas: int, min_isr: int, unclean: bool, tmp_path: Path
) -> None:
    nodes = [{"instance_type": "kafka.m5.large", "client_subnets": ["a", "b", "c"][:subnets]}]
    cluster = changed(PLAIN_MSK, broker_node_group_info=nodes, storage_mode="TIERED" if tiered else "LOCAL")
    found = deployment(tmp_path, cluster)
    assert (found.replication_factor, found.settings["min_isr"], found.settings["unclean"]) == (
        replicas,
        min_isr,
        unclean,
    )
    assert found.release == "3.6.0"


def test_amazons_cluster_takes_its_configuration(tmp_path: Path) -> None:
    found = deployment(tmp_path, MSK, MSK_CONFIGURATION, ORDERS)
    assert found.settings["unclean"] is False
    assert found.sources["unclean.leader.election.enable"].layer == "broker"
    assert found.mode == "ZooKeeper"


@pytest.mark.parametrize(
    ("version", "release", "mode"),
    [("3.7.x", "3.7.0", "ZooKeeper"), ("3.7.x.kraft", "3.7.0", "KRaft"), ("4.0.x.kraft", "4.0.1", "KRaft")],
)
def test_amazons_version_tells_release_and_mode(version: str, release: str, mode: str, tmp_path: Path) -> None:
    found = deployment(tmp_path, changed(PLAIN_MSK, kafka_version=version))
    assert (found.release, found.mode) == (release, mode)


def test_amazons_configuration_alone_is_read_if_it_sets_what_zones_decide(tmp_path: Path) -> None:
    text = "default.replication.factor=3\nmin.insync.replicas=2\n"
    found = deployment(tmp_path, changed(MSK_CONFIGURATION, server_properties=text))
    assert (found.replication_factor, found.settings["min_isr"], found.settings["unclean"]) == (3, 2, True)


def test_what_googles_brokers_take_by_default_is_a_doubt(tmp_path: Path) -> None:
    found = deployment(tmp_path, GOOGLE)
    assert (found.replication_factor, found.settings["min_isr"]) == (3, 2)
    assert any(
        "it does not set unclean.leader.election.enable, and what the brokers" in doubt.text for doubt in found.doubts
    )


@pytest.mark.parametrize("name", ["state", "topic.properties", "plan.yaml"])
def test_the_name_of_the_file_does_not_matter(name: str, tmp_path: Path) -> None:
    assert deployment(tmp_path, ORDERS, name=name).replication_factor == 3


def plan_of(one: dict[str, Any], **unknown: Any) -> str:
    change = {"address": one["address"], "change": {"actions": ["create"], "after_unknown": unknown}}
    return shown(one, part="planned_values", resource_changes=[change])


BROKEN = shown(ORDERS)
WRONG = {
    "truncated": (BROKEN[:-60], "this is no valid JSON"),
    "a key twice": (
        BROKEN.replace('"partitions": 12', '"partitions": 12, "partitions": 3'),
        "'partitions' is there twice",
    ),
    "nested deeply": ('{"format_version": "1.0", "a": ' + "[" * 100_000, "it is nested too deeply."),
    "no values": ('{"format_version": "1.0"}', "it has no values of resources"),
    "no topics": (shown(NETWORK), "it holds no topic and no cluster of Kafka's"),
    "a resource without a type": (shown({"address": "a"}, ORDERS), "a resource has no address, no type, or no values."),
    "an error": (shown(ORDERS, part="planned_values", errored=True), "this plan is not complete."),
    "deferred": (shown(ORDERS, part="planned_values", complete=False), "this plan is not complete."),
    "unknown replicas": (
        plan_of(ORDERS, replication_factor=True),
        "kafka_topic.orders: replication_factor is known only after the plan is applied.",
    ),
    "an unknown value in the keys": (
        plan_of(ORDERS, config={"min.insync.replicas": True}),
        "config is known only after",
    ),
    "an unknown configuration": (
        plan_of(PLAIN_MSK, configuration_info=[{"arn": True}]),
        "configuration_info is known only after",
    ),
    "unknown subnets": (
        plan_of(PLAIN_MSK, broker_node_group_info=[{"client_subnets": True}]),
        "how many zones it has is not given",
    ),
    "unknown keys of Aiven's": (
        plan_of(AIVEN, kafka_user_config=[{"kafka": True}]),
        "kafka_user_config is known only after",
    ),
    "a misspelt key": (
        shown(changed(ORDERS, config={"min.insync.replica": "2"})),
        "min.insync.replica: there is no such key.",
    ),
    "a producer's key": (shown(changed(ORDERS, config={"acks": "all"})), "acks: this is no key of a topic."),
    "an attribute that is not known": (
        shown(changed(ORDERS, diskless=True)),
        "diskless is not known in a kafka_topic.",
    ),
    "a value with parts": (shown(changed(ORDERS, config={"min.insync.replicas": ["2"]})), "has no plain value."),
    "replicas that are no whole number": (shown(changed(ORDERS, replication_factor=3.5)), "'3.5' is no value of it."),
    "a topic without a name": (shown(changed(ORDERS, name=None)), "it has no name."),
    "keys that are no object": (shown(changed(ORDERS, config="a=b")), "config is no block of keys."),
    "two blocks": (shown(changed(AIVEN_TOPIC, config=[{}, {}])), "config is no block of keys."),
    "a key in two places": (
        shown(changed(AIVEN_TOPIC, minimum_in_sync_replicas=1)),
        "set again to '2'",
    ),
    "a topic without replication": (
        shown(changed(AIVEN_TOPIC, config=[{"diskless_enable": True}])),
        "do not replicate this topic",
    ),
    "a service without replication": (
        shown(changed(AIVEN, kafka_user_config=[{"kafka_diskless": [{"enabled": True}]}])),
        "kafka_diskless is enabled",
    ),
    "a topic of another service": (shown(AIVEN, changed(AIVEN_TOPIC, service_name="b")), "this is of cluster b, and"),
    "two clusters": (
        shown(PLAIN_MSK, {**changed(PLAIN_MSK, cluster_name="b"), "address": "aws_msk_cluster.b"}),
        "this is of cluster b, and",
    ),
    "Express brokers": (
        shown(
            changed(
                PLAIN_MSK,
                broker_node_group_info=[{"instance_type": "express.m7g.large", "client_subnets": ["a", "b", "c"]}],
            )
        ),
        "its brokers are Express brokers.",
    ),
    "one zone": (
        shown(changed(PLAIN_MSK, broker_node_group_info=[{"client_subnets": ["a"]}])),
        "how many zones it has is not given",
    ),
    "a configuration that is not there": (
        shown(MSK),
        f"it takes its configuration from {ARN}, revision 2, which is not in",
    ),
    "two configurations": (shown(changed(MSK, configuration_info=[{}, {}])), "configuration_info is no block of keys."),
    "a service's settings that are a text": (
        shown(changed(AIVEN, kafka_user_config="a")),
        "kafka_user_config is no block",
    ),
    "another revision": (shown(MSK, changed(MSK_CONFIGURATION, latest_revision=3)), "which is not in this file."),
    "a configuration without what zones decide": (
        shown(MSK_CONFIGURATION),
        "min.insync.replicas is not set, and Amazon's",
    ),
    "server.properties that Java refuses": (
        shown(changed(MSK_CONFIGURATION, server_properties="a=\\u12")),
        "aws_msk_configuration.shop: \\u12 is no character.",
    ),
    "a key twice in server.properties": (
        shown(changed(MSK_CONFIGURATION, server_properties="min.insync.replicas=1\nmin.insync.replicas=2")),
        "set again to '2'",
    ),
    "no server.properties": (shown(changed(MSK_CONFIGURATION, server_properties=None)), "it has no server_properties."),
    "a version that is not known": (shown(changed(PLAIN_MSK, kafka_version="next")), "'next' is not a version"),
    "a data source": (shown({**PLAIN_MSK, "mode": "data"}, ORDERS), "this is a data source"),
    "Confluent's topic": (
        shown(resource("confluent_kafka_topic", "a", topic_name="a")),
        "Confluent Cloud runs an engine",
    ),
    "Confluent's cluster": (
        shown(resource("confluent_kafka_cluster", "a")),
        "a confluent_kafka_cluster is not read: Confluent",
    ),
    "Event Hubs": (shown(resource("azurerm_eventhub", "a")), "Event Hubs are not Kafka's brokers"),
    "a serverless cluster": (shown(resource("aws_msk_serverless_cluster", "a")), "Amazon's own affair"),
    "Kafka Connect": (shown(ORDERS, resource("aiven_kafka_connect", "a")), "Kafka Connect starts producers"),
    "MirrorMaker": (
        shown(ORDERS, resource("aiven_mirrormaker_replication_flow", "a")),
        "it starts producers with defaults",
    ),
    "Strimzi's resources": (
        shown(ORDERS, resource("kubernetes_manifest", "a", manifest={"apiVersion": "kafka.strimzi.io/v1beta2"})),
        "a kubernetes_manifest is not read.",
    ),
    "something else of Kafka's": (shown(ORDERS, resource("kafka_something", "a")), "a kafka_something is not read."),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_understood_is_refused_where_it_stands(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    with pytest.raises(ConfigurationError) as caught:
        read_deployment([file(tmp_path, text)])
    assert said in str(caught.value)
    assert all(problem.file and problem.advice for problem in caught.value.problems)


def test_a_role_before_the_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="these are resources of Terraform, which show their roles"):
        read_configuration(f"topic:{file(tmp_path, shown(ORDERS))}")
