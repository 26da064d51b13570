"""The kernel's choice of a representative: the least packed state over all renamings of the symmetric domains.

Swaps of neighbours lead from one renaming to the next, so only one function for each pair of neighbours is needed. Such a swap moves
most bits of a state unchanged, and bits that move by the same distance move together.

Members are sorted first, where that is possible: the high bits of the first words hold fields that say something of each member by
itself, its *key*, and so the least state has the members in the order of their keys. Then only renamings of members with equal keys are
left to be walked through.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import indent

from neverlost.model.core import Index, Layout, Model, SubsetOf
from neverlost.model.core.domains import COUNTS
from neverlost.model.core.packing import WORD_BITS, Place, Slot

from ..symmetry import Renaming, Symmetry
from .frames import array, frame

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
    """The text of `canonical(states, begin, end)`, which replaces states by their representatives."""
    words = range(model.layout.words)
    swaps, walk = _walk(model, symmetry)
    functions = [_swap_source(model.layout, f"swap_{number}", swap) for number, swap in enumerate(swaps)]
    state, best, better = _words("s", words), _words("b", words), _less("s", "b", words)
    begin = "".join(f"    b_{k} = s_{k}\n" for k in words)
    if len(walk) <= UNROLLED:
        body = "".join(f"    {state} = swap_{k}({state})\n    if {better}:\n        {best} = {state}\n" for k in walk)
        functions.append(f"def least({state}):\n{begin}{body}    return {best}")
        return "\n\n\n".join([*functions, *_may_precede(model.layout, swaps, walk), _at_once(words)])
    load = "".join(f"    s_{k} = states[row, {k}]\n" for k in words)
    tail = "".join(f"    states[row, {k}] = b_{k}\n" for k in words)
    choose = f"        if {better}:\n            {best} = {state}\n"
    keys = _sorted_by(model, symmetry)
    if keys is None:
        functions.append(f"WALK = {walk}")
        body = "    for swap in WALK:\n"
    else:
        functions += _sorting_sources(model, swaps, keys)
        load += f"    {state} = in_the_order_of_keys({state})\n"
        body = f"    ties = ties_of({state})\n{_TIED_LOOP}"
    functions.append(
        f"def walk_through(states: rows, row):\n{load}{begin}{body}{_chosen(words, swaps, 2)}{choose}{tail}"
    )
    head = "@entry\ndef canonical(states: rows, begin, end):\n    for row in range(begin, end):\n"
    return "\n\n\n".join([*functions, f"{head}        walk_through(states, row)"])


def _may_precede(layout: Layout, swaps: Sequence[Renaming], walk: Sequence[int]) -> list[str]:
    """Functions up to `may_precede(s_0)`: may a renamed state come before a state with this first word?

    Most states are their own representatives, and their first words tell.
    """
    crossing = [p for p in layout.places.values() if len(p.segments) > 1 and any(s.word == 0 for s in p.segments)]
    if crossing:
        return ["def may_precede(s_0):\n    return True"]
    fields = frozenset(name for name, place in layout.places.items() if any(s.word == 0 for s in place.segments))
    first = Keys(fields, (0,))
    moved = "".join(f"    t_{k} = first_{swap}({'t_' + str(k - 1) if k else 's_0'})\n" for k, swap in enumerate(walk))
    decided = " or ".join(f"t_{k} <= s_0" for k in range(len(walk))) or "False"
    return [
        *(_swap_source(layout, f"first_{number}", swap, first) for number, swap in enumerate(swaps)),
        f"def may_precede(s_0):\n{moved}    return {decided}",
    ]


def _at_once(words: range) -> str:
    """The text of `canonical` where `least` needs no loop: several states are computed at a time."""
    given, found = (", ".join(f"{name}_{k}[k]" for k in words) for name in ("all", "after"))
    return (
        "@entry\ndef canonical(states: rows, begin, end):\n"
        f"{frame('all', words)}{frame('after', words)}{array('firsts')}{array('chosen')}"
        "    while begin < end:\n        size = min(FRAME_ROWS, end - begin)\n"
        "        fill_firsts(firsts, states, begin, size)\n        left = 0\n"
        "        for k in abreast(size):\n            found = may_precede(firsts[k])\n"
        "            left += keep(chosen, left, k, found)\n"
        "        fill_chosen(all, states, begin, chosen, left)\n"
        f"        for k in abreast(left):\n            {found} = least({given})\n"
        "        put_back(states, begin, after, chosen, left)\n        begin += size"
    )


def _sorted_by(model: Model, symmetry: Symmetry) -> Keys | None:
    """The keys by which members are sorted; None if there are none, or if walking through all renamings is quick."""
    return None if len(_walk(model, symmetry)[1]) <= UNROLLED else keys_of(model, symmetry)


def keeping_source(model: Model, symmetry: Symmetry) -> str:
    """The text of `renamings_keeping(states, begin, end, counts)`: how many representatives so many renamings keep as they are.

    It follows the text of `canonical`.
    """
    words = range(model.layout.words)
    swaps, walk = _walk(model, symmetry)
    state = _words("s", words)
    load = "".join(f"        s_{k} = states[row, {k}]\n" for k in words)
    same = " and ".join(f"s_{k} == states[row, {k}]" for k in words)
    head, loop = f"RENAMINGS = {walk}\n\n\n", "        for swap in RENAMINGS:\n"
    if _sorted_by(model, symmetry) is not None:
        head, loop = "", f"        ties = ties_of({state})\n{indent(_TIED_LOOP, '    ')}"
    return (
        f"{head}@entry\ndef renamings_keeping(states: rows, begin, end, counts: vector):\n"
        f"    for row in range(begin, end):\n{load}        kept = 1\n{loop}{_chosen(words, swaps, 3)}"
        f"            if {same}:\n                kept += 1\n        counts[kept] += 1"
    )


@dataclass(frozen=True)
class Keys:
    """The fields at the high end of a state that say something of each member by itself, and their bits of the first words."""

    fields: frozenset[str]
    masks: tuple[int, ...]


def keys_of(model: Model, symmetry: Symmetry) -> Keys | None:
    """The keys of the members of the symmetric domain; None if there are several domains, or if the highest field is no key.

    Of two orders of the members, that with the larger key at the smaller number packs to less: the last member's bits are the highest,
    and a scalar that names a member is least if that member has the smallest number.
    """
    if len(symmetry.domains) != 1:
        return None
    layout, (domain,) = model.layout, symmetry.domains
    places = sorted(
        ((segment.word, -segment.shift, place) for place in layout.places.values() for segment in place.segments),
        key=lambda found: found[:2],
    )
    names: set[str] = set()
    masks: list[int] = []
    for word, _, place in places:
        if len(place.segments) != 1 or not _is_key(place, domain):
            break
        names.add(place.field.name)
        masks += [0] * (word + 1 - len(masks))
        for slot in layout.slots[place.field.name]:
            masks[word] |= slot.mask << slot.shift
    return Keys(frozenset(names), tuple(masks)) if names else None


def _is_key(place: Place, domain: type[Index]) -> bool:
    """Whether a field says something of each member by itself, or does not change with the renaming."""
    declared = place.field
    renamed = [index for index in declared.indexes if index.base() is domain]
    value = declared.domain.index
    if value is None or declared.domain.kind in COUNTS or value.base() is not domain:
        return renamed in ([], [domain])
    members = value is domain or (issubclass(value, SubsetOf) and value.of is domain and place.low == 0)
    return members and not renamed


def _words(prefix: str, words: Iterable[int]) -> str:
    return ", ".join(f"{prefix}_{k}" for k in words)


def _less(one: str, other: str, words: Iterable[int], masks: Sequence[int] = ()) -> str:
    """Whether the words of one state come before those of another, as far as the masks go."""
    chosen = list(words)
    right = [f"({other}_{k} & {masks[k]})" if masks else f"{other}_{k}" for k in chosen]
    return " or ".join(
        "(" + " and ".join([f"{one}_{j} == {right[j]}" for j in chosen[:k]] + [f"{one}_{k} < {right[k]}"]) + ")"
        for k in chosen
    )


def _chosen(words: Iterable[int], swaps: Sequence[Renaming], depth: int) -> str:
    """Lines that swap the neighbours that `swap` names."""
    state, pad = _words("s", words), "    " * depth
    return "".join(
        f"{pad}{'elif' if number else 'if'} swap == {number}:\n{pad}    {state} = swap_{number}({state})\n"
        for number in range(len(swaps))
    )


_TIED_LOOP = """    for at in range(walk_begin(ties), walk_begin(ties + 1)):
        swap = TIED_WALKS[at]
