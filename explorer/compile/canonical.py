"""The kernel's choice of a representative: the least packed state over all renamings of the symmetric domains.

Swaps of neighbours lead from one renaming to the next, so only one function for each pair of neighbours is needed. Such a swap moves
most bits of a state unchanged, and bits that move by the same distance move together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from neverlost.model.core import Index, Layout, Model, SubsetOf
from neverlost.model.core.domains import COUNTS
from neverlost.model.core.packing import WORD_BITS, Place, Slot

from ..symmetry import Renaming, Symmetry

UNROLLED = 24
"""Walks up to this length are written out; longer ones become a loop."""


def swap_walk(size: int) -> list[int]:
    """Swaps of neighbours k and k + 1 that lead through every order of `size` things, each once (Steinhaus-Johnson-Trotter)."""
    if size < 2:
        return []
    shorter, down = swap_walk(size - 1), True
    walk: list[int] = []
    for number in range(len(shorter) + 1):
        walk += range(size - 2, -1, -1) if down else range(size - 1)
        if number < len(shorter):
            walk.append(shorter[number] + (1 if down else 0))
        down = not down
    return walk


def canonical_source(model: Model, symmetry: Symmetry) -> str:
    """The text of `canonical(states, row)`, which replaces a state by its representative."""
    layout, words = model.layout, range(model.layout.words)
    state = ", ".join(f"s_{k}" for k in words)
    swaps, walk = _walk(model, symmetry)
    functions = [_swap_source(layout, number, swap) for number, swap in enumerate(swaps)]
    tail = "".join(f"    states[row, {k}] = b_{k}\n" for k in words)
    head = "@entry\ndef canonical(states: rows, row):\n" + "".join(
        f"    s_{k} = b_{k} = states[row, {k}]\n" for k in words
    )
    better = " or ".join(
        "(" + " and ".join([f"s_{j} == b_{j}" for j in range(k)] + [f"s_{k} < b_{k}"]) + ")" for k in words
    )
    assign = ", ".join(f"b_{k}" for k in words)
    if len(walk) <= UNROLLED:
        body = "".join(f"    {state} = swap_{s}({state})\n    if {better}:\n        {assign} = {state}\n" for s in walk)
        return "\n\n\n".join([*functions, head + body + tail])
    chosen = "".join(
        f"        {'elif' if s else 'if'} swap == {s}:\n            {state} = swap_{s}({state})\n"
        for s in range(len(swaps))
    )
    body = f"    for swap in WALK:\n{chosen}        if {better}:\n            {assign} = {state}\n"
    return "\n\n\n".join([*functions, f"WALK = {walk}", head + body + tail])


def keeping_source(model: Model, symmetry: Symmetry) -> str:
    """The text of `renamings_keeping(states, begin, end, counts)`, which counts the states that so many renamings keep as they are."""
    words = range(model.layout.words)
    swaps, walk = _walk(model, symmetry)
    state = ", ".join(f"s_{k}" for k in words)
    load = "".join(f"        s_{k} = states[row, {k}]\n" for k in words)
    same = " and ".join(f"s_{k} == states[row, {k}]" for k in words)
    chosen = "".join(
        f"            {'elif' if s else 'if'} swap == {s}:\n                {state} = swap_{s}({state})\n"
        for s in range(len(swaps))
    )
    return (
        f"RENAMINGS = {walk}\n\n\n"
        "@entry\ndef renamings_keeping(states: rows, begin, end, counts: vector):\n"
        f"    for row in range(begin, end):\n{load}        kept = 1\n        for swap in RENAMINGS:\n{chosen}"
        f"            if {same}:\n                kept += 1\n        counts[kept] += 1"
    )


def _walk(model: Model, symmetry: Symmetry) -> tuple[list[Renaming], list[int]]:
    """Swaps of two neighbours, and a walk of such that meets every renaming but the identity once."""
    swaps: list[Renaming] = []
    walk: list[int] = []
    for index in symmetry.domains:
        first, size = index.distinguished, index.size(model.bounds)
        own = [len(swaps) + k for k in swap_walk(size - first)]
        swaps += [{index: _swapped(size, first + k)} for k in range(size - first - 1)]
        walk = [step for swap in own for step in (*walk, swap)] + walk
    return swaps, walk


def _swapped(size: int, first: int) -> list[int]:
    order = list(range(size))
    order[first], order[first + 1] = order[first + 1], order[first]
    return order


def _swap_source(layout: Layout, number: int, renaming: Renaming) -> str:
    """A function from the words of a state to those after one renaming."""
    together: dict[tuple[int, int, int], int] = defaultdict(int)
    looked_up: list[str] = []
    for place in layout.places.values():
        for source, goal in _moves(layout, place, renaming):
            index = place.field.domain.index
            renamed = index is not None and place.field.domain.kind not in COUNTS and index.base() in renaming
            if renamed and index is not None and issubclass(index, SubsetOf) and place.low == 0:
                for member, moved in enumerate(renaming[index.base()]):
                    together[source.word, goal.word, goal.shift + moved - source.shift - member] |= (
                        1 << source.shift + member
                    )
            elif renamed and [_renamed(place, v, renaming) for v in range(place.size)] != list(range(place.size)):
                looked_up.append(_looked_up(place, source, goal, renaming))
            else:
                together[source.word, goal.word, goal.shift - source.shift] |= source.mask << source.shift
    parts: dict[int, list[str]] = defaultdict(list)
    for (word, into, distance), mask in sorted(together.items()):
        move = f" << {distance}" if distance > 0 else f" >> {-distance}" if distance else ""
        parts[into].append(f"(s_{word} & {mask}){move}" if mask != (1 << WORD_BITS) - 1 else f"s_{word}{move}")
    state = ", ".join(f"s_{k}" for k in range(layout.words))
    lines = [f"    t_{k} = {' | '.join(f'({p})' for p in parts[k]) or '0'}" for k in range(layout.words)]
    result = ", ".join(f"t_{k}" for k in range(layout.words))
    return "\n".join([f"def swap_{number}({state}):", *lines, *looked_up, f"    return {result}"])


def _moves(layout: Layout, place: Place, renaming: Renaming) -> Iterator[tuple[Slot, Slot]]:
    """The place of each element of a field, before and after the renaming."""
    slots = layout.slots[place.field.name]
    for slot, position in zip(slots, place.field.positions(layout.bounds), strict=True):
        target = 0
        for index, member, extent in zip(place.field.indexes, position, place.shape, strict=True):
            target = target * extent + _member(index, member, renaming)
        yield slot, slots[target]


def _member(index: type[Index], member: int, renaming: Renaming) -> int:
    return index.renamed(member, renaming[index.base()]) if index.base() in renaming else member


def _renamed(place: Place, stored: int, renaming: Renaming) -> int:
    return place.field.domain.renamed(stored + place.low, renaming) - place.low


def _looked_up(place: Place, source: Slot, goal: Slot, renaming: Renaming) -> str:
    """A line that moves one element whose value is itself renamed, value by value."""
    value = f"(s_{source.word} >> {source.shift} & {source.mask})"
    changed = {v: renamed for v in range(place.size) if (renamed := _renamed(place, v, renaming)) != v}
    chosen = "".join(f"{renamed} if {value} == {v} else " for v, renamed in changed.items())
    return f"    t_{goal.word} |= ({chosen}{value}) << {goal.shift}"
