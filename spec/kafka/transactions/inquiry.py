"""What an audit asks of a transactional producer: does all of a transaction become visible, once, or nothing of it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import ClassVar

from neverlost.model.core import Model
from neverlost.model.kafka.transactions.state import Protocol, Transactions, Unanswered
from neverlost.spec.configuration import ConfigurationFile, Notice, SourcedValue
from neverlost.spec.configuration.clients import CONNECT, FRANZ_GO, OTHER_CLIENTS, SARAMA, STREAMS, Client, other_client
from neverlost.spec.configuration.configuration_file import ConfigEntry
from neverlost.spec.configuration.defaults import ConfigurationKey, configuration_key
from neverlost.spec.configuration.features import ELR_KEY
from neverlost.spec.configuration.forgotten import DELIVERY, EXPIRATION, OLD_EXPIRATION
from neverlost.spec.configuration.in_force import in_force, with_place, without_others
from neverlost.spec.configuration.layers import set_by
from neverlost.spec.configuration.readings import CLIENT, ELR, JAVA_2_0, JAVA_2_8, LEVELS, OFF, ON
from neverlost.spec.configuration.topics import TRANSACTIONS
from neverlost.spec.configuration.version_choice import ChosenVersion
from neverlost.spec.exposure import Danger
from neverlost.spec.inquiry import (
    RELEASE,
    REPLACED,
    Ask,
    Case,
    Counts,
    Inquiry,
    OpenPoint,
    Read,
    Remedy,
    Subject,
    add_case,
    all_within,
    bounds_of,
)
from neverlost.spec.kafka.releases import EITHER, RELEASES

from ..replication.topics_below import (
    LOST,
    OF_ELR,
    REPLICATION_FACTOR,
    TopicBelow,
    assumed_of_clients,
    elr_levels,
    not_only_compacted,
    topic_below,
)
from ..replication.topics_below import MIN_ISR as OF_TOPIC
from .differences import NAMED, TIME_LINE

OF_TRANSACTIONS = "transactions"
MOVES = "coordinator_moves"
SERVER, SPEAKS, UNANSWERED = "transaction-version", "transaction-client", "unanswered"
TV0, TV2 = "0", "2"
FIRST_WITH_TV2 = "4.0.0"

TORN = Danger(
    property="all_or_nothing",
    name="torn transaction",
    what="a transaction is torn",
    concerns=OF_TRANSACTIONS,
)
ABORTED = Danger(
    property="no_aborted_read",
    name="read, not committed",
    what="a record is read that was never committed",
    concerns=OF_TRANSACTIONS,
)
COMMIT_LOST = Danger(
    property="no_commit_lost",
    name="committed, then gone",
    what="a committed record is gone",
    concerns=OF_TRANSACTIONS,
)
ZOMBIE = Danger(
    property="zombie_fenced",
    name="written by a zombie",
    what="a record of a fenced producer becomes visible",
    concerns=OF_TRANSACTIONS,
)
TWICE = Danger(
    property="no_duplicate",
    name="visible twice",
    what="a record is visible twice",
    concerns=OF_TRANSACTIONS,
)
HANGS = Danger(
    property="nothing_hangs",
    name="hangs",
    what="a transaction hangs, and readers wait",
    concerns=OF_TRANSACTIONS,
)
DECISION_LOST = Danger(
    property=LOST,
    name="decision lost",
    what="a decision of the coordinator is lost",
    concerns="log",
)
DANGERS = (TORN, ABORTED, COMMIT_LOST, ZOMBIE, TWICE, HANGS)
"""What the model of transactions is asked."""

TIMEOUT = ConfigurationKey(
    role="producer", key="transaction.timeout.ms", kind="int", defaults=(("0.11", "60000"),), least=1
)
LONGEST = ConfigurationKey(
    role="broker", key="transaction.max.timeout.ms", kind="int", defaults=(("0.11", "900000"),), least=1
)
REPLICAS = ConfigurationKey(
    role="broker",
    key="transaction.state.log.replication.factor",
    kind="int",
    defaults=(("0.11", "3"),),
    least=1,
    most=32767,
)
MIN_ISR = ConfigurationKey(
    role="broker", key="transaction.state.log.min.isr", kind="int", defaults=(("0.11", "2"),), least=1
)
VERIFICATION = ConfigurationKey(
    role="broker", key="transaction.partition.verification.enable", kind="bool", defaults=(("3.6", "true"),)
)
FEATURE = ConfigurationKey(
    role="broker", key="transaction.version", kind="int", defaults=((FIRST_WITH_TV2[:3], "2"),), most=2
)
"""The feature that kafka-features.sh describes; new clusters have the newest (KIP-1022), older ones what they were raised to."""
ISOLATION = configuration_key("consumer", "isolation.level")
UNCLEAN = configuration_key("topic", "unclean.leader.election.enable")
ID = configuration_key("producer", "transactional.id")

CLIENTS_AHEAD: Mapping[str, str] = {
    TV2: "a Java client of 4.0 or later",
    TV0: "an older Java client, or one that does not have KIP-890, as librdkafka",
}

POINTS = (
    OpenPoint(
        name=SERVER,
        about="the level of the feature transaction.version",
        ways={TV2: "transaction.version 2", TV0: "transaction.version 0 or 1"},
    ),
    OpenPoint(name=SPEAKS, about="which transaction version the client has", ways=CLIENTS_AHEAD),
    OF_ELR,
    OpenPoint(
        name=UNANSWERED,
        about="what the program does when EndTxn is not answered",
        ways={
            "sends-again": "an unanswered commit is sent again, as commitTransaction() does",
            "new-epoch": "the client asks for a new epoch after an unanswered commit",
            "closes": "the program closes its producer after an unanswered commit",
        },
        of_people=True,
    ),
)

USUAL: tuple[Counts, ...] = ({}, {"delays": 1}, {"late_markers": 1}, {"timeouts": 1}, {"coordinator_moves": 1})
"""A network that holds up one message, a transaction that takes too long, a coordinator that moves: any of them alone."""
BEYOND: tuple[Counts, ...] = ({"delays": 1, "late_markers": 1}, {"delays": 1, "timeouts": 1})
EXPIRED: Counts = {"delays": 1, "expirations": 1}
MARKER_LOST: Counts = {"lost_markers": 1}
READ_EARLY: Counts = {"early_reads": 1}
TWO_MOVES: Counts = {MOVES: 2}
"""What several faults of the brokers that have the coordinator's log may do, though they lose nothing that was acknowledged."""