"""
"""Walks through all renamings of members with equal keys."""


def _sorting_sources(model: Model, swaps: Sequence[Renaming], keys: Keys) -> list[str]:
    """Functions that bring the members into the order of their keys, and that say which neighbours have equal ones."""
    words, own = range(model.layout.words), range(len(keys.masks))
    state, swapped = _words("s", words), _words("k", own)
    same = " and ".join(f"k_{k} == (s_{k} & {keys.masks[k]})" for k in own)
    sort, tie = "", ""
    for number in range(len(swaps)):
        swap = f"{swapped} = keys_{number}({_words('s', own)})\n"
        less = f"        if {_less('k', 's', own, keys.masks)}:\n"
        sort += f"        {swap}{less}            {state} = swap_{number}({state})\n            ordered = False\n"
        tie += f"    {swap}    if {same}:\n        ties += {1 << number}\n"
    begin = "    ordered = False\n    while not ordered:\n        ordered = True\n"
    return [
        *(_swap_source(model.layout, f"keys_{number}", swap, keys) for number, swap in enumerate(swaps)),
        f"def in_the_order_of_keys({state}):\n{begin}{sort}    return {state}",
        f"def ties_of({state}):\n    ties = 0\n{tie}    return ties",
        _tied_walks(len(swaps) + 1),
    ]


def _tied_walks(size: int) -> str:
    """The walks for all choices of neighbours with equal keys, one after the other, and where each begins."""
    walks: list[int] = []
    begins = [0]
    for ties in range(1 << size - 1):
        walks += tied_walk(size, ties)
        begins.append(len(walks))
    high, low = [begin >> 8 for begin in begins], [begin & 255 for begin in begins]
    return (
        f"TIED_WALKS = {walks}\nHIGH = {high}\nLOW = {low}\n\n\n"
        "def walk_begin(ties):\n    return 256 * number(HIGH[ties]) + number(LOW[ties])"
    )


def tied_walk(size: int, ties: int) -> list[int]:
    """Swaps of neighbours through every order in which only things of one group change places; bit k ties k to k + 1."""
    walk: list[int] = []
    first = 0
    for last in range(size):
        if not ties >> last & 1:
            own = [first + swap for swap in swap_walk(last + 1 - first)]
            walk = [step for swap in own for step in (*walk, swap)] + walk
            first = last + 1
    return walk


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


def _swap_source(layout: Layout, name: str, renaming: Renaming, keys: Keys | None = None) -> str:
    """A function from the words of a state to those after one renaming; of the words of the keys, to their bits."""
    together: dict[tuple[int, int, int], int] = defaultdict(int)
    looked_up: list[str] = []
    for place in layout.places.values():
        if keys is not None and place.field.name not in keys.fields:
            continue
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
    words = range(layout.words if keys is None else len(keys.masks))
    lines = [f"    t_{k} = {' | '.join(f'({p})' for p in parts[k]) or '0'}" for k in words]
    return "\n".join([f"def {name}({_words('s', words)}):", *lines, *looked_up, f"    return {_words('t', words)}"])


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
