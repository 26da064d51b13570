"""Kafka Connect: the producer of source connectors and the consumer of sink connectors, from workers and connectors.

Worker.java of Kafka sets both up: first Connect's own values, then the worker's `producer.*` and `consumer.*`, then the connector's
`producer.override.*` and `consumer.override.*`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..clients import CONNECT, SPRING_CLOUD
from ..configuration_file import ConfigEntry, ConfigurationFile, SourceText, below, duplicates
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError, Notice
from ..topics import of_file
from .client_objects import TAKES, entries_of_object
from .connect_topics import ENABLE, PREFIX, beside, new_topics
from .foreign import refuse_other_syntax
from .foreign_keys import decides_elsewhere
from .properties_file import parse_properties

WORKER, CONNECTOR = "Connect's worker", "Connect's connector"
MARK_OF_WORKER = re.compile(
    r"^(?:(?:offset|config|status)\.storage\.topic|offset\.storage\.file\.filename)[ \t]*[=:]", re.MULTILINE
)
CLASS = "connector.class"
REFUSING = re.compile(r"(?:.*\.)?(?:None|Principal)(?:ConnectorClientConfigOverridePolicy)?")
"""Policies of a worker, by name or class, that let a connector set nothing that is read here."""
MARK_OF_CONNECTOR = re.compile(rf"^{re.escape(CLASS)}[ \t]*[=:]", re.MULTILINE)
OF_SINKS = ("topics", "topics.regex")
OF_MIRRORS = "org.apache.kafka.connect.mirror."
TOLERANCE, DEAD_LETTERS = "errors.tolerance", "errors.deadletterqueue.topic.name"
"""KIP-298: whether a connector goes on behind a record that fails, and the topic in which a sink keeps such a record."""
GOES_ON = (
    (re.compile(rf"(?:.*\.)?{re.escape(TOLERANCE)}"), ("all",)),
    (re.compile(r"behavior\.on\.(?:error|malformed\.documents)"), ("ignore", "log", "warn")),
    (re.compile(r"drop\.invalid\.message"), ("true",)),
    (re.compile(r"event\.processing\.failure\.handling\.mode"), ("ignore", "skip", "warn")),
)
"""Keys and values with which a connector goes on: Connect's own, also behind a prefix as MongoDB's, Confluent's sinks, Debezium."""
WORKER_UNKNOWN = "what the worker sets for its {} is not known."
STANDALONE = "offset.storage.file.filename"
SINCE_EXACTLY_ONCE, SINCE_OVERRIDES, SINCE_ALLOWED = "3.3", "2.3", "3.0"
"""KIP-618; KIP-458; KIP-722, before which a worker without a policy lets no connector override anything."""
EXACTLY_ONCE, POLICY = "exactly.once.source.support", "connector.client.config.override.policy"
OWN_TOPICS = (
    "config.storage.", "offset.storage.", "status.storage.", PREFIX, "errors.deadletterqueue.", "confluent.",
    "admin.", "transforms.", "predicates.",
)  # fmt: skip
"""How keys begin that are of the topics that Connect makes, of its admin client, or of a connector's own parts."""
OF_A_STORE = re.compile(r"(?:.*\.)?(?:storage|store)\.topic\.replication\.factor")
"""What sets the replicas of a topic in which a connector keeps something of its own, as its status."""
OWN_REPLICAS = ("config.storage.replication.factor", "offset.storage.replication.factor")
ROLES = ("producer", "consumer")


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
    entries, warnings = _plain_properties(source)
    return of_worker(source.path, entries, warnings)


def read_connector(source: SourceText) -> list[ConfigurationFile]:
    """The producer of a source or the consumer of a sink. Raises ConfigurationError."""
    if not source.text.lstrip().startswith("{"):
        entries, warnings = _plain_properties(source)
        return of_connector(source.path, entries, warnings)
    return of_connector(source.path, _once(entries_of_object(replace(source, text=_config_text(source)))), ())


