"""The cone of influence of a property: the fields that it reads, directly or through actions that write these fields.

An action that writes no field of the cone can be left out of a search: a run without its steps is still possible, and is the same
in the cone, because every other action that matters reads only the cone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from .actions import Action
from .profile import Profile
from .properties import Property
from .reading import trees_of
from .tree import Assign, Element, written_by


@dataclass(frozen=True, kw_only=True)
class Fields:
    """The fields that a function reads and writes, itself or by what it calls. Settings count as fields that no function writes."""

    read: frozenset[str]
    written: frozenset[str]


@cache
def fields_of(function: Callable[..., Any]) -> Fields:
    """What a model function reads and writes."""
    read, written = set[str](), set[str]()
    for tree in trees_of([function]):
        targets = [(part, target) for part in tree.parts if (target := written_by(part)) is not None]
        written.update(target.field for _, target in targets)
        # Of a field with indexes, the other elements stay as they were.
        lost = {id(target) for part, target in targets if isinstance(part, Assign) and not target.indexes}
        read.update(part.field for part in tree.parts if isinstance(part, Element) and id(part) not in lost)
    return Fields(read=frozenset(read), written=frozenset(written))


def without_influence(profile: Profile, properties: Iterable[Property]) -> tuple[Action, ...]:
    """The actions that can be left out of any search that decides only these properties, none of which is an `eventually`."""
    cone = {name for prop in properties for name in fields_of(prop.function).read}
    uses = {action.name: fields_of(action.function) for action in profile.actions}
    while True:
        within = {name for fields in uses.values() if fields.written & cone for name in fields.read | fields.written}
        if within <= cone:
            break
        cone |= within
    return tuple(action for action in profile.actions if not uses[action.name].written & cone)
