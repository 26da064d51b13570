"""Kafka Streams: the producer and the consumer of an application, and the topics that Streams creates for it.

StreamsConfig of Kafka: a client takes its keys as they stand, and before those what follows `producer.`, or `main.consumer.` and
`consumer.`. Streams itself sets enable.auto.commit=false, and with exactly-once enable.idempotence=true and a transactional.id. Its
changelog and repartition topics have `replication.factor`, which is 1 by default before 3.0, and the brokers' default from then on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..catalogue import catalogue
from ..clients import STREAMS
from ..configuration_file import ConfigEntry, ConfigurationFile, SourceText, below, duplicates
from ..defaults import deciding_keys
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError, Notice
from .foreign import refuse_other_syntax
from .foreign_keys import decides_elsewhere
from .properties_file import parse_properties
from .spring_properties import is_spring

FORM, NEW_TOPICS = "Kafka Streams", "new topics of Kafka Streams"
EXACTLY_ONCE = "exactly-once of Kafka Streams"
APPLICATION, GUARANTEE, REPLICAS = "application.id", "processing.guarantee", "replication.factor"
MARK = re.compile(r"^[ \t]*application\.id[ \t]*[=:]", re.MULTILINE)
GUARANTEES = ("at_least_once", "exactly_once", "exactly_once_beta", "exactly_once_v2")
SINCE_3_0 = "exactly_once_v2"
"""The guarantee that only Streams from 3.0 on has (KIP-732)."""
OF_BROKERS, BEFORE_3_0 = "-1", "1"
PREFIXES = {"producer": ("producer.",), "consumer": ("main.consumer.", "consumer.")}
"""What stands before a key of a client; the first counts first."""
OTHERS = ("restore.consumer.", "global.consumer.", "admin.", "topic.")
NEUTRAL = ("num.standby.replicas",)
"""Keys of Streams that end as one that decides, and decide nothing here: standby replicas are of the application's state."""
HANDLERS = (
    *("default.deserialization.exception.handler", "deserialization.exception.handler"),
    "processing.exception.handler",
)
"""What says what becomes of a record that cannot be read (KIP-161, KIP-1056) or processed (KIP-1033)."""
EXTRACTORS = ("default.timestamp.extractor", "timestamp.extractor")
"""What says which time a record has: one with a negative time is skipped (RecordQueue.updateHead)."""
PRODUCTION_HANDLERS = ("default.production.exception.handler", "production.exception.handler")
"""What says whether the application goes on when a result cannot be sent (KIP-210)."""
STOPS_THEN = re.compile(r"(?:.*\.)?DefaultProductionExceptionHandler")
GOES_ON = re.compile(r"(?:.*\.)?(?:LogAndContinue\w*|LogAndSkipOnInvalidTimestamp)")
STOPS = re.compile(
    r"(?:.*\.)?(?:LogAndFail\w*|FailOnInvalidTimestamp|Use(?:Partition|Previous)TimeOnInvalidTimestamp|WallclockTimestampExtractor)"
)
COMMITS, ISOLATION = "enable.auto.commit", "isolation.level"
"""What Streams sets whatever a user writes; the second with exactly-once alone (CONSUMER_EOS_OVERRIDES)."""


def is_streams(source: SourceText) -> bool:
    """Has it the name of an application of Kafka Streams? In an application of Spring such a name is another client's."""
    return MARK.search(source.text) is not None and not is_spring(source)


def read_streams(source: SourceText) -> list[ConfigurationFile]:
    """The producer, the consumer and the topics of an application. Raises ConfigurationError."""
    entries, warnings = parse_properties(source.text, source.path)
    refuse_other_syntax(source.text, entries, source.path, lambda key: True)
    problems = duplicates(entries)
    if problems:
        raise ConfigurationError(problems)
    return of_application(source.path, entries, warnings)


def of_application(
    path: str, entries: Sequence[ConfigEntry], warnings: Sequence[Notice] = ()
) -> list[ConfigurationFile]:
    """What an application of Streams has with these entries. Raises ConfigurationError for what is not understood."""
    given = {entry.key: entry for entry in entries}
    problems = list(_unclear(entries))
    guarantee = given.get(GUARANTEE)
    if guarantee is not None and guarantee.value.strip() not in GUARANTEES:
        what = f"{guarantee.value.strip()!r} is no guarantee of Kafka Streams."
        problems.append(guarantee.notice(what, "It does not start.", f"Write one of {', '.join(GUARANTEES)}."))
    if problems:
        raise ConfigurationError(problems)
    exactly = guarantee if guarantee is not None and guarantee.value.strip() != GUARANTEES[0] else None
    producer = _of_client("producer", entries)
    if exactly is not None:
        producer |= {
            "enable.idempotence": replace(exactly, key="enable.idempotence", value="true", written=None),
            "transactional.id": replace(exactly, key="transactional.id", value="of each task", written=None),
        }
    consumer = _of_client("consumer", entries)
    if exactly is not None:
        consumer |= {ISOLATION: replace(exactly, key=ISOLATION, value="read_committed", written=None)}
    ignored = consumer.pop(COMMITS, None)
    if ignored is not None and ignored.value.strip().lower() != "false":
        what = "Kafka Streams commits by itself, and ignores it."
        warnings = (*warnings, ignored.notice(what, advice="Leave it out."))
    handlers = [given[key] for key in (*HANDLERS, *EXTRACTORS) if key in given]
    passes = next((one for one in handlers if GOES_ON.fullmatch(one.value.strip())), None)
    unsent = tuple(_may_go_on([given[key] for key in PRODUCTION_HANDLERS if key in given]))
    topics = _new_topics(path, entries, given, exactly)
    return [
        ConfigurationFile(
            path=path,
            form=FORM,
            role="producer",
            entries=tuple(producer.values()),
            warnings=(*warnings, *(unsent if exactly is not None else ())),
            client=STREAMS,
            creates=(topics,),
            beyond=() if exactly is None else ((EXACTLY_ONCE, exactly),),
        ),
        ConfigurationFile(
            path=path,
            form=FORM,
            role="consumer",
            entries=tuple(consumer.values()),
            client=STREAMS,
            passes_failed=passes,
            warnings=(*_unknown_handlers(handlers), *unsent),
        ),
    ]


