"""The positions of states in an array, by an index: a kernel that depends only on the number of words in a state.

The index is an open-addressing table of 32-bit entries: the low bits hold a position in that array, plus one, and the
other bits hold a piece of the state's hash, so that few entries lead to a wrong state. It is derived from the
array.

The text of this file becomes part of the kernel.
"""

from .kernel_base import equal, state_hash
from .names import entries, entry, hashes, inlined, number, prefetch, rows, table, u32, u64, vector

CHUNK = 256
"""States that are looked up together: their memory is asked for first, so that the waits overlap."""

LOW_HALF = u64(0xFFFFFFFF)


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
def find(found: rows, count, states: rows, index: entries, first, numbers: vector):
    """Write `first` and the position of each of the first `count` rows that is there; the others are left alone."""
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
