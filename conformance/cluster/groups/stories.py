"""Stories of consumer groups on real brokers with real consumers: which records are skipped or processed twice, which offsets go back.

What is expected comes from the release's own version of the model: a search says whether the property holds, and the version takes the
steps of the story up to its end, or refuses one. Brokers and consumers must do the same steps, and show the same.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.spec.kafka.groups.differences import TIME_LINE
from neverlost.spec.kafka.releases import EITHER

from ..cluster import Cluster
from ..releases import RunnableRelease, release_at
from ..story_paths import On, PathRun, PathStory, PlannedPath, named, path_along, placed, searched, with_instead
from .members import BROKER, SESSION_MS
from .playing import JUDGED, SKIPPED, Play, Played


@dataclass(frozen=True, kw_only=True)
class OnConsumers(On):
    """The consumers by which a story is played."""

    library: str
    """The consumers' library; Kafka's own in Java if empty."""
    holds: str
    """The method at which the thread is stopped that commits, so that the other one is first; empty if none is."""
    resigns: str
    """The method at which the thread of a broker is stopped by which it learns that it is the coordinator no more."""


@dataclass(frozen=True, kw_only=True)
class Story(PathStory[OnConsumers]):
    """What happens to a group."""

    brokers: dict[str, str]
    """Settings of the brokers."""


Planned = PlannedPath[Story, OnConsumers]


@dataclass(frozen=True, kw_only=True)
class StoryRun(PathRun[Planned, Played]):
    """A story on a release, played several times."""

    def shown(self, run: Played, name: str) -> str:
        return run.seen[name][1]

    def ends(self, run: Played) -> list[str]:
        return [] if SKIPPED in run.seen else ["each record is processed"]

    def ending(self, run: Played) -> str:
        times = ", ".join(f"{record}: {count}" for record, count in run.processed.items())
        return f"In the end records were processed so many times: {times or 'none'}."

    def values(self, run: Played) -> dict[str, Any]:
        return {"processed": [{"record": record, "times": times} for record, times in run.processed.items()]}


@cache
def _all() -> dict[str, Story]:
    rows = tomllib.loads((files(__package__) / "stories.toml").read_text(encoding="utf-8"))
    return {
        name: Story(
            name=name,
            about=row["about"],
            property=row["property"],
            bounds=row["bounds"],
            brokers=row.get("brokers", {}),
            on=tuple(
                OnConsumers(
                    where=on["client"],
                    settings=on["settings"],
                    steps=with_instead(on.get("steps", row["steps"]), on.get("instead", {})),
                    releases=tuple(on["releases"]),
                    control=on.get("control", False),
                    library=on.get("library", ""),
                    holds=on.get("holds", ""),
                    resigns=on.get("resigns", ""),
                )
                for on in row["on"]
            ),
        )
        for name, row in rows.items()
    }


def stories(names: Sequence[str] = ()) -> list[Story]:
    """The stories of these names, all if none is given. Raises UnknownNameError."""
    return named("story of groups", _all(), names)


def plan(wanted: Iterable[Story], places: Collection[str] = ()) -> list[Planned]:
    """Each story with each kind of consumers on its releases, or on those of them that are wanted.

    Raises UnknownNameError and ClusterError for a release that cannot be run, StoryError if none of the stories is known of one.
    """
    return [_planned(story, on, place) for story, on, place in placed("groups", wanted, places)]


def _planned(story: Story, on: OnConsumers, place: str) -> Planned:
    version = TIME_LINE.version_name(release_at(place).version, EITHER)
    model, verdict, length = searched(story.name, version, story.property, story.bounds, on.settings, symmetry=False)
    return Planned(
        story=story,
        on=on,
        place=place,
        judged=JUDGED,
        version=version,
        verdict=verdict,
        length=length,
        model=model,
        path=path_along(model, on.steps),
    )


def play_stories(wanted: Sequence[Planned], *, times: int = 1, watch: Watch[str] = UNWATCHED) -> Iterator[StoryRun]:
    """Play stories, one cluster for all on the same release with the same settings of brokers.

    Raises KeyboardInterrupt if the user interrupts, ClusterError if a cluster does not start.
    """

    def cluster_of(planned: Planned) -> tuple[tuple[int, ...], str, list[tuple[str, str]], bool]:
        own = sorted(planned.story.brokers.items())
        return release_at(planned.place).number, planned.place, own, bool(planned.on.resigns)

    number = 0
    for (_, place, own, resigns), group in groupby(sorted(wanted, key=cluster_of), key=cluster_of):
        release = release_at(place)
        settings = _settings(release, dict(own))
        brokers, debugged = int(settings.get(REPLICAS, 1)), (BROKER,) if resigns else ()
        with Cluster(release, brokers=brokers, settings=settings, debugged=debugged, watch=watch) as cluster:
            for planned in group:
                runs = []
                for time in range(1, times + 1):
                    number += 1
                    watch.progress(f"Kafka {release}: {planned.story.name}, {planned.on.where}, {time} of {times}")
                    play = Play(
                        planned.model,
                        planned.path,
                        cluster,
                        f"{planned.story.name}-{number}",
                        library=planned.on.library,
                        holds=planned.on.holds,
                        resigns=planned.on.resigns,
                        watch=watch,
                    )
                    runs.append(play.play())
                    cluster.keep |= bool(runs[-1].trouble)
                played = StoryRun(planned=planned, runs=tuple(runs))
                watch.progress(f"Kafka {release}: {planned.story.name}, {planned.on.where}: {played.outcome}")
                yield played


def _settings(release: RunnableRelease, own: Mapping[str, str]) -> dict[str, str]:
    """The settings of brokers: members that die are expelled soon, which with the new protocol brokers decide.

    No broker dies here: one that a busy machine keeps waiting is not to be fenced for it.
    """
    found = {
        "group.initial.rebalance.delay.ms": "0",
        "group.min.session.timeout.ms": "1000",
        "broker.session.timeout.ms": "60000",
    }
    if release.number >= FIRST_WITH_NEW_PROTOCOL:
        found |= {
            "group.consumer.min.session.timeout.ms": "1000",
            "group.consumer.session.timeout.ms": str(SESSION_MS),
            "group.consumer.min.heartbeat.interval.ms": "100",
            "group.consumer.heartbeat.interval.ms": "500",
        }
    return {**found, **own}


REPLICAS = "offsets.topic.replication.factor"
"""How many brokers a story has: as many as its __consumer_offsets has replicas."""
FIRST_WITH_NEW_PROTOCOL = (4,)
"""The first release that has it without being asked for (KIP-848)."""
