"""A deployment: the settings of the model that a set of configuration files amounts to."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from neverlost.model.arguments import argument
from neverlost.spec.families import exposures
from neverlost.spec.kafka.replication.differences import TIME_LINE

from .catalogue import catalogue
from .clients import IN_FLIGHT, LIBRDKAFKA, Client
from .configuration_file import ConfigurationFile, entries_of
from .controllers import seen_by_controllers
from .defaults import CONFIGURATION_KEYS, SHOWN_ONLY
from .features import ELR_KEY
from .forgotten import about_forgetting
from .forms.librdkafka import unknown_keys
from .keys import check_keys, decides_nothing
from .notices import ConfigurationError, Notice, place_of
from .old_formats import TO_HIGH_WATERMARK, formats_without_epochs
from .producer_rules import Producer, ProducerFileSettings, old_producer, other_producer, producer
from .programs import Origin
from .protocol import about_protocol, held_settings, protocol_of
from .readings import CLIENT, ZONES, Reading
from .storage import replicas_on_one_machine
from .suspicions import suspicions
from .tolerance import NODE_LOSS, ZONE_LOSS
from .topics import INTERNAL, TopicClass
from .unasked import unasked
from .values import ACKS, SourcedValue, assumed, find_sources, halves
from .version_choice import ChosenVersion, chosen
from .versions import at_least

KEYS_OF = {
    role: frozenset(setting.key for setting in CONFIGURATION_KEYS if setting.role == role)
    for role in ("producer", "consumer")
}

PRODUCER_KEYS = {
    "acks": "acks",
    "retries": "retries",
    "enable.idempotence": "idempotence",
    IN_FLIGHT: "in_flight",
}
"""Which part of a Producer is the effective value of a key."""

UNCLEAN = "unclean.leader.election.enable"
RACK = "broker.rack"

EFFECTIVE_MIN_ISR = "3.7"
"""From here on a leader asks for no more replicas in sync than the partition has (KAFKA-15583, Partition.effectiveMinIsr)."""

TAKES_ANY_FIRST_SINCE = "2.5"
"""From here on a partition that has nothing of a producer accepts any first sequence number (KIP-360, KAFKA-15591)."""

WORST_BY_DEFAULT = frozenset({"flush.messages"})
"""No other value of these is worse than the default: nothing is safe only because of it."""


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """What is audited: topics that are alike, with their brokers, producer and consumer.

    `topics` are their names, if the files name them, and `programs` those of the programs that use them, if there are several.
    `origins` has the files of each of these programs, or of the one that there is.
    `internal`: brokers alone write to them. `settings` are the model's.
    `reading` is the choice for what the files leave open, `alike` are the readings with the same answers, itself among them, and
    `others` are the deployments with other answers that the files may be of as well.
    `sources` say where each value comes from, by Kafka's key; `clients` are those that read the producer's and the consumer's files,
    `client_doubts` the warnings about what the producer's client does otherwise than the model.
    `assumed_defaults` are the values that no file sets. `settings` has `acks` ("0", "1", "all"), `min_isr`, `unclean`, `retries`
    (0, or 1 for at least one), `idempotence`, `pipelined`, `flush`, `commit` ("none", "auto", "after"), `elr` if it differs
    from what the profile has, and, if they are true, `acks_earlier` and `renumbers`: the producer begins new epochs.
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
    topics: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = (Origin(),)
    internal: bool = False
    clients: Mapping[str, Client] = field(default_factory=dict)
    client_doubts: tuple[Notice, ...] = field(default=(), repr=False)
    files: tuple[ConfigurationFile, ...] = field(default=(), repr=False)
    reading: Reading
    alike: tuple[Reading, ...] = field(default=(), repr=False)
    others: tuple[Deployment, ...] = field(default=(), repr=False)

    @property
    def behaviour(self) -> tuple[object, ...]:
        """What decides: deployments that are equal in it have the same answers."""
        return self.profile, self.replication_factor, self.internal, tuple(sorted(self.settings.items()))

    @property
    def units(self) -> tuple[str, ...]:
        """What is distinguished: each topic with each program."""
        return units(self.topics, self.programs)

    @property
    def deciding_defaults(self) -> Mapping[str, str]:
        """The assumed defaults that the verdict may rest on.

        Not those that are shown only, and none that could only be better otherwise. Where a file asks for idempotence, the producer
        does not start with retries or requests in flight that do not go with it: what these are by default then decides nothing.
        """
        sources = self.sources
        asked = [key for key in ("enable.idempotence", "transactional.id") if key in sources and sources[key].is_set]
        settled = {"retries", IN_FLIGHT, "enable.idempotence"} if asked and self.settings["idempotence"] else set()
        of_readings = {ELR_KEY} if self.reading.elr is not None else set()
        left_out = SHOWN_ONLY | WORST_BY_DEFAULT | settled | of_readings
        return {key: value for key, value in self.assumed_defaults.items() if key not in left_out}

    @property
    def zones(self) -> int:
        """In how many zones the brokers are, as far as it is said; 0 if some file of brokers says nothing of it.

        Kafka gives a new partition a replica in every zone, if it has enough of them (KIP-36, AdminUtils, StripedReplicaPlacer).
        """
        if ZONES in self.reading.assumed:
            return int(self.reading.assumed[ZONES])
        named = [
            {entry.value.strip() for entry in file.entries if entry.key == RACK and entry.value.strip()}
            for file in self.files
            if file.role == "broker"
        ]
        return len(set().union(*named)) if all(named) else 0

    @property
    def replicas_in_one_zone(self) -> int:
        """How many replicas of a partition one zone may have: the others are in the other zones, at least one in each."""
        return self.replication_factor if self.zones == 0 else max(1, self.replication_factor - self.zones + 1)

    @property
    def replicas_on_one_machine(self) -> int:
        """How many replicas of a partition one machine may have: one, unless the files show several brokers on one."""
        return replicas_on_one_machine(self.files, self.replication_factor)

    @property
    def replicas_taken(self) -> Mapping[str, int]:
        """How many replicas of a partition an event takes together, by its name."""
        machine = self.replicas_on_one_machine
        return {NODE_LOSS: machine, ZONE_LOSS: max(machine, self.replicas_in_one_zone)}

    @property
    def unchecked(self) -> tuple[Notice, ...]:
        """What the files have and the model does not."""
        return tuple(warning for warning in self.warnings if warning.unchecked)

    @property
    def doubts(self) -> tuple[Notice, ...]:
        """The warnings that could change the verdict."""
        return tuple(warning for warning in self.warnings if warning.decides)


