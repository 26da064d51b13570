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
from neverlost.model.kafka.quorum.state import Format
from neverlost.spec.kafka.quorum.differences import TIME_LINE
from neverlost.spec.kafka.releases import KRAFT

from ..cluster import PATIENT_MS, SHORT_LAG_MS, Cluster
from ..releases import release_at
from ..story_paths import On, PathRun, PathStory, PlannedPath, named, path_along, placed, searched, with_instead
from .control import Quorum
from .observing import COMMITTED, COMPLETE, ONE_LEADER, RECORD, VOTER_AGAIN
from .playing import Play, Played

BROKERS = 2
JUDGED = (ONE_LEADER, COMPLETE, COMMITTED, RECORD, VOTER_AGAIN)
"""What controllers must show where the model does, and nowhere else. Logs may differ earlier: a leader's first record names it."""
STANDS = re.compile(r"stand\(controller=(\w+)\)")
VOTES = re.compile(r"vote\(voter=(\w+), candidate=(\w+)\)")


@dataclass(frozen=True, kw_only=True)
class OnQuorum(On):
    """A quorum in which a story is played."""

    before_flush: bool
    """Does the leader stop before it flushes its decision?"""
    asks_ms: Mapping[str, int]
    """Of controllers that are to lead for longer without followers: after how long without a leader they stand."""


Story = PathStory[OnQuorum]
Planned = PlannedPath[Story, OnQuorum]


@dataclass(frozen=True, kw_only=True)
class StoryRun(PathRun[Planned, Played]):
    """A story on a release in a quorum, played several times."""

    def shown(self, run: Played, name: str) -> str:
        return f"{WORDS[name]} (step {run.seen[name][0]})"

    def ends(self, run: Played) -> list[str]:
        return ["the record is read"] if run.acknowledged and RECORD not in run.seen else []

    def ending(self, run: Played) -> str:
        return f"In the end a consumer reads {' '.join(run.read) or 'nothing'}."

    def values(self, run: Played) -> dict[str, Any]:
        return {"read": list(run.read), "voters": list(run.voters)}


WORDS = {
    ONE_LEADER: "two leaders of one epoch",
    COMPLETE: "a leader without what was committed",
    COMMITTED: "a committed decision replaced",
    RECORD: "the record is lost",
    VOTER_AGAIN: "a voter with another directory",
}


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
                OnQuorum(
                    where=on["quorum"],
                    settings=on["settings"],
                    steps=with_instead(rows[row.get("steps_of", name)]["steps"], on.get("instead", {})),
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
    return named("story of the quorum", _all(), names)


def plan(wanted: Iterable[Story], places: Collection[str] = ()) -> list[Planned]:
    """Each story in each of its quorums on its releases, or on those of them that are wanted.

    Raises UnknownNameError and ClusterError for a release that cannot be run, StoryError if none of the stories is known of one.
    """
    return [_planned(story, on, place) for story, on, place in placed("the quorum", wanted, places)]


def _planned(story: Story, on: OnQuorum, place: str) -> Planned:
    release = release_at(place)
    version = TIME_LINE.version_name(release.version, KRAFT)
    model, verdict, length = searched(story.name, version, story.property, story.bounds, on.settings, symmetry=True)
    steps = with_pre_votes(on.steps) if model.settings["pre_vote"] else on.steps
    return Planned(
        story=story,
        on=replace(on, steps=tuple(steps)),
        place=place,
        judged=JUDGED,
        version=version,
        verdict=verdict,
        length=length,
        model=model,
        path=path_along(model, steps),
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
            watch.progress(f"Kafka {release}: {planned.story.name}, {planned.on.where}, {number} of {times}")
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
        watch.progress(f"Kafka {release}: {planned.story.name}, {planned.on.where}: {played.outcome}")
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