@dataclass(frozen=True, kw_only=True)
class TransactionsCase(Case):
    """A producer, its client, its brokers and their coordinator's log.

    `server` and `client` are transaction versions, `client_why` says why the client has it. `expires_soon`: may a partition forget the
    producer while a request of it is held up? `sources` say where the values stand.
    """

    faults = Transactions.faults
    server: str
    client: str
    client_why: str
    unanswered: str
    verification: bool
    unclean: bool
    expires_soon: bool
    log: TopicBelow
    sources: Mapping[str, SourcedValue] = field(repr=False)
    tolerance: Counts | None = None

    @property
    def effective(self) -> str:
        """The transaction version that counts: that of both."""
        return min(self.server, self.client)

    @property
    def says(self) -> str:
        if RELEASES.index(self.release) < RELEASES.index(FIRST_WITH_TV2):
            why = f"brokers of {self.release} have no other (version 2 came with 4.0, KIP-890)"
        elif self.server == TV0:
            why = "the cluster's feature transaction.version is not 2"
        elif self.client == TV0:
            why = f"it is {self.client_why}"
        else:
            why = f"it is {self.client_why}, and the cluster has transaction.version 2"
        ends = (
            "each end of a transaction has an epoch of its own"
            if self.effective == TV2
            else "all transactions of a producer have one epoch, so a request that is held up may be taken for one of the next"
        )
        return f"This client speaks transaction version {self.effective}, because {why}: {ends}."

    @cached_property
    def asks(self) -> Sequence[Ask]:
        usual = list(USUAL)
        beyond = [*BEYOND, {"expirations": 1}]
        (usual if self.unclean else beyond).append(MARKER_LOST)
        (usual if self.expires_soon else beyond).append(EXPIRED)
        if TIME_LINE.settings_of(self.release, EITHER).get("reads_above_stable"):
            usual.append(READ_EARLY)
        if self.tolerance is not None:
            usual, beyond = all_within(self.tolerance), []
        found: list[Ask] = []
        for danger in DANGERS:
            found += [self.ask(danger, counts, usual=True) for counts in usual]
            if self.several and not self.log.unknown and TWO_MOVES not in usual:
                found.append(self._moved(danger))
            found += [self.ask(danger, counts, usual=False) for counts in beyond]
        return (*found, *self.log.asks(DECISION_LOST, self.survived, usual=True))

    def _moved(self, danger: Danger) -> Ask:
        """Can it happen with what topics should survive that is several faults of the brokers which have the coordinator's log?"""
        asked = self.ask(danger, TWO_MOVES, usual=True)
        acts = int(self.log.may_lose_its_tail(DECISION_LOST, self.survived))
        named = f"{asked.with_what} ({', '.join(self.several)})"
        return replace(asked, model=self._model(TWO_MOVES, reads_to_log_end=acts), with_what=named, several=True)

    @property
    def several(self) -> tuple[str, ...]:
        return tuple(self.log.several(DECISION_LOST, self.survived))

    @property
    def assumed_of_log(self) -> tuple[str, ...]:
        return self.log.assumed_of(DECISION_LOST)

    @property
    def left_open(self) -> str:
        return self.log.unknown if self.log.unknown and (self.several or self.log.made is None) else ""

    def model(self, counts: Counts) -> Model:
        """The producer as a model with these faults."""
        return self._model(counts)

    def _model(self, counts: Counts, **settings: int) -> Model:
        from .versions import VERSIONS

        profile = TIME_LINE.version_of(VERSIONS, self.release, EITHER)
        return profile.bounded(
            server=_version(self.server),
            client=_version(self.client),
            unanswered=Unanswered.names.index(self.unanswered),
            verification=int(self.verification),
            **settings,
            **counts,
        )

    @property
    def searched(self) -> str:
        log, bounds = self.log, bounds_of(self.model({}))
        if log.made is None:
            return bounds
        replicas = f"{log.replicas} replica{'' if log.replicas == 1 else 's'}"
        return f"{bounds}; the coordinator's log as a topic with {replicas} and min.insync.replicas={log.min_isr}"

    def remedies(self) -> Sequence[Remedy]:
        """The coordinator's log, the client, the feature and releases: each alone, then together."""
        found = [*self._of_log(self), *self._of_versions(self)]
        for first in self._of_versions(self):
            found += [
                replace(second, words=f"{first.words}; and {second.words}") for second in self._of_log(_own(first))
            ]
        return found

    def _of_log(self, case: TransactionsCase) -> Iterator[Remedy]:
        """Eligible leader replicas; more replicas of the coordinator's log, and more of them in sync; both."""
        wanted = {REPLICATION_FACTOR: max(3, case.log.replicas), OF_TOPIC: max(2, case.log.min_isr)}
        now = {REPLICATION_FACTOR: case.log.replicas, OF_TOPIC: case.log.min_isr}
        larger = {key: str(then) for key, then in wanted.items() if now[key] != then}
        with_elr = {} if case.log.elr is not False else {ELR_KEY: LEVELS[ON]}
        elr = "turn eligible leader replicas on: kafka-features.sh upgrade --feature eligible.leader.replicas.version=1"
        topic = _larger_words(case, larger)
        place = _place(case.sources[REPLICAS.key]) or _place(case.sources[MIN_ISR.key])
        tried = [(with_elr, elr, None), (larger, topic, place)]
        tried += [({**larger, **with_elr}, f"{topic}; and {elr}", place)] if larger and with_elr else []
        for changes, said, where in tried:
            after = case.log.after(changes) if changes else None
            if after is not None:
                yield Remedy(words=said, case=replace(case, log=after), place=where)

    def _of_versions(self, case: TransactionsCase) -> Iterator[Remedy]:
        """A newer client, the feature, and later releases of both."""
        client = "use a client that speaks transaction version 2, such as the Java client of 4.0 or later"
        feature = "raise the feature: kafka-features.sh upgrade --feature transaction.version=2"
        has_feature = RELEASES.index(case.release) >= RELEASES.index(FIRST_WITH_TV2)
        newer = replace(case, client=TV2, client_why="a Java client of 4.0 or later")
        if has_feature and case.client == TV0 and case.server == TV2:
            yield Remedy(words=client, case=newer)
        if has_feature and case.server == TV0 and case.client == TV2:
            yield Remedy(words=feature, case=replace(case, server=TV2))
        if has_feature and case.server == TV0 and case.client == TV0:
            yield Remedy(words=f"{client}; and {feature}", case=replace(newer, server=TV2))
        for named in NAMED:
            log = case.log.upgraded(named.since) if RELEASES.index(named.since) > RELEASES.index(case.release) else None
            if log is not None:
                with_feature = RELEASES.index(named.since) >= RELEASES.index(FIRST_WITH_TV2)
                after = replace(
                    newer if with_feature else case,
                    release=named.since,
                    stands_for={named.since: named.since},
                    server=TV2 if with_feature else TV0,
                    verification=RELEASES.index(named.since) >= RELEASES.index("3.6.0"),
                    log=log,
                )
                words = f"upgrade Kafka to {named.since}, brokers and clients"
                yield Remedy(
                    words=f"{words}, and {feature}" if with_feature and case.server == TV0 else words, case=after
                )


