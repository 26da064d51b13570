"""The bits of a state that an action leaves as they are: a state that differs from another in them does not lead to it so."""

from __future__ import annotations

from neverlost.model.core import Action, Field, Layout, Model
from neverlost.model.core.domains import COUNTS
from neverlost.model.core.reading import trees_of
from neverlost.model.core.tree import written_by

from ..symmetry import Symmetry

Masks = tuple[int, ...]
"""A mask for each word of a state."""


def may_lead_source(model: Model, symmetry: Symmetry) -> str:
    """The text of `may_lead(states, row, target)`: has a state the bits of target[0] that some action leaves as they are?"""
    tests = []
    for masks in untouched(model, symmetry):
        same = [f"states[row, {k}] & {m} == target[0, {k}] & {m}" for k, m in enumerate(masks) if m]
        tests.append(f"    if {' and '.join(same) or 'True'}:\n        return True\n")
    return f"def may_lead(states: rows, row, target: rows):\n{''.join(tests)}    return False"


def untouched(model: Model, symmetry: Symmetry) -> list[Masks]:
    """For the actions the bits that they leave as they are, also when members are renamed; what follows from others is left out."""
    fixed = [one for one in model.profile.state.fields if not _is_renamed(one, symmetry)]
    found = {_masks(model.layout, fixed, _written(action)) for action in model.profile.actions}
    return sorted(masks for masks in found if not any(_weaker(other, masks) for other in found - {masks}))


def _weaker(one: Masks, other: Masks) -> bool:
    return all(part & whole == part for part, whole in zip(one, other, strict=True))


def _is_renamed(declared: Field, symmetry: Symmetry) -> bool:
    """Whether renaming members moves the elements of a field, or changes their values."""
    value = declared.domain.index
    renamed = () if value is None or declared.domain.kind in COUNTS else (value,)
    return any(index.base() in symmetry.domains for index in (*declared.indexes, *renamed))


def _written(action: Action) -> set[str]:
    """The fields that an action may write."""
    parts = (part for tree in trees_of([action.function]) for part in tree.parts)
    return {element.field for part in parts if (element := written_by(part)) is not None}


def _masks(layout: Layout, fields: list[Field], written: set[str]) -> Masks:
    masks = [0] * layout.words
    for declared in fields:
        for slot in () if declared.name in written else layout.slots[declared.name]:
            masks[slot.word] |= slot.mask << slot.shift
    return tuple(masks)
