"""Where two releases differ: for each rule in which their versions of the model differ, the shortest run that shows it, on both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.model.core import Model, Step
from neverlost.spec.mutant_configurations import configurations_of

from ..judging import JudgedStep, first_difference, judged_run
from ..mutants.mutation import switches_of
from ..suite.from_mutants import kills_seen_by
from .clusters import Clusters
from .kafka_adapter import KafkaAdapter
from .planning import plan_of, shrinks
from .releases import RunnableRelease

MOST_STATES = 50_000


@dataclass(frozen=True, kw_only=True)
class TellingRule:
    """A rule of one release that the other has otherwise, and the shortest run of the one's model that shows it, if there is one."""

    own: str
    """The setting that states the rule, with its value for the release whose run it is."""
    other: str
    version: str
    model: Model | None = None
    steps: tuple[Step, ...] = ()
    why: str = ""
    """Why there is no run."""


@dataclass(frozen=True, kw_only=True)
class Played:
    """A run on a release: the first step that is none of its model's, or why it could not be brought to an end."""

    difference: JudgedStep | None
    trouble: str = ""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A rule with its run on the release that has it, and on the other."""

    rule: TellingRule
    there: Played | None = None
    elsewhere: Played | None = None

    @property
    def as_expected(self) -> bool:
        """Does the release that has the rule follow the run, and does the other leave it at its last step?"""
        if self.there is None or self.elsewhere is None:
            return not self.rule.steps
        left = self.elsewhere.difference
        return self.there.difference is None and left is not None and left.number == len(self.rule.steps)


def telling_rules(
    release: RunnableRelease, other: RunnableRelease, *, watch: Watch[str] = UNWATCHED
) -> list[TellingRule]:
    """The rules in which a release's version differs from the other's, each with the shortest run of it that real brokers can do."""
    profile, else_profile = release.profile, other.profile
    mutants = switches_of(profile, [else_profile])
    kills = kills_seen_by(
        profile,
        KafkaAdapter.without_cluster,
        mutants,
        configurations_of(profile),
        possible=plan_of,
        most_states=MOST_STATES,
        watch=watch,
    )
    found = []
    for mutant in mutants:
        run = kills.runs.get(mutant.name)
        found.append(
            TellingRule(
                own=mutant.instead,
                other=mutant.name,
                version=profile.name,
                model=None if run is None else run.model,
                steps=() if run is None else run.steps,
                why="" if run is not None else kills.survivals[mutant.name].value,
            )
        )
    return found


def compare(
    first: RunnableRelease,
    second: RunnableRelease,
    rules: Sequence[Sequence[TellingRule]],
    *,
    watch: Watch[str] = UNWATCHED,
) -> Iterator[Compared]:
    """Play the runs of both releases on both. Raises KeyboardInterrupt if the watch is interrupted, ClusterError if a cluster fails."""
    wanted = [Compared(rule=rule) for of_one in rules for rule in of_one]
    own = [release for release, of_one in zip((first, second), rules, strict=True) for _ in of_one]
    played: dict[tuple[int, RunnableRelease], Played] = {}
    for release in (first, second):
        with Clusters(release, watch=watch) as clusters:
            for at in sorted(range(len(wanted)), key=lambda at: shrinks(wanted[at].rule.steps)):
                rule = wanted[at].rule
                if rule.model is not None:
                    watch.progress(f"Kafka {release}: a run of {rule.version} that shows {rule.own}")
                    played[at, release] = _play(rule.model, rule.steps, clusters)
    for at, one in enumerate(wanted):
        other = second if own[at] == first else first
        yield replace(one, there=played.get((at, own[at])), elsewhere=played.get((at, other)))


def _play(model: Model, steps: Sequence[Step], clusters: Clusters) -> Played:
    adapter = KafkaAdapter(model, clusters)
    judged = judged_run(model, steps, adapter, stop_at_first=True)
    return Played(difference=first_difference(judged), trouble=adapter.ended()[1])
