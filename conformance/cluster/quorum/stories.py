"""Stories of the controllers' quorum on real controllers: what happens to a directory, and what becomes of decisions and records.

What is expected comes from the release's own version of the model: a search says whether the property holds, and the version takes the
steps of the story up to its end, or refuses one. Controllers must do the same steps, and break the same.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.explorer.search import explore
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Model, NeverlostError, Profile, UnknownNameError
from neverlost.model.kafka.quorum.state import Format
from neverlost.spec import profiles
from neverlost.spec.kafka.quorum.differences import TIME_LINE
from neverlost.spec.kafka.releases import KRAFT

from ..cluster import PATIENT_MS, SHORT_LAG_MS, Cluster
from ..releases import release_at
from .control import Quorum
from .observing import COMMITTED, COMPLETE, ONE_LEADER, RECORD, VOTER_AGAIN
from .playing import PathStep, Play, Played, path_along

BROKERS = 2
JUDGED = (ONE_LEADER, COMPLETE, COMMITTED, RECORD, VOTER_AGAIN)
"""What controllers must show where the model does, and nowhere else. Logs may differ earlier: a leader's first record names it."""
STANDS = re.compile(r"stand\(controller=(\w+)\)")
VOTES = re.compile(r"vote\(voter=(\w+), candidate=(\w+)\)")


class StoryError(NeverlostError):
    """A story has no run, or none on a release."""


@dataclass(frozen=True, kw_only=True)
class On:
    """A quorum in which a story is played: what is configured and what happens, and on which releases."""

    quorum: str
    settings: dict[str, Any]
    steps: tuple[str, ...]
    releases: tuple[str, ...]
    control: bool
    before_flush: bool
    """Does the leader stop before it flushes its decision?"""
    asks_ms: Mapping[str, int]
    """Of controllers that are to lead for longer without followers: after how long without a leader they stand."""


