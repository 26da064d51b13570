"""Schedules played on real brokers, and what came of them beside what is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass

from neverlost.explorer.process.watch import UNWATCHED, Watch

from .cluster import Cluster
from .performing import Performance
from .releases import ClusterError, RunnableRelease, release_at
from .schedules import Outcome, Schedule


@dataclass(frozen=True, kw_only=True)
class Performed:
    """One run of a schedule: what was seen at each step, and in the end; or at which step it did not go on, and why."""

    seen: tuple[tuple[str, str], ...]
    outcome: Outcome | None
    trouble: str = ""


@dataclass(frozen=True, kw_only=True)
class ScheduleRun:
    """A schedule on a release, played several times."""

    schedule: Schedule
    release: str
    known: Outcome
    runs: tuple[Performed, ...]

    @property
    def as_known(self) -> bool:
        """Did all that is known of the release come of every run?"""
        return all(run.outcome == self.known for run in self.runs)

    @property
    def outcome(self) -> str:
        """What came of it, in a few words."""
        return " / ".join(dict.fromkeys(run.outcome.in_words if run.outcome else run.trouble for run in self.runs))


def play_schedules(
    wanted: Iterable[Schedule],
    *,
    times: int = 1,
    watch: Watch[str] = UNWATCHED,
) -> Iterator[ScheduleRun]:
    """Play schedules on the releases that each names; each run has a cluster of its own.

    Raises KeyboardInterrupt if the user interrupts, ClusterError if a cluster does not start.
    """
    for schedule in wanted:
        for place, known in schedule.outcomes.items():
            release = release_at(place)
            runs = []
            for number in range(1, times + 1):
                watch.progress(f"Kafka {release}: {schedule.name}, {number} of {times}")
                runs.append(performed(schedule, release, known, watch=watch))
            played = ScheduleRun(schedule=schedule, release=str(release), known=known, runs=tuple(runs))
            watch.progress(f"Kafka {release}: {schedule.name}, {played.outcome}")
            yield played


def performed(
    schedule: Schedule, release: RunnableRelease, known: Outcome, *, watch: Watch[str] = UNWATCHED
) -> Performed:
    """Play a schedule once, on a cluster that is started for it."""
    seen: list[tuple[str, str]] = []
    with Cluster(release, directories=schedule.directories, debugged=schedule.debugged, watch=watch) as cluster:
        performance = Performance(schedule, cluster)
        doing = "the topics"
        with closing(performance):
            try:
                performance.begin()
                for doing in schedule.steps:
                    watch.progress(f"Kafka {release}: {schedule.name}, {doing}")
                    seen.append((doing, performance.perform(doing)))
                doing = "the end"
                return Performed(seen=tuple(seen), outcome=performance.outcome(known.logs))
            except ClusterError as error:
                return Performed(seen=tuple(seen), outcome=None, trouble=f"{doing}: {error}")


def steps_performed(found: Iterable[ScheduleRun]) -> int:
    """How many steps of schedules real brokers did."""
    return sum(len(run.seen) for one in found for run in one.runs)