def units(topics: Sequence[str], programs: Sequence[str]) -> tuple[str, ...]:
    """Each topic with each program, in words; only the ones if there are no names of the others."""
    if not topics or not programs:
        return tuple(topics or programs)
    return tuple(f"{topic} with {program}" for topic, program in product(topics, programs))


def _of_later_versions(files: Sequence[ConfigurationFile], version: str) -> Iterator[Notice]:
    """What a version does not take yet, which a file has of Kafka Connect's."""
    for file in files:
        for since, entry in file.needs:
            if not at_least(version, since):
                what = f"Kafka Connect takes this from {since} on."
                yield entry.notice(what, "It has no effect before.", "Leave it out.")


def deployment_after(deployment: Deployment, changes: Mapping[str, str], version: str) -> Deployment:
    """The deployment with other values, by key, and of another version: what would it be with acks=all?

    What one key implies for others is then as if the files had it. Raises ConfigurationError.
    """
    before = deployment.reading
    same = version == before.chosen.release
    after = before.chosen if same else chosen(version, before.chosen.mode)
    topics = TopicClass(names=deployment.topics, files=deployment.files)
    java = (before.java, before.java_release)
    if not same and before.java == before.chosen.version:
        java = (after.version, after.release)
    reading = replace(before, chosen=after, java=java[0], java_release=java[1], elr=before.elr if same else None)
    return deployment_of(topics, reading, changes, upgrades=not same)