def of_worker(
    path: str, entries: Sequence[ConfigEntry], warnings: Sequence[Notice], name: str | None = None
) -> list[ConfigurationFile]:
    """The producer and the consumer that a worker's entries amount to; `name` is that of its cluster. Raises ConfigurationError."""
    problems = list(_unclear(entries, tuple(f"{role}." for role in ROLES)))
    if problems:
        raise ConfigurationError(problems)
    given = {entry.key: entry for entry in entries}
    exactly = given.get(EXACTLY_ONCE)
    if exactly is not None and exactly.value.strip().lower() != "enabled":
        exactly = None
    if exactly is not None and STANDALONE in given:
        what = "a standalone worker has no exactly-once support."
        raise ConfigurationError([exactly.notice(what, "It has no effect.", "Leave it out.")])
    files = []
    for role in ROLES:
        own = below(entries, f"{role}.")
        if role == "producer" and exactly is not None:
            own += [
                replace(exactly, key=key, value=value, written=None)
                for key, value in (("enable.idempotence", "true"), ("transactional.id", "of each task"))
                if not any(entry.key == key for entry in own)
            ]
        files.append(
            ConfigurationFile(
                path=path,
                form=WORKER,
                role=role,
                entries=tuple(own),
                warnings=tuple(warnings),
                name=name,
                client=CONNECT,
                needs=() if exactly is None else ((SINCE_EXACTLY_ONCE, exactly),),
                beyond=() if exactly is None else (("exactly-once sources of Kafka Connect", exactly),),
            )
        )
    files[0] = replace(files[0], warnings=(*files[0].warnings, *_about_own_topics(entries)))
    return [replace(file, policy=given.get(POLICY), creation=given.get(ENABLE)) for file in files]


def _about_own_topics(entries: Sequence[ConfigEntry]) -> Iterator[Notice]:
    for entry in entries:
        if entry.key in OWN_REPLICAS and entry.value.strip() == "1":
            why = "With its one broker offsets or connectors are lost, and sources read again from their beginning."
            yield entry.notice("what Connect keeps of its own has one replica.", why, "Write 3 before the first start.")


def of_connector(
    path: str, entries: Sequence[ConfigEntry], warnings: Sequence[Notice], name: str | None = None
) -> list[ConfigurationFile]:
    """The producer or the consumer that a connector's entries amount to, with the doubt of the worker. Raises ConfigurationError.

    `name` is that of the workers that run it.
    """
    problems = [*_unclear_kind(entries)] or [*_unclear(entries, tuple(f"{role}.override." for role in ROLES))]
    if problems:
        raise ConfigurationError(problems)
    sink = _is_sink(entries)
    role = "consumer" if sink else "producer"
    own = tuple(below(entries, f"{role}.override."))
    given = {entry.key: entry for entry in entries}
    passes = next((entry for entry in entries if _goes_on(entry)), None)
    letters = given.get(DEAD_LETTERS)
    keeps = letters if letters is not None and letters.value.strip() else None
    left = [_about_dead_letters(keeps)] if sink and keeps is not None else []
    left += [] if sink else that_leave_out(entries)
    created = [entry for entry in entries if sink and entry.key.startswith(PREFIX)]
    ignored = [entry.notice("a sink creates no topics.", "It has no effect.", "Leave it out.") for entry in created]
    return [
        ConfigurationFile(
            path=path,
            form=CONNECTOR,
            role=role,
            entries=own,
            warnings=(*warnings, *ignored, *left, *_about_tasks(path, role)),
            name=name,
            client=CONNECT,
            creates=() if sink else tuple(new_topics(path, entries)),
            needs=tuple((SINCE_ALLOWED, entry) for entry in own),
            passes_failed=passes if sink else None,
            keeps_failed=keeps if sink else None,
        )
    ]


def _about_tasks(path: str, role: str) -> Iterator[Notice]:
    """What is to be said of every connector: of its tasks that end in a crash, and of its worker."""
    yield Notice(
        what=f"a task of a {'sink' if role == 'consumer' else 'source'} that ends in a crash begins again at its last offset.",
        why="What it sends or hands on again is not asked about.",
        advice="Let what reads it take a repetition.",
        file=path,
    )
    what, why = WORKER_UNKNOWN.format(role), f"The worker's {role}.* goes before Connect's own values."
    yield Notice(what=what, why=why, advice="Add the worker's file.", file=path, decides=True)


def _goes_on(entry: ConfigEntry) -> bool:
    """Does it have a connector go on behind a record that fails?"""
    return any(key.fullmatch(entry.key) and entry.value.strip().lower() in values for key, values in GOES_ON)


def that_leave_out(entries: Iterable[ConfigEntry]) -> Iterator[Notice]:
    """The doubt about each key with which a source leaves records out (KIP-298, and of those that cannot be sent KIP-779)."""
    for entry in filter(_goes_on, entries):
        what = "the source goes on behind a record that it cannot read, convert or send, and leaves it out."
        why = "No topic has such a record, as one that is too large; the source does not read it again."
        yield entry.notice(what, why, "Let the source stop there, or watch its log.", decides=True)