def _larger_words(case: TransactionsCase, larger: Mapping[str, str]) -> str:
    """What brokers should create the topic with, and what the one should have that they have created."""
    created = (
        (case.sources[own.key], larger.get(key)) for key, own in ((REPLICATION_FACTOR, REPLICAS), (OF_TOPIC, MIN_ISR))
    )
    of_brokers = [
        f"have {source.key}={then} ({with_place(source)})"
        for source, then in created
        if then not in (None, source.value)
    ]
    tools = "(kafka-reassign-partitions.sh, kafka-configs.sh)"
    if of_brokers:
        return f"{' and '.join(of_brokers)}, also of the topic {case.log.name} that there is {tools}"
    return f"have {' and '.join(f'{key}={then}' for key, then in larger.items())} of the topic {case.log.name} {tools}"


def _own(remedy: Remedy) -> TransactionsCase:
    assert isinstance(remedy.case, TransactionsCase)
    return remedy.case


def _place(source: SourcedValue) -> tuple[str, int | None] | None:
    return None if source.file is None else (source.file, source.line)


def _version(text: str) -> int:
    return Protocol.TV2 if text == TV2 else Protocol.TV0


def _is_transactional(file: ConfigurationFile) -> bool:
    return file.role == "producer" and any(file.canonical(entry.key) == ID.key for entry in file.entries)


