"""What an audit asks of a consumer: does its group pass over a record that nobody has processed?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations, product

from neverlost.model.arguments import argument
from neverlost.model.core import Model
from neverlost.model.kafka.groups.state import Commit, Group, Protocol, Reset
from neverlost.spec.configuration import ConfigurationFile, Notice, SourcedValue
from neverlost.spec.configuration.clients import LIBRDKAFKA, OLD_LIBRDKAFKA, STREAMS
from neverlost.spec.configuration.configuration_file import entries_of
from neverlost.spec.configuration.defaults import configuration_key
from neverlost.spec.configuration.forms.connect import sinks_with_workers
from neverlost.spec.configuration.in_force import in_force, with_place, without_others
from neverlost.spec.configuration.readings import CLIENT, ELR, OFF, ON
from neverlost.spec.configuration.topics import OFFSETS
from neverlost.spec.configuration.version_choice import ChosenVersion
from neverlost.spec.exposure import Danger
from neverlost.spec.inquiry import (
    RELEASE,
    REPLACED,
    Ask,
    Case,
    Counts,
    Inquiry,
    Read,
    Remedy,
    Subject,
    add_case,
    all_within,
)
from neverlost.spec.kafka.releases import EITHER

from ..replication.topics_below import (
    LOST,
    REPLICATION_FACTOR,
    TopicBelow,
    elr_levels,
    not_only_compacted,
    topic_below,
)
from .consumer_file import (
    ASSIGNOR,
    ASSIGNORS,
    AUTO,
    BY_ITSELF,
    COMMIT,
    GROUP_PROTOCOL,
    IN_TRANSACTION,
    INSTANCE,
    POINTS,
    RESET,
    RESETS,
    STORE,
    client_of,
    may_be_unclean,
    taken_by,
    ways_to_check_epochs,
    ways_to_commit,
    ways_to_fail,
    ways_to_rebalance,
    what_is_missing,
    where_transactional,
)
from .differences import FORGETS_COMMITS, TIME_LINE, lacking

OF_GROUPS = "groups"

SKIPPED = Danger(
    property="none_skipped",
    name="skipped by the group",
    what="a record is skipped, and nobody processes it",
    concerns=OF_GROUPS,
)
REPEATED = Danger(
    property="none_repeated",
    name="processed again",
    what="a record is processed twice",
    concerns=OF_GROUPS,
    otherwise="Process so that a repetition does no harm.",
)
BACK = Danger(property="never_back", name="offset goes back", what="a committed offset goes back", concerns=OF_GROUPS)
TWO_READERS = Danger(
    property="one_reader",
    name="two readers",
    what="two running consumers believe that a partition is their own",
    concerns=OF_GROUPS,
)
COMMIT_LOST = Danger(
    property=LOST, name="commit lost", what="a committed offset is lost from the coordinator's log", concerns="log"
)

REPLICAS = configuration_key("broker", "offsets.topic.replication.factor")
MIN_ISR = configuration_key("topic", "min.insync.replicas")

RETENTION, SHORT_RETENTION = "offsets.retention.minutes", 1440
"""Up to 2.0 a day is the default (KIP-186)."""

USUAL: tuple[Counts, ...] = (
    {},
    {"joins": 1},
    {"leaves": 1},
    {"crashes": 1},
    {"timeouts": 1},
    {"failures": 1},
    {"rollbacks": 1},
)
"""What every group has: members that come, go, die, are too slow, or fail at a record; a coordinator that forgets its last commit."""
BEYOND: tuple[Counts, ...] = (
    {"leaves": 2, "expiries": 1},
    {"partition_adds": 1},
    {"removals": 1},
    {"joins": 1, "crashes": 1},
)
TRUNCATED: Counts = {"truncations": 1, "joins": 1}
"""A consumer that begins at a committed offset may notice less than one that reads on."""
TAKEN: Counts = {"leaves": 1, "heartbeat_failures": 1}
"""A heartbeat fails while a member is taking what another has given up, and that one comes back."""
MEANWHILE: Counts = {"joins": 1, "leaves": 1}
"""A member that has just joined is assigned what another gives up that is closed."""
EXPELLED: Counts = {"timeouts": 1}
"""A member is expelled with a record in hand, and joins again without a poll."""
IDLE: tuple[Counts, ...] = ({"crashes": 1, "idle_times": 1}, {"leaves": 2, "idle_times": 1})
"""Nothing is committed for a partition for long (offsets.retention.minutes), in a release where offsets of a group in use expire."""
FORGOTTEN: Counts = {"joins": 1, "idle_times": 1}
"""A partition's offset is gone although the group has members, as where the coordinator's log is lost; then the group rebalances."""

MOVES, LOST_COMMITS = "coordinator_moves", "rollbacks"
MOST_MOVES = next(max(fault.choices().values()) for fault in Group.budgets if fault.name == MOVES)


@dataclass(frozen=True, kw_only=True)
class GroupsCase(Case):
    """A consumer in its group. `commit_why` says why it commits so, `missing` is what the model lacks of its file.

    Offsets in a transaction are there when the output is, as if processing and commitSync were one step: what commitSync skips nothing
    with, they skip nothing with. That both end together is asked of the transaction.
    `passes` says why it goes on behind a record that fails, if it does. `checks_epochs`, `commits_epochs`: as of its client.
    `stores` is true where librdkafka itself says that an offset may be committed.
    """

    faults = Group.budgets
    protocol: str
    commit: str
    commit_why: str
    reset: str
    passes: str | None
    checks_epochs: bool
    commits_epochs: bool
    stores: bool
    unclean: bool
    offsets: TopicBelow
    missing: tuple[str, ...]
    sources: Mapping[str, SourcedValue] = field(repr=False)
    tolerance: Counts | None = None

    @property
    def says(self) -> str:
        how = {
            "auto": "commits what poll has returned, when it polls again",
            "auto-threads": "commits what poll has returned, also what is yet to be processed",
            "sync": "commits what it has processed",
            "async": "commits what it has processed, without waiting",
            "before": "commits a record before it processes it",
            IN_TRANSACTION: "has its offsets committed in a producer's transactions",
        }[self.commit]
        goes_on = "" if self.passes is None else f" It goes on behind a record that fails ({self.passes})."
        return (
            f"This consumer {how} ({self.commit_why}), has auto.offset.reset={self.reset}, and rebalances by the"
            f" {self.protocol} protocol.{goes_on}"
        )

    @property
    def lacks(self) -> tuple[str, ...]:
        return self.missing

    @cached_property
    def asks(self) -> Sequence[Ask]:
        """Only skipped records count: that a record may be processed twice is what a group promises."""
        usual = [*USUAL, *([{"commit_failures": 1}] if self.commit == "async" else [])]
        if self.forgets_commits:
            usual.append({MOVES: 1})
        beyond = list(BEYOND)
        if self.expires_early:
            beyond += IDLE
        (usual if self.unclean else beyond).append(TRUNCATED)
        if self.tolerance is not None:
            usual, beyond = list(all_within(self.tolerance)), []
        log = self.offsets.asks(COMMIT_LOST, self.survived, usual=self.commit == IN_TRANSACTION)
        found = [self.ask(SKIPPED, counts, usual=counts in usual) for counts in (*usual, *beyond)]
        losing = tuple(ask for ask in log if ask.several or (self.tolerance is None and "disk_losses" in ask.counts))
        if losing:
            forgotten = replace(
                self.ask(SKIPPED, FORGOTTEN, usual=True), model=self._model(FORGOTTEN, expires_in_use=1)
            )
            found.append(replace(forgotten, with_what=LOST_OFFSET, given=losing))
        if self.several and not self.left_open:
            moved = {"joins": 1, MOVES: self._moves, LOST_COMMITS: self._moves}
            found.append(replace(self.ask(SKIPPED, moved, usual=True), several=True))
        if self.commit == IN_TRANSACTION and self.forgets_commits and self._survives({MOVES: 1}):
            found.append(self.ask(BACK, {MOVES: 1}, usual=True))
        if self.commit == IN_TRANSACTION and self.drops_what_is_taken and self._survives(TAKEN):
            found.append(self.ask(BACK, TAKEN, usual=True))
        if self.commit == IN_TRANSACTION and self._survives(EXPELLED):
            without_listener = self._model(EXPELLED, commits_on_revoke=0)
            found.append(replace(self.ask(BACK, EXPELLED, usual=True), model=without_listener))
        dangers = (TWO_READERS,) if self.commit == IN_TRANSACTION else (REPEATED, BACK, TWO_READERS)
        others = [self.ask(danger, counts, usual=False) for danger in dangers for counts in usual]
        return (*found, *others, *log)

    @property
    def several(self) -> tuple[str, ...]:
        return tuple(self.offsets.several(COMMIT_LOST, self.survived))

    @property
    def _moves(self) -> int:
        """How often the coordinator may move: each fault of a broker ends one leader at most."""
        return max(faults.total for faults in self.offsets.several(COMMIT_LOST, self.survived).values())

    @property
    def assumed_of_log(self) -> tuple[str, ...]:
        """A group that begins at the earliest record skips none, whatever is lost; it may process it again."""
        decides = self.reset != "earliest" or self.commit == IN_TRANSACTION
        return self.offsets.assumed_of(COMMIT_LOST) if decides else ()

    @property
    def left_open(self) -> str:
        if self.offsets.unknown and (self.several or self.offsets.made is None):
            return self.offsets.unknown
        if self.several and self._moves > MOST_MOVES:
            return f"with {' or '.join(self.several)} the coordinator may move more often than the model has it move"
        return ""

    @property
    def _of_release(self) -> Mapping[str, int]:
        """The rules of its release."""
        return TIME_LINE.settings_of(self.release, EITHER)

    @property
    def forgets_commits(self) -> bool:
        """May a commit that was acknowledged no longer count when the coordinator moves?"""
        of_preview = ("preview_acknowledges_lost",) if self.protocol == "consumer" else ()
        return any(self._of_release.get(name) for name in (*FORGETS_COMMITS, *of_preview))

    @property
    def drops_what_is_taken(self) -> bool:
        """May a partition that a member is taking pass for given up, so that two members commit for it, with KIP-848?"""
        return bool(self._of_release.get("drops_what_is_taken"))

    @property
    def assumed_of_offsets(self) -> tuple[str, ...]:
        """What it rests on where the consumer resets what comes while it fetches an offset: unless the events are asked about."""
        decides = self.reset != "earliest" or self.commit == IN_TRANSACTION
        asked = self.tolerance is not None and self._survives(MEANWHILE)
        if self.protocol != "consumer" or not self._of_release.get("resets_unfetched") or asked or not decides:
            return ()
        return ("no partition is assigned while its consumer fetches the committed offset of another (KAFKA-17674)",)

    def _survives(self, counts: Counts) -> bool:
        """Is it asked to survive so much, or not said how much?"""
        return self.tolerance is None or all(self.tolerance.get(name, 0) >= count for name, count in counts.items())

    @property
    def expires_early(self) -> bool:
        """Has the release KAFKA-4682 or KAFKA-13636, by which offsets expire although the group has members?"""
        return bool(self._of_release.get("expires_in_use") or self._of_release.get("expires_in_rebalance"))

    def model(self, counts: Counts) -> Model:
        """The consumer and its group as a model with these faults."""
        return self._model(counts)

    def _model(self, counts: Counts, **settings: int) -> Model:
        from .versions import VERSIONS

        profile = TIME_LINE.version_of(VERSIONS, self.release, EITHER)
        epochs = {} if self.checks_epochs else {"checks_epoch": 0}
        return profile.bounded(
            **epochs,
            commits_epoch=int(self.commits_epochs),
            passes_failed=int(self.passes is not None),
            protocol=Protocol.names.index(self.protocol),
            commit=Commit.names.index("sync" if self.commit == IN_TRANSACTION else self.commit),
            reset=Reset.names.index(self.reset),
            **settings,
            **counts,
        )

    def remedies(self) -> Sequence[Remedy]:
        """Each change by itself, then several together, the fewest first: no two of them are of the same thing."""
        single = self._changes()
        together = chain.from_iterable(combinations(single, size) for size in range(1, len(single) + 1))
        return [_remedy(self, some) for some in together if len({one.about for one in some}) == len(some)]

    def _changes(self) -> Sequence[_Change]:
        """To stop at a record that fails; to process before polls, or commit after it; to begin at the earliest record; to have the
        classic protocol."""
        found = []
        auto, reset = self.sources.get(AUTO.key), self.sources[RESET.key]
        after = {"commit": "sync", "commit_why": "commitSync after processing", "stores": False}
        if self.passes is not None:
            words = "let a record that fails stop the consumer, or send it to a topic of dead letters"
            found.append(_Change(words, {"passes": None}))
        if self.stores:
            words = f"set {STORE.key}=false, and store the offset of a record when it is processed"
            found.append(_Change(words, after, auto))
        elif self.commit in BY_ITSELF:
            if self.commit == "auto-threads":
                found.append(_Change("process every record before the next poll", {"commit": "auto"}))
            words = f"set {AUTO.key}=false, and commit after processing, with commitSync"
            found.append(_Change(words, after, auto))
        elif self.commit == "before":
            found.append(_Change("commit after processing, not before", after, auto))
        if self.reset == "latest":
            found.append(_Change(f"set {RESET.key}=earliest ({with_place(reset)})", {"reset": "earliest"}, reset))
        if self.commit == IN_TRANSACTION and self.protocol == "consumer":
            found.append(
                _Change(f"set {GROUP_PROTOCOL.key}=classic", {"protocol": "eager"}, self.sources[GROUP_PROTOCOL.key])
            )
        return found


@dataclass(frozen=True)
class _Change:
    """One change of a consumer, in words: what of its case it changes, and what sets that now."""

    words: str
    values: Mapping[str, object]
    source: SourcedValue | None = None

    @property
    def about(self) -> str:
        """What it changes."""
        return next(iter(self.values))


def _remedy(case: GroupsCase, changes: Sequence[_Change]) -> Remedy:
    """The case after some changes. Its place is that of the first that a file sets."""
    values = {name: value for one in changes for name, value in one.values.items()}
    set_by_files = (one.source for one in changes if one.source is not None and one.source.file is not None)
    first = next(set_by_files, None)
    return Remedy(
        words="; and ".join(one.words for one in changes),
        case=replace(case, **values),  # type: ignore[arg-type]
        place=None if first is None or first.file is None else (first.file, first.line),
    )


COMMITTED_BEFORE = (
    "the group has committed before, in each partition: otherwise it begins"
    " where auto.offset.reset says, and skips what is older"
)
OF_TRANSACTIONS = (
    "sendOffsetsToTransaction has the offsets of all that the transaction's records stand for, and the group's metadata (from 2.5 on)",
    "offsets and records of a transaction end together, which exactly-once is asked about",
    "after an abort the program seeks to what is committed, and who reads its output has isolation.level=read_committed",
    "it has a group.id and subscribes",
    REPLACED,
)
SOURCE_KEPT = "what it reads is not lost by what should be survived: else it may skip what comes in its place"
LOST_OFFSET = "1 offset lost from the coordinator's log + 1 later member"


class GroupsInquiry(Inquiry):
    """Each consumer's file."""

    family = OF_GROUPS
    title = "Consumer group"
    dangers = (SKIPPED, REPEATED, BACK, TWO_READERS, COMMIT_LOST)
    faults = Group.budgets
    points = POINTS
    not_asked = "no file is of a consumer"
    topic = OFFSETS
    of_consumers = True
    assumes = (
        "the program commits what it has processed before it gives a partition up, and seeks nowhere by itself",
        "it has a group.id and subscribes, and closes its consumer if it fails at a record, unless a framework goes on",
        "what it commits by hand is processed: without offsets, commitSync() and commitAsync() commit all that poll has returned",
        COMMITTED_BEFORE,
        REPLACED,
    )

    def rests_on(self, case: Case) -> Sequence[str]:
        """A group that begins at the earliest record skips none, also if it has never committed."""
        begins_first = isinstance(case, GroupsCase) and case.reset == "earliest"
        in_transaction = isinstance(case, GroupsCase) and case.commit == IN_TRANSACTION
        asked = isinstance(case, GroupsCase) and case.unclean
        return [
            one
            for one in (
                *((*OF_TRANSACTIONS, COMMITTED_BEFORE) if in_transaction else self.assumes),
                SOURCE_KEPT,
                *(case.assumed_of_offsets if isinstance(case, GroupsCase) else ()),
            )
            if not (begins_first and one == COMMITTED_BEFORE) and not (asked and one == SOURCE_KEPT)
        ]

    def subjects(self, read: Read) -> Sequence[Subject]:
        joined = replace(read, files=sinks_with_workers(read.files))
        return [self._subject(file, joined) for file in joined.files if file.role == "consumer"]

    def _subject(self, file: ConfigurationFile, read: Read) -> Subject:
        files = without_others(read.files, [file], "consumer")
        found: dict[object, GroupsCase] = {}
        for chosen in read.versions:
            version = TIME_LINE.version_at(chosen.release, EITHER)
            for case in () if version is None else _cases(file, files, chosen, read):
                ways = tuple((n, w) for n, w in case.ways.items() if n != RELEASE)
                key = (
                    version,
                    case.protocol,
                    case.commit,
                    case.reset,
                    case.passes,
                    case.checks_epochs,
                    case.offsets.behaviour,
                    ways,
                )
                add_case(found, key, case)
        deciding = [entry for entry in file.entries if file.canonical(entry.key) in (AUTO.key, RESET.key)]
        set_here = [entry for entry in deciding if entry.file == file.path]
        return Subject(
            about=file.path if file.name is None else f"{file.path} ({file.name})",
            client=(file.path, file.name),
            cases=tuple(found.values()),
            place=(file.path, set_here[0].line if set_here else None),
            doubts=(*(warning for warning in file.warnings if warning.decides), *_doubts(files, found.values())),
        )


