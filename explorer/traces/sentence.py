"""What a trace shows, in one sentence. A trace keeps it in its file, so it is told here and not in the reports."""

from __future__ import annotations

from neverlost.model.core import Property

from ..process.raising import told_by
from ..words import counted
from .trace import Trace, wait_start


def sentence(trace: Trace) -> str:
    """What the trace shows, in one sentence: the property's own story, or its statement and the verdict."""
    prop = deciding_property(trace)
    if prop is None:
        return f"{len(trace.steps)} steps of {trace.model.profile.name}."
    return _story(prop, trace) or f"{prop.name} {_verdict(prop, trace)}: {prop.statement}"


def _story(prop: Property, trace: Trace) -> str:
    """The property's own story; empty if it has none. Raises ModelError, with file and line, if the story returns no text."""
    return "" if prop.story is None else told_by(f"the story of {prop.name}", prop.story, trace.unpacked())


def deciding_property(trace: Trace) -> Property | None:
    """The property that the trace decides."""
    return None if trace.property is None else trace.model.profile.property_named(trace.property)


def _verdict(prop: Property, trace: Trace) -> str:
    steps = len(trace.steps)
    if prop.over_runs:
        begun = wait_start(trace, prop)
        since = f"since step {begun}" if begun else "from the start"
        return f"is violated, awaited {since} while {for_ever(trace)}"
    verb = "is witnessed" if prop.seeks else "is violated"
    return f"{verb} after {counted(steps, 'step')}" if steps else f"{verb} in the initial state"


def for_ever(trace: Trace) -> str:
    """What a lasso repeats: `steps 5-7 repeat forever`."""
    first, last = (trace.loop_start or 0) + 1, len(trace.steps)
    if first > last:
        return f"nothing more happens after step {last}" if last else "nothing ever happens"
    return f"step {first} repeats forever" if first == last else f"steps {first}-{last} repeat forever"
