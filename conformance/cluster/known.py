"""What is known of real brokers: scenarios, whose runs are of the model, and schedules, whose steps the model does not have."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.model.core import UnknownNameError

from .scenarios import Scenario, scenarios
from .schedules import Schedule, schedules


def known(names: Sequence[str] = ()) -> tuple[list[Scenario], list[Schedule]]:
    """The scenarios and the schedules of these names, all if none is given. Raises UnknownNameError."""
    all_scenarios, all_schedules = scenarios(), schedules()
    everything = [*(one.name for one in all_scenarios), *(one.name for one in all_schedules)]
    for name in names:
        if name not in everything:
            raise UnknownNameError("known scenario", name, everything)
    wanted = names or everything
    return [one for one in all_scenarios if one.name in wanted], [one for one in all_schedules if one.name in wanted]
