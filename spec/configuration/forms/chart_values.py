"""What the values of every Helm chart have in common: what is said of them, and how their keys, pods and disks are read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Dictionary
from dataclasses import dataclass, replace

from ..configuration_file import ConfigEntry, ConfigurationFile
from ..defaults import keys_that_matter
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError, Notice
from .charts import NEW_MARKS, OF_THE_CHART, OF_TOPICS, OLD_KEYS
from .containers import NEEDS_ITS_LOG, Broker, Container, differences, together
from .foreign_keys import decides_elsewhere
from .references import Filled
from .variables import Variable
from .yaml_documents import Listing, Mapping, Node, Scalar, whole_number

FORM = "Helm values"
TEMPLATE = "Audit what helm template prints"
"""What has no defaults that are not in the file."""
SERVER_PROPERTIES = f"{TEMPLATE}: the ConfigMap with server.properties."
READ = frozenset(
    (*OLD_KEYS, *OF_TOPICS, *NEW_MARKS, "broker", "config", "controller", "extraEnvVars", "provisioning", "topics")
)
"""Values that are read where they stand."""
OF_KUBERNETES = ("replicas", "replication")
"""Words that charts have for pods."""
OF_LOGS = ("log.dir", "log.dirs", "metadata.log.dir")
TWICE = "Which of them counts is not certain."


@dataclass(frozen=True, kw_only=True)
class Values:
    """The values of one chart: those of Bitnami's up to 23 or from 24 on, or of Confluent's."""

    chart: str
    parts: Mapping
    top: Mapping
    path: str

    def notice(
        self, what: str, why: str = WHY, advice: str = "", line: int | None = None, key: str | None = None
    ) -> Notice:
        """A notice about these values."""
        at = self.parts.line if line is None else line
        return Notice(what=what, why=why, advice=advice, file=self.path, line=at, key=key)


def container_of(values: Values, name: str, variables: Sequence[Variable], image: str, at: int) -> Container:
    """The container that a chart starts with these variables, or with none."""
    return Container(
        kind="StatefulSet",
        name=name,
        path=values.path,
        line=values.parts.line,
        variables=tuple(variables),
        named=Filled(image),
        image_line=at,
    )


def with_defaults(broker: Broker, defaults: Dictionary[str, str], values: Values, source: str) -> Broker:
    """A broker with what the chart's own values set where these do not."""
    added, notes = [], []
    for key, value in defaults.items():
        if key not in broker.keys:
            entry = ConfigEntry(key=key, value=value, file=values.path, line=values.parts.line, separator=":")
            added.append(entry)
            if key in keys_that_matter("broker"):
                notes.append(entry.notice(f"no value sets it: the chart sets it to {value}.", f"{source}."))
    return replace(broker, entries=(*broker.entries, *added), warnings=(*broker.warnings, *notes))


def assumed(values: Values, chart: str, source: str, advice: str) -> Notice:
    """The doubt about the chart whose values these are taken to be."""
    what = f"these are taken to be values of {chart}."
    why = f"The file does not name its chart: another one or another version may differ, and other values go over these. {source}."
    return replace(values.notice(what, why, advice), decides=True)


def plain_keys(node: Node | None, values: Values, problems: list[Notice]) -> Iterator[tuple[str, str, int]]:
    """Keys with plain values, and their lines. An empty one takes away what the chart sets."""
    if isinstance(node, Mapping):
        for key, value in node.values.items():
            if isinstance(value, Scalar) and value.text is not None:
                yield key, value.text, node.lines[key]
            else:
                what = "its value has parts, or is empty."
                problems.append(values.notice(what, WHY, "Write a plain value.", node.lines[key], key))
    elif not is_empty(node) and node is not None:
        problems.append(values.notice("this has no keys.", WHY, "Write keys with values.", node.line))


def that_may_set(parts: Mapping, values: Values, keys: frozenset[str]) -> Iterator[Notice]:
    """That something is set which may set anything, or a value that the chart does not have and that sets what decides."""
    for key, value in parts.values.items():
        line = parts.lines[key]
        if key in keys and not is_empty(value) and not _is_of_the_chart(value):
            advice = f"{TEMPLATE}, or write what it sets among Kafka's keys."
            yield values.notice("what is in it is not read.", WHY, advice, line, key)
        elif key not in READ:
            for name, at in _names_in(key, value, line):
                meant = decides_elsewhere(name)
                if meant is not None and (meant not in OF_KUBERNETES or at == line):
                    what = f"the chart is not known to have {name} here, and it ends as one that decides: {meant}."
                    yield values.notice(what, "Helm ignores what a chart does not have.", "Leave it out.", at, key)
    if parts.text("diagnosticMode", "enabled") == "true":
        yield values.notice("diagnosticMode is turned on: no broker is started.", WHY, "Turn it off.")


def _is_of_the_chart(value: Node) -> bool:
    """Is it the command that the chart itself has?"""
    words = [one.text for one in value.values if isinstance(one, Scalar)] if isinstance(value, Listing) else []
    return tuple(words) == OF_THE_CHART


def _names_in(key: str, value: Node, line: int) -> Iterator[tuple[str, int]]:
    """A key, and all that are below it, with their lines."""
    yield key, line
    if isinstance(value, Mapping):
        for inner, below in value.values.items():
            yield from _names_in(inner, below, value.lines[inner])
    elif isinstance(value, Listing):
        for one in value.values:
            for inner, below in one.values.items() if isinstance(one, Mapping) else ():
                yield from _names_in(inner, below, one.lines[inner] if isinstance(one, Mapping) else line)


def ephemeral(parts: Mapping, values: Values, key: str) -> Iterator[Notice]:
    """That a pod that restarts comes back with an empty disk, or may."""
    enabled = parts.at(key, "enabled")
    if isinstance(enabled, Scalar) and enabled.text != "true":
        what = f"{key} is turned off: whatever restarts a pod loses its disk."
        yield values.notice(what, NEEDS_ITS_LOG, "Turn it on.", enabled.line)


def outside_of(folder: str, broker: Broker) -> Iterator[Notice]:
    """That a broker's logs lie where the chart mounts no disk."""
    for entry in broker.entries:
        inside = all(_is_in(one.strip(), folder) for one in entry.value.split(","))
        if entry.key in OF_LOGS and not inside:
            what = f"this is not below {folder}, where the chart mounts its disk."
            yield entry.notice(what, NEEDS_ITS_LOG, "Leave it to the chart.")


def _is_in(place: str, folder: str) -> bool:
    return posixpath.normpath(place).startswith(f"{folder.rstrip('/')}/")


def count_of(parts: Mapping, key: str, default: int, values: Values, problems: list[Notice]) -> int | None:
    """How many pods are started: the number at a key, or the chart's own; None if that is not known."""
    given = parts.at(key)
    if given is None:
        return default
    found = whole_number(given.text if isinstance(given, Scalar) else None)
    if found is None:
        problems.append(values.notice("this is no number of pods.", WHY, "Write a number.", given.line, key))
    return found


def finished(
    brokers: Sequence[Broker], topics: Sequence[ConfigurationFile], values: Values, problems: list[Notice]
) -> list[ConfigurationFile]:
    """The brokers as one file, and the topics. Raises ConfigurationError with all that is wrong."""
    problems += differences(brokers)
    if problems:
        raise ConfigurationError(dict.fromkeys(problems))
    return [together(brokers, (), values.path, FORM), *topics]


def is_empty(node: Node | None) -> bool:
    """Is nothing there, or an empty text, list or map?"""
    return node is None or (not node.text if isinstance(node, Scalar) else not node.values)
