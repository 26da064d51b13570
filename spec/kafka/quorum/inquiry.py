"""What an audit asks of the controllers: is a decision lost, and an acknowledged record with it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import ClassVar

from neverlost.model.core import Model
from neverlost.model.kafka.quorum.state import Format, InFile, Quorum, Wait
from neverlost.spec.configuration import ConfigurationError, ConfigurationFile, Notice, SourcedValue
from neverlost.spec.configuration.configuration_file import ConfigEntry
from neverlost.spec.configuration.controllers import CONTROLLER, roles_of
from neverlost.spec.configuration.defaults import ConfigurationKey
from neverlost.spec.configuration.forms.strimzi import FORM as STRIMZI
from neverlost.spec.configuration.in_force import in_force, with_place
from neverlost.spec.configuration.notices import place_of
from neverlost.spec.configuration.version_choice import MIGRATES, ChosenVersion
from neverlost.spec.exposure import Danger
from neverlost.spec.inquiry import (
    RELEASE,
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
)
from neverlost.spec.kafka.releases import KRAFT, RELEASES

from .differences import TIME_LINE

OF_QUORUM = "quorum"
LEVEL, FORMATS, STARTS, STATE = "kraft-version", "formats", "formatted-starts", "quorum-state"
KEPT, DELETED = "kept", "deleted"
FIRST_WITH_LEVEL_1, FIRST_TO_RAISE = "3.9.0", "4.1.0"
"""A cluster may be formatted with kraft.version 1 from 3.9 on (KIP-853), and raised to it from 4.1 on (KAFKA-16538).