def _unknown_handlers(handlers: Iterable[ConfigEntry]) -> Iterator[Notice]:
    """The doubt about a handler of which nobody knows here whether it goes on."""
    for one in handlers:
        known = GOES_ON.fullmatch(one.value.strip()) or STOPS.fullmatch(one.value.strip())
        if not known and one.key in EXTRACTORS:
            what = "it says which time a record has, which is not in the file."
            why = "A record with a negative time is skipped."
            yield one.notice(what, why, "Look whether it may return a negative one.", decides=True)
        elif not known:
            what = "it says what becomes of a record that fails, which is not in the file."
            why = "It is taken to stop. If it goes on, the record is skipped."
            yield one.notice(what, why, "Look whether it returns CONTINUE or RESUME.", decides=True)


def _may_go_on(handlers: Iterable[ConfigEntry]) -> Iterator[Notice]:
    """The doubt about a handler that may have a result left out whose sending fails."""
    for one in handlers:
        if not STOPS_THEN.fullmatch(one.value.strip()):
            what = "it says what becomes of a result that cannot be sent, which is not in the file."
            why = "If it goes on, the result is left out, and what it was made of counts as processed."
            yield one.notice(what, why, "Look whether it returns CONTINUE.", decides=True)


def _of_client(role: str, entries: Sequence[ConfigEntry]) -> dict[str, ConfigEntry]:
    """What a client takes: Kafka's own keys as they stand, and before those what has its prefix."""
    own = catalogue().keys[role]
    found = {entry.key: entry for entry in entries if entry.key in own}
    for prefix in reversed(PREFIXES[role]):
        found |= {entry.key: entry for entry in below(entries, prefix)}
    return found


def _new_topics(
    path: str, entries: Sequence[ConfigEntry], given: dict[str, ConfigEntry], exactly: ConfigEntry | None
) -> ConfigurationFile:
    """The changelog and repartition topics: their replicas, and what follows `topic.`."""
    own = below(entries, "topic.")
    replicas, warnings = given.get(REPLICAS), []
    if replicas is None and (exactly is None or exactly.value.strip() != SINCE_3_0):
        at = given[APPLICATION]
        replicas = replace(at, key=REPLICAS, value=BEFORE_3_0, written=None)
        what = f"{REPLICAS} is not set: before 3.0 Kafka Streams creates its topics with one replica."
        why = "From 3.0 on they have the brokers' default. Which release of Streams reads this is not in the file."
        advice = f"Write {REPLICAS}=3, or {REPLICAS}=-1 for the brokers' default."
        warnings.append(at.notice(what, why, advice, decides=True))
    if replicas is not None and replicas.value.strip() != OF_BROKERS:
        own.append(replicas)
    return ConfigurationFile(
        path=path,
        form=NEW_TOPICS,
        role="topic",
        name=f"new topics of {given[APPLICATION].value.strip()}",
        entries=tuple(own),
        warnings=tuple(warnings),
        client=STREAMS,
        apart=f"{given[APPLICATION].value.strip()}-",
    )


def _unclear(entries: Sequence[ConfigEntry]) -> Iterator[Notice]:
    """The keys that Streams hands on to nobody, but that end as one that decides."""
    prefixes = (*(prefix for own in PREFIXES.values() for prefix in own), *OTHERS)
    clients = catalogue().keys["producer"].keys() | catalogue().keys["consumer"].keys()
    for entry in entries:
        known = entry.key in clients or entry.key in (REPLICAS, *NEUTRAL) or entry.key.startswith(prefixes)
        meant = None if known else decides_elsewhere(entry.key)
        if meant is not None:
            what = f"it ends as one that decides: {meant}; and Kafka Streams hands it on to no client."
            advice = "Leave it out of a copy, and describe the topics that the program creates with Kafka's tools."
            if not _is_of_topics(meant):
                advice = f"Write producer.{meant}, or leave it out of a copy."
            yield entry.notice(what, WHY, advice)


def _is_of_topics(meant: str) -> bool:
    return meant in deciding_keys("topic") or meant.startswith("replica")