@dataclass(frozen=True, kw_only=True)
class Story:
    """What happens to a quorum: the property that it violates, within bounds, and the quorums in which it is played."""

    name: str
    about: str
    property: str
    bounds: dict[str, int]
    on: tuple[On, ...]


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A story on a release, in a quorum: what the search of its version found, and how far the version takes the steps."""

    story: Story
    on: On
    place: str
    version: str
    verdict: Verdict
    length: int | None
    """How many steps the shortest run has that decides it; None if it holds, or is never witnessed."""
    model: Model
    path: tuple[PathStep, ...]

    @property
    def expected(self) -> frozenset[str]:
        """What the model violates, or witnesses, along the steps."""
        states = [at.after for at in self.path if at.after is not None]
        judged = [self.model.profile.property_named(name) for name in JUDGED]
        return frozenset(
            prop.name for prop in judged if any(self.model.holds(prop, words) == prop.seeks for words in states)
        )

    @property
    def said(self) -> str:
        """What the search says of the property, in a few words."""
        if self.model.profile.property_named(self.story.property).seeks:
            return "never happens" if self.length is None else f"happens in {self.length} steps"
        return "holds" if self.length is None else f"violated in {self.length} steps"

    @property
    def done(self) -> int:
        """How many steps the model takes."""
        return sum(1 for at in self.path if at.after is not None)


@dataclass(frozen=True, kw_only=True)
class StoryRun:
    """A story on a release in a quorum, played several times."""

    planned: Planned
    runs: tuple[Played, ...]

    @property
    def as_expected(self) -> bool:
        """Did every run do the steps that the model takes, no more, and show what it shows, nothing else?"""
        return all(self.is_as_expected(run) for run in self.runs)

    def is_as_expected(self, run: Played) -> bool:
        """Did a run do so?"""
        broken = frozenset(run.seen) & frozenset(JUDGED)
        return not run.trouble and run.done == self.planned.done and broken == self.planned.expected

    @property
    def release(self) -> str:
        """What the controllers and brokers are."""
        return str(release_at(self.planned.place))

    @property
    def outcome(self) -> str:
        """What came of it, in a few words."""
        return " / ".join(dict.fromkeys(self._in_words(run) for run in self.runs))

    def _in_words(self, run: Played) -> str:
        if run.trouble:
            return run.trouble
        words = [f"{run.done} of {len(self.planned.on.steps)} steps"]
        words += [f"{WORDS[name]} (step {run.seen[name][0]})" for name in JUDGED if name in run.seen]
        if run.acknowledged and RECORD not in run.seen:
            words.append("the record is read")
        return ", ".join(words)


WORDS = {
    ONE_LEADER: "two leaders of one epoch",
    COMPLETE: "a leader without what was committed",
    COMMITTED: "a committed decision replaced",
    RECORD: "the record is lost",
    VOTER_AGAIN: "a voter with another directory",
}


def _steps(steps: Sequence[str], instead: Mapping[str, str]) -> Iterator[str]:
    """The steps of a story with what takes their place; nothing does where that is empty."""
    return (found for step in steps if (found := instead.get(step, step)))


@cache
def _all() -> dict[str, Story]:
    rows = tomllib.loads((files(__package__) / "stories.toml").read_text(encoding="utf-8"))
    return {
        name: Story(
            name=name,
            about=row["about"],
            property=row["property"],
            bounds=row["bounds"],
            on=tuple(
                On(
                    quorum=on["quorum"],
                    settings=on["settings"],
                    steps=tuple(_steps(rows[row.get("steps_of", name)]["steps"], on.get("instead", {}))),
                    releases=tuple(on["releases"]),
                    control=on.get("control", False),
                    before_flush=row.get("before_flush", False),
                    asks_ms=row.get("asks_ms", {}),
                )
                for on in row["on"]
            ),
        )
        for name, row in rows.items()
    }


def stories(names: Sequence[str] = ()) -> list[Story]:
    """The stories of these names, all if none is given. Raises UnknownNameError."""
    known = _all()
    for name in names:
        if name not in known:
            raise UnknownNameError("story of the quorum", name, known)
    return [story for name, story in known.items() if not names or name in names]


def plan(wanted: Iterable[Story], places: Collection[str] = ()) -> list[Planned]:
    """Each story in each of its quorums on its releases, or on those of them that are wanted.

    Raises UnknownNameError and ClusterError for a release that cannot be run, StoryError if none of the stories is known of one.
    """
    chosen = list(wanted)
    for place in places:
        release_at(place)
        if not any(place in on.releases for story in chosen for on in story.on):
            raise StoryError(f"none of these stories of the quorum is played on {place}")
    return [
        _planned(story, on, place)
        for story in chosen
        for on in story.on
        for place in on.releases
        if not places or place in places
    ]


def _planned(story: Story, on: On, place: str) -> Planned:
    release = release_at(place)
    version = TIME_LINE.version_name(release.version, KRAFT)
    profile: Profile = profiles()[version]
    model = profile.bounded(**profile.read(story.bounds, on.settings))
    finding = explore(model, properties=[story.property], symmetry=True).findings[story.property]
    if finding.verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
        raise StoryError(f"{story.name}: the search of {version} does not decide {story.property}: {finding.verdict}")
    steps = with_pre_votes(on.steps) if model.settings["pre_vote"] else on.steps
    return Planned(
        story=story,
        on=replace(on, steps=tuple(steps)),
        place=place,
        version=version,
        verdict=finding.verdict,
        length=None if finding.trace is None else len(finding.trace.steps),
        model=model,
        path=tuple(path_along(model, steps)),
    )


def with_pre_votes(steps: Sequence[str]) -> list[str]:
    """The steps with what PreVote asks for before a controller stands: the vote that the voter grants later is granted before."""
    found: list[str] = []
    for number, step in enumerate(steps):
        if stands := STANDS.fullmatch(step):
            votes = (VOTES.fullmatch(later) for later in steps[number:])
            voter = next((vote[1] for vote in votes if vote and vote[2] == stands[1]), None)
            found.append(f"ask_before(controller={stands[1]})")
            if voter is not None:
                found.append(f"pre_vote(voter={voter}, candidate={stands[1]})")
        found.append(step)
    return found


def play_stories(wanted: Sequence[Planned], *, times: int = 1, watch: Watch[str] = UNWATCHED) -> Iterator[StoryRun]:
    """Play stories; each run has a cluster of its own.

    Raises KeyboardInterrupt if the user interrupts, ClusterError if a cluster does not start.
    """
    for planned in wanted:
        release = release_at(planned.place)
        runs = []
        for number in range(1, times + 1):
            watch.progress(f"Kafka {release}: {planned.story.name}, {planned.on.quorum}, {number} of {times}")
            lag_ms = SHORT_LAG_MS if planned.on.before_flush else PATIENT_MS
            with Cluster(release, brokers=BROKERS, lag_ms=lag_ms, quorum=_quorum(planned), watch=watch) as cluster:
                play = Play(
                    planned.model,
                    planned.path,
                    cluster,
                    before_flush=planned.on.before_flush,
                    asks_ms=planned.on.asks_ms,
                    watch=watch,
                )
                runs.append(play.play())
                cluster.keep = bool(runs[-1].trouble)
        played = StoryRun(planned=planned, runs=tuple(runs))
        watch.progress(f"Kafka {release}: {planned.story.name}, {planned.on.quorum}: {played.outcome}")
        yield played


def _quorum(planned: Planned) -> Quorum:
    """The quorum of a story. At first a controller leads that does not stand in it, as one that has led starts otherwise."""
    count = planned.model.bounds["controllers"]
    standing = {match[1] for step in planned.on.steps if (match := STANDS.fullmatch(step))}
    first = next((n for n in range(1, count + 1) if f"c{n}" not in standing), 1)
    return Quorum(
        controllers=count,
        kraft_version=int(planned.model.settings["kraft_version"]),
        auto_join=bool(planned.model.settings["auto_join"]),
        steered=True,
        first=first,
        keeps_directory_ids=planned.model.settings["formats"] == Format.INITIAL_CONTROLLERS,
        debugged=(1,) if planned.on.before_flush else (),
    )


def steps_played(found: Iterable[StoryRun]) -> int:
    """How many steps real controllers did."""
    return sum(run.done for one in found for run in one.runs)