def _change(sources: dict[str, SourcedValue], key: str, value: str, version: str, problems: list[Notice]) -> None:
    """Give a key another value, as if a file had it."""
    if key not in sources:
        problems.append(Notice(what=f"Kafka {version} does not have it.", key=key))
        return
    source = sources[key]
    sources[key] = replace(source, value=value, file=source.file or "as changed")


def deployment_of(
    topics: TopicClass,
    reading: Reading,
    changes: Mapping[str, str],
    *,
    all_read: bool = True,
    upgrades: bool = False,
) -> Deployment:
    """The deployment of a class of topics, with changes to it. Raises ConfigurationError with all that is wrong with it.

    An upgrade is finished: brokers then speak the protocol of their release.
    If not all files could be read, what is wrong is looked for in each key by itself: how values go together is not known.
    """
    internal, chosen, clients = topics.internal, reading.chosen, reading.clients
    files = topics.files if internal is None else [file for file in topics.files if file.role not in KEYS_OF]
    files = [_read_by(file, clients) for file in files]
    problems, warnings = _of_keys(files, reading)
    sources, about_values = find_sources(files, reading, problems)
    sources[UNCLEAN], doubts = seen_by_controllers(sources[UNCLEAN], files, chosen)
    about_values += doubts
    for key, value in changes.items():
        _change(sources, key, value, chosen.version, problems)
    if not changes:
        problems += halves(files)
    if problems or not all_read:
        raise ConfigurationError(problems)
    roles = {file.role for file in files}
    made = _producer(files, reading, sources) if internal is None else _brokers(internal, files, chosen.version)
    sources = _effective(
        sources, made, roles if internal is None else {*roles, "brokers"}, old=_has_old_producer(files)
    )
    if refusals := list(_refusals(made, sources, chosen.version)):
        raise ConfigurationError(refusals)
    replicas = int(sources["replication.factor"].value)
    settings = _settings(made, sources, chosen, commit=_commit(sources, files))
    for exposure in exposures().values():
        settings |= exposure.settings(sources, chosen)
    protocol = None if upgrades else protocol_of(files, chosen)
    if protocol is not None:
        settings |= held_settings(protocol, chosen)
        warnings.insert(0, about_protocol(protocol, chosen))
    old_format = formats_without_epochs(files, chosen.version)
    if old_format:
        settings["truncation"] = TO_HIGH_WATERMARK
        warnings += [old_format]
    client_doubts = [sources[key].notice(*said, decides=True) for key, *said in made.doubts]
    client_doubts += _of_newer_clients(made, files, reading, sources)
    warnings += client_doubts
    if made.idempotence:
        warnings += about_forgetting(files, clients, chosen.version, reading.java)
    suspicious = suspicions(
        settings, sources, replicas=replicas, roles=roles, conflict=made.conflict, internal=internal is not None
    )
    return Deployment(
        version=chosen.version,
        release=chosen.release,
        mode=chosen.mode,
        profile=chosen.profile,
        replication_factor=replicas,
        settings=settings,
        sources=sources,
        assumed_defaults=assumed(sources),
        warnings=tuple(
            dict.fromkeys((*warnings, *about_values, *unasked(files, chosen.release, chosen.mode), *suspicious))
        ),
        topics=topics.names,
        internal=internal is not None,
        clients=clients if internal is None else {},
        client_doubts=tuple(client_doubts),
        files=topics.files,
        reading=reading,
    )


def _of_keys(files: Sequence[ConfigurationFile], reading: Reading) -> tuple[list[Notice], list[Notice]]:
    """What is wrong with the keys of files, and what is to be said of them."""
    problems = list(_of_later_versions(files, reading.chosen.version))
    warnings = [warning for file in files for warning in file.warnings]
    for file in files:
        found = list(check_keys(file, reading.version_for(file.role)))
        serious = [finding.notice for finding in found if finding.serious]
        problems += serious or ([] if _decided_beside(file, files) else decides_nothing(file))
        warnings += [finding.notice for finding in found if not finding.serious]
    return problems, warnings


