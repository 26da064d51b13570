"""Brokers that are not Apache Kafka, or whose settings nobody can see: recognised by where a client connects to, or by their own files.

How the hosts of each service are called stands in its documentation: Confluent Cloud ("Access the bootstrap server"), Azure Event Hubs
("Event Hubs for Apache Kafka"), Amazon MSK Serverless ("Get the bootstrap brokers"), Redpanda Cloud, WarpStream, and OCI Streaming
("Using Streaming with Apache Kafka"). What is in redpanda.yaml: "Node configuration" in Redpanda's documentation.
"""

from __future__ import annotations

import re

from ..configuration_file import SourceText
from ..notices import ConfigurationError, Notice

PROTOCOL = "They speak Kafka's protocol, but their replication is another, which is not modelled."
UNSEEN = "It is a service whose brokers cannot be seen: nothing shows how they replicate and what they flush."

SERVICES: tuple[tuple[str, str, str], ...] = (
    (r"\b[pl]kc-[\w-]+\.[\w.-]*confluent\.cloud\b", "Confluent Cloud", UNSEEN),
    (r"\b[\w-]+\.servicebus\.(?:windows\.net|chinacloudapi\.cn|usgovcloudapi\.net)\b", "Azure Event Hubs", PROTOCOL),
    (r"\b[\w.-]+\.kafka-serverless\.[\w${}-]+\.amazonaws\.com\b", "Amazon MSK Serverless", UNSEEN),
    (r"\b[\w.-]+\.cloud\.redpanda\.com\b", "Redpanda Cloud", PROTOCOL),
    (r"\b[\w.-]+\.warpstream\.com\b", "WarpStream", PROTOCOL),
    (r"\b[\w.-]+\.streaming\.[\w${}-]+\.oci\.oraclecloud\.com\b", "OCI Streaming", PROTOCOL),
)
"""How the hosts of a service are called, its name, and why its brokers are not audited."""
ADVICE = "Audit only what runs on brokers of Apache Kafka."
COMMENT = re.compile(r"[ \t]*(?:[#!;]|//)")
OF_REDPANDA = re.compile(r"^redpanda\s*:\s*(?:#.*)?$", re.MULTILINE)
ITS_KEYS = re.compile(
    r"^\s+(?:kafka_api|seed_servers|rpc_server|data_directory|developer_mode|default_topic_replications)\s*:",
    re.MULTILINE,
)
EXPORTED = re.compile(
    r"^(?:default_topic_replications|default_topic_partitions|auto_create_topics_enabled)\s*:", re.MULTILINE
)
"""Keys of the settings of a cluster that `rpk cluster config export` writes."""


def service_at(address: str) -> tuple[str, str] | None:
    """The service whose brokers stand at an address, and why they are not audited; None if it may be anybody's."""
    return next(((name, why) for host, name, why in SERVICES if re.search(host, address)), None)


def refuse_other_brokers(source: SourceText) -> None:
    """Raise ConfigurationError for Redpanda's own configuration, and for that of a client which connects to such a service."""
    if (OF_REDPANDA.search(source.text) and ITS_KEYS.search(source.text)) or EXPORTED.search(source.text):
        what = "this is Redpanda's configuration: its brokers are not those of Apache Kafka."
        raise ConfigurationError([source.notice(what, PROTOCOL, ADVICE)])
    for number, line in enumerate(source.text.splitlines(), start=1):
        found = None if COMMENT.match(line) else service_at(line)
        if found is not None:
            raise ConfigurationError([of_service(found, source.path, number)])


def of_service(found: tuple[str, str], path: str, line: int) -> Notice:
    """That a client connects to such a service."""
    name, why = found
    return Notice(what=f"this connects to {name}.", why=why, advice=ADVICE, file=path, line=line)
