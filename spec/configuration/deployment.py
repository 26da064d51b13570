"""A deployment: the settings of the model that a set of configuration files amounts to."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from neverlost.spec.kafka.releases import settings_of

from .configuration_file import ConfigurationFile, read_configuration
from .defaults import CONFIGURATION_KEYS, SHOWN_ONLY
from .foreign_keys import JAVA_MARKS, LIBRDKAFKA
from .keys import check_keys, decides_nothing
from .notices import ConfigurationError, Notice
from .producer_rules import IN_FLIGHT, Producer, ProducerFileSettings, old_producer, producer
from .suspicions import suspicions
from .unasked import unasked
from .values import SourcedValue, assumed, find_sources
from .version_choice import ChosenVersion, choose_version

CONSUMER_KEYS = frozenset(setting.key for setting in CONFIGURATION_KEYS if setting.role == "consumer")

PRODUCER_KEYS = {
    "acks": "acks",
    "retries": "retries",
    "enable.idempotence": "idempotence",
    IN_FLIGHT: "in_flight",
}
"""Which part of a Producer is the effective value of a key."""

WORST_BY_DEFAULT = frozenset({"flush.messages"})
"""No other value of these is worse than the default: nothing is safe only because of it."""


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """What is audited. `settings` are the model's; `sources` tell where each value comes from, by Kafka's key.

    `assumed_defaults` are the values that no file sets. `settings` has `acks` ("0", "1", "all"), `min_isr`, `unclean`, `retries`
    (0, or 1 for at least one), `idempotence`, `pipelined`, `flush`, `commit` ("none", "auto", "after"), and `elr` if it differs
    from what the profile has.
    """

    version: str
    release: str
    mode: str
    profile: str
    replication_factor: int
    settings: Mapping[str, str | int | bool]
    sources: Mapping[str, SourcedValue]
    assumed_defaults: Mapping[str, str]
    warnings: tuple[Notice, ...]

    @property
    def deciding_defaults(self) -> Mapping[str, str]:
        """The assumed defaults that the verdict may rest on.

        Not those that are shown only, and none that could only be better otherwise. Where a file asks for idempotence, the producer
        does not start with retries or requests in flight that do not go with it: what these are by default then decides nothing.
        """
        sources = self.sources
        asked = [
            key for key in ("enable.idempotence", "transactional.id") if key in sources and not sources[key].is_assumed
        ]
        settled = {"retries", IN_FLIGHT, "enable.idempotence"} if asked and self.settings["idempotence"] else set()
        left_out = SHOWN_ONLY | WORST_BY_DEFAULT | settled
        return {key: value for key, value in self.assumed_defaults.items() if key not in left_out}

    @property
    def doubts(self) -> tuple[Notice, ...]:
        """The warnings that could change the verdict."""
        return tuple(warning for warning in self.warnings if warning.decides)


def read_deployment(
    arguments: Sequence[str], *, kafka_version: str | None = None, changes: Mapping[str, str] | None = None
) -> Deployment:
    """The deployment that configuration files describe; an argument is a path or `role:path`.

    `changes` are values, by key, that go before what the files say: what would this deployment be with acks=all? What one key
    implies for others is then as if the files had it. Raises ConfigurationError with everything that is wrong in them.
    """
    problems: list[Notice] = []
    files: list[ConfigurationFile] = []
    if not arguments:
        advice = "Name the .properties files of producer, topic and broker, or what kafka-configs.sh --describe --all printed."
        raise ConfigurationError([Notice(what="no configuration file is named.", advice=advice)])
    for argument in dict.fromkeys(arguments):
        try:
            files += read_configuration(argument)
        except ConfigurationError as error:
            problems += error.problems
    problems += _other_clusters(files)
    chosen = _chosen(kafka_version, files, problems)
    if chosen is None:
        raise ConfigurationError(problems)
    about_version = [replace(warning, decides=True) for warning in chosen.warnings]
    warnings = [*about_version, *(warning for file in files for warning in file.warnings)]
    for file in files:
        found = list(check_keys(file, chosen.version))
        serious = [finding.notice for finding in found if finding.serious]
        problems += serious or decides_nothing(file)
        warnings += [finding.notice for finding in found if not finding.serious]
    sources, about_values = find_sources(files, chosen.version, problems)
    for key, value in (changes or {}).items():
        _change(sources, key, value, chosen.version, problems)
    if problems:
        raise ConfigurationError(problems)
    return _deployment(files, chosen, sources, [*warnings, *about_values], changed=bool(changes))


def _other_clusters(files: Sequence[ConfigurationFile]) -> Iterator[Notice]:
    """That a topic is of another cluster than the brokers are."""
    first = next((file for file in files if file.cluster), None)
    for file in files:
        if first is not None and file.cluster and file.cluster != first.cluster:
            what = f"this is of cluster {file.cluster}, and {first.path} of cluster {first.cluster}."
            why, advice = "The defaults of a topic are those of its own brokers.", "Audit each cluster by itself."
            line = file.entries[0].line if file.entries else None
            yield Notice(what=what, why=why, advice=advice, file=file.path, line=line)


def _change(sources: dict[str, SourcedValue], key: str, value: str, version: str, problems: list[Notice]) -> None:
    """Give a key another value, as if a file had it."""
    if key not in sources:
        problems.append(Notice(what=f"Kafka {version} does not have it.", key=key))
        return
    source = sources[key]
    sources[key] = replace(source, value=value, file=source.file or "as changed")


def _chosen(named: str | None, files: Sequence[ConfigurationFile], problems: list[Notice]) -> ChosenVersion | None:
    try:
        return choose_version(named, files)
    except ConfigurationError as error:
        problems += error.problems
        return None


def _deployment(
    files: Sequence[ConfigurationFile],
    chosen: ChosenVersion,
    sources: dict[str, SourcedValue],
    warnings: list[Notice],
    *,
    changed: bool,
) -> Deployment:
    made, roles = _producer(files, chosen, sources), {file.role for file in files}
    sources = _effective(sources, made, roles, old=_has_old_producer(files))
    problems = [_refusal(sources, key, why) for key, why in made.refused]
    problems += () if changed else _untold_client(files, made, sources)
    replicas, min_isr = int(sources["replication.factor"].value), int(sources["min.insync.replicas"].value)
    if min_isr > replicas:
        problems.append(_unreachable(sources, replicas, min_isr))
    if problems:
        raise ConfigurationError(problems)
    settings = _settings(made, sources, chosen)
    found = suspicions(settings, sources, replicas=replicas, roles=roles, conflict=made.conflict)
    return Deployment(
        version=chosen.version,
        release=chosen.release,
        mode=chosen.mode,
        profile=chosen.profile,
        replication_factor=replicas,
        settings=settings,
        sources=sources,
        assumed_defaults=assumed(sources),
        warnings=(*warnings, *unasked(files, chosen.release, chosen.mode), *found),
    )


def _settings(
    made: Producer, sources: Mapping[str, SourcedValue], chosen: ChosenVersion
) -> dict[str, str | int | bool]:
    settings: dict[str, str | int | bool] = {
        "acks": made.acks,
        "min_isr": int(sources["min.insync.replicas"].value),
        "unclean": sources["unclean.leader.election.enable"].value == "true",
        "retries": min(made.retries, 1),
        "idempotence": made.idempotence,
        "pipelined": made.in_flight > 1,
        "flush": int(sources["flush.messages"].value) <= 1,
        "commit": _commit(sources),
    }
    elr = sources.get("eligible.leader.replicas.version")
    if elr is not None and (elr.value == "1") != bool(settings_of(chosen.release, chosen.mode).get("elr")):
        settings["elr"] = elr.value == "1"
    return settings


def _effective(
    sources: Mapping[str, SourcedValue], made: Producer, roles: Collection[str], *, old: bool
) -> dict[str, SourcedValue]:
    """The sources with what the producer takes for keys that are not set, without those of clients that do not have them."""
    effective = {}
    for key, source in sources.items():
        if key in CONSUMER_KEYS and "consumer" not in roles:
            continue
        if key == "enable.idempotence" and old:
            continue
        changed = key in PRODUCER_KEYS and source.is_assumed
        effective[key] = replace(source, value=_written(getattr(made, PRODUCER_KEYS[key]))) if changed else source
    return effective


def _written(value: str | int | bool) -> str:
    """A value as a .properties file has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _producer(
    files: Sequence[ConfigurationFile], chosen: ChosenVersion, sources: Mapping[str, SourcedValue]
) -> Producer:
    """What the producer makes of what its file sets."""
    told = {key: source.value for key, source in sources.items() if not source.is_assumed}
    written = ProducerFileSettings(
        acks=told.get("acks"),
        retries=int(told["retries"]) if "retries" in told else None,
        idempotence=told["enable.idempotence"] == "true" if "enable.idempotence" in told else None,
        in_flight=int(told[IN_FLIGHT]) if IN_FLIGHT in told else None,
        transactional="transactional.id" in told,
    )
    if _has_old_producer(files):
        return old_producer(written)
    return producer(written, chosen.version, chosen.release)