def _cases(
    file: ConfigurationFile, files: Sequence[ConfigurationFile], chosen: ChosenVersion, read: Read
) -> Iterator[GroupsCase]:
    """What the files may be of in one release."""
    keys = (AUTO, RESET, STORE, GROUP_PROTOCOL, ASSIGNORS, INSTANCE, REPLICAS)
    sources = {key.key: source for key in keys if (source := in_force(key, files, chosen.version)) is not None}
    client = client_of(file.client, read.said.get(CLIENT))
    sources |= {
        key: replace(sources[key], value=value, layer="client")
        for key, value in taken_by(client).items()
        if key in sources and sources[key].file is None
    }
    transactional = where_transactional(files)
    commits = ways_to_commit(
        client,
        sources,
        file.commits_before,
        may_be_in_transaction=bool(transactional) or read.said.get(COMMIT) == IN_TRANSACTION,
    )
    protocols = ways_to_rebalance(client, sources)
    missing = tuple(what_is_missing(file, sources))
    reset = RESETS.get(sources[RESET.key].value.strip().lower(), "latest")
    unclean = may_be_unclean(files, chosen.version)
    levels = elr_levels(files, chosen.version)
    offsets = {elr: _offsets(files, chosen, sources, read, elr=elr) for elr in levels}
    readings = product(
        protocols.items(),
        commits.items(),
        ways_to_fail(file, client),
        ways_to_check_epochs(file, client, read.said.get(CLIENT), unclean=unclean),
        levels,
    )
    for (protocol, of_assignor), (commit, (why, way)), (passes, failed), (checks, checked), elr in readings:
        lacks = lacking(chosen.release)["protocol"].get(Protocol.names.index(protocol), "")
        absent: tuple[str, ...] = () if client is STREAMS or not lacks else (lacks,)
        if commit == IN_TRANSACTION and not transactional:
            absent += (
                "no file of a producer sets transactional.id, so nothing asks whether its transactions are torn",
            )
        ways = {RELEASE: chosen.release} if len(read.versions) > 1 else {}
        ways |= {ASSIGNOR: protocol} if of_assignor else {}
        ways |= {ELR: ON if elr else OFF} if len(levels) > 1 else {}
        ways |= dict(one for one in (way, failed, checked) if one is not None)
        if any(read.said.get(name, said) != said for name, said in ways.items()):
            continue
        yield GroupsCase(
            ways={name: said for name, said in ways.items() if name not in read.said},
            release=chosen.release,
            stands_for={chosen.release: chosen.until},
            protocol="eager" if lacks else protocol,
            commit=commit,
            commit_why=why,
            reset=reset,
            passes=passes,
            checks_epochs=checks,
            commits_epochs=client is None or client.commits_epochs,
            stores=client in (LIBRDKAFKA, OLD_LIBRDKAFKA)
            and sources[AUTO.key].value == sources[STORE.key].value == "true",
            unclean=unclean,
            offsets=offsets[elr],
            missing=(*missing, *absent),
            sources=sources,
            tolerance=read.tolerances.get(OF_GROUPS),
            survived=read.survived,
        )