def _about_dead_letters(keeps: ConfigEntry) -> Notice:
    """The doubt about where a sink keeps records that fail (DeadLetterQueueReporter: a failed send is logged)."""
    what = "what a sink sends to its topic of dead letters is not audited."
    why = "The offset of a record that failed may be committed before it is kept there, and a send that fails is logged only."
    return keeps.notice(what, why, "Audit that topic with the worker's producer, and watch its log.", decides=True)


def with_workers(files: Sequence[ConfigurationFile], problems: list[Notice]) -> list[ConfigurationFile]:
    """The files, those of connectors joined with their worker's, and the topics that it creates for them.

    A connector's value goes before the worker's.
    """
    workers = [file for file in files if file.form == WORKER]
    connectors = [file for file in files if file.form == CONNECTOR]
    if workers and connectors:
        joined = [_joined(connector, workers, problems) for connector in connectors]
        others = [file for file in files if file.form not in (WORKER, CONNECTOR)]
        files = [*others, *(file for file in joined if file is not None)]
    described = [file for file in files if file.role == "topic"]
    if not described:
        made = [_that_may_be_there(topic) for file in files for topic in _made_by(file)]
        return [*(_of_unknown_topics(file) if made else file for file in files), *made]
    own = [topic for file in files for topic in _made_by(file) if _is_another(topic, described)]
    unnamed = [file for file in described if file.name is None] if own else []
    return [
        *(
            replace(
                file,
                name=of_file(unnamed[0].path) if file in unnamed else file.name,
                warnings=(*file.warnings, *beside(described, [topic for topic in file.creates if not topic.apart])),
            )
            for file in files
        ),
        *own,
    ]


def sinks_with_workers(files: Sequence[ConfigurationFile]) -> list[ConfigurationFile]:
    """The files, sinks joined with what their worker sets for a consumer. A worker whose sinks are among the files has no other one."""
    workers = {file.name: file for file in files if file.form == WORKER and file.role == "consumer"}
    sinks = [file for file in files if file.form == CONNECTOR and file.role == "consumer" and file.name in workers]
    joined = {id(file): _joined(file, [workers[file.name]], []) or file for file in sinks}
    run = {id(workers[file.name]) for file in sinks}
    return [joined.get(id(file), file) for file in files if id(file) not in run]


def _made_by(file: ConfigurationFile) -> list[ConfigurationFile]:
    """The topics that a program creates: for itself, but several bindings of Spring Cloud Stream may have one topic."""
    maker = None if file.client is SPRING_CLOUD else (file.path, file.name)
    return [replace(topic, created_by=maker) for topic in file.creates]


def _is_another(topic: ConfigurationFile, described: Sequence[ConfigurationFile]) -> bool:
    """Is a topic that a program creates for itself none of those that are described?"""
    return topic.apart is not None and not any((file.name or "").startswith(topic.apart) for file in described)


def _that_may_be_there(topic: ConfigurationFile) -> ConfigurationFile:
    """New topics, with the doubt that others are there already."""
    what = "new topics are audited: one that is there already keeps what it has."
    why = "Kafka Streams does not create the topics of its input and its results." if topic.apart else ""
    advice = "Add what kafka-topics.sh --describe prints."
    doubt = Notice(what=what, why=why, advice=advice, file=topic.path, decides=True)
    return replace(topic, warnings=(*topic.warnings, doubt))


def _of_unknown_topics(file: ConfigurationFile) -> ConfigurationFile:
    """A producer that creates no topics, beside a program whose new topics are audited, with the doubt about its own."""
    if file.role != "producer" or file.creates:
        return file
    whose, others = ("connector", "another one") if file.form == CONNECTOR else ("producer", "another program")
    what = f"the topics of this {whose} are not known: those of {others} are audited."
    advice = "Audit it apart, or add what kafka-topics.sh --describe prints."
    return replace(file, warnings=(*file.warnings, Notice(what=what, advice=advice, file=file.path, decides=True)))