def _untold_client(
    files: Sequence[ConfigurationFile], made: Producer, sources: Mapping[str, SourcedValue]
) -> Iterator[Notice]:
    """That nothing tells which client reads the producer's file, where they differ in what keeps records from being duplicated.

    `acks=all` alone may be librdkafka's as well as the Java client's: the one is not idempotent by default and retries, the other is
    idempotent from 3.0 on, and does not retry before 2.1. What both understand alike needs no such word, nor does what is not safe.
    """
    producers = [file for file in files if file.role == "producer"]
    keys = {entry.key for file in producers for entry in file.entries}
    if not producers or keys & JAVA_MARKS or _has_old_producer(files):
        return
    told = {key for key, source in sources.items() if not source.is_assumed}
    if made.idempotence and not told & {"enable.idempotence", "transactional.id"}:
        key, taken = "enable.idempotence", "true"
    elif not made.idempotence and made.retries == 0 and "retries" not in told:
        key, taken = "retries", "0"
    else:
        return
    what = f"nothing in this file tells which client reads it, and {key} is not set."
    why = f"Kafka's Java client takes {key}={taken} by default. {LIBRDKAFKA}, does not, and may duplicate and reorder."
    advice = (
        f"Write {key}; or, if it is the Java client's, what that alone has, such as key.serializer or buffer.memory."
    )
    yield Notice(what=what, why=why, advice=advice, file=producers[0].path)


