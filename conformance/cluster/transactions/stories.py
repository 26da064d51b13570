"""Stories of transactions on real brokers: what a late message does, by release and by the transaction version of the client.

What is expected comes from a search of the release's own version of the model. Where the search finds a run to a violation, that run is
played. Where it finds that the property holds, the release is a control: it plays the run of another version.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.explorer.search import explore
from neverlost.explorer.traces.trace import ReplayError, Trace, deciding_trace
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import NONE, Model, Profile, Refused, State, Step, UnknownNameError, contains
from neverlost.model.kafka.transactions.late import verify_late
from neverlost.model.kafka.transactions.state import Partition, Transactions, Way
from neverlost.spec import profiles
from neverlost.spec.kafka.releases import EITHER
from neverlost.spec.kafka.transactions.differences import TIME_LINE, lacking

from ..clusters import Clusters
from ..releases import RunnableRelease, release_at
from ..story_paths import StoryError, named

if TYPE_CHECKING:
    from .playing import Played

TV0, TV2 = "tv0", "tv2"
RAW, JAVA, LIBRDKAFKA = "raw", "java", "librdkafka"
"""Who the producers are: requests of this package, the release's own Java library, or librdkafka. `java-3.9.1` is that of a release."""
BROKERS = 2
"""One for each partition."""
COORDINATORS = 3
"""Brokers that are the coordinator in turn, where it moves twice."""
SETTINGS = {
    "transaction.state.log.num.partitions": "1",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
}
FORGETS = {"producer.id.expiration.ms": "5000", "producer.id.expiration.check.interval.ms": "500"}
UNVERIFIED = {"transaction.partition.verification.enable": "false"}
MISSING_IN_CONTROLS = {
    *(
        "append_late",
        "late_init_arrives",
        "late_bump_arrives",
        "late_add_arrives",
        "late_end_arrives",
        "late_marker_arrives",
    ),
    *("add_partition", "write_marker"),
}
"""What a control may not do of the run of another version: what comes late is refused, a client of version 2 adds no partitions, and a
marker does not come for what has not happened."""
MIXED = "+"
"""Between two releases: `4.1.1+4.2.0` has brokers of both, as in the middle of an upgrade."""


