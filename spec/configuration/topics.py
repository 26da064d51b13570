"""Which files are about which topic: topics that the files say the same of are one class, and need one answer.

A cluster's own topics are written by its brokers, not by the producer of a deployment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from .catalogue import catalogue
from .configuration_file import ConfigEntry, ConfigurationFile
from .defaults import all_keys_that_matter
from .notices import Notice
from .unasked import HAZARDS, unchecked

OFFSETS, TRANSACTIONS = "__consumer_offsets", "__transaction_state"
INTERNAL: Mapping[str, str | None] = {
    OFFSETS: "offsets.commit.required.acks",
    TRANSACTIONS: None,
    "__share_group_state": None,
    "__remote_log_metadata": None,
}
"""The topics that brokers write to with acks=all, and the broker's key that may say otherwise.

GroupCoordinatorConfig, TransactionLogConfig, ShareCoordinatorConfig and TopicBasedRemoteLogMetadataManagerConfig of Kafka.
"""

SAME_HOLDS = " The same holds for "
"""What follows a warning of the first of several topics."""


def of_file(path: str) -> str:
    """What a topic without a name is called by its file."""
    return f"the topic of {path}"


@dataclass(frozen=True, kw_only=True)
class TopicClass:
    """Topics of which `files` say the same; `files` are those of the first, with the rest of the deployment. No names: it has none."""

    names: tuple[str, ...]
    files: tuple[ConfigurationFile, ...]

    @property
    def internal(self) -> str | None:
        """The name of the first topic, if brokers write to it and nobody else."""
        return self.names[0] if self.names and self.names[0] in INTERNAL else None


def topic_classes(files: Sequence[ConfigurationFile], problems: list[Notice]) -> list[TopicClass]:
    """The classes of topics, in the order of the files. What cannot be laid to a topic goes to `problems`."""
    of_topics = [file for file in files if file.role == "topic"]
    others = tuple(file for file in files if file.role != "topic")
    named: dict[str, list[ConfigurationFile]] = {}
    for file in of_topics:
        if file.name is not None:
            named.setdefault(file.name, []).append(file)
    unnamed = [file for file in of_topics if file.name is None]
    if len(named) > 1 and unnamed:
        what = f"this file does not say to which of the {len(named)} topics it belongs."
        advice = "Describe the topics with Kafka's tools, or audit this one without the others."
        problems += [Notice(what=what, advice=advice, file=file.path) for file in unnamed]
    elif unnamed and any(_internal(name) for name in named):
        what = f"this file does not say to which topic it belongs, and {next(iter(named))} is a topic of the brokers."
        advice = "Audit them apart, or describe the topic with Kafka's tools."
        problems += [Notice(what=what, advice=advice, file=file.path) for file in unnamed]
    if len(named) <= 1:
        return [TopicClass(names=tuple(named), files=tuple(_doubted(file, tuple(named)) for file in files))]
    classes: dict[tuple[object, ...], list[str]] = {}
    for name, given in named.items():
        classes.setdefault((_internal(name), *(_said(file) for file in given)), []).append(name)
    return [
        TopicClass(names=tuple(names), files=(*others, *_together([named[name] for name in names])))
        for names in classes.values()
    ]


def _doubted(file: ConfigurationFile, names: Sequence[str]) -> ConfigurationFile:
    """A topic's file that does not name its topic, with the doubt whether it is the one that another file names."""
    if file.role != "topic" or file.name is not None or not names:
        return file
    doubt = Notice(
        what=f"this file does not name its topic: it is taken for {names[0]}.",
        why="Another topic's settings would be audited.",
        advice="Make sure that it is, or leave it out.",
        file=file.path,
        decides=True,
    )
    return replace(file, warnings=(*file.warnings, doubt))


def _together(given: Sequence[Sequence[ConfigurationFile]]) -> Iterable[ConfigurationFile]:
    """The files of the first topic, with a hint that the others are warned of alike."""
    first, rest = given[0], given[1:]
    if not rest:
        return first
    count = len(rest)
    return [
        replace(file, warnings=tuple(replace(w, what=f"{w.what}{SAME_HOLDS}{_more(count)}.") for w in file.warnings))
        for file in first
    ]


def _more(count: int) -> str:
    return f"{count:,} more {'topic' if count == 1 else 'topics'}"


def _internal(name: str) -> str | None:
    return name if name in INTERNAL else None


def _said(file: ConfigurationFile) -> tuple[object, ...]:
    """What a file says of a topic that could decide, or of which there is a notice."""
    return (
        file.form,
        file.created_by,
        tuple((entry.key, entry.value, entry.layer) for entry in file.entries if _counts(entry)),
        tuple(dict.fromkeys(warning.what for warning in file.warnings)),
        tuple(notice.unchecked for notice in unchecked([file])),
    )


def _counts(entry: ConfigEntry) -> bool:
    return entry.key in _keys_that_count() or not catalogue().roles_of(entry.key)


@cache
def _keys_that_count() -> frozenset[str]:
    return frozenset((*all_keys_that_matter(), *(key for hazard in HAZARDS for key in hazard.keys)))
