"""What has to come together for a loss, read off the steps of its story: how rare it is, nobody can say, but what it takes."""

from __future__ import annotations

import re

from neverlost.explorer.traces.trace import Trace
from neverlost.spec.exposure import Danger

from .dangers import exposure_of


def coincidences(danger: Danger, trace: Trace) -> list[str]:
    """What comes together, in the order of the steps. What every run has, such as appends and fetches, is left out."""
    model, found, exposure = trace.model, list[str](), exposure_of(danger)
    states = trace.unpacked()
    for number, (before, after, step) in enumerate(zip(states, states[1:], trace.steps, strict=False), start=1):
        named = dict(re.findall(r"(\w+)=(\w+)", step.show(model.bounds)))
        found += [f"{part} (step {number})" for part in exposure.coincidences(before, after, step.action.name, named)]
    return found
