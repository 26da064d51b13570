"""A counterexample of the model, played on real brokers: did each step go as the model says, and is the record gone?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from neverlost.explorer.traces.trace import Trace
from neverlost.model.kafka.replication.state import ACKNOWLEDGED, Delivery

from ..judging import JudgedStep, first_difference, judged_run
from .clusters import Clusters
from .kafka_adapter import FinalState, KafkaAdapter

LOSS, DIVERGENCE = "acked_never_lost", "log_matching"


class Reproduced(StrEnum):
    """What became of a run on real brokers."""

    YES = "reproduced"
    """Every step went as in the run, and what the run shows is so in the end."""
    NO = "not reproduced"
    """The brokers differ from the model, or what the run shows is not so in the end."""
    OTHERWISE = "went another way"
    """Every step is one of the model's, but the brokers did more by themselves, and what the run shows is not so in the end."""


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """A run on a cluster: its steps as they went, what is left, and which values were acknowledged to the producer.

    `trouble` says why the brokers could not be brought back together at the end; there is no `final` state then.
    """

    trace: Trace
    release: str
    patched: bool
    steps: tuple[JudgedStep, ...]
    final: FinalState | None
    acknowledged: tuple[int, ...]
    deliveries: tuple[int | None, ...]
    trouble: str = ""

    @property
    def answers(self) -> tuple[str, ...]:
        """What the producer knows of each value, in words."""
        bounds = self.trace.model.bounds
        return tuple("unsent" if one is None else str(Delivery.show(one, bounds)) for one in self.deliveries)

    @property
    def lost(self) -> tuple[int, ...]:
        """The values that were acknowledged, and that a consumer does not read in the end."""
        return () if self.final is None else tuple(value for value in self.acknowledged if self.final.lost(value))

    @property
    def diverged(self) -> bool:
        """Do logs differ at an offset in the end?"""
        return self.final is not None and self.final.diverged

    @property
    def first_difference(self) -> JudgedStep | None:
        """The first step that did not go as the model says."""
        return first_difference(self.steps)

    @property
    def shown(self) -> bool:
        """Is what the run shows so on the brokers? Of a loss and of diverging logs the end says it, else the last step."""
        if self.trace.property == LOSS:
            return bool(self.lost)
        if self.trace.property == DIVERGENCE:
            return self.diverged
        return all(step.as_the_run for step in self.steps[-1:])

    @property
    def verdict(self) -> Reproduced:
        """What became of the run."""
        if self.first_difference is not None:
            return Reproduced.NO
        if self.shown:
            return Reproduced.YES
        return Reproduced.OTHERWISE if any(not step.as_the_run for step in self.steps) else Reproduced.NO


def reproduce(
    trace: Trace,
    clusters: Clusters,
    *,
    patched: bool = True,
    progress: Callable[[JudgedStep], None] = lambda _: None,
) -> Reproduction:
    """Play a trace on real brokers, and look at what is left.

    Raises CannotSchedule for a run that real brokers cannot be made to do, ClusterError if the cluster fails.
    """
    adapter = KafkaAdapter(trace.model, clusters, patched=patched)
    steps = judged_run(trace.model, trace.steps, adapter, progress=progress)
    values = range(trace.model.bounds["values"])
    deliveries = tuple(adapter.run.outcome(value) for value in values)
    final, trouble = adapter.ended()
    return Reproduction(
        trace=trace,
        release=str(clusters.release),
        patched=patched,
        steps=tuple(steps),
        final=final,
        acknowledged=tuple(value for value in values if deliveries[value] == ACKNOWLEDGED),
        deliveries=deliveries,
        trouble=trouble,
    )