class TransactionsInquiry(Inquiry):
    """Each producer's file that has a transactional.id."""

    family = OF_TRANSACTIONS
    title = "Exactly-once"
    dangers = (*DANGERS, DECISION_LOST)
    faults = Transactions.faults
    points = POINTS
    answers: ClassVar[frozenset[str]] = frozenset({"transactions"})
    not_asked = "no producer's file sets transactional.id"
    topic = TRANSACTIONS
    assumes = (
        "every program has a transactional.id of its own, which stays the same when it starts again",
        "readers have isolation.level=read_committed",
        "partitions lose no record but a marker where that is asked",
        "no producer comes to the end of its epochs (KAFKA-18660, KAFKA-20090, KAFKA-20310)",
        REPLACED,
    )

    def rests_on(self, case: Case) -> Sequence[str]:
        """Also on what the producer does with its memory."""
        return (*self.assumes, *assumed_of_clients(case))

    def subjects(self, read: Read) -> Sequence[Subject]:
        return [self._subject(file, read) for file in read.files if _is_transactional(file)]

    def _subject(self, file: ConfigurationFile, read: Read) -> Subject:
        files = without_others(read.files, [file], "producer")
        entry = next(entry for entry in file.entries if file.canonical(entry.key) == ID.key)
        found: dict[object, TransactionsCase] = {}
        doubts = {warning.text: warning for warning in file.warnings if warning.decides}
        doubts |= {notice.text: notice for notice in _shared(entry, file, read)}
        for chosen in read.versions:
            version = TIME_LINE.version_at(chosen.release, EITHER)
            if version is None:
                continue
            for case in _cases(file, files, chosen, read):
                key = (version, case.log.behaviour, tuple((n, w) for n, w in case.ways.items() if n != RELEASE))
                add_case(found, key, case)
            doubts |= {notice.text: notice for notice in _doubts(files, chosen)}
        return Subject(
            about=file.path if file.name is None else f"{file.path} ({file.name})",
            client=(file.path, file.name),
            cases=tuple(found.values()),
            place=(entry.file, entry.line),
            doubts=tuple(doubts.values()),
        )


