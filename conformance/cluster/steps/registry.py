"""The actions of the model that can be done on real brokers, by name."""

from __future__ import annotations

from collections.abc import Mapping

from . import consuming, controller, faults, fetching, hearing, isr, producing, shutdown
from .action import OnBrokers

ON_BROKERS: Mapping[str, OnBrokers] = {
    **producing.ACTIONS,
    **fetching.ACTIONS,
    **consuming.ACTIONS,
    **hearing.ACTIONS,
    **isr.ACTIONS,
    **controller.ACTIONS,
    **faults.ACTIONS,
    **shutdown.ACTIONS,
}
"""What is known of each: a run with an action that is not here cannot be scheduled."""
