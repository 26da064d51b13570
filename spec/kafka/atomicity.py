"""The ledger of what makes each action of a model one step in Kafka: for which releases, what holds it together, and the gaps."""

from __future__ import annotations

from dataclasses import dataclass, field

from neverlost.model.core import Action

from .releases import FIRST_WITH_KRAFT, KRAFT, LAST_WITH_ZOOKEEPER, RELEASES, ZOOKEEPER, InReleases, TimeLine

NOTHING = "nothing"
ABSENT = "these releases have no such step"


@dataclass(frozen=True)
class Place:
    """Where it is written: a source file of Kafka, and a method in it. Files and methods have other names in other releases."""

    file: str
    method: str


@dataclass(frozen=True, kw_only=True)
class Split:
    """The model has the parts as actions of their own too, for exchanges that last over a change of leadership."""

    into: tuple[Action, ...]


@dataclass(frozen=True, kw_only=True)
class Merged:
    """The model has one step, and loses nothing by it. `test` names the test that searches with the step split, if one does."""

    because: str
    test: str = ""


@dataclass(frozen=True, kw_only=True)
class Missing:
    """The model has one step, and so misses what this says. `test` names the test that searches with the step split, if one does."""

    what: str
    test: str = ""


def zookeeper(since: str, until: str = LAST_WITH_ZOOKEEPER) -> InReleases:
    """With ZooKeeper, from one release to another, to the last one if none is named."""
    return InReleases(since=since, until=until, modes=(ZOOKEEPER,))


def kraft(since: str = FIRST_WITH_KRAFT, until: str | None = None) -> InReleases:
    """In KRaft mode, from the first release or another, to the newest or another."""
    return InReleases(since=since, until=until, modes=(KRAFT,))


def both(since: str = RELEASES[0], until: str | None = None) -> InReleases:
    """In both modes, from the first release or another, to the newest or another."""
    return InReleases(since=since, until=until)


def at(*places: str) -> tuple[Place, ...]:
    """Places that are written as a file and its methods: `at("Partition.scala: makeLeader, makeFollower")`."""
    found = []
    for place in places:
        file, methods = place.split(": ")
        found += [Place(file, method) for method in methods.split(", ")]
    return tuple(found)


@dataclass(frozen=True, kw_only=True)
class Gap:
    """Two parts of a step with nothing that holds them together, and what the model does about it."""

    when: InReleases = field(default_factory=both)
    between: str
    done: Split | Merged | Missing


@dataclass(frozen=True, kw_only=True)
class LedgerRow:
    """What makes an action one step in some releases: `by` a lock or a thread, in these places, but for the gaps.

    `read` are the releases whose code was read, at their tags or in their sources.
    """

    action: Action
    when: InReleases
    by: str
    places: tuple[Place, ...]
    gaps: tuple[Gap, ...] = ()
    read: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """The rows of a family, action by action, older releases first, and the versions that its releases belong to."""

    time_line: TimeLine
    rows: tuple[LedgerRow, ...]

    def releases_of(self, version: str) -> tuple[tuple[str, str], ...]:
        """The releases that a version stands for, each with its mode. Raises KeyError for another profile."""
        span = self.time_line.spans[version]
        return tuple((release, span.mode) for release in RELEASES if release in span)

    def rows_of(self, version: str) -> tuple[LedgerRow, ...]:
        """The rows that hold for a release of a version. Raises KeyError for another profile."""
        releases = self.releases_of(version)
        return tuple(row for row in self.rows if any(row.when.holds_for(*release) for release in releases))

    def gaps_of(self, row: LedgerRow, version: str) -> tuple[Gap, ...]:
        """The gaps of a row that releases of a version have. Raises KeyError for another profile."""
        releases = [release for release in self.releases_of(version) if row.when.holds_for(*release)]
        return tuple(gap for gap in row.gaps if any(gap.when.holds_for(*release) for release in releases))


MONITOR = "the monitor leaderIsrUpdateLock"
READ_SIDE = "the read side of leaderIsrUpdateLock"
WRITE_SIDE = "the write side of leaderIsrUpdateLock"
FETCHER = "one fetcher thread, which holds partitionMapLock"
EVENT = (
    "one event in the queue of QuorumController: its records change the controller's state at once, and others see them when"
    " they are committed"
)
UNDER_LOCK = "controllerLock, and one conditional write to ZooKeeper"
IN_THREAD = "the controller's event thread, and one conditional write to ZooKeeper"
