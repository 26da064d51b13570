"""How a run of a model is drawn: lanes, what each of them shows, and the messages between them. Nothing here changes a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .domains import Index
from .message import flat_name

LOST = "lost"
"""The value of a parameter that says that a message does not arrive."""

PLACEHOLDER = re.compile(r"\{(\w+)(?:\[(\w+)\])?\}")
"""A part of what a message carries: `{value}` is a parameter, `{log_end[follower]}` a field of the state before the step."""


@dataclass(frozen=True, kw_only=True)
class Arrow:
    """What a step sends from one lane to another, as its action declares it.

    `sender` and `receiver` are names of lanes, or of parameters whose values are members with lanes of their own. `carries` says
    what is sent, with parameters and fields in braces. It is lost if the parameter `lost_by` says so.
    """

    sender: str
    receiver: str
    carries: str
    lost_by: str = ""

    def with_fields_of(self, messages: Collection[str]) -> Arrow:
        """The same with `vote.voter`, a field of the message that a parameter is, as the parameter that it becomes."""
        ends = {
            each: flat_name(*each.split(".", 1)) for each in (self.sender, self.receiver, self.lost_by) if "." in each
        }
        carries = self.carries
        for name in messages:
            within = re.compile(rf"(?<=[{{\[])({name})\.(\w+)(?=[}}\]])")
            carries = within.sub(lambda found: flat_name(found[1], found[2]), carries)
        sender, receiver, lost_by = (ends.get(each, each) for each in (self.sender, self.receiver, self.lost_by))
        return replace(self, sender=sender, receiver=receiver, carries=carries, lost_by=lost_by)


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A message of one step: its lanes by name, what it carries, and whether it is lost on its way."""

    sender: str
    receiver: str
    carries: str
    lost: bool = False


def sends(sender: str, receiver: str, carries: str, lost_by: str = "") -> Arrow:
    """A message that an action declares."""
    return Arrow(sender=sender, receiver=receiver, carries=carries, lost_by=lost_by)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One slot of a log: the number of its record, which gives it a colour (None: the record is not there any more), and its epoch."""

    record: int | None
    epoch: int


@dataclass(frozen=True, kw_only=True)
class LaneView:
    """What a lane shows in one state: what it is now (`role`), facts that are always shown (`standing`), and others when they change.

    A lane with a log has `slots` places for its `cells`; `high_watermark` lies before the slot of that number. `in_sync`
    says whether others count on it; None if that means nothing for this lane.
    """

    role: str = ""
    standing: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    alive: bool = True
    in_sync: bool | None = None
    slots: int = 0
    cells: tuple[Cell, ...] = ()
    high_watermark: int | None = None


@dataclass(frozen=True, kw_only=True)
class Note:
    """What a reader must not overlook in a step, in words; `bad` if it is on the way to a loss."""

    text: str
    bad: bool = False


Shows = Callable[..., LaneView]
"""Takes a state and, for the lane of a member, the member."""


@dataclass(frozen=True, kw_only=True)
class Picture:
    """How runs are drawn: lanes by name, from left to right, then one for each of the `members`; and what each lane shows.

    `faults` gives the words for actions that are faults. `answers` finds messages that follow from a step's effects, and `notes`
    what must not be overlooked: both take the step's action and arguments by name, the state before and the state after.
    `legend` says in sentences what the marks of lanes with logs mean. `absent` names the lanes that a model's settings leave out.
    """

    lanes: Mapping[str, Shows]
    members: type[Index]
    member: Shows
    faults: Mapping[str, str] = field(default_factory=dict)
    answers: Callable[..., Sequence[Sent]] | None = None
    notes: Callable[..., Sequence[Note]] | None = None
    legend: Sequence[str] = ()
    absent: Callable[[Mapping[str, int]], Collection[str]] | None = None
