"""What a release does to records that an audit asks nothing about, where a file has the key that leads to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from neverlost.spec.kafka.releases import settings_of

from .configuration_file import ConfigurationFile
from .notices import Notice


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
        "Upgrade to 3.1 or later; neverlost bugs KAFKA-13194 tells how it happens.",
    ),
    Hazard(
        "exposes_diverging",
        ("replica.selector.class",),
        "",
        "consumers may read from followers, which is not asked about.",
        "From 2.8.0 to 3.4.0 a follower shows records that it is about to cut (KAFKA-14704).",
        "Upgrade to 3.4.1 or later; neverlost bugs KAFKA-14704 tells how it happens.",
    ),
)
OF_CONSUMERS = Notice(
    what="what a consumer reads above the high watermark is not asked about.",
    why="From 1.1 to 2.5.0 a fetch may take in a record that is appended at that moment, and lost with its leader (KAFKA-9835).",
    advice="Upgrade to 2.5.1 or later; neverlost bugs KAFKA-9835 tells how it happens.",
    decides=True,
)


def unasked(files: Sequence[ConfigurationFile], release: str, mode: str) -> Iterator[Notice]:
    """A doubt for each such key of a release that is so, and for its consumers."""
    settings = settings_of(release, mode)
    for hazard in HAZARDS:
        for file in files if settings.get(hazard.setting) else ():
            for entry in file.entries:
                if entry.key in hazard.keys and entry.value and hazard.part in entry.value:
                    yield entry.notice(hazard.what, hazard.why, hazard.advice, decides=True)
    if settings.get("reads_past_high_watermark") and any(file.role == "consumer" for file in files):
        yield OF_CONSUMERS