def _joined(
    connector: ConfigurationFile, workers: Sequence[ConfigurationFile], problems: list[Notice]
) -> ConfigurationFile | None:
    """The connector's file with what its worker sets; None if there is not exactly one, which goes to `problems`."""
    fitting = [file for file in workers if file.role == connector.role and file.name == connector.name]
    if len(fitting) != 1:
        which = f"the workers {connector.name}" if connector.name else "the worker"
        found = "not among the files" if not fitting else "not the only one"
        what = f"{which} of this connector is {found}."
        problems.append(Notice(what=what, advice="Audit a connector with its own worker.", file=connector.path))
        return None
    (worker,) = fitting
    if connector.entries and worker.policy is not None and REFUSING.fullmatch(worker.policy.value.strip()):
        what = f"the worker's policy {worker.policy.value.strip()} does not let a connector set this."
        why, advice = "The connector does not start.", f"Set {POLICY}=All in the worker, or leave it out."
        problems.append(connector.entries[0].notice(what, why, advice))
    own = {entry.key for entry in connector.entries}
    rest = tuple(entry for entry in worker.entries if entry.key not in own)
    unknown = WORKER_UNKNOWN.format(connector.role)
    known = tuple(warning for warning in connector.warnings if warning.what != unknown)
    since = SINCE_ALLOWED if worker.policy is None else SINCE_OVERRIDES
    needs = (*worker.needs, *((since, entry) for _, entry in connector.needs))
    creates, warnings = connector.creates, (*known, *worker.warnings)
    if creates and worker.creation is not None and worker.creation.value.strip().lower() == "false":
        what, why = "the worker creates no topics.", f"What the connector has of {PREFIX}* has no effect."
        creates, warnings = (), (*warnings, worker.creation.notice(what, why, f"Leave {ENABLE} out of the worker."))
    entries = (*connector.entries, *rest)
    return replace(connector, entries=entries, warnings=warnings, needs=needs, creates=creates)


def _is_sink(entries: Sequence[ConfigEntry]) -> bool:
    """Does it take records out of Kafka? Its class says so by its name, or else what only a sink needs."""
    name = _class_name(entries)
    if "Source" in name or "Sink" in name:
        return "Source" not in name
    return any(entry.key in OF_SINKS for entry in entries)


def _class_name(entries: Sequence[ConfigEntry]) -> str:
    named = next((entry.value for entry in entries if entry.key == CLASS), "")
    return named.strip().rsplit(".", 1)[-1]


def _unclear_kind(entries: Sequence[ConfigEntry]) -> Iterator[Notice]:
    """That a connector has clients that are set up otherwise, or that its kind is not clear."""
    for entry in entries:
        if entry.key == CLASS and (OF_MIRRORS in entry.value or _class_name(entries).startswith("Mirror")):
            what = "MirrorMaker's connectors set up clients of their own."
            yield entry.notice(what, WHY, "Leave it out of a copy, and audit what they get.")
        other = "producer" if _is_sink(entries) else "consumer"
        if entry.key.startswith(f"{other}.override.") and other == "producer" and "Sink" not in _class_name(entries):
            what = "a sink has no producer, and this has topics as a sink has."
            yield entry.notice(what, WHY, "Audit the source and the sink apart, or leave it out of a copy.")


def _unclear(entries: Sequence[ConfigEntry], prefixes: tuple[str, ...]) -> Iterator[Notice]:
    """The keys that are not handed on to a client, but end as one that decides."""
    for entry in entries:
        own = entry.key.startswith((*prefixes, *OWN_TOPICS)) or OF_A_STORE.fullmatch(entry.key)
        meant = None if own else decides_elsewhere(entry.key)
        if meant is not None:
            what = (
                f"it ends as one that decides: {meant}; and Connect hands on only what follows {' or '.join(prefixes)}"
            )
            yield entry.notice(f"{what}.", WHY, "Write it so, or leave it out of a copy.")


def _plain_properties(source: SourceText) -> tuple[Sequence[ConfigEntry], Sequence[Notice]]:
    entries, warnings = parse_properties(source.text, source.path)
    refuse_other_syntax(source.text, entries, source.path, lambda key: True)
    return _once(entries), warnings


def _once(entries: Sequence[ConfigEntry]) -> Sequence[ConfigEntry]:
    problems = duplicates(entries, TAKES)
    if problems:
        raise ConfigurationError(problems)
    return entries


def _object(source: SourceText) -> dict[str, object] | None:
    """The connector's own object, which may stand below `config`."""
    try:
        found = json.loads(source.text, object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError):
        return None
    if (
        isinstance(found, dict)
        and isinstance(found.get("config"), dict)
        and set(found) <= {"name", "config", "initial_state"}
    ):
        found = found["config"]
    return found if isinstance(found, dict) and CLASS in found else None


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The object; none with a part of that name twice, of which one would be lost. Plain keys are looked at later."""
    found = dict(pairs)
    if sum(isinstance(value, dict) for _, value in pairs) > sum(isinstance(value, dict) for value in found.values()):
        raise ValueError
    return found


def _config_text(source: SourceText) -> str:
    """The text with only the connector's own object in it, at its place, so that lines stay what they are."""
    whole = json.loads(source.text)
    if CLASS in whole:
        return source.text
    begin = source.text.index("{", source.text.index('"config"'))
    _, end = json.JSONDecoder().raw_decode(source.text, begin)
    return "\n" * source.text.count("\n", 0, begin) + source.text[begin:end]
