"""The page of the files that tests hold against the readers is made from those tests: NEVERLOST_REWRITE=1 writes it anew."""

from __future__ import annotations

import os
import runpy
from collections.abc import Iterator
from typing import Any, NamedTuple

from shell_blocks import ROOT

PAGE = ROOT / "docs" / "explanation" / "foreign-files.md"
TESTS = ROOT / "tests" / "spec" / "configuration"


class Group(NamedTuple):
    """The files of a test: what they are, the module and its table, and whether they are read."""

    title: str
    module: str
    table: str
    read: bool


GROUPS = (
    Group("Kafka's own, however it is written", "test_foreign.py", "OWN", read=True),
    Group("of no form that is read", "test_foreign.py", "FOREIGN", read=False),
    Group("Strimzi's resources", "test_strimzi.py", "WRONG", read=False),
    Group("Strimzi's resources", "test_strimzi.py", "NOT_LOOKED_AT", read=False),
    Group("what stands beside Strimzi's resources", "test_kubernetes.py", "SKIPPED", read=True),
    Group("what stands beside Strimzi's resources", "test_kubernetes.py", "IN_MAPS", read=True),
    Group("what stands beside Strimzi's resources", "test_kubernetes.py", "WRONG", read=False),
    Group("StatefulSets and other workloads of Kubernetes", "test_workloads.py", "READ", read=True),
    Group("StatefulSets and other workloads of Kubernetes", "test_workloads.py", "WRONG", read=False),
    Group("values of Helm charts", "test_helm_values.py", "READ", read=True),
    Group("values of Helm charts", "test_helm_values.py", "WRONG", read=False),
    Group("librdkafka and its clients", "test_librdkafka.py", "READ", read=True),
    Group("librdkafka and its clients", "test_librdkafka.py", "WRONG", read=False),
    Group("clients that are said", "test_other_clients.py", "TAKEN", read=True),
    Group("clients that are said", "test_other_clients.py", "WRONG", read=False),
    Group("what Java clients log", "test_client_logs.py", "READ", read=True),
    Group("what Java clients log", "test_client_logs.py", "WRONG", read=False),
    Group("Spring Boot", "test_spring.py", "READ", read=True),
    Group("Spring Boot", "test_spring.py", "WRONG", read=False),
    Group("Spring Boot", "test_spring.py", "FILLED", read=True),
    Group("Spring Boot", "test_spring.py", "PROFILES", read=True),
    Group("Spring Cloud Stream", "test_spring_cloud.py", "READ", read=True),
    Group("Spring Cloud Stream", "test_spring_cloud.py", "WRONG", read=False),
    Group("Kafka Connect", "test_connect.py", "READ", read=True),
    Group("Kafka Connect", "test_connect.py", "WRONG", read=False),
    Group("MirrorMaker 2", "test_mirrors.py", "READ", read=True),
    Group("MirrorMaker 2", "test_mirrors.py", "WRONG", read=False),
    Group("Kafka Streams", "test_streams.py", "READ", read=True),
    Group("Kafka Streams", "test_streams.py", "WRONG", read=False),
    Group("several files, and files that hide something", "test_never_merged.py", "REFUSED", read=False),
    Group("compose files and files of variables", "test_compose.py", "IGNORED", read=True),
    Group("compose files and files of variables", "test_compose.py", "STARTING", read=True),
    Group("compose files and files of variables", "test_compose.py", "COMMANDS", read=True),
    Group("compose files and files of variables", "test_compose.py", "NOT_READ", read=False),
    Group("compose files and files of variables", "test_compose.py", "WRONG", read=False),
    Group("brokers that are not Apache Kafka", "test_other_brokers.py", "REFUSED", read=False),
    Group("brokers that are not Apache Kafka", "test_other_brokers.py", "OF_REDPANDA", read=False),
    Group("terraform show -json", "test_terraform.py", "WRONG", read=False),
)


def said(module: dict[str, Any], table: str, name: str) -> str:
    """What a refusal must say by the test."""
    row = module[table][name]
    return str(module["SAID"][name] if "SAID" in module else row[-1])


def rows() -> Iterator[str]:
    title = None
    for group in GROUPS:
        if group.title != title:
            title = group.title
            yield from ("", f"## {title}", "", "| what is in it | what an audit says |", "|---|---|")
        module = runpy.run_path(str(TESTS / group.module))
        for name in module[group.table]:
            answer = "read" if group.read else f"refused: `{said(module, group.table, name).replace('|', '/')}`"
            yield f"| {name.replace('|', '/').replace('-', ' ')} | {answer} |"


def test_the_page_has_every_file_that_is_tested() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition("<!-- table: files -->\n")
    after = rest.partition("<!-- end of table -->")[2]
    made = "\n".join((f"{before}<!-- table: files -->", *rows(), f"<!-- end of table -->{after}"))
    if os.environ.get("NEVERLOST_REWRITE") == "1":
        PAGE.write_text(made, encoding="utf-8")
    assert made == PAGE.read_text(encoding="utf-8")


def test_there_are_more_than_sixty_files_and_most_are_refused() -> None:
    counts = [len(runpy.run_path(str(TESTS / group.module))[group.table]) for group in GROUPS]
    assert sum(counts) >= 60