def _refusals(made: Producer, sources: Mapping[str, SourcedValue], version: str) -> Iterator[Notice]:
    """What does not go together: values that no producer takes, a producer that the model does not have, an ISR that cannot be."""
    yield from (_refusal(sources, key, why) for key, why in made.refused)
    if made.not_modelled:
        what, advice = "the model does not have this producer.", "Set retries=0, or use another client."
        yield sources["enable.idempotence"].notice(what, made.not_modelled, advice)
    replicas, min_isr = int(sources["replication.factor"].value), int(sources["min.insync.replicas"].value)
    counts_replicas = at_least(version, EFFECTIVE_MIN_ISR)
    if min_isr > replicas and (not counts_replicas or sources["replication.factor"].is_assumed):
        yield _unreachable(sources, replicas, min_isr)


def _decided_beside(file: ConfigurationFile, files: Sequence[ConfigurationFile]) -> bool:
    """Is this what a tool printed of a topic, of which another tool's output says what decides?"""
    beside = [other for other in files if other is not file and other.role == file.role and other.name == file.name]
    return file.printed and file.name is not None and any(not list(decides_nothing(other)) for other in beside)


def _brokers(topic: str, files: Sequence[ConfigurationFile], version: str) -> Producer:
    """What writes to a cluster's own topic: its brokers, which count a record as written as with acks=all.

    What a version does not have any more decides nothing: offsets.commit.required.acks from 4.0 on (KAFKA-16736).
    """
    key = INTERNAL[topic]
    has_key = key is not None and catalogue().has("broker", key, version)
    given = [entry.value.strip() for entry in entries_of(files, "broker") if has_key and entry.key == key]
    return Producer(acks=ACKS.get(given[0], "1") if given else "all", retries=0, idempotence=False, in_flight=1)


def _of_newer_clients(
    made: Producer, files: Sequence[ConfigurationFile], reading: Reading, sources: Mapping[str, SourcedValue]
) -> Iterator[Notice]:
    """What a client from 2.5 on does with brokers before 2.5, which the model has with later ones only."""
    is_known = CLIENT in reading.assumed or any(file.client_release for file in files if file.role == "producer")
    if at_least(reading.chosen.version, TAKES_ANY_FIRST_SINCE) or not (
        made.renumbers or (made.would_renumber and not is_known)
    ):
        return
    what = "a Java client from 2.5 on may write a record twice."
    why = (
        "A broker that has started again knows the last batch of a producer only (ProducerStateManager.writeSnapshot): it refuses an"
        " earlier one that is sent again, and such a client numbers anew whatever is not answered."
    )
    older = (
        ""
        if made.renumbers
        else f", or say {argument('assume', f'{CLIENT}=java')} if the client is of the brokers' release"
    )
    yield sources["enable.idempotence"].notice(what, why, f"Write {IN_FLIGHT}=1{older}.", decides=True)


def _settings(
    made: Producer, sources: Mapping[str, SourcedValue], chosen: ChosenVersion, *, commit: str
) -> dict[str, str | int | bool]:
    settings: dict[str, str | int | bool] = {
        "acks": made.acks,
        "min_isr": min(int(sources[key].value) for key in ("min.insync.replicas", "replication.factor")),
        "unclean": sources[UNCLEAN].value == "true",
        "retries": min(made.retries, 1),
        "idempotence": made.idempotence,
        "pipelined": made.in_flight > 1,
        "flush": int(sources["flush.messages"].value) <= 1,
        "commit": commit,
    }
    if at_least(chosen.version, TAKES_ANY_FIRST_SINCE):
        settings |= {name: True for name in ("acks_earlier", "renumbers") if getattr(made, name)}
    elr = sources.get(ELR_KEY)
    if elr is not None and (elr.value == "1") != bool(TIME_LINE.settings_of(chosen.release, chosen.mode).get("elr")):
        settings["elr"] = elr.value == "1"
    return settings


