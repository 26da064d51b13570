"""Stories with a step that no broker was seen to do: which step it is, and how long the shortest run without such a step is.

Audits ask the wider model, which is the safe side. docs/losses-on-brokers.md has both lengths of every loss of the matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

from neverlost.explorer.traces.commands import search_command
from neverlost.explorer.traces.trace import Trace
from neverlost.model.core import Model, Refused
from neverlost.spec.families import family_of
from neverlost.spec.kafka.replication.seen_losses import GONE, LOSS, SAME, recorded

MARK = "†"


@dataclass(frozen=True, kw_only=True)
class Unseen:
    """A story that brokers were not seen to tell.

    `step` is the number of its first step that no broker was seen to do, None if only the record knows of it. `seen` is what they were
    seen to do, or what stands in the way. `length` has the steps of the shortest run without such a step, `gone` says that a search
    found none. Both are of a producer that sends each record once, which the audit's does not if `once`.
    The words of `command` show that run.
    """

    step: int | None
    seen: str
    length: int | None
    gone: bool
    once: bool
    command: tuple[str, ...]

    @property
    def without(self) -> str:
        """The shortest run without such a step: `12 steps`, `none`; empty if it is not known."""
        return "none" if self.gone else "" if self.length is None else f"{self.length} steps"


def unseen_in(trace: Trace) -> Unseen | None:
    """What brokers were not seen to do in a story; None if they were seen to do each step, or if nobody knows."""
    profile = family_of(trace.model.profile).seen(trace.model.profile)
    if profile is None or trace.property is None:
        return None
    narrower = profile.bounded(**trace.model.bounds, **trace.model.settings)
    refused = _first_refused(narrower, trace)
    found, exact = (recorded(trace.model) if trace.property == LOSS else None) or (None, True)
    if refused is not None:
        seen = narrower.actions[trace.steps[refused - 1].action.name].statement
    elif found is not None and found.outcome != SAME:
        seen = f"{found.why}."
    else:
        return None
    return Unseen(
        step=refused,
        seen=seen,
        length=None if found is None else found.narrower,
        gone=found is not None and found.outcome == GONE,
        once=not exact,
        command=tuple(search_command(narrower, trace.property)),
    )


def _first_refused(narrower: Model, trace: Trace) -> int | None:
    """The number of the first step that the model of what was seen refuses."""
    for number, (before, step) in enumerate(zip(trace.states, trace.steps, strict=False), start=1):
        try:
            narrower.apply(before, narrower.parse_step(step.show(trace.model.bounds)))
        except Refused:
            return number
    return None
