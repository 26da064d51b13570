"""What is known of real brokers, as runs of the model that they play: found by a search, or written down step by step."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from neverlost.explorer.search import explore
from neverlost.explorer.trace import Trace, trace_along
from neverlost.model.core import NeverlostError, UnknownNameError
from neverlost.spec import profiles

from ..judging import JudgedStep
from .cluster import PATIENT_MS, Cluster
from .releases import RunnableRelease, release_named
from .reproduction import Reproduced, Reproduction, needed_lag_ms, reproduce


class ScenarioError(NeverlostError):
    """A scenario has no run: the model finds none any more."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A run, and on which releases real brokers show what it shows (`shown`), and on which not."""

    name: str
    about: str
    bounds: dict[str, int]
    settings: dict[str, Any]
    shown: dict[str, str]
    not_shown: dict[str, str]
    property: str | None
    steps: tuple[str, ...]

    def trace(self, version: str) -> Trace:
        """The run of a version of the model. Raises ScenarioError if there is none."""
        profile = profiles()[version]
        model = profile.bounded(**profile.read(self.bounds, self.settings))
        if self.steps:
            steps = [
                model.parse_step(step) for step in self.steps if model.settings["isr_in_flight"] or not _is_answer(step)
            ]
            return trace_along(model, steps, self.property)
        assert self.property is not None
        result = explore(model, properties=[self.property], symmetry=True)
        trace = result.findings[self.property].trace
        if trace is None:
            raise ScenarioError(f"{self.name}: the model of {version} has no run for {self.property}")
        return trace


def _is_answer(step: str) -> bool:
    """Is it a step that a leader without ISR changes in flight does not need?"""
    return step.startswith(("grant_isr", "learn_isr"))


@cache
def _all() -> dict[str, Scenario]:
    rows = tomllib.loads((files(__package__) / "scenarios.toml").read_text(encoding="utf-8"))
    return {
        name: Scenario(
            name=name,
            about=row["about"],
            bounds=row["bounds"],
            settings=row["settings"],
            shown=row.get("shown", {}),
            not_shown=row.get("not_shown", {}),
            property=row.get("property"),
            steps=tuple(row.get("steps", ())),
        )
        for name, row in rows.items()
    }


def scenarios(names: Sequence[str] = ()) -> list[Scenario]:
    """The scenarios of these names, all if none is given. Raises UnknownNameError."""
    known = _all()
    for name in names:
        if name not in known:
            raise UnknownNameError("known scenario", name, known)
    return [scenario for name, scenario in known.items() if not names or name in names]


@dataclass(frozen=True, kw_only=True)
class ScenarioRun:
    """A scenario on a release, played several times."""

    scenario: Scenario
    release: str
    version: str
    expected: bool
    runs: tuple[Reproduction, ...]

    @property
    def as_known(self) -> bool:
        """Did every run show what is known of the release?"""
        wanted = (Reproduced.YES,) if self.expected else (Reproduced.NO, Reproduced.OTHERWISE)
        return all(run.verdict in wanted and run.final is not None for run in self.runs)

    @property
    def outcome(self) -> str:
        """What happened, in a few words."""
        first = self.runs[0]
        words = ["lost" if first.lost else "kept" if first.acknowledged else "nothing acknowledged"]
        words += ["logs differ"] if first.diverged else []
        words += [f"v{value} {delivery}" for value, delivery in enumerate(first.answers) if delivery in SPOKEN]
        difference = first.first_difference
        words += [] if difference is None else [f"differs at step {difference.number} of {len(first.trace.steps)}"]
        return ", ".join(words)


SPOKEN = ("refused", "not-enough-replicas-after-append")


def play(
    wanted: Iterable[Scenario],
    *,
    releases: Sequence[str] = (),
    times: int = 1,
    patched: bool = True,
    progress: Callable[[str], None] = lambda _: None,
    interrupted: Callable[[], bool] = lambda: False,
) -> list[ScenarioRun]:
    """Play scenarios on the releases that each names, or those of them that are wanted; one cluster for all that can share one.

    Raises KeyboardInterrupt if the user interrupts, ClusterError if a cluster fails.
    """
    plans: dict[tuple[str, int], list[tuple[Scenario, str, bool, Trace]]] = {}
    for scenario in wanted:
        for places, expected in ((scenario.shown, True), (scenario.not_shown, False)):
            for release, version in places.items():
                if releases and release not in releases and release.partition("/")[0] not in releases:
                    continue
                progress(f"{scenario.name}: the run of {version}")
                trace = scenario.trace(version)
                lag = needed_lag_ms(trace) or PATIENT_MS
                plans.setdefault((release, lag), []).append((scenario, version, expected, trace))
    found = []
    for (place, lag), rows in sorted(plans.items(), key=_by_release):
        runnable = _release(place)
        with Cluster(runnable, lag_ms=lag, progress=progress, interrupted=interrupted) as cluster:
            for scenario, version, expected, trace in rows:
                runs = []
                for number in range(1, times + 1):
                    progress(f"Kafka {runnable}: {scenario.name}, {number} of {times}")
                    runs.append(reproduce(trace, cluster, patched=patched))
                found.append(
                    ScenarioRun(
                        scenario=scenario, release=str(runnable), version=version, expected=expected, runs=tuple(runs)
                    )
                )
    return found


def _release(place: str) -> RunnableRelease:
    version, _, mode = place.partition("/")
    return release_named(version, mode or None)


def steps_played(found: Iterable[ScenarioRun]) -> int:
    """How many steps of the model real brokers did."""
    return sum(len(run.steps) for one in found for run in one.runs)


def unexplained(found: Iterable[ScenarioRun]) -> list[JudgedStep]:
    """Steps that differ from the model although the release is known to show what the run shows."""
    return [
        run.first_difference for one in found for run in one.runs if one.expected and run.first_difference is not None
    ]


def _by_release(row: tuple[tuple[str, int], object]) -> tuple[tuple[int, ...], str, int]:
    (place, lag), _ = row
    return _release(place).number, place, lag