`kafka-storage.sh` of 3.9.0, 3.9.1, 4.0.0, 4.0.1 and 4.1.0 does so beside static voters too (KAFKA-19719), and later releases run what
it made.
"""
FIRST_TO_SYNC_SNAPSHOTS = "3.5.2"
IN_NO_FILE = "not"
MOST_CONTROLLERS = 3
"""With more an audit would take too long."""

DECISION_LOST = Danger(
    property="committed_never_lost",
    name="decision lost",
    what="a committed decision of the controllers is replaced",
    concerns=OF_QUORUM,
)
GONE = Danger(
    property="committed_is_held",
    name="metadata gone",
    what="no controller has what was committed",
    concerns=OF_QUORUM,
)
RECORD_LOST = Danger(
    property="acked_never_lost",
    name="record lost by it",
    what="an acknowledged record is lost by a clean election",
    concerns=OF_QUORUM,
)
TWO_LEADERS = Danger(
    property="one_leader_per_epoch",
    name="two leaders",
    what="two controllers lead one epoch",
    concerns=OF_QUORUM,
)
DANGERS = (DECISION_LOST, RECORD_LOST, GONE, TWO_LEADERS)

VOTERS = ConfigurationKey(role="broker", key="controller.quorum.voters", kind="word", defaults=(("2.8", ""),))
SERVERS = ConfigurationKey(
    role="broker", key="controller.quorum.bootstrap.servers", kind="word", defaults=(("3.8", ""),)
)
AUTO_JOIN = ConfigurationKey(
    role="broker", key="controller.quorum.auto.join.enable", kind="bool", defaults=(("4.2", "false"),)
)
FEATURE = ConfigurationKey(role="broker", key="kraft.version", kind="int", defaults=(("3.9", "0"),), most=1)
"""The feature that kafka-features.sh describes."""

POINTS = (
    OpenPoint(
        name=LEVEL,
        about="the level of the feature kraft.version",
        ways={"0": "kraft.version 0", "1": "kraft.version 1"},
    ),
    OpenPoint(
        name=FORMATS,
        about="how a lost directory is formatted",
        ways={
            "no-initial-controllers": "a lost directory is formatted with --no-initial-controllers",
            "initial-controllers": "a lost directory is formatted with --initial-controllers",
            "standalone": "a lost directory is formatted with --standalone",
        },
        of_people=True,
    ),
    OpenPoint(
        name=STARTS,
        about="when a controller with a new directory is started",
        ways={
            "majority": "a formatted controller is started when a majority has what is committed",
            "at-once": "a formatted controller is started at once",
            "settled": "a formatted controller is started when all others follow one leader, and have what is committed",
        },
        of_people=True,
    ),
    OpenPoint(
        name=STATE,
        about="what becomes of quorum-state when Strimzi starts a controller",
        ways={
            DELETED: "each start of a controller deletes its quorum-state",
            KEPT: "a start of a controller keeps its quorum-state",
        },
    ),
)
"""What files leave open. kafka_run.sh of Strimzi 0.46 removes quorum-state before it starts Kafka; no file says which Strimzi it is."""

USUAL: tuple[Counts, ...] = ({}, {"crashes": 1}, {"power_losses": 1}, {"disk_losses": 1})
"""What happens to a machine: any of them alone."""
BEYOND: tuple[Counts, ...] = (
    {"disk_losses": 2},
    {"quorum_state_losses": 1},
    {"restored_copies": 1},
    {"borrowed_copies": 1},
)
"""Two machines, and what people do to a directory by hand."""


@dataclass(frozen=True, kw_only=True)
class QuorumCase(Case):
    """The controllers. `level` is kraft.version, `level_why` says why it is so. `sources` say where the values stand."""

    faults = Quorum.budgets
    controllers: int
    level: int
    level_why: str
    formats: str
    starts: str
    auto_join: bool
    in_file: str
    migrates: bool
    sources: Mapping[str, SourcedValue] = field(repr=False)
    tolerance: Counts | None = None
    by_strimzi: bool = False
    state: str = KEPT
    forgets: ConfigEntry | None = None

    @property
    def says(self) -> str:
        who = "One controller decides alone" if self.controllers == 1 else f"{self.controllers} controllers decide"
        voters = (
            "a voter is an id with a directory, so a controller with a new directory is none until it is added"
            if self.level
            else "a voter is an id of the configuration, so a controller votes with whatever its directory has"
        )
        joins = " It may add itself (controller.quorum.auto.join.enable)." if self.auto_join else ""
        named = f" {VOTERS.key} is set too: by it an empty directory has voters without ids." if self.by_file else ""
        more = ""
        if self.by_strimzi:
            more = " Strimzi formats an empty disk and starts at once: nobody waits until the others have what is committed."
        if self.state == DELETED:
            more += " Its kafka_run.sh (read at 0.46) deletes quorum-state, so each start is a quorum state loss."
        if self.forgets is not None:
            more += f" The storage is ephemeral at {self.forgets.place}: each restart of a pod is a disk loss."
        return f"{who}, with kraft.version {self.level}, because {self.level_why}: {voters}.{joins}{named}{more}"

    @property
    def by_file(self) -> bool:
        """Are voters named in the files, beside those of the log?"""
        return self.in_file != IN_NO_FILE

    @property
    def lacks(self) -> tuple[str, ...]:
        found = []
        if self.controllers > MOST_CONTROLLERS:
            found.append(f"there are {self.controllers} controllers, and an audit asks about {MOST_CONTROLLERS}")
        if self.migrates:
            found.append(f"{MIGRATES} is true, and the migration from ZooKeeper is not modelled")
        return tuple(found)

    @cached_property
    def asks(self) -> Sequence[Ask]:
        usual, beyond = list(USUAL), list(BEYOND)
        if self.controllers == 1:
            beyond = [counts for counts in beyond if "borrowed_copies" not in counts]
        often = [{"disk_losses": 2}] if self.forgets is not None else []
        often += (
            [{"quorum_state_losses": 1}, {"power_losses": 1, "quorum_state_losses": 1}] if self.state == DELETED else []
        )
        usual, beyond = [*usual, *often], [counts for counts in beyond if counts not in often]
        if self.tolerance is not None:
            usual, beyond = list(all_within(self.tolerance)), []
        return [self.ask(danger, counts, usual=counts in usual) for danger in DANGERS for counts in (*usual, *beyond)]

    def model(self, counts: Counts) -> Model:
        """The controllers as a model with these faults."""
        from .versions import VERSIONS

        profile = TIME_LINE.version_of(VERSIONS, self.release, KRAFT)
        return profile.bounded(
            controllers=min(self.controllers, MOST_CONTROLLERS),
            kraft_version=self.level,
            formats=Format.names.index(self.formats),
            formatted_starts=Wait.names.index(self.starts),
            auto_join=int(self.auto_join),
            voters_in_file=InFile.names.index(self.in_file),
            **counts,
        )

    def remedies(self) -> Sequence[Remedy]:
        """To wait, no voters in files, three controllers, directory ids, later releases: each alone, then with three controllers."""
        more = replace(self, controllers=3)
        words, place = "have three controllers", _place(self.sources)
        alone = [*self._of_disks(), *self._of_care(self), *self._of_files(self), *self._of_level(self)]
        if self.controllers >= 3:
            return alone
        together = [*self._of_care(more), *self._of_files(more), *self._of_level(more)]
        return [
            *alone,
            Remedy(words=words, case=more, place=place),
            *(replace(one, words=f"{words}; and {one.words}", place=place) for one in together),
        ]

    def _of_disks(self) -> Iterator[Remedy]:
        """Disks that outlive a restart."""
        if self.forgets is not None:
            place = self.forgets.file, self.forgets.line
            yield Remedy(
                words="use persistent-claim for the storage of controllers",
                case=replace(self, forgets=None),
                place=place,
            )

    def _of_care(self, case: QuorumCase) -> Iterator[Remedy]:
        """What operators do with a controller that has lost its directory."""
        if not case.level and case.starts != "settled" and not case.by_strimzi:
            wait = "wait until all others follow one leader and have all that is committed"
            tools = "kafka-metadata-quorum.sh describe --status, and --replication"
            yield Remedy(
                words=f"before you start a controller with a new directory, {wait} ({tools})",
                case=replace(case, starts="settled"),
                place=_place(case.sources),
            )

    def _of_files(self, case: QuorumCase) -> Iterator[Remedy]:
        """No voters but those of the log."""
        if case.by_file and not case.by_strimzi:
            words = f"name the controllers by {SERVERS.key} alone, without {VOTERS.key}"
            yield Remedy(words=words, case=replace(case, in_file=IN_NO_FILE), place=_place(case.sources))

    def _of_level(self, case: QuorumCase) -> Iterator[Remedy]:
        """Voters with directory ids. Strimzi's operator alone can give them."""
        if case.level or case.by_strimzi:
            return
        feature = (
            "raise the feature: kafka-features.sh upgrade --feature kraft.version=1, and name the controllers by"
            f" {SERVERS.key} instead of {VOTERS.key}; format a lost directory with --no-initial-controllers"
        )
        after = replace(case, level=1, formats="no-initial-controllers", starts="at-once", level_why="it was raised")
        if _is_raised(case.release):
            yield Remedy(words=feature, case=after, place=_place(case.sources))
        else:
            words = f"upgrade Kafka to {FIRST_TO_RAISE}, brokers and controllers, and {feature}"
            newer = replace(after, release=FIRST_TO_RAISE, stands_for={FIRST_TO_RAISE: FIRST_TO_RAISE})
            yield Remedy(words=words, case=newer, place=_place(case.sources))


