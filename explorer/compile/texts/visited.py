"""The visited set: an exact table of packed states that stores only what a state's place does not say.

A state is split in two: the 32 low bits of its first word, and the rest. The low bits are mixed with a hash of the rest to a number
h of 32 bits. Who knows the rest and h knows the state. The table has `span` lines; h leads to line h * span / 2**32, its home, and what
is left of h after that is the remainder. A slot of a line holds the rest, the remainder, and how far the state lies behind its home.
So nothing is approximate, and the more lines there are, the fewer bits the remainder takes.

A line has 8 * FULL words: the first full word of each slot, then words with the other bits of all slots, then the further full words of
each slot, which are read only if the first is the same; words at the end may be unused. From 4 to 7 slots share a line, depending on
how many other bits they need. A slot is used if its other bits are not 0. The last slot is used first, so a line is full if slot 0 is
used. Where a line is full, the state with the last home moves to the next line; so states lie in the order of their homes, and a search
ends at the first state with a later home (Robin Hood hashing). Nothing is ever removed. A thread that shares the table sets the bit
LOCK of a line while it uses it.

The order of homes is the order of h, for every span. So a table grows in place: from its end to its beginning, each line moves to
higher lines.

If a state would lie too far behind its home, the table must grow. The state that lost its slot waits in the hand of its thread. No
other thread inserts it a second time: all lines up to the farthest are full of states with no later home, so its search finds no slot.

The text of this file becomes part of the kernel.
"""

from .kernel_base import FIRST, SECOND, SEED, WORDS, state_hash
from .names import (
    acquire,
    entry,
    exchange,
    hashes,
    inlined,
    lowest,
    matches,
    number,
    prefetch,
    release,
    rows,
    table,
    u32,
    u64,
)

FULL = 1
"""How many full words a slot has: one less than the state, but at least one."""

SLOTS = 6
"""How many slots a line has."""

GROUPS = 2
"""How many words hold the other bits of all slots of a line."""

EACH = 3
"""How many slots share one of these words; the last word may have fewer."""

WIDTH = 21
"""How many other bits a slot has."""

LAST = 32
"""How many bits of the state's last word are used; 0 if the state has one word."""

SPARE = 1
"""How many of the 33 bits beside the high bits of the state's first word the last word leaves to the remainder."""

OVER = 0
"""How many bits of the last word have no room there."""

AHEAD = 32
"""The memory of so many states is asked for before it is needed, so that the waits overlap: as much as processors have under way."""

LOW_HALF = u64(0xFFFFFFFF)
LOCK = u64(0x8000000000000000)

FIELD = u64((1 << WIDTH) - 1)
"""The other bits of one slot."""

STEPS_BEHIND = u64(15)
"""The bits of a slot's other bits that say how many lines behind its home a state lies, plus one."""

FARTHEST = u64(15)


@inlined
def spread(states: table, row):
    """The number h of a state."""
    first = u64(states[row, 0])
    value = (SEED ^ (first >> 32)) * FIRST
    value ^= value >> 32
    for word in range(1, WORDS):
        value = (value ^ u64(states[row, word])) * FIRST
        value ^= value >> 32
    value = value * SECOND
    low = u32(first)
    low ^= low >> 16
    low = low * u32(0x85EBCA6B)
    low ^= low >> 13
    low = low * u32(0xC2B2AE35)
    low ^= low >> 16
    return u64(low) ^ (value >> 32)


@inlined
def last_word(states: table, row):
    """The last word of a state that has several, else nothing."""
    return u64(states[row, WORDS - 1]) if WORDS > 1 else u64(0)


@inlined
def first_rest(states: table, row, rest: u64):
    """The first full word of a slot: the high bits of the state's first word, and as much as fits of the last one and the remainder."""
    return (u64(states[row, 0]) >> 32) | ((last_word(states, row) | (rest << LAST)) << 31)


@inlined
def other_rest(states: table, row, rest: u64):
    """The bits that do not fit the first full word."""
    return (last_word(states, row) >> 33) | ((rest >> SPARE) << OVER)


@inlined
def lock(lines: hashes, place, several):
    """Wait until no other thread uses a line, by the first word after its slots."""
    if several:
        free = lines[place] & ~LOCK
        while exchange(lines, place, free, free | LOCK) != free:
            free = acquire(lines, place) & ~LOCK


@inlined
def unlock(lines: hashes, place, several):
    """Let other threads use a line again."""
    if several:
        release(lines, place, lines[place] & ~LOCK)


