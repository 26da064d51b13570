"""Values of Confluent's chart cp-kafka, alone or within cp-helm-charts: they become variables of the image."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..configuration_file import ConfigEntry, ConfigurationFile
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import Notice
from .chart_values import (
    FORM,
    TEMPLATE,
    TWICE,
    Values,
    assumed,
    container_of,
    count_of,
    ephemeral,
    finished,
    outside_of,
    plain_keys,
    with_defaults,
)
from .charts import (
    CONFLUENT_CLIENTS,
    CONFLUENT_COUNT,
    CONFLUENT_DEFAULT,
    CONFLUENT_DISK,
    CONFLUENT_MARK,
    CONFLUENT_SOURCE,
    OF_CONFLUENT,
)
from .containers import broker_of, image_of
from .images import CONFLUENT
from .variables import Variable

STATEFUL_SET = f"{TEMPLATE}, with --skip-tests."


def read_confluent(values: Values) -> list[ConfigurationFile]:
    """cp-kafka: each of `configurationOverrides` becomes a variable of the image, and each of `customEnv` too."""
    problems: list[Notice] = []
    parts, path = values.parts, values.path
    variables = []
    for part, name_of in ((CONFLUENT_MARK, _variable_of), ("customEnv", str)):
        for key, text, line in plain_keys(parts.at(part), values, problems):
            variables.append(Variable(name=name_of(key), value=text, file=path, line=line))
    image, tag = parts.text("image") or "confluentinc/cp-kafka", parts.text("imageTag")
    kind = image_of(image)
    if kind is not CONFLUENT:
        at = parts.lines.get("image")
        problems.append(values.notice(f"{image} is no image of Confluent's.", WHY, STATEFUL_SET, at))
    problems += ephemeral(parts, values, "persistence")
    doubts = [assumed(values, "Confluent's chart cp-kafka", CONFLUENT_SOURCE, STATEFUL_SET), *_clients(values)]
    named = image if tag is None else f"{image}:{tag}"
    at = parts.lines.get("imageTag", parts.line)
    container = container_of(values, OF_CONFLUENT, variables, named, at)
    broker = broker_of(container, CONFLUENT, problems, form=FORM, takes=TWICE, doubts=doubts)
    problems += outside_of(CONFLUENT_DISK, broker)
    broker = with_defaults(broker, dict([CONFLUENT_DEFAULT]), values, CONFLUENT_SOURCE)
    if "zookeeper.connect" not in broker.keys and "process.roles" not in broker.keys:
        entry = ConfigEntry(key="zookeeper.connect", value="the chart's", file=path, line=parts.line, separator=":")
        broker = replace(broker, entries=(*broker.entries, entry))
    broker = replace(broker, count=count_of(parts, "brokers", CONFLUENT_COUNT, values, problems))
    return finished([broker], [], values, problems)


def _variable_of(key: str) -> str:
    return f"KAFKA_{key.replace('.', '_').upper()}"


def _clients(values: Values) -> Iterator[Notice]:
    """The doubt about the clients that the other charts of Confluent's start."""
    if values.parts is values.top:
        return
    started = sorted(name for name in CONFLUENT_CLIENTS if values.top.text(name, "enabled") != "false")
    if started:
        what = f"the charts {', '.join(started)} beside it start clients, unless they are turned off."
        why = "Their producers and consumers have defaults of their own."
        yield replace(values.notice(what, why, "Turn them off, or audit them by themselves."), decides=True)