def _place(sources: Mapping[str, SourcedValue]) -> tuple[str, int | None] | None:
    """Where the controllers are named."""
    named = [source for key in (VOTERS.key, SERVERS.key) if (source := sources.get(key)) is not None]
    return next(((source.file, source.line) for source in named if source.file is not None), None)


class QuorumInquiry(Inquiry):
    """The files of controllers, all together: they are of one quorum."""

    family = OF_QUORUM
    title = "Controllers' quorum"
    dangers = DANGERS
    faults = Quorum.budgets
    points = POINTS
    answers: ClassVar[frozenset[str]] = frozenset({"one controller"})
    not_asked = "no file is of a controller: process.roles with controller in it"
    assumes = (
        "nobody deletes or restores a file of a controller's directory",
        "to elect nobody any more is no loss, although it is an outage",
    )

    def why_not_asked(self, read: Read) -> str:
        """Of Strimzi's controllers the pools say how many there are."""
        if any(file.form == STRIMZI and roles_of(file) for file in read.files):
            return "no KafkaNodePool of these resources has the role controller and says how many replicas it has"
        return self.not_asked

    def subjects(self, read: Read) -> Sequence[Subject]:
        own = [file for file in read.files if CONTROLLER in roles_of(file)]
        if not own:
            return []
        _ensure_alike(own)
        features = [file for file in read.files if file.role == "broker" and file.printed]
        found: dict[object, QuorumCase] = {}
        doubts: dict[str, Notice] = {}
        for chosen in read.versions:
            version = TIME_LINE.version_at(chosen.release, KRAFT)
            for case in () if version is None else _cases([*own, *features], chosen, read):
                can_raise = _is_raised(chosen.release)
                ways = tuple((n, w) for n, w in case.ways.items() if n != RELEASE)
                add_case(found, (version, can_raise, case.level, ways), case)
                doubts |= {notice.text: notice for notice in _doubts(case)}
        place = next(entry for entry in own[0].entries if entry.key == "process.roles")
        return [
            Subject(
                about=", ".join(dict.fromkeys(file.path for file in own)),
                cases=tuple(found.values()),
                place=(place.file, place.line),
                doubts=tuple(doubts.values()),
            )
        ]


