"""The visited set of a shard: a kernel that depends on nothing of the model but how many words a state has.

The states lie in one array in the order of discovery, so a level is a range of it and no other copy of a state is kept.
The index is an open-addressing table of 32-bit entries: the low bits hold a position in that array, plus one, and what
remains of the bits holds a piece of the state's hash, so that few entries lead to a state in vain. It is derived from the
array: when it becomes too full it is thrown away and built anew, larger.

The text of this file becomes part of the kernel.
"""

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .kernel_base import (
    WORDS,
    boxes_type,
    entry,
    equal,
    hash_vector,
    index_type,
    inlined,
    number,
    rows_type,
    vector,
)

CHUNK = 256
"""States that are looked up together: their memory is asked for first, so that the waits overlap."""

SEED = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
U29, U32 = np.uint64(29), np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)


@intrinsic
def prefetch(typing_context, array, position):
    """Ask for the cache line of array[position]; it is used soon."""
    del typing_context

    def generate(context, builder, signature, arguments):
        array_type, position_type = signature.args
        view = context.make_array(array_type)(context, builder, arguments[0])
        place = context.cast(builder, arguments[1], position_type, types.intp)
        pointer = builder.gep(view.data, [place])
        pointer = builder.bitcast(pointer, cgutils.voidptr_t)
        number = cgutils.ir.IntType(32)
        kind = cgutils.ir.FunctionType(cgutils.ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [pointer, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, position), generate


@inlined
def state_hash(states, row):
    """The hash of a state: `explorer.hashing.state_hash` of its words."""
    value = SEED
    for word in range(WORDS):
        value = (value ^ np.uint64(states[row, word])) * FIRST
        value ^= value >> U32
    value = value * SECOND
    return value ^ (value >> U29)


@inlined
def index_bits(capacity):
    """How many bits of an entry hold the position."""
    bits = 0
    while capacity >> bits:
        bits += 1
    return bits


@entry(rows_type, number, index_type, vector, hash_vector)
def rebuild(states, count, index, places, hashes):
    """Fill an empty index with the first `count` states."""
    capacity = np.uint64(len(index))
    bits = np.uint64(index_bits(len(index)))
    for begin in range(0, count, CHUNK):
        size = min(CHUNK, count - begin)
        for k in range(size):
            value = state_hash(states, begin + k)
            places[k] = np.int64(((value & LOW_HALF) * capacity) >> U32)
            hashes[k] = ((value >> U32) << bits) | np.uint64(begin + k + 1)
            prefetch(index, places[k])
        for k in range(size):
            place = places[k]
            while index[place] != 0:
                place += 1
                if place == len(index):
                    place = 0
            index[place] = np.uint32(hashes[k] & LOW_HALF)


@entry(rows_type, number, number, rows_type, number, number, index_type, vector, hash_vector)
def insert(rows, begin, end, states, count, room, index, places, hashes):
    """Insert rows[begin:end] into a shard that holds `count` states; stops early when the index must grow beyond `room` states.

    Returns the row to go on with, the new count, and the sum of the hashes of the new states.
    """
    capacity = np.uint64(len(index))
    bits = np.uint64(index_bits(len(index)))
    position_mask = (np.uint32(1) << np.uint32(bits)) - np.uint32(1) if bits < 32 else np.uint32(LOW_HALF)
    digest = np.uint64(0)
    while begin < end and count + CHUNK <= room:
        size = min(CHUNK, end - begin)
        for k in range(size):
            value = state_hash(rows, begin + k)
            hashes[k] = value
            places[k] = np.int64(((value & LOW_HALF) * capacity) >> U32)
            prefetch(index, places[k])
        for k in range(size):
            place = places[k]
            tag = np.uint32(((hashes[k] >> U32) << bits) & LOW_HALF) & ~position_mask
            entry = index[place]
            while entry != 0 and (entry & ~position_mask) != tag:
                place += 1
                if place == len(index):
                    place = 0
                entry = index[place]
            places[k] = place
            if entry != 0:
                prefetch(states, (np.int64(entry & position_mask) - 1) * WORDS)
        for k in range(size):
            place = places[k]
            tag = np.uint32(((hashes[k] >> U32) << bits) & LOW_HALF) & ~position_mask
            while True:
                entry = index[place]
                if entry == 0:
                    for word in range(WORDS):
                        states[count, word] = rows[begin + k, word]
                    count += 1
                    index[place] = tag | np.uint32(count)
                    digest += hashes[k]
                    break
                if (entry & ~position_mask) == tag and equal(
                    states, np.int64(entry & position_mask) - 1, rows, begin + k
                ):
                    break
                place += 1
                if place == len(index):
                    place = 0
        begin += size
    return begin, count, digest


@entry(rows_type, number, boxes_type, vector)
def route(rows, count, boxes, counts):
    """Copy the first `count` rows to the boxes of the shards that own them; counts[k] becomes how many lie in box k."""
    counts[:] = 0
    owners = np.uint64(len(boxes))
    for row in range(count):
        owner = np.int64(((state_hash(rows, row) >> U32) * owners) >> U32)
        at = counts[owner]
        for word in range(WORDS):
            boxes[owner, at, word] = rows[row, word]
        counts[owner] = at + 1


@entry(rows_type, number, rows_type, index_type, number, vector)
def find(rows, count, states, index, first, numbers):
    """Write `first` and the position of each of the first `count` rows that this shard holds; the others are left alone."""
    capacity = np.uint64(len(index))
    bits = np.uint64(index_bits(len(index)))
    position_mask = (np.uint32(1) << np.uint32(bits)) - np.uint32(1) if bits < 32 else np.uint32(LOW_HALF)
    for row in range(count):
        value = state_hash(rows, row)
        place = np.int64(((value & LOW_HALF) * capacity) >> U32)
        tag = np.uint32(((value >> U32) << bits) & LOW_HALF) & ~position_mask
        while index[place] != 0:
            position = np.int64(index[place] & position_mask) - 1
            if (index[place] & ~position_mask) == tag and equal(states, position, rows, row):
                numbers[row] = first + position
                break
            place += 1
            if place == len(index):
                place = 0
