"""Traces built without a search: from the steps that make them."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.explorer.traces.trace import Trace, trace_along
from neverlost.model.core import Model
from neverlost.spec.published.profiles import TRUNCATE_TO_HIGH_WATERMARK

LOSS = (
    "controller_elect_leader(replica=r1)",
    "controller_shrink_isr(replica=r3)",
    "become_leader(replica=r1, epoch=1)",
    "leader_write(replica=r1)",
    "become_follower_truncate_to_high_watermark(follower=r2, leader=r1, epoch=0)",
    "follower_replicate(follower=r2, leader=r1)",
    "leader_advance_high_watermark(leader=r1)",
    "become_follower_truncate_to_high_watermark(follower=r2, leader=r1, epoch=1)",
)
"""The shortest way to lose a committed record before KIP-101."""

COUNTER = '''"""A counter that may jump."""

from neverlost.model.core import Index, Profile, State, action, always, require, sometimes, step_always, up_to


class Count(Index, bound="counts"):
    """A number."""


class Counter(State):
    """What was counted."""

    count = up_to(Count)


def initial(s: Counter) -> None:
    """Nothing is counted."""


@action("made up")
def jump(s: Counter) -> None:
    """The counter goes on by two."""
    require(s.count + 2 <= s.size(Count))

    s.count += 2


@step_always("The counter goes on by one.")
def by_one(before: Counter, after: Counter) -> bool:
    return after.count == before.count + 1


@always("The counter has not gone far.")
def small(s: Counter) -> bool:
    return s.count < 4


@sometimes("The counter is even.")
def even(s: Counter) -> bool:
    return s.count == 2


COUNTER = Profile(
    name="counter",
    statement="A counter.",
    state=Counter,
    initial=initial,
    actions=(jump,),
    properties=(by_one, small, even),
    default_bounds={"counts": 4},
)
'''


def trace_of(model: Model, steps: Sequence[str], prop: str | None = None) -> Trace:
    """The trace that these steps make."""
    return trace_along(model, [model.parse_step(text) for text in steps], prop)


def loss_trace() -> Trace:
    """How a committed record is lost before KIP-101."""
    model = TRUNCATE_TO_HIGH_WATERMARK.bounded(replicas=3, log_size=2, records=2, leader_epochs=3)
    return trace_of(model, LOSS, "strong_isr")
