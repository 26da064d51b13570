"""Which properties a story watches."""

from __future__ import annotations

from neverlost.explorer.traces.sentence import deciding_property
from neverlost.explorer.traces.trace import Trace
from neverlost.model.core import Property


def watched(trace: Trace) -> list[Property]:
    """The properties that are judged in every state: the one that the trace decides, then those that the profile asserts."""
    prop = deciding_property(trace)
    asserted = [p for p in trace.model.profile.properties if not p.over_runs and not p.seeks]
    return list(dict.fromkeys([*([prop] if prop is not None and not prop.over_runs else []), *asserted]))
