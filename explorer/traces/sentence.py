"""What a trace shows, in one sentence. A trace keeps it in its file, so it is made here and not in the reports."""

from __future__ import annotations

from neverlost.model.core import Property

from ..process.raising import text_of
from ..words import counted
from .trace import Trace, wait_start


def sentence(trace: Trace) -> str:
    """What the trace shows, in one sentence: the property's own story, or its statement and the verdict."""
    prop = deciding_property(trace)
    if prop is None:
        return f"{len(trace.steps)} steps of {trace.model.profile.name}."
    return _story(prop, trace) or f"{prop.name} {_verdict(prop, trace)}: {prop.statement}"


def no_return_words(trace: Trace) -> str:
    """Which step is that of no return, and what could be done before it; or why there is none. Empty if nobody asked for it."""
    found, prop = trace.no_return, deciding_property(trace)
    if found is None or prop is None:
        return ""
    if found.undecided:
        latest = f" It is step {found.at_latest} at the latest." if found.at_latest else ""
        return f"The step of no return is undecided: {found.undecided}.{latest}"
    if found.step is None and found.always_possible:
        return f"There is no step of no return: {prop.name} can still become true after the last step."
    may_fail = any(trace.model.profile.faults_at_most(trace.model.settings, trace.model.bounds))
    if found.step is None:
        never = f"no steps rule out that {prop.name} is violated{', even without a fault' if may_fail else ''}"
        lost = f"nothing {_keeps(prop)}" if prop.over_runs else never
        return f"There is no step of no return: from the start on, {lost}."
    does, unless = _keeps(prop), " without another fault" if may_fail else ""
    by_itself = f"it {'was' if prop.over_runs else 'stays'} true{'' if prop.over_runs else unless}"
    steps = ", ".join(step.show(trace.model.bounds) for step in found.rescue)
    before = f"{'this does' if len(found.rescue) == 1 else 'these steps do'}: {steps}" if steps else by_itself
    within = "Within these bounds, step" if trace.model.bounds else "Step"
    return f"{within} {found.step} is the step of no return: after it, nothing {does}{unless}. Before it, {before}."


def _keeps(prop: Property) -> str:
    return f"{'makes' if prop.over_runs else 'keeps'} {prop.name} true"


def _story(prop: Property, trace: Trace) -> str:
    """The property's own story; empty if it has none. Raises ModelError, with file and line, if the story returns no text."""
    return "" if prop.story is None else text_of(f"the story of {prop.name}", prop.story, trace.unpacked())


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
