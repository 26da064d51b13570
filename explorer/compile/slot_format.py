"""The layout of the slots of the visited set, for a model's states and a size of the table. The text `visited` says what they hold."""

from __future__ import annotations

from dataclasses import dataclass

from neverlost.model.core import Model

LINE_WORDS = 8
"""The words of a line for each full word of a slot: 64 bytes, what a processor's cache takes in at once."""

WORD = 64
LOCK_BITS = 1
MIXED_BITS = 32
"""The bits of a state that choose its place."""

BESIDE_FIRST = 33
"""The first full word of a slot holds the 31 high bits of the state's first word. This many are left."""

STEP_BITS = 4
"""How far behind its home a state lies."""


@dataclass(frozen=True, kw_only=True)
class SlotFormat:
    """The constants of the text `visited`, which says what each means."""

    full: int
    slots: int
    groups: int
    each: int
    width: int
    last: int
    spare: int
    over: int


def slot_format(words: int, last: int, span: int) -> SlotFormat:
    """The format with the most slots in a line, and the fewest words beside them.

    It is for states whose last word has `last` used bits, in a table of `span` lines.
    """
    full, spare, over = max(1, words - 1), max(0, BESIDE_FIRST - last), max(0, last - BESIDE_FIRST)
    remainder = MIXED_BITS - low_bits(span)
    needed = STEP_BITS + over + max(0, remainder - spare)
    for slots in range(LINE_WORDS - 1, 0, -1):
        each = min(slots, (WORD - LOCK_BITS) // needed)
        groups = -(-slots // each)
        if groups <= (LINE_WORDS - slots) * full:
            break
    width = (WORD - LOCK_BITS) // each
    return SlotFormat(full=full, slots=slots, groups=groups, each=each, width=width, last=last, spare=spare, over=over)


def low_bits(span: int) -> int:
    """How many bits of what is left of h the number of lines makes superfluous."""
    return span.bit_length() - 1


def last_bits(model: Model) -> int:
    """How many bits of the last word of a model's states are used; 0 if they have one word."""
    last = model.layout.words - 1
    slots = [slot for of_field in model.layout.slots.values() for slot in of_field if slot.word == last]
    return max(slot.shift + slot.mask.bit_length() for slot in slots) if last else 0