@inlined
def looked_up(found: rows, row, lines: hashes, start, whole: u64, other: u64):
    """Whether a state has a slot in a line, and whether the line is full.

    All first words are compared at once, and further bits are read only where these are the same.
    """
    after = start + SLOTS
    same = matches(lines, start, whole, SLOTS)
    hit = False
    while same != 0 and not hit:
        slot = lowest(same)
        hit = other_bits(lines, after, slot) == other and has_parts(found, row, lines, start, slot)
        same = same & (same - 1)
    return hit, other_bits(lines, after, 0) != 0


@inlined
def place_of(start, slot, part):
    """Where a line that begins at `start` has a full word of a slot."""
    return start + slot if part == 0 else start + SLOTS + GROUPS + slot * (FULL - 1) + part - 1


@inlined
def has_parts(found: rows, row, lines: hashes, start, slot):
    """Whether the full words of a slot but the first are those of a state."""
    for part in range(1, FULL):
        if lines[place_of(start, slot, part)] != u64(found[row, part]):
            return False
    return True


@inlined
def other_bits(lines: hashes, after, slot):
    """The other bits of a slot, by the first word after the slots."""
    group = 0
    for later in range(1, GROUPS):
        group += number(slot >= later * EACH)
    return (lines[after + group] >> ((slot - group * EACH) * WIDTH)) & FIELD


@inlined
def slots_used(lines: hashes, after):
    """How many slots of a line are used, by the first word after its slots."""
    used = 0
    for group in range(GROUPS):
        packed = lines[after + group]
        for inner in range(EACH):
            if group * EACH + inner < SLOTS:
                used += number((packed >> (inner * WIDTH)) & FIELD != 0)
    return used


@inlined
def last_home(lines: hashes, after):
    """The slot of a full line whose state has the last home, and how far the state lies behind it, plus one."""
    chosen = 0
    shortest = FARTHEST + u64(1)
    for group in range(GROUPS):
        packed = lines[after + group]
        for inner in range(EACH):
            if group * EACH + inner < SLOTS:
                behind = (packed >> (inner * WIDTH)) & STEPS_BEHIND
                nearer = behind < shortest
                shortest = behind if nearer else shortest
                chosen = group * EACH + inner if nearer else chosen
    return chosen, shortest


@inlined
def yields(lines: hashes, after, other: u64):
    """Whether a full line has a state with a later home than the state with these other bits."""
    if (other & STEPS_BEHIND) == u64(1):
        return False
    _, behind = last_home(lines, after)
    return behind < (other & STEPS_BEHIND)


@inlined
def exchange_slot(lines: hashes, start, slot, hand: hashes, other: u64):
    """Exchange what is in the hand with what is in a slot. Returns the other bits of what was there, 0 if the slot was free."""
    group = 0
    for later in range(1, GROUPS):
        group += number(slot >= later * EACH)
    place = start + SLOTS + group
    shift = (slot - group * EACH) * WIDTH
    packed = lines[place]
    lines[place] = (packed & ~(FIELD << shift)) | (other << shift)
    for part in range(FULL):
        word = lines[place_of(start, slot, part)]
        lines[place_of(start, slot, part)] = hand[part]
        hand[part] = word
    return (packed >> shift) & FIELD


def settle(lines: hashes, line, hand: hashes, other: u64, several):
    """Give the state in `hand` a slot in a locked line, or in a later one. Where a line is full, the state with the last home moves on.

    So states lie in the order of their homes. Returns the other bits of a state that would lie too far behind its home and is left in
    `hand`, or 0.
    """
    while True:
        after = line * FULL * 8 + SLOTS
        used = slots_used(lines, after)
        if used < SLOTS:
            exchange_slot(lines, line * FULL * 8, SLOTS - 1 - used, hand, other)
            unlock(lines, after, several)
            return u64(0)
        slot, behind = last_home(lines, after)
        if behind < (other & STEPS_BEHIND):
            other = exchange_slot(lines, line * FULL * 8, slot, hand, other)
        if (other & STEPS_BEHIND) == FARTHEST:
            unlock(lines, after, several)
            hand[FULL] = u64(line)
            return other
        other += u64(1)
        line += 1
        lock(lines, after + FULL * 8, several)
        unlock(lines, after, several)


@inlined
def ask_for_home(found: rows, row, lines: hashes, span, homes: hashes):
    """Note the home of a state, with what is left of h below, and ask for the line and for the first words of the next one."""
    home = spread(found, row) * u64(span)
    homes[row & (AHEAD - 1)] = home
    for part in range(FULL + 1):
        prefetch(lines, (number(home >> 32) * FULL + part) * 8)