def _cases(
    file: ConfigurationFile, files: Sequence[ConfigurationFile], chosen: ChosenVersion, read: Read
) -> Iterator[TransactionsCase]:
    """What the files may be of in one release."""
    line = chosen.version
    keys = (REPLICAS, MIN_ISR, EXPIRATION, OLD_EXPIRATION, VERIFICATION, FEATURE, DELIVERY, UNCLEAN, TIMEOUT)
    sources = {key.key: source for key in keys if (source := in_force(key, files, line)) is not None}
    has_tv2 = RELEASES.index(chosen.release) >= RELEASES.index(FIRST_WITH_TV2)
    servers = _servers(sources) if has_tv2 else {TV0: False}
    clients = _clients(file.client, chosen, read.said) if has_tv2 and TV2 in servers else {TV0: ("", False)}
    levels = elr_levels(files, line)
    logs = {elr: topic_below(TRANSACTIONS, _created_with(sources), chosen, read, elr=elr) for elr in levels}
    for server, client, elr, unanswered in product(servers, clients, levels, Unanswered.names):
        ways = {RELEASE: chosen.release} if len(read.versions) > 1 else {}
        ways |= {SERVER: server} if servers[server] else {}
        ways |= {SPEAKS: client} if clients[client][1] else {}
        ways |= {ELR: ON if elr else OFF} if len(levels) > 1 else {}
        ways[UNANSWERED] = unanswered
        if any(read.said.get(name, way) != way for name, way in ways.items()):
            continue
        ways = {name: way for name, way in ways.items() if name not in read.said}
        yield TransactionsCase(
            ways=ways,
            release=chosen.release,
            stands_for={chosen.release: chosen.until},
            server=server,
            client=client,
            client_why=clients[client][0],
            unanswered=unanswered,
            verification=VERIFICATION.key in sources and sources[VERIFICATION.key].value == "true",
            unclean=_unclean(files, line),
            expires_soon=_expires_soon(sources),
            log=logs[elr],
            sources=sources,
            tolerance=read.tolerances.get(OF_TRANSACTIONS),
            survived=read.survived,
        )


def _created_with(sources: Mapping[str, SourcedValue]) -> dict[str, SourcedValue]:
    """What the coordinator creates its topic with, by keys of topics (TransactionStateManager.transactionTopicConfigs)."""
    replicas, min_isr = sources[REPLICAS.key], sources[MIN_ISR.key]
    reachable = min((min_isr, replicas), key=lambda one: int(one.value))
    clean = SourcedValue(value="false", layer="topic", key=UNCLEAN.key)
    return {REPLICATION_FACTOR: replicas, OF_TOPIC: reachable, UNCLEAN.key: clean}


