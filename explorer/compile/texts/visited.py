"""The visited set of a shard: a kernel that depends only on the number of words in a state.

The states lie in one array in the order of discovery, so a level is a range of it and no other copy of a state is kept.
The index is an open-addressing table of 32-bit entries: the low bits hold a position in that array, plus one, and the
other bits hold a piece of the state's hash, so that few entries lead to a wrong state. It is derived from the
array: when it becomes too full, a larger one is built from the array.

The text of this file becomes part of the kernel.
"""

from .kernel_base import WORDS, equal
from .names import boxes, entries, entry, hashes, inlined, number, prefetch, rows, table, u32, u64, vector

CHUNK = 256
"""States that are looked up together: their memory is asked for first, so that the waits overlap."""

SEED = u64(0x9E3779B97F4A7C15)
FIRST = u64(0xBF58476D1CE4E5B9)
SECOND = u64(0x94D049BB133111EB)
LOW_HALF = u64(0xFFFFFFFF)


@inlined
def state_hash(states: table, row):
    """The hash of a state: `explorer.hashing.state_hash` of its words."""
    value = SEED
    for word in range(WORDS):
        value = (value ^ u64(states[row, word])) * FIRST
        value ^= value >> 32
    value = value * SECOND
    return value ^ (value >> 29)


@inlined
def share(value: u64, parts):
    """Which of so many equal parts of the range of 32 bits a number falls into."""
    return number((value * u64(parts)) >> 32)


@inlined
def home(value: u64, index: entries):
    """Where the search for a state begins, by its hash."""
    return share(value & LOW_HALF, len(index))


@inlined
def owner_of(value: u64, owners):
    """Which shard of so many owns a state, by its hash."""
    return share(value >> 32, owners)


@inlined
def index_bits(capacity):
    """How many bits of an entry hold the position."""
    bits = 0
    while capacity >> bits:
        bits += 1
    return bits


@inlined
def position_mask(bits):
    """The bits of an entry that hold the position."""
    return u32((1 << bits) - 1)


@inlined
def tag_of(value: u64, bits):
    """The piece of a hash that an entry holds, where it holds it."""
    return u32((value >> 32) << bits) & ~position_mask(bits)


@entry
def rebuild(states: table, count, index: entries, places: vector, values: hashes):
    """Fill an empty index with the first `count` states."""
    bits = index_bits(len(index))
    for begin in range(0, count, CHUNK):
        size = min(CHUNK, count - begin)
        for k in range(size):
            value = state_hash(states, begin + k)
            places[k] = home(value, index)
            values[k] = value
            prefetch(index, places[k])
        for k in range(size):
            place = places[k]
            while index[place] != 0:
                place += 1
                if place == len(index):
                    place = 0
            index[place] = tag_of(values[k], bits) | u32(begin + k + 1)


@entry
def insert(found: rows, begin, end, states: rows, count, room, index: entries, places: vector, values: hashes):
    """Insert found[begin:end] into a shard that holds `count` states; stops early when the index must grow beyond `room` states.

    Returns the row to go on with, the new count, and the sum of the hashes of the new states.
    """
    bits = index_bits(len(index))
    mask = position_mask(bits)
    digest = u64(0)
    while begin < end and count + CHUNK <= room:
        size = min(CHUNK, end - begin)
        for k in range(size):
            value = state_hash(found, begin + k)
            values[k] = value
            places[k] = home(value, index)
            prefetch(index, places[k])
        for k in range(size):
            place = places[k]
            tag = tag_of(values[k], bits)
            item = index[place]
            while item != 0 and (item & ~mask) != tag:
                place += 1
                if place == len(index):
                    place = 0
                item = index[place]
            places[k] = place
            if item != 0:
                prefetch(states, number(item & mask) - 1)
        for k in range(size):
            place = places[k]
            tag = tag_of(values[k], bits)
            while True:
                item = index[place]
                if item == 0:
                    for word in range(WORDS):
                        states[count, word] = found[begin + k, word]
                    count += 1
                    index[place] = tag | u32(count)
                    digest += values[k]
                    break
                if (item & ~mask) == tag and equal(states, number(item & mask) - 1, found, begin + k):
                    break
                place += 1
                if place == len(index):
                    place = 0
        begin += size
    return begin, count, digest


@entry
def route(found: rows, count, dealt: boxes, counts: vector):
    """Copy the first `count` rows to the boxes of the shards that own them; counts[k] becomes how many lie in box k."""
    for owner in range(len(counts)):
        counts[owner] = 0
    for row in range(count):
        owner = owner_of(state_hash(found, row), len(dealt))
        at = counts[owner]
        for word in range(WORDS):
            dealt[owner, at, word] = found[row, word]
        counts[owner] = at + 1


@entry
def find(found: rows, count, states: rows, index: entries, first, numbers: vector):
    """Write `first` and the position of each of the first `count` rows that this shard holds; the others are left alone."""
    bits = index_bits(len(index))
    mask = position_mask(bits)
    for row in range(count):
        value = state_hash(found, row)
        place = home(value, index)
        tag = tag_of(value, bits)
        while index[place] != 0:
            position = number(index[place] & mask) - 1
            if (index[place] & ~mask) == tag and equal(states, position, found, row):
                numbers[row] = first + position
                break
            place += 1
            if place == len(index):
                place = 0