def _ensure_alike(files: Sequence[ConfigurationFile]) -> None:
    """Raises ConfigurationError for a controller that names nobody, and for two that name others."""
    problems: list[Notice] = []
    first: dict[str, SourcedValue] = {}
    for file in files:
        named = {key.key: source for key in (VOTERS, SERVERS) if (source := in_force(key, [file], "4.4")) is not None}
        if not any(source.value for source in named.values()):
            what = f"it sets neither {VOTERS.key} nor {SERVERS.key}."
            advice = f"Write {SERVERS.key}, or {VOTERS.key} for static voters."
            problems.append(
                Notice(what=what, why="A controller does not start without.", advice=advice, file=file.path)
            )
        for key, source in named.items():
            before = first.setdefault(key, source)
            if _members(before) != _members(source):
                what = f"other controllers than at {place_of(before.file, before.line)}."
                why = "Controllers of one quorum name the same ones."
                problems.append(source.notice(what, why, "Audit each quorum by itself."))
    if problems:
        raise ConfigurationError(problems)


def _members(source: SourcedValue | None) -> frozenset[str]:
    return frozenset(part.strip() for part in source.value.split(",") if part.strip()) if source else frozenset()


def _ids(source: SourcedValue | None) -> frozenset[str]:
    """The ids of static voters: of two entries with one id the later one counts (QuorumConfig.parseVoterConnections)."""
    return frozenset(member.partition("@")[0] for member in _members(source))


