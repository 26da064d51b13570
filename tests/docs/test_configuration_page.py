"""The tables of the page on configuration files are made from what the reader uses: NEVERLOST_REWRITE=1 writes them anew."""

from __future__ import annotations

import os
import re

import pytest
from shell_blocks import ROOT

from neverlost.spec.configuration import known_versions
from neverlost.spec.configuration.clients import CLIENTS
from neverlost.spec.configuration.defaults import CONFIGURATION_KEYS
from neverlost.spec.configuration.forms.reading import FORMS
from neverlost.spec.kafka.replication.differences import TIME_LINE

PAGE = ROOT / "docs" / "reference" / "configuration.md"
MEANS = {
    "acks": '`acks`: `"0"`, `"1"`, `"all"` (`-1` is `all`)',
    "retries": "`retries`: 0, or 1 for at least one",
    "enable.idempotence": "`idempotence`, as it takes effect",
    "max.in.flight.requests.per.connection": "`pipelined`: more than one, or `retries` in Java up to 0.9; idempotence",
    "transactional.id": "idempotence",
    "enable.auto.commit": '`commit`: `"auto"`, `"after"` if false, `"none"` without a consumer\'s file',
    "auto.offset.reset": "shown only",
    "isolation.level": "shown only",
    "replication.factor": "the number of replicas",
    "min.insync.replicas": "`min_isr`",
    "unclean.leader.election.enable": "`unclean`",
    "flush.messages": "`flush`: at most 1, so that a record is flushed before it is acknowledged",
    "eligible.leader.replicas.version": "`elr`, if it differs from the profile's",
    "replica.lag.time.max.ms": "shown only",
    "offsets.topic.replication.factor": "a warning",
}


def table_of_keys() -> list[str]:
    rows = ["| role | key | the broker's key for its default | setting of the model |", "|---|---|---|---|"]
    for setting in CONFIGURATION_KEYS:
        broker = f"`{setting.broker_key}`" if setting.broker_key else ""
        rows.append(f"| {setting.role} | `{setting.key}` | {broker} | {MEANS[setting.key]} |")
    return rows


def table_of_defaults() -> list[str]:
    rows = ["| key | default |", "|---|---|"]
    for setting in CONFIGURATION_KEYS:
        given = [f"`{value}` from {since}" if value else f"not set; from {since}" for since, value in setting.defaults]
        given[0] = given[0] if setting.defaults[0][0] != known_versions()[0] else given[0].split(" from ")[0]
        rows.append(f"| `{setting.key}` | {', '.join(given)} |")
    return rows


def table_of_versions() -> list[str]:
    rows = ["| profile | releases | mode |", "|---|---|---|"]
    for name, span in TIME_LINE.spans.items():
        given = span.first if span.first == span.last else f"{span.first} to {span.last}"
        rows.append(f"| `{name}` | {given} | {span.mode} |")
    return rows


def table_of_forms() -> list[str]:
    rows = ["| form | is recognised by | holds |", "|---|---|---|"]
    rows += [f"| {form.name} | {form.mark} | {form.holds} |" for form in FORMS]
    rows.append(
        "| `.properties` | nothing else, and being [plainly Kafka's own](#what-is-refused) | any one of the four |"
    )
    return rows


def table_of_clients() -> list[str]:
    rows = ["| client | sets by itself | its own defaults | from |", "|---|---|---|---|"]
    for client in CLIENTS.values():
        sets, defaults = (
            ", ".join(f"`{key}={value}`" for keys in by_role.values() for key, value in keys.items())
            for by_role in (client.sets, client.defaults)
        )
        defaults = f"those of Java's client of {client.java[0]}" if client.java else defaults
        rows.append(f"| `{client.name}`: {client.about} | {sets} | {defaults} | {client.source} |")
    return rows


TABLES = {
    "forms": table_of_forms,
    "clients": table_of_clients,
    "keys": table_of_keys,
    "defaults": table_of_defaults,
    "versions": table_of_versions,
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_the_page_is_what_the_reader_uses(name: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    pattern = re.compile(rf"(?<=<!-- table: {name} -->\n)(.*?)(?=<!-- end of table -->)", flags=re.DOTALL)
    table = "\n".join(TABLES[name]()) + "\n"
    if os.environ.get("NEVERLOST_REWRITE") == "1":
        page = pattern.sub(lambda _: table, page, count=1)
        PAGE.write_text(page, encoding="utf-8")
    found = pattern.search(page)
    assert found is not None
    assert found[1] == table
