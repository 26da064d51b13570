"""What is known of an action of the model on real brokers: how it is performed, what stands in its way, when it is hidden."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from neverlost.model.core import Step
from neverlost.model.kafka.replication.state import Partition

from ...adapter import How
from .partition_run import PartitionRun

Hidden = Callable[[PartitionRun, Step], bool]


def always(run: PartitionRun, step: Step) -> bool:
    """The brokers may do it at any time."""
    return True


def nothing(s: Partition, **picks: int) -> str:
    """Nothing stands in its way."""
    return ""


@dataclass(frozen=True, kw_only=True)
class OnBrokers:
    """An action on real brokers; each function gets the picks of a step by name.

    `perform` makes a step happen. `obstacle` says why it cannot be made to happen in a state of the model in which it may happen;
    empty if it can. `hidden` says whether the brokers may do it now without being asked; without it they never do.
    """

    perform: Callable[..., None]
    obstacle: Callable[..., str] = nothing
    hidden: Hidden | None = None
    how: How = How.FORCED
