"""The topics that a source connector of Kafka Connect has its worker create: one for each of its groups.

TopicCreation, TopicCreationGroup, TopicCreationConfig and SourceConnectorConfig of Kafka Connect (KIP-158, from 2.6 on): a worker
creates topics unless it has topic.creation.enable=false. The default group must have replicas and partitions; another group, which
topic.creation.groups must name, has those of the default group if it sets none. -1 stands for the broker's default.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..clients import CONNECT
from ..configuration_file import ConfigEntry, ConfigurationFile, below
from ..defaults import deciding_keys
from ..notices import ConfigurationError, Notice

FORM = "a new topic of Connect's connector"
PREFIX, GROUPS, ENABLE = "topic.creation.", "topic.creation.groups", "topic.creation.enable"
DEFAULT = "default"
SINCE = "2.6"
COUNTS = ("replication.factor", "partitions")
PATTERNS = ("include", "exclude")


def new_topics(path: str, entries: Sequence[ConfigEntry]) -> list[ConfigurationFile]:
    """The topics of each group of a source connector's entries. Raises ConfigurationError for what Connect refuses or ignores."""
    own = [entry for entry in entries if entry.key.startswith(PREFIX)]
    if not own:
        return []
    groups = [DEFAULT, *_named_groups(own)]
    problems = [*_missing(path, own), *_of_no_group(own, groups)]
    if problems:
        raise ConfigurationError(problems)
    counts = [entry for entry in _of_group(own, DEFAULT) if entry.key in COUNTS]
    return [_of_topic(path, group, own, counts) for group in groups]


def beside(files: Sequence[ConfigurationFile], new: Sequence[ConfigurationFile]) -> Iterator[Notice]:
    """A doubt for new topics that differ from those that are described, which alone are audited."""
    for file in new:
        for entry in (entry for entry in file.entries if entry.key in deciding_keys("topic")):
            given = [other for one in files if one.role == "topic" for other in one.entries if other.key == entry.key]
            differing = [other for other in given if other.value.strip() != entry.value.strip()]
            if differing or not given:
                what = f"{new_topics_of(file)} have {entry.value.strip()!r}, and are not audited beside others."
                why = f"{differing[0].place} has {differing[0].value.strip()!r}." if differing else ""
                yield entry.notice(what, why, "Audit this file without the topics too.", decides=True)


def new_topics_of(file: ConfigurationFile) -> str:
    """Whose new topics these are."""
    return "the connector's new topics" if file.form == FORM else file.form


def _named_groups(own: Sequence[ConfigEntry]) -> list[str]:
    listed = next((entry.value for entry in own if entry.key == GROUPS), "")
    names = [name.strip() for name in listed.split(",")]
    return list(dict.fromkeys(name for name in names if name and name != DEFAULT))


def _of_group(own: Sequence[ConfigEntry], group: str) -> list[ConfigEntry]:
    """What is set for the topics of a group, by the topic's keys."""
    return below(own, f"{PREFIX}{group}.")


def _of_topic(path: str, group: str, own: Sequence[ConfigEntry], counts: Sequence[ConfigEntry]) -> ConfigurationFile:
    entries = [entry for entry in _of_group(own, group) if entry.key not in PATTERNS]
    set_here = {entry.key for entry in entries}
    entries += [entry for entry in counts if entry.key not in set_here]
    return ConfigurationFile(
        path=path,
        form=FORM,
        role="topic",
        name=f"{PREFIX}{group} of {path}:{counts[0].line}",
        entries=tuple(entry for entry in entries if entry.key not in COUNTS or entry.value.strip() != "-1"),
        client=CONNECT,
        needs=tuple((SINCE, entry) for entry in own if entry.key == f"{PREFIX}{DEFAULT}.{COUNTS[0]}"),
    )


def _missing(path: str, own: Sequence[ConfigEntry]) -> Iterator[Notice]:
    for key in (f"{PREFIX}{DEFAULT}.{count}" for count in COUNTS):
        if not any(entry.key == key for entry in own):
            what = f"{key} is not set, and other keys of {PREFIX}* are."
            yield Notice(what=what, why="The connector does not start.", advice="Set it.", file=path, line=own[0].line)


def _of_no_group(own: Sequence[ConfigEntry], groups: Sequence[str]) -> Iterator[Notice]:
    for entry in own:
        if entry.key not in (GROUPS, ENABLE) and not any(entry.key.startswith(f"{PREFIX}{group}.") for group in groups):
            what = f"{GROUPS} does not name its group."
            yield entry.notice(what, "It has no effect.", f"Name the group in {GROUPS}, or leave it out.")
