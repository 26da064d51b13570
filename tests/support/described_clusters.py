"""What Kafka's own tools say of a running cluster, written into files as an operator would."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from subprocess import TimeoutExpired

from neverlost.conformance.cluster.class_path import compare, found_by_maven, name_of
from neverlost.conformance.cluster.cluster import Cluster
from neverlost.conformance.cluster.control import CONTROLLING
from neverlost.conformance.cluster.releases import ClusterError, RunnableRelease
from neverlost.conformance.cluster.wire import HOST

TOOLS = {
    "3.9.1": "aae08609f1259e59db9746570c53d939820e9efa7a4c0fd7bf7d1b3508f34f11",
    "4.1.1": "8a6939f310a61119cedaffc144119e9b2a374e32a7ec18f78e49ce5aeb71d6b0",
}
"""The checksum of the jar that has the tools of a release, where they are not in its broker's."""
TOOL_SECONDS = 120.0
CONFIGS = "kafka.admin.ConfigCommand"


def with_tools(release: RunnableRelease) -> RunnableRelease:
    """The release with its tools on the class path."""
    if release.version not in TOOLS:
        return release
    dependency = (
        f"<groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>{release.version}</version>"
    )
    pom = (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>neverlost</groupId><artifactId>tools</artifactId><version>1</version><packaging>pom</packaging>"
        f"<dependencies><dependency>{dependency}<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId>"
        "</exclusion></exclusions></dependency></dependencies></project>\n"
    )
    jar = found_by_maven(release, pom, progress=lambda _: None)
    compare([jar], {name_of(jar): TOOLS[release.version]})
    return replace(release, classes=jar)


def bootstrap_of(cluster: Cluster) -> str:
    """Where clients find the cluster."""
    return f"{HOST}:{cluster.client_port[CONTROLLING]}"


def descriptions(cluster: Cluster, folder: Path) -> list[str]:
    """The files with what the tools describe: brokers first, then features, where there are any, then topics."""
    apart = cluster.release.version in TOOLS
    of_topics = "org.apache.kafka.tools.TopicCommand" if apart else "kafka.admin.TopicCommand"
    every = ("--describe", "--all", "--entity-type")
    tools: list[tuple[str, str, Sequence[str]]] = [
        ("brokers", CONFIGS, (*every, "brokers")),
        ("topics", of_topics, ("--describe",)),
        ("topic-configs", CONFIGS, (*every, "topics")),
    ]
    if cluster.release.kraft:
        tools.insert(1, ("features", "org.apache.kafka.tools.FeatureCommand", ("describe",)))
    written = []
    for name, main, options in tools:
        path = folder / f"{name}.txt"
        path.write_text(_run(cluster, name, main, options), encoding="utf-8")
        written.append(os.fspath(path))
    return written


def set_for_all_brokers(cluster: Cluster, settings: str) -> None:
    """Set `key=value` at run time, for every broker."""
    _run(cluster, "set", CONFIGS, ("--alter", "--entity-type", "brokers", "--entity-default", "--add-config", settings))


def _run(cluster: Cluster, name: str, main: str, options: Sequence[str]) -> str:
    """What a tool prints."""
    process = cluster.run_java(f"tool-{name}", main, ["--bootstrap-server", bootstrap_of(cluster), *options])
    try:
        process.process.wait(TOOL_SECONDS)
    except TimeoutExpired:
        raise ClusterError(f"{main} did not end within {TOOL_SECONDS:g} s") from None
    if process.process.returncode:
        raise cluster.why_ended(main, process)
    return process.output()
