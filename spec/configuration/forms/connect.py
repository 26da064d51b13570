"""Kafka Connect: the producer of source connectors and the consumer of sink connectors, from workers and connectors.

Worker.java of Kafka sets both up: first Connect's own values, then the worker's `producer.*` and `consumer.*`, then the connector's
`producer.override.*` and `consumer.override.*`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..clients import CONNECT
from ..configuration_file import ConfigEntry, ConfigurationFile, SourceText, duplicates
from ..notices import ConfigurationError, Notice
from .client_objects import TAKES, entries_of_object
from .foreign_keys import decides_elsewhere
from .properties_file import parse_properties

WORKER, CONNECTOR = "Connect's worker", "Connect's connector"
MARK_OF_WORKER = re.compile(
    r"^(?:(?:offset|config|status)\.storage\.topic|offset\.storage\.file\.filename)[ \t]*[=:]", re.MULTILINE
)
CLASS = "connector.class"
MARK_OF_CONNECTOR = re.compile(rf"^{re.escape(CLASS)}[ \t]*[=:]", re.MULTILINE)
OF_SINKS = ("topics", "topics.regex")
EXACTLY_ONCE, POLICY = "exactly.once.source.support", "connector.client.config.override.policy"
OWN_TOPICS = (
    "config.storage.", "offset.storage.", "status.storage.", "topic.creation.", "errors.deadletterqueue.", "confluent.",
    "admin.", "transforms.", "predicates.",
)  # fmt: skip
"""How keys begin that are of the topics that Connect makes, of its admin client, or of a connector's own parts."""
ROLES = ("producer", "consumer")
WHY = "What is not understood here could change the verdict."


def is_worker(source: SourceText) -> bool:
    """Has it a key that only a worker has?"""
    return MARK_OF_WORKER.search(source.text) is not None


def is_connector(source: SourceText) -> bool:
    """Has it the class of a connector, as .properties, or as JSON that one sends to a worker?"""
    if source.text.lstrip().startswith("{"):
        return _object(source) is not None
    return MARK_OF_CONNECTOR.search(source.text) is not None


def read_worker(source: SourceText) -> list[ConfigurationFile]:
    """The producer and the consumer of a worker. Raises ConfigurationError."""
    entries, warnings = parse_properties(source.text, source.path)
    return of_worker(source.path, _once(entries), warnings)


def read_connector(source: SourceText) -> list[ConfigurationFile]:
    """The producer of a source or the consumer of a sink. Raises ConfigurationError."""
    if not source.text.lstrip().startswith("{"):
        entries, warnings = parse_properties(source.text, source.path)
        return of_connector(source.path, _once(entries), warnings)
    return of_connector(source.path, _once(entries_of_object(replace(source, text=_config_text(source)))), ())


def of_worker(path: str, entries: Sequence[ConfigEntry], warnings: Sequence[Notice]) -> list[ConfigurationFile]:
    """The producer and the consumer that a worker's entries amount to. Raises ConfigurationError."""
    problems = list(_unclear(entries, tuple(f"{role}." for role in ROLES)))
    if problems:
        raise ConfigurationError(problems)
    told = {entry.key: entry for entry in entries}
    files = []
    for role in ROLES:
        own = list(_below(entries, f"{role}."))
        exactly = told.get(EXACTLY_ONCE)
        if role == "producer" and exactly is not None and exactly.value.strip().lower() == "enabled":
            own += [
                replace(exactly, key=key, value=value, written=None)
                for key, value in (("enable.idempotence", "true"), ("transactional.id", "of each task"))
                if not any(entry.key == key for entry in own)
            ]
        files.append(
            ConfigurationFile(
                path=path, form=WORKER, role=role, entries=tuple(own), warnings=tuple(warnings), client=CONNECT
            )
        )
    policy = told.get(POLICY)
    if policy is not None:
        files = [replace(file, policy=policy) for file in files]
    return files