@dataclass(frozen=True, kw_only=True)
class Story:
    """What a late message does: the property that it violates, within bounds, and the version whose run controls play."""

    name: str
    about: str
    property: str
    bounds: dict[str, int]
    settings: dict[str, Any]
    run_of: str
    run_of_client: str
    run_settings: dict[str, Any]
    """The settings of the run that controls play."""
    releases: tuple[str, ...]
    libraries: tuple[str, ...] = (RAW, JAVA, LIBRDKAFKA)
    """Whose producers can be made to do it."""
    offsets: bool = False
    """Is the last partition the log of a group's offsets?"""
    clients: tuple[str, ...] = (TV0, TV2)


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A story on a release, with clients of a transaction version: what the search of its version found, and the run to be played."""

    story: Story
    place: str
    client: str
    library: str
    version: str
    run_of: str
    expected: bool
    trace: Trace

    @property
    def producer(self) -> str:
        """The transaction version of the client, and which library it is."""
        return self.client if self.library == RAW else f"{self.client}, {self.library}"

    @property
    def stops_threads(self) -> bool:
        """Does it take a debugger, as between the question of a partition and its append?"""
        return any(step.action is verify_late for step in self.trace.steps)

    @property
    def cluster(self) -> tuple[str, bool, bool, bool, int]:
        """What its cluster is made of: releases, whether partitions forget producers and verify, whether brokers take a debugger, and
        how many brokers there are."""
        settings = self.story.settings
        return (
            self.place,
            bool(settings.get("expirations")),
            settings.get("verification", True),
            self.stops_threads,
            COORDINATORS if settings.get("coordinator_moves") else BROKERS,
        )


@dataclass(frozen=True, kw_only=True)
class StoryRun:
    """A story on a release, played several times."""

    planned: Planned
    runs: tuple[Played, ...]

    @property
    def as_expected(self) -> bool:
        """Did every run come out as the search says? A run to a violation must go as the model up to its end, and in a control what is
        late must have come, the timeout have passed or the producer be forgotten, and nothing else be missing than what follows."""
        return all(self._is_as_expected(run) for run in self.runs)

    @property
    def release(self) -> str:
        """The release, with its mode; or both."""
        return " and ".join(str(release_at(one)) for one in self.planned.place.split(MIXED))

    def _is_as_expected(self, run: Played) -> bool:
        if run.trouble:
            return False
        if self.planned.expected:
            return run.violated_at is not None and run.differs_at is None
        missing = {step.step.partition("(")[0] for step in run.steps if not step.done}
        return run.violated_at is None and bool(run.late or run.disturbance) and missing <= MISSING_IN_CONTROLS

    @property
    def happened(self) -> int:
        """In how many runs the property was violated, by what was seen."""
        return sum(run.violated_at is not None for run in self.runs)

    @property
    def late(self) -> str:
        """How what was late was answered when it came."""
        return "; ".join(
            dict.fromkeys(", ".join(run.late) or run.disturbance or "nothing came late" for run in self.runs)
        )

    @property
    def outcome(self) -> str:
        """What came of it, in a few words."""
        said = [f"happens {self.happened} of {len(self.runs)}" if self.happened else "does not happen", self.late]
        said += dict.fromkeys(run.trouble for run in self.runs if run.trouble)
        if self.planned.expected:
            said += dict.fromkeys(
                f"differs at step {run.differs_at}" for run in self.runs if run.differs_at is not None
            )
        return "; ".join(said)


@cache
def _all() -> dict[str, Story]:
    rows = tomllib.loads((files(__package__) / "stories.toml").read_text(encoding="utf-8"))
    return {
        name: Story(
            name=name,
            about=row["about"],
            property=row["property"],
            bounds=row["bounds"],
            settings=row["settings"],
            run_of=row["run_of"],
            run_of_client=row["run_of_client"],
            releases=tuple(row["releases"]),
            libraries=tuple(row.get("libraries", (RAW, JAVA, LIBRDKAFKA))),
            offsets=row.get("offsets", False),
            run_settings=row.get("run_settings", row["settings"]),
            clients=tuple(row.get("clients", (TV0, TV2))),
        )
        for name, row in rows.items()
    }


def stories(names: Sequence[str] = ()) -> list[Story]:
    """The stories of these names, all if none is given. Raises UnknownNameError."""
    return named("story of transactions", _all(), names)


def plan(wanted: Iterable[Story], places: Collection[str] = (), libraries: Collection[str] = (RAW,)) -> list[Planned]:
    """Each story on its releases, or on these, with these clients, in each transaction version that both can speak.

    Raises UnknownNameError and ClusterError for a release that cannot be run, StoryError for one without transactions.
    """
    found = []
    for story in wanted:
        for place in places or story.releases:
            ours = [release_at(one).version for one in place.split(MIXED)]
            version = TIME_LINE.version_at(ours[-1], EITHER)
            if version is None or TIME_LINE.version_at(ours[0], EITHER) is None:
                raise StoryError(f"Kafka {ours[0]} has no transactions; they came with {TIME_LINE.since}.")
            for library in libraries:
                spoken = _spoken(library, ours[0])
                if library.partition("-")[0] in story.libraries:
                    found += [
                        _planned(story, place, library, version, client) for client in spoken if client in story.clients
                    ]
    return found


def release_of_client(library: str) -> RunnableRelease | None:
    """The release whose Java library a client is, if it is not that of the brokers.

    Raises UnknownNameError for no client, and for a release that cannot be run.
    """
    name, _, version = library.partition("-")
    if version and name == JAVA:
        return release_at(version)
    if library not in (RAW, JAVA, LIBRDKAFKA):
        raise UnknownNameError("client", library, (RAW, JAVA, f"{JAVA}-3.9.1", LIBRDKAFKA))
    return None


def _spoken(library: str, release: str) -> tuple[str, ...]:
    """The transaction versions that a client speaks with brokers of a release."""
    own = release_of_client(library)
    if library == LIBRDKAFKA or lacking(release) or (own is not None and lacking(own.version)):
        return (TV0,)
    return (TV0, TV2) if library == RAW else (TV2,)


def _planned(story: Story, place: str, library: str, version: str, client: str) -> Planned:
    own = _trace(story, version, client, story.settings, mixed=MIXED in place)
    trace = own or _trace(story, story.run_of, story.run_of_client, story.run_settings)
    if trace is not None and library != RAW:
        trace = numbered_on(trace)
    if trace is None:
        raise StoryError(f"{story.name}: the model of {story.run_of} has no run to a violation of {story.property}")
    run_of = f"{version}, {client}" if own else f"{story.run_of}, {story.run_of_client}"
    return Planned(
        story=story,
        place=place,
        library=library,
        client=client,
        version=version,
        run_of=run_of,
        expected=own is not None,
        trace=trace,
    )


def _trace(
    story: Story, version: str, client: str, settings: Mapping[str, Any], *, mixed: bool = False
) -> Trace | None:
    """The shortest run of a version to a violation; None if the property holds. Raises StoryError if the search does not decide it."""
    asked = {**settings, "client": client, "mixed_brokers": mixed}
    verdict, trace = _searched(version, story.property, tuple(story.bounds.items()), tuple(asked.items()))
    if verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
        raise StoryError(f"{story.name}: the search of {version} does not decide {story.property}: {verdict}")
    return trace


@cache
def _searched(
    version: str, prop: str, bounds: tuple[tuple[str, int], ...], settings: tuple[tuple[str, Any], ...]
) -> tuple[Verdict, Trace | None]:
    """What a search says of a version. Many releases have the same, and each library is asked about."""
    profile: Profile = profiles()[version]
    model = profile.bounded(**profile.read(dict(bounds), dict(settings)))
    finding = explore(model, properties=[prop], symmetry=True).findings[prop]
    return finding.verdict, None if finding.trace is None else as_clients_do(finding.trace)


def as_clients_do(trace: Trace) -> Trace:
    """The same run with the record of each partition right behind its AddPartitionsToTxn, as client libraries send it, and with what a
    timeout decides completed at once: from 4.0 on a coordinator has everybody wait until then (KAFKA-18660).

    The run as it was found if the longer one is none of the model's, or does not decide the property.
    """
    model, texts, done_before = trace.model, list[str](), list[str]()
    late = {
        _record_of(step) for step in trace.steps if step.picks().get("way") == Way.LATE and "partition" in step.picks()
    }
    words = trace.states[0]
    for step in trace.steps:
        text = step.show(model.bounds)
        if text in done_before:
            done_before.remove(text)
            continue
        try:
            words = model.apply(words, step)
        except Refused:
            return trace
        texts.append(text)
        for more in _more(model, step, model.state(words), late):
            with suppress(Refused):
                words = model.apply(words, model.parse_step(more))
                texts.append(more)
                done_before.append(more)
    assert trace.property is not None
    try:
        return deciding_trace(trace.model, texts, trace.property)
    except ReplayError:
        return trace


def numbered_on(trace: Trace) -> Trace:
    """The same run of a producer whose next record always has the next number, as that of a library that was not suspended.

    The run as it was if the other is none of the model's, or does not decide the property.
    """
    assert trace.property is not None
    texts = [step.show(trace.model.bounds).replace("numbering=again", "numbering=next") for step in trace.steps]
    try:
        return deciding_trace(trace.model, texts, trace.property)
    except ReplayError:
        return trace


def _more(model: Model, step: Step, after: State, late: Collection[tuple[int, int]]) -> list[str]:
    """What else is done at once after a step."""
    text = step.show(model.bounds)
    if step.action.name == "add_partition" and _record_of(step) not in late:
        return [text.replace("add_partition", "produce")]
    if step.action.name == "time_out":
        assert isinstance(after, Transactions)
        waiting = [one for one in after.each(Partition) if contains(after.partitions, one)]
        markers = [f"write_marker(partition={Partition.show(one, model.bounds)}, way=at-once)" for one in waiting]
        return [*markers, "complete()"]
    return []


def _record_of(step: Step) -> tuple[int, int]:
    """The transaction and the partition that a step is about; no transaction of a marker."""
    return step.picks().get("txn", NONE), step.picks()["partition"]


def play_stories(wanted: Sequence[Planned], *, times: int = 1, watch: Watch[str] = UNWATCHED) -> Iterator[StoryRun]:
    """Play stories, one cluster for all on the same release whose brokers are set alike.

    Raises KeyboardInterrupt if the user interrupts, ClusterError if a cluster fails.
    """
    from .playing import Play
    from .playing_libraries import LibraryPlay

    for made_of in sorted(dict.fromkeys(one.cluster for one in wanted), key=lambda one: _number(one[0])):
        place, forget, verify, debugged, brokers = made_of
        release, *later = (release_at(one) for one in place.split(MIXED))
        with Clusters(
            release,
            brokers=brokers,
            settings=SETTINGS | (FORGETS if forget else {}) | ({} if verify else UNVERIFIED),
            upgraded=dict.fromkeys((brokers,), later[0]) if later else {},
            debugged=tuple(range(1, brokers + 1)) if debugged else (),
            watch=watch,
        ) as clusters:
            for planned in wanted:
                if planned.cluster == made_of:
                    runs = []
                    for number in range(1, times + 1):
                        watch.progress(
                            f"Kafka {release}: {planned.story.name}, {planned.producer}, {number} of {times}"
                        )
                        cluster, client = clusters.for_run(shrinks=False), planned.client
                        play = (
                            Play(planned.trace, cluster, client, offsets=planned.story.offsets, watch=watch)
                            if planned.library == RAW
                            else LibraryPlay(planned.trace, cluster, client, planned.library, watch)
                        )
                        runs.append(play.play())
                        if runs[-1].trouble:
                            clusters.discard()
                    played = StoryRun(planned=planned, runs=tuple(runs))
                    watch.progress(f"Kafka {release}: {planned.story.name}, {planned.producer}, {played.outcome}")
                    yield played


def _number(place: str) -> list[tuple[int, ...]]:
    return [release_at(one).number for one in place.split(MIXED)]


def steps_played(found: Iterable[StoryRun]) -> int:
    """How many steps of the model real brokers did."""
    return sum(step.done for one in found for run in one.runs for step in run.steps)
