"""What an audit asks nothing about, where a file has the key that leads to it: what a release does to records, what the model lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from neverlost.spec.kafka.replication.differences import TIME_LINE

from .configuration_file import ConfigEntry, ConfigurationFile
from .notices import Notice
from .version_choice import MIGRATES


@dataclass(frozen=True)
class Hazard:
    """A setting of the model that a release may have, and what it means where one of these keys is set so."""

    setting: str
    keys: tuple[str, ...]
    part: str
    what: str
    why: str
    advice: str


HAZARDS = (
    Hazard(
        "cleans_uncommitted",
        ("cleanup.policy", "log.cleanup.policy"),
        "compact",
        "the topic is compacted, which is not asked about.",
        "To 3.0 the cleaner removes an acknowledged record for a newer one of its key that may be lost (KAFKA-13194).",
        "Upgrade to 3.1 or later; neverlost bugs KAFKA-13194 shows how it happens.",
    ),
    Hazard(
        "exposes_diverging",
        ("replica.selector.class",),
        "",
        "consumers may read from followers, which is not asked about.",
        "From 2.8.0 to 3.4.0 a follower shows records that it is about to cut (KAFKA-14704).",
        "Upgrade to 3.4.1 or later; neverlost bugs KAFKA-14704 shows how it happens.",
    ),
)


@dataclass(frozen=True)
class Unchecked:
    """What the model does not have: its name, the keys that lead to it, and what their value is then."""

    name: str
    keys: tuple[str, ...]
    value: str
    why: str
    advice: str = ""


UNCHECKED = (
    Unchecked(
        "transactions",
        ("transactional.id", "isolation.level"),
        r"(?!read_uncommitted).+",
        "Whether several records are committed or aborted together is not modelled: the producer is audited as an idempotent one.",
    ),
    Unchecked(
        "several log directories",
        ("log.dirs", "log.dir"),
        r".*\S\s*,\s*\S.*",
        "A replica that moves between directories, and a directory that is lost alone, are not asked about. To 4.2.1 such a move clears"
        " the eligible leader replicas; a directory that is taken out of the file looks like a clean end.",
        "neverlost check --directory-moves 1 or --several-log-dirs asks about it.",
    ),
    Unchecked(
        "tiered storage",
        ("remote.storage.enable", "remote.log.storage.system.enable"),
        "true",
        "What is moved to a remote store, and deleted here, is not modelled.",
    ),
    Unchecked(
        "compaction",
        ("cleanup.policy", "log.cleanup.policy"),
        ".*compact.*",
        "A record may be removed for a newer one of its key.",
    ),
    Unchecked(
        "reads from followers",
        ("replica.selector.class", "client.rack"),
        ".+",
        "The consumer of the model reads from leaders.",
    ),
    Unchecked(
        "one controller",
        ("controller.quorum.voters",),
        r"[^,]+",
        "The controller's own log is assumed to lose nothing. With one controller it is lost with its disk.",
        "Have three controllers.",
    ),
    Unchecked(
        "a migration from ZooKeeper",
        (MIGRATES,),
        "true",
        "What the migration itself does to records is not modelled.",
    ),
    Unchecked(
        "exactly-once sources of Kafka Connect",
        ("exactly.once.source.support", "exactly.once.support"),
        "enabled|preparing|required",
        "What a source reads again after a crash of its task is not modelled.",
    ),
    Unchecked(
        "copies between clusters",
        (),
        "true",
        "What MirrorMaker copies again after a crash, and the offsets and settings that it translates, are not modelled: its producer"
        " and its new topics are audited like any others.",
    ),
    Unchecked(
        "exactly-once of Kafka Streams",
        (),
        ".+",
        "Whether input, state and output are committed together is not modelled: the producer is audited as an idempotent one.",
    ),
)
DEFAULT_AGE = 7 * 24 * 60 * 60 * 1000
"""What `log.retention.hours` is by default, in milliseconds."""
AGES = {
    "retention.ms": 1,
    "log.retention.ms": 1,
    "log.retention.minutes": 60 * 1000,
    "log.retention.hours": 60 * 60 * 1000,
}
"""The keys that say how old a record may become, with their units in milliseconds."""
SIZES = ("retention.bytes", "log.retention.bytes")
EARLY = Notice(
    what="early deletion: not checked.",
    why="Records are deleted sooner than by default, whether they were read or not. Their age is that of the producer's timestamps,"
    " unless message.timestamp.type is LogAppendTime.",
    unchecked="early deletion",
)
OF_CONSUMERS = Notice(
    what="what a consumer reads above the high watermark is not asked about.",
    why="From 1.1 to 2.5.0 a fetch may take in a record that is appended at that moment, and lost with its leader (KAFKA-9835).",
    advice="Upgrade to 2.5.1 or later; neverlost bugs KAFKA-9835 shows how it happens.",
    decides=True,
)


GIVES_IDS_TWICE = ("3.4.0", "3.4.1", "3.5.0", "3.5.1", "3.6.0")
"""Releases in which a migration hands out the last block of producer ids again (KAFKA-15552, fixed in 3.5.2, 3.6.1 and 3.7.0)."""
TWO_OF_ONE_ID = (
    "a migration of this release may give a producer the id of another one.",
    "Its records then count as duplicates of the other's: they are acknowledged, and not written (KAFKA-15552).",
    "Upgrade to 3.5.2 or 3.6.1 before the migration.",
)


def unasked(files: Sequence[ConfigurationFile], release: str, mode: str) -> Iterator[Notice]:
    """A doubt for each such key of a release that is so, and for its consumers."""
    settings = TIME_LINE.settings_of(release, mode)
    for hazard in HAZARDS:
        for file in files if settings.get(hazard.setting) else ():
            for entry in file.entries:
                if entry.key in hazard.keys and entry.value and hazard.part in entry.value:
                    yield entry.notice(hazard.what, hazard.why, hazard.advice, decides=True)
    for entry in (entry for file in files for entry in file.entries):
        if entry.key == MIGRATES and entry.value.strip().lower() == "true" and release in GIVES_IDS_TWICE:
            yield entry.notice(*TWO_OF_ONE_ID, decides=True)
    yield from unchecked(files)
    if settings.get("reads_past_high_watermark") and any(file.role == "consumer" for file in files):
        yield OF_CONSUMERS


def unchecked(files: Sequence[ConfigurationFile]) -> Iterator[Notice]:
    """What the files have and the model does not, each once."""
    yield from _early(files)
    for one in UNCHECKED:
        found = (entry for file in files for entry in (*_of_keys(file, one.keys), *_named(file, one.name)))
        entry = next((entry for entry in found if re.fullmatch(one.value, entry.value.strip().lower())), None)
        if entry is not None:
            notice = entry.notice(f"{one.name}: not checked.", one.why, one.advice)
            yield replace(notice, unchecked=one.name)


def _early(files: Sequence[ConfigurationFile]) -> Iterator[Notice]:
    """That records are deleted by age sooner than by default, or by size, once."""
    for entry in (entry for file in files for entry in file.entries):
        number = int(entry.value) if re.fullmatch(r"\s*\d{1,20}\s*", entry.value) else None
        early = number is not None and entry.key in AGES and number * AGES[entry.key] < DEFAULT_AGE
        if early or (number is not None and entry.key in SIZES):
            yield replace(EARLY, key=entry.key, file=entry.file, line=entry.line)
            return


def _of_keys(file: ConfigurationFile, keys: Sequence[str]) -> Iterator[ConfigEntry]:
    return (entry for entry in file.entries if entry.key in keys)


def _named(file: ConfigurationFile, name: str) -> Iterator[ConfigEntry]:
    return (entry for what, entry in file.beyond if what == name)