def _servers(sources: Mapping[str, SourcedValue]) -> dict[str, bool]:
    """The level of the feature; true for those that no file says."""
    feature = sources[FEATURE.key]
    if feature.file is not None:
        return {TV2 if feature.value == TV2 else TV0: False}
    return {TV2: True, TV0: True}


def _clients(client: Client | None, chosen: ChosenVersion, said: Mapping[str, str]) -> dict[str, tuple[str, bool]]:
    """What the client speaks, what it is, and whether no file says that."""
    named = said.get(CLIENT)
    other = client if client is not None and client.name in OTHER_CLIENTS else other_client(named or "")
    if other is not None and other not in (FRANZ_GO, SARAMA):
        return {TV0: (f"{other.name}, which does not have KIP-890's second part", False)}
    if named in (JAVA_2_8, JAVA_2_0):
        return {TV0: ("a Java client before 4.0", False)}
    if named == "java":
        return {TV2: (f"the Java client of {chosen.version}", False)}
    return {TV2: (CLIENTS_AHEAD[TV2], True), TV0: (CLIENTS_AHEAD[TV0], True)}


def _unclean(files: Sequence[ConfigurationFile], version: str) -> bool:
    """May any partition that the files describe get a leader that was not in sync?"""
    given = [one.value.lower() for one in set_by(UNCLEAN, files)]
    usual = UNCLEAN.default(version)
    return "true" in given if given else usual == "true"


def _expires_soon(sources: Mapping[str, SourcedValue]) -> bool:
    """Does a partition forget a producer sooner than a client gives a request up?"""
    expiration = sources.get(EXPIRATION.key) or sources[OLD_EXPIRATION.key]
    delivery = sources.get(DELIVERY.key)
    return delivery is not None and int(expiration.value) <= int(delivery.value)


def _shared(entry: ConfigEntry, file: ConfigurationFile, read: Read) -> Iterator[Notice]:
    """The doubt about an ID that another file has too. Streams and Connect give each task its own."""
    for other in read.files if file.client not in (CONNECT, STREAMS) else ():
        for one in other.entries if other is not file and other.role == "producer" else ():
            if other.canonical(one.key) == ID.key and one.value == entry.value:
                what = f"{one.place} has the same: two programs with one ID fence each other, and end each other's transactions."
                yield entry.notice(what, advice="Give each program an ID of its own.", decides=True)


def _doubts(files: Sequence[ConfigurationFile], chosen: ChosenVersion) -> Iterator[Notice]:
    """Timeouts that do not go together, and readers that read what is not committed."""
    timeout, longest = in_force(TIMEOUT, files, chosen.version), in_force(LONGEST, files, chosen.version)
    delivery = in_force(DELIVERY, files, chosen.version)
    if timeout is not None and longest is not None and int(timeout.value) > int(longest.value):
        why = f"Brokers refuse to start such a producer: {with_place(longest)}."
        yield timeout.notice(f"{timeout.value} is more than brokers allow.", why, "Lower it.", decides=True)
    if timeout is not None and delivery is not None and delivery.file is not None:
        if int(delivery.value) >= int(timeout.value):
            what = f"{delivery.value} is no less than {with_place(timeout)}."
            why = "The coordinator may abort a transaction whose records are still being sent; it is asked as a transaction timeout."
            yield delivery.notice(what, why, "Set it below transaction.timeout.ms.")
    yield from not_only_compacted(files, TRANSACTIONS)
    for file in files:
        if file.role == "consumer":
            level = in_force(ISOLATION, [file], chosen.version)
            usual = file.client.defaults.get("consumer", {}).get(ISOLATION.key) if file.client is not None else None
            value = usual if level is not None and level.file is None and usual else level.value if level else ""
            if level is not None and value == "read_uncommitted":
                what = "this consumer reads what is not committed: for it nothing here holds."
                advice = "Write isolation.level=read_committed if it reads what this producer writes."
                place = file.path if level.file is None else level.file
                yield Notice(what=what, advice=advice, key=ISOLATION.key, file=place, line=level.line, decides=True)