def _has_old_producer(files: Sequence[ConfigurationFile]) -> bool:
    return any(file.role == "producer" and file.is_old_client for file in files)


def _commit(sources: Mapping[str, SourcedValue]) -> str:
    """How the consumer commits: without its configuration there is none in the model."""
    if "enable.auto.commit" not in sources:
        return "none"
    return "auto" if sources["enable.auto.commit"].value == "true" else "after"


def _refusal(sources: Mapping[str, SourcedValue], key: str, why: str) -> Notice:
    what = "the producer does not start with this."
    return sources[key].notice(what, f"{why[0].upper()}{why[1:]}.", "Change the one or the other.")


def _unreachable(sources: Mapping[str, SourcedValue], replicas: int, min_isr: int) -> Notice:
    """min.insync.replicas above the replication factor, at the place of the one that a file sets."""
    of_replicas, of_min_isr = sources["replication.factor"], sources["min.insync.replicas"]
    where = (
        f"{of_replicas.file}:{of_replicas.line}"
        if of_replicas.file
        else f"the default, for no {of_replicas.key} is set"
    )
    return of_min_isr.notice(
        f"{min_isr} replicas must be in sync, and the topic has {replicas} ({where}).",
        "With acks=all nothing can ever be written.",
        f"Set it to {max(1, replicas - 1)}, or give the topic more replicas: replication.factor in the topic's file, "
        "default.replication.factor in the broker's, or add what kafka-topics.sh --describe prints.",
    )