def _effective(
    sources: Mapping[str, SourcedValue], made: Producer, roles: Collection[str], *, old: bool
) -> dict[str, SourcedValue]:
    """The sources with what the producer takes for keys that are not set, without those of clients that do not have them."""
    effective = {}
    for key, source in sources.items():
        if (key in KEYS_OF["consumer"] and "consumer" not in roles) or (
            key in KEYS_OF["producer"] and "brokers" in roles
        ):
            continue
        if key == "enable.idempotence" and old:
            continue
        changed = key in PRODUCER_KEYS and source.is_assumed and source.layer != "client"
        effective[key] = replace(source, value=_written(getattr(made, PRODUCER_KEYS[key]))) if changed else source
    return effective


def _written(value: str | int | bool) -> str:
    """A value as a .properties file has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _producer(files: Sequence[ConfigurationFile], reading: Reading, sources: Mapping[str, SourcedValue]) -> Producer:
    """What the producer makes of what its file sets."""
    given = {key: source.value for key, source in sources.items() if source.is_set}
    written = ProducerFileSettings(
        acks=given.get("acks"),
        retries=int(given["retries"]) if "retries" in given else None,
        idempotence=given["enable.idempotence"] == "true" if "enable.idempotence" in given else None,
        in_flight=int(given[IN_FLIGHT]) if IN_FLIGHT in given else None,
        transactional="transactional.id" in given,
    )
    if _has_old_producer(files):
        return old_producer(written)
    client = reading.clients.get("producer")
    if client is not None and "producer" in client.defaults:
        return other_producer(written, client)
    return producer(written, reading.java, reading.java_release)


def _read_by(file: ConfigurationFile, clients: Mapping[str, Client]) -> ConfigurationFile:
    """The file as the reading's client reads it. Raises ConfigurationError for what librdkafka does not start with."""
    if file.role != "producer" or file.client is not None or clients.get("producer") is not LIBRDKAFKA:
        return file
    problems = list(unknown_keys(file.entries))
    if problems:
        raise ConfigurationError(problems)
    return replace(file, client=LIBRDKAFKA)


def _has_old_producer(files: Sequence[ConfigurationFile]) -> bool:
    return any(file.role == "producer" and file.is_old_client for file in files)


def _commit(sources: Mapping[str, SourcedValue], files: Sequence[ConfigurationFile]) -> str:
    """How the consumer commits: without its configuration there is none in the model.

    librdkafka commits by itself what was stored; without enable.auto.offset.store the program stores what it has processed.
    """
    if "enable.auto.commit" not in sources:
        return "none"
    consumers = [file for file in files if file.role == "consumer"]
    stored = bool(consumers) and all(
        any(entry.key == "enable.auto.offset.store" and entry.value.strip() == "false" for entry in file.entries)
        for file in consumers
    )
    return "auto" if sources["enable.auto.commit"].value == "true" and not stored else "after"


def _refusal(sources: Mapping[str, SourcedValue], key: str, why: str) -> Notice:
    what = "the producer does not start with this."
    return sources[key].notice(what, f"{why[0].upper()}{why[1:]}.", "Change the one or the other.")


def _unreachable(sources: Mapping[str, SourcedValue], replicas: int, min_isr: int) -> Notice:
    """min.insync.replicas above the replication factor, at the place of the one that a file sets."""
    of_replicas, of_min_isr = sources["replication.factor"], sources["min.insync.replicas"]
    where = (
        place_of(of_replicas.file, of_replicas.line)
        if of_replicas.file
        else f"the default, for no {of_replicas.key} is set"
    )
    return of_min_isr.notice(
        f"{min_isr} replicas must be in sync, and the topic has {replicas} ({where}).",
        f"Before {EFFECTIVE_MIN_ISR} nothing can ever be written so with acks=all.",
        f"Set it to {max(1, replicas - 1)}, or give the topic more replicas: replication.factor in the topic's file, "
        "default.replication.factor in the broker's, or add what kafka-topics.sh --describe prints.",
    )
