"""A counter that issues each id once.

Source: hachikuji/kafka-specification, module IdSequence.
"""

from __future__ import annotations

from neverlost.model.core import Index, State, action, require, up_to


class Id(Index, bound="ids"):
    """An id that may be issued."""


class Sequence(State):
    """The id to be issued next."""

    next_id = up_to(Id)


def initial(s: Sequence) -> None:
    """Nothing has been issued."""


@action("IdSequence, NextId")
def issue(s: Sequence) -> None:
    """Issue the next id."""
    require(s.next_id < s.size(Id))

    s.next_id += 1