def _cases(files: Sequence[ConfigurationFile], chosen: ChosenVersion, read: Read) -> Iterator[QuorumCase]:
    """What the files may be of in one release."""
    keys = (VOTERS, SERVERS, AUTO_JOIN, FEATURE)
    sources = {key.key: source for key in keys if (source := in_force(key, files, chosen.version)) is not None}
    migrates = any(
        entry.value.strip().lower() == "true" for file in files for entry in file.entries if entry.key == MIGRATES
    )
    count = len(_ids(sources.get(VOTERS.key))) or len(_members(sources.get(SERVERS.key)))
    by_strimzi = any(file.form == STRIMZI for file in files)
    forgets = next((file.forgets for file in files if file.forgets is not None), None)
    for level, (why, is_open) in _levels(chosen.release, sources, by_strimzi=by_strimzi).items():
        joins = AUTO_JOIN.key in sources and sources[AUTO_JOIN.key].value == "true" and bool(level)
        formats = Format.names if level else Format.names[:1]
        starts = ("at-once",) if level or by_strimzi else tuple(POINTS[2].ways)
        in_file = _in_file(chosen.release, sources) if level else IN_NO_FILE
        for formatted, started, state in product(formats, starts, (DELETED, KEPT) if by_strimzi else (KEPT,)):
            ways = {RELEASE: chosen.release} if len(read.versions) > 1 else {}
            ways |= {LEVEL: str(level)} if is_open else {}
            ways |= {FORMATS: formatted} if level else {} if by_strimzi else {STARTS: started}
            ways |= {STATE: state} if by_strimzi else {}
            if any(read.said.get(name, way) != way for name, way in ways.items()):
                continue
            yield QuorumCase(
                ways={name: way for name, way in ways.items() if name not in read.said},
                release=chosen.release,
                stands_for={chosen.release: chosen.until},
                controllers=count,
                level=level,
                level_why=why,
                formats=formatted,
                starts=started,
                auto_join=joins,
                in_file=in_file,
                migrates=migrates,
                sources=sources,
                tolerance=read.tolerances.get(OF_QUORUM),
                by_strimzi=by_strimzi,
                state=state,
                forgets=forgets,
            )


def _levels(release: str, sources: Mapping[str, SourcedValue], *, by_strimzi: bool) -> dict[int, tuple[str, bool]]:
    """The possible levels of kraft.version, each with the reason for it, and whether no file says which it is."""
    feature, voters, servers = sources.get(FEATURE.key), sources.get(VOTERS.key), sources.get(SERVERS.key)
    if feature is not None and feature.file is not None:
        return {int(feature.value): (with_place(feature), False)}
    if RELEASES.index(release) < RELEASES.index(FIRST_WITH_LEVEL_1):
        return {0: (f"Kafka {release} has no other", False)} if voters is not None and voters.value else {}
    if voters is not None and voters.value:
        place = place_of(voters.file, voters.line)
        static = f"Strimzi writes {VOTERS.key} from {place}" if by_strimzi else f"{VOTERS.key} is set at {place}"
        done = "raised it" if _is_raised(release) else "formatted it so"
        return {0: (f"{static}, and nobody {done}", True), 1: (f"somebody {done}", True)}
    assert servers is not None
    return {1: (f"{SERVERS.key} alone is set at {place_of(servers.file, servers.line)}", False)}


def _is_raised(release: str) -> bool:
    """Can kraft.version be raised?"""
    return RELEASES.index(release) >= RELEASES.index(FIRST_TO_RAISE)


def _in_file(release: str, sources: Mapping[str, SourcedValue]) -> str:
    """Do files name voters beside those of the log, as a name of InFile? Of late that is so only after an upgrade."""
    if VOTERS.key not in sources or not sources[VOTERS.key].value:
        return IN_NO_FILE
    return "since-an-upgrade" if _is_raised(release) else "since-the-format"


def _doubts(case: QuorumCase) -> Iterator[Notice]:
    """That the voters are in the log and not in the file; that a snapshot may be gone with the power."""
    servers, voters = case.sources.get(SERVERS.key), case.sources.get(VOTERS.key)
    if RELEASES.index(case.release) < RELEASES.index(FIRST_TO_SYNC_SNAPSHOTS) and voters is not None:
        what = (
            f"Kafka before {FIRST_TO_SYNC_SNAPSHOTS} does not sync a snapshot of the metadata (KAFKA-15312): after a power loss it may"
            " be empty, and the controller has to be formatted."
        )
        advice = f"Upgrade Kafka to {FIRST_TO_SYNC_SNAPSHOTS}."
        yield voters.notice(what, advice=advice, decides=True)
    if case.level and servers is not None and servers.file is not None:
        what = f"this names {len(_members(servers))} controllers, and the voters may be others: they are in the metadata log."
        advice = "Compare with kafka-metadata-quorum.sh describe --status."
        yield servers.notice(what, advice=advice, decides=True)
