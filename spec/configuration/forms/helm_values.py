"""Values of Helm charts that start brokers: Bitnami's kafka and Confluent's cp-kafka, recognised by their keys.

A values file does not say of which chart it is, nor of which version. So what is taken is always a doubt, and what depends on the
version is refused. What `helm template` prints has no such doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..configuration_file import ConfigurationFile, SourceText
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError
from .bitnami_chart import read_new_bitnami, read_old_bitnami
from .chart_values import READ, SERVER_PROPERTIES, Values
from .charts import (
    BITNAMI_CHART,
    CONFLUENT_CHART,
    CONFLUENT_MARK,
    CONFLUENT_PARTS,
    NEW_CHART,
    NEW_COUNTS,
    NEW_MARKS,
    NOT_OF_CONFLUENT,
    OF_BITNAMI,
    OF_CONFLUENT,
    OF_STRIMZI,
    OLD_CHART,
    OLD_MARKS,
    PARTS,
    STRIMZI_CHART,
)
from .confluent_chart import read_confluent
from .images import names
from .yaml_documents import Mapping, Node, Scalar, is_template, read_documents, scalars_in, template_notice

HINT = re.compile(
    rf"""^[ \t]*['"]?(?:{"|".join(sorted((*NEW_MARKS, *OLD_MARKS, *OF_STRIMZI, OF_CONFLUENT, CONFLUENT_MARK)))})['"]?\s*:"""
    r"""|^[ \t]+repository\s*:\s*['"]?(?:\S*/)?bitnami(?:legacy)?/kafka\b""",
    re.MULTILINE,
)
OF_PODS = names("brokers configurationOverrides customEnv enabled image imageTag kraft persistence replicaCount")
"""Other values of the charts that are read: of their pods, and of the mode that these run in."""
RESOURCE = re.compile(r"^['\"]?(?:apiVersion|services|spring)['\"]?\s*:", re.MULTILINE)


def is_values(source: SourceText) -> bool:
    """Is this YAML with values of a chart that is known, or that cannot be read and may have such?"""
    if HINT.search(source.text) is None or RESOURCE.search(source.text) is not None:
        return False
    try:
        return bool(_charts_in(source))
    except ConfigurationError:
        return True


def read_values(source: SourceText) -> list[ConfigurationFile]:
    """The brokers that a chart starts with these values, and the topics that it creates. Raises ConfigurationError."""
    found = _charts_in(source)
    if len(found) > 1:
        what = f"this has values of several charts: {', '.join(one.chart for one in found)}."
        raise ConfigurationError([source.notice(what, WHY, "Put those of each into a file of its own.")])
    values = found[0]
    if values.parts is not values.top and values.parts.text("enabled") == "false":
        what = "the chart is turned off: it starts no broker."
        raise ConfigurationError([values.notice(what, advice="Leave the file out.")])
    problems = [template_notice(source.path, one.line) for one in _read_of(values.parts) if is_template(one.text or "")]
    if problems:
        raise ConfigurationError(problems)
    return _READERS[values.chart](values)


def _read_of(parts: Mapping) -> Iterator[Scalar]:
    """Every plain value that is read of a chart's values."""
    for key, value in parts.values.items():
        if key in NEW_COUNTS and isinstance(value, Mapping):
            yield from _read_of(value)
        elif key in READ | OF_PODS:
            yield from scalars_in(value)
    for key in ("zookeeper", "externalZookeeper"):
        enabled = parts.at(key, "enabled")
        yield from () if enabled is None else scalars_in(enabled)


def _charts_in(source: SourceText) -> list[Values]:
    """The charts whose values are in a file: at its top, or below the name of a chart that another one takes in."""
    documents = read_documents(source.text, source.path, merges=True, braces=True)
    top = documents[0]
    if len(documents) > 1 or not isinstance(top, Mapping):
        return []
    places = [top, *(one for name in ("kafka", OF_CONFLUENT) if isinstance(one := top.at(name), Mapping))]
    found = []
    for parts in places:
        within = parts is top.at(OF_CONFLUENT) and bool(frozenset(parts.values) & (CONFLUENT_PARTS | {CONFLUENT_MARK}))
        chart = CONFLUENT_CHART if within else _chart(parts)
        if chart is not None:
            found.append(Values(chart=chart, parts=parts, top=top, path=source.path))
    return found


def _chart(parts: Mapping) -> str | None:
    """The chart that some keys show."""
    keys = frozenset(parts.values)
    if (
        CONFLUENT_MARK in keys
        and keys & CONFLUENT_PARTS
        and not keys & NOT_OF_CONFLUENT
        and not _has_parts(parts.at("image"))
    ):
        return CONFLUENT_CHART
    if len(keys & OF_STRIMZI) > 1:
        return STRIMZI_CHART
    of_roles = frozenset(key for role in NEW_COUNTS if isinstance(one := parts.at(role), Mapping) for key in one.values)
    is_new, is_old = bool((keys | of_roles) & NEW_MARKS and keys & PARTS), len(keys & OLD_MARKS) > 1
    if OF_BITNAMI.fullmatch(parts.text("image", "repository") or ""):
        is_new, is_old = bool((keys | of_roles) & NEW_MARKS) or bool(keys & set(NEW_COUNTS)), bool(keys & OLD_MARKS)
        if is_new == is_old:
            return BITNAMI_CHART
    if is_new and keys & OLD_MARKS:
        return BITNAMI_CHART
    return NEW_CHART if is_new else OLD_CHART if is_old else None


def _has_parts(node: Node | None) -> bool:
    return isinstance(node, Mapping)


def _of_strimzi(values: Values) -> list[ConfigurationFile]:
    what = "these are values of Strimzi's chart, which installs the operator and no broker."
    raise ConfigurationError(
        [values.notice(what, "Nothing of Kafka's is in them.", "Audit the resources: Kafka, KafkaTopic.")]
    )


def _of_bitnami(values: Values) -> list[ConfigurationFile]:
    what = "these are values of Bitnami's chart kafka, and they do not show of which version."
    why = "Up to 23 and from 24 on it takes other keys, and ignores those that it does not know."
    raise ConfigurationError([values.notice(what, why, SERVER_PROPERTIES)])


_READERS = {
    BITNAMI_CHART: _of_bitnami,
    CONFLUENT_CHART: read_confluent,
    NEW_CHART: read_new_bitnami,
    OLD_CHART: read_old_bitnami,
    STRIMZI_CHART: _of_strimzi,
}