@inlined
def copy_row(found: rows, row, fresh: rows, place):
    """fresh[place] becomes found[row]."""
    for word in range(WORDS):
        fresh[place, word] = found[row, word]


@entry
def insert(
    found: rows, begin, end, lines: hashes, span, low, fresh: rows, count, room, several, homes: hashes, hand: hashes,
):  # fmt: skip
    """Insert found[begin:end] while there is room; append what is new to `fresh`.

    Returns the row to go on with, how many rows of `fresh` are used, the sum of the hashes of the new states, and whether the table
    must grow first. Then one state may have lost its slot: `hand` holds its full words, the line it left, and its other bits, or 0.
    """
    digest = u64(0)
    left = u64(0)
    full = False
    asked = begin
    while begin < end and count < room and not full:
        while asked < min(begin + AHEAD, end):
            ask_for_home(found, asked, lines, span, homes)
            asked += 1
        home = homes[begin & (AHEAD - 1)]
        line = number(home >> 32)
        rest = (home & LOW_HALF) >> low
        whole = first_rest(found, begin, rest)
        other = (other_rest(found, begin, rest) << 4) | u64(1)
        lock(lines, line * FULL * 8 + SLOTS, several)
        while True:
            start = line * FULL * 8
            after = start + SLOTS
            hit, crowded = looked_up(found, begin, lines, start, whole, other)
            if hit:
                unlock(lines, after, several)
                begin += 1
                break
            if not crowded or yields(lines, after, other):
                hand[0] = whole
                for part in range(1, FULL):
                    hand[part] = u64(found[begin, part])
                if crowded:
                    left = settle(lines, line, hand, other, several)
                    full = left != 0
                else:
                    exchange_slot(lines, start, SLOTS - 1 - slots_used(lines, after), hand, other)
                    unlock(lines, after, several)
                copy_row(found, begin, fresh, count)
                count += 1
                digest += state_hash(found, begin)
                begin += 1
                break
            if (other & STEPS_BEHIND) == FARTHEST:
                unlock(lines, after, several)
                full = True
                break
            other += u64(1)
            line += 1
            lock(lines, after + FULL * 8, several)
            unlock(lines, after, several)
    hand[FULL + 1] = left
    return begin, count, digest, full


@entry
def regrow(
    source: hashes, first, begin, end, old_span, old_low, old_slots, old_each, old_width,
    lines: hashes, span, low, several, line_copy: hashes, hand: hashes,
):  # fmt: skip
    """Move the states of the old lines begin..end-1, the last one first, into a table with more lines. Old line k is source[k - first].

    Returns whether every state found a slot.
    """
    field = (u64(1) << u64(old_width)) - u64(1)
    for old in range(end - 1, begin - 1, -1):
        for word in range(8 * FULL):
            line_copy[word] = source[(old - first) * FULL * 8 + word]
            source[(old - first) * FULL * 8 + word] = u64(0)
        group, further = old_slots, old_slots + number(u64(old_slots + old_each - 1) // u64(old_each))
        shift = 0
        for slot in range(old_slots):
            own = (line_copy[group] >> shift) & field
            shift += old_width
            if shift == old_each * old_width:
                shift = 0
                group += 1
            if own != 0:
                home = u64(old) + u64(1) - (own & STEPS_BEHIND)
                whole = line_copy[slot]
                tail = own >> 4
                rest = ((whole >> 31) >> LAST) | ((tail >> OVER) << SPARE)
                least = (home << 32) | (rest << old_low)
                doubled = span == old_span << 1
                product = least << 1 if doubled else (least + u64(old_span - 1)) // u64(old_span) * u64(span)
                rest = (product & LOW_HALF) >> low
                hand[0] = ((whole << SPARE) >> SPARE) | ((rest << LAST) << 31)
                for part in range(1, FULL):
                    hand[part] = line_copy[further + slot * (FULL - 1) + part - 1]
                tail = (tail & ((u64(1) << OVER) - u64(1))) | ((rest >> SPARE) << OVER)
                place = number(product >> 32)
                lock(lines, place * FULL * 8 + SLOTS, several)
                if settle(lines, place, hand, (tail << 4) | u64(1), several) != 0:
                    return False
    return True


@entry
def digest(states: rows, begin, end):
    """The sum of the hashes of states[begin:end]."""
    total = u64(0)
    for row in range(begin, end):
        total += state_hash(states, row)
    return total