def of_connector(path: str, entries: Sequence[ConfigEntry], warnings: Sequence[Notice]) -> list[ConfigurationFile]:
    """The producer or the consumer that a connector's entries amount to, with the doubt of the worker. Raises ConfigurationError."""
    problems = list(_unclear(entries, tuple(f"{role}.override." for role in ROLES)))
    if problems:
        raise ConfigurationError(problems)
    sink = any(entry.key in OF_SINKS for entry in entries)
    role = "consumer" if sink else "producer"
    kind = "sink" if sink else "source"
    what = f"what the worker sets for its {role} is not known."
    why = f"The worker's {role}.* goes before Connect's own values."
    doubt = Notice(what=what, why=why, advice="Add the worker's file.", file=path, decides=True)
    again = Notice(
        what=f"a task of a {kind} that ends in a crash begins again at its last offset.",
        why="What it sends or hands on again is not asked about.",
        advice="Let what reads it take a repetition.",
        file=path,
    )
    own = tuple(_below(entries, f"{role}.override."))
    return [
        ConfigurationFile(
            path=path, form=CONNECTOR, role=role, entries=own, warnings=(*warnings, again, doubt), client=CONNECT
        )
    ]


def with_workers(files: Sequence[ConfigurationFile], problems: list[Notice]) -> list[ConfigurationFile]:
    """The files, those of connectors joined with their worker's: a connector's value goes before the worker's."""
    workers = {file.role: file for file in files if file.form == WORKER}
    connectors = [file for file in files if file.form == CONNECTOR]
    if not workers or not connectors:
        return list(files)
    joined = []
    for connector in connectors:
        worker = workers[connector.role]
        if connector.entries and worker.policy is not None and worker.policy.value.strip() in ("None", "Principal"):
            what = f"the worker's policy {worker.policy.value.strip()} does not let a connector set this."
            why, advice = "The connector does not start.", f"Set {POLICY}=All in the worker, or leave it out."
            problems.append(connector.entries[0].notice(what, why, advice))
        own = {entry.key for entry in connector.entries}
        rest = tuple(entry for entry in worker.entries if entry.key not in own)
        known = tuple(warning for warning in connector.warnings if not warning.decides)
        joined.append(replace(connector, entries=(*connector.entries, *rest), warnings=(*known, *worker.warnings)))
    return [*(file for file in files if file.form not in (WORKER, CONNECTOR)), *joined]


def _below(entries: Sequence[ConfigEntry], prefix: str) -> Iterator[ConfigEntry]:
    for entry in entries:
        if entry.key.startswith(prefix):
            yield replace(entry, key=entry.key.removeprefix(prefix), written=None)


def _unclear(entries: Sequence[ConfigEntry], prefixes: tuple[str, ...]) -> Iterator[Notice]:
    """The keys that are not handed on to a client, but end as one that decides."""
    for entry in entries:
        meant = None if entry.key.startswith((*prefixes, *OWN_TOPICS)) else decides_elsewhere(entry.key)
        if meant is not None:
            what = (
                f"it ends as one that decides: {meant}; and Connect hands on only what follows {' or '.join(prefixes)}"
            )
            yield entry.notice(f"{what}.", WHY, "Write it so, or leave it out of a copy.")


def _once(entries: Sequence[ConfigEntry]) -> Sequence[ConfigEntry]:
    problems = duplicates(entries, TAKES)
    if problems:
        raise ConfigurationError(problems)
    return entries


def _object(source: SourceText) -> dict[str, object] | None:
    """The connector's own object, which may stand below `config`."""
    try:
        found = json.loads(source.text)
    except (ValueError, RecursionError):
        return None
    if (
        isinstance(found, dict)
        and isinstance(found.get("config"), dict)
        and set(found) <= {"name", "config", "initial_state"}
    ):
        found = found["config"]
    return found if isinstance(found, dict) and CLASS in found else None


def _config_text(source: SourceText) -> str:
    """The text with only the connector's own object in it, at its place, so that lines stay what they are."""
    whole = json.loads(source.text)
    if CLASS in whole:
        return source.text
    begin = source.text.index("{", source.text.index('"config"'))
    _, end = json.JSONDecoder().raw_decode(source.text, begin)
    return "\n" * source.text.count("\n", 0, begin) + source.text[begin:end]