def _offsets(
    files: Sequence[ConfigurationFile],
    chosen: ChosenVersion,
    sources: Mapping[str, SourcedValue],
    read: Read,
    *,
    elr: bool | None,
) -> TopicBelow:
    """The topic of the offsets as brokers create it: with their min.insync.replicas and unclean.leader.election.enable.

    No commit is answered where more replicas must be in sync than there are, so nothing that was is lost.
    """
    replicas = sources[REPLICAS.key]
    min_isr = in_force(MIN_ISR, [file for file in files if file.role == "broker"], chosen.version)
    unreachable = min_isr is not None and int(min_isr.value) > int(replicas.value)
    own = {REPLICATION_FACTOR: replicas} | ({MIN_ISR.key: replicas} if unreachable else {})
    return topic_below(OFFSETS, own, chosen, read, elr=elr)


def _doubts(files: Sequence[ConfigurationFile], cases: Iterable[GroupsCase]) -> Iterator[Notice]:
    """What the verdicts leave out: commits without epochs, offsets that expire by their age, and those of a transactional producer."""
    cases = tuple(cases)
    yield from not_only_compacted(files, OFFSETS)
    if any(one.unclean and one.checks_epochs and one.commits_epochs and one.commit not in BY_ITSELF for one in cases):
        what = "a commit of new OffsetAndMetadata(offset) has no leader epoch."
        why = "Who begins there does not notice that the partition was truncated, and skips what came in its place (KAFKA-20507)."
        advice = "Call commitSync() or commitAsync() without offsets, or hand the leader epoch of the record over."
        yield Notice(what=what, why=why, advice=advice, decides=True)
    if any(one.protocol == "consumer" and one.reset == "latest" and one.commit not in BY_ITSELF for one in cases):
        what = "with group.protocol=consumer an offset expires by the time of its commit."
        why = "A group that is empty for a moment loses what it committed before offsets.retention.minutes, and begins at the end."
        advice = "Set auto.offset.reset=earliest, or commit now and then although nothing was read."
        yield Notice(what=what, why=why, advice=advice, key=RETENTION, decides=True)
    if any(one.reset != "earliest" for one in cases):
        for entry in entries_of(files, "broker"):
            if entry.key == RETENTION and entry.value.strip().isdigit() and int(entry.value) < SHORT_RETENTION:
                what = "a group that is empty for so long loses what it has committed, and begins where auto.offset.reset says."
                why = (
                    "It skips what was written meanwhile. That a group is empty for less than a day is not asked about."
                )
                yield entry.notice(what, why, "Write 10080 or more, or auto.offset.reset=earliest.", decides=True)
    for entry in where_transactional(files) if any(one.commit != IN_TRANSACTION for one in cases) else ():
        what = (
            "this producer is transactional: if it commits this consumer's offsets, they are part of its transactions."
        )
        advice = f"If it does, say {argument('assume', f'{COMMIT}={IN_TRANSACTION}')}."
        yield entry.notice(what, advice=advice, decides=True)
