"""What is known of real brokers, as runs of the model that they play: found by a search, or written down step by step."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.explorer.search import explore
from neverlost.explorer.traces.trace import Trace, trace_along
from neverlost.model.core import NeverlostError
from neverlost.spec import profiles

from .clusters import Clusters
from .planning import shrinks
from .releases import release_at
from .reproduction import Reproduced, Reproduction, reproduce
from .story_paths import named


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
    differs_at: int | None = None
    """The step at which the brokers must differ from a model that is wrong on purpose."""

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
            differs_at=row.get("differs_at"),
        )
        for name, row in rows.items()
    }


def scenarios(names: Sequence[str] = ()) -> list[Scenario]:
    """The scenarios of these names, all if none is given. Raises UnknownNameError."""
    return named("known scenario", _all(), names)


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
        """Did every run show what is known of the release? A first difference by a step that was not done shows nothing."""
        wanted = (Reproduced.YES,) if self.expected else (Reproduced.NO, Reproduced.OTHERWISE)
        return all(
            run.verdict in wanted
            and run.final is not None
            and (run.first_difference is None or not run.first_difference.refusal)
            and (self.expected or not run.shown)
            and self._differs_there(run)
            for run in self.runs
        )

    def _differs_there(self, run: Reproduction) -> bool:
        """Does a run differ from the model at the step at which it must?"""
        wanted, first = self.scenario.differs_at, run.first_difference
        return wanted is None or (first is not None and first.number == wanted)

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
    times: int = 1,
    patched: bool = True,
    watch: Watch[str] = UNWATCHED,
) -> Iterator[ScenarioRun]:
    """Play scenarios on the releases that each names; one cluster for all that can share one.

    Raises KeyboardInterrupt if the user interrupts, ClusterError if a cluster fails.
    """
    plans: dict[str, list[tuple[Scenario, str, bool, Trace]]] = {}
    for scenario in wanted:
        for places, expected in ((scenario.shown, True), (scenario.not_shown, False)):
            for place, version in places.items():
                watch.progress(f"{scenario.name}: the run of {version}")
                plans.setdefault(place, []).append((scenario, version, expected, scenario.trace(version)))
    for place in sorted(plans, key=lambda place: (release_at(place).number, place)):
        release = release_at(place)
        with Clusters(release, watch=watch) as clusters:
            for scenario, version, expected, trace in sorted(plans[place], key=lambda row: shrinks(row[-1].steps)):
                runs = []
                for number in range(1, times + 1):
                    watch.progress(f"Kafka {release}: {scenario.name}, {number} of {times}")
                    runs.append(reproduce(trace, clusters, patched=patched))
                played = ScenarioRun(
                    scenario=scenario, release=str(release), version=version, expected=expected, runs=tuple(runs)
                )
                watch.progress(f"Kafka {release}: {scenario.name}, {played.outcome}")
                yield played


def steps_played(found: Iterable[ScenarioRun]) -> int:
    """How many steps of the model real brokers did."""
    return sum(len(run.steps) for one in found for run in one.runs)
