"""The candidates of a task of a sharded search: successors with the least state that leads to each, and what is known struck out.

A table of candidates is laid out as the visited set of a shard is, and found by the same index.

The text of this file becomes part of the kernel.
"""

import numpy as np

from .kernel_base import (
    WORDS,
    entry,
    equal,
    hash_vector,
    index_type,
    inlined,
    judged_type,
    number,
    rows_type,
    vector,
)
from .visited import CHUNK, LOW_HALF, U32, index_bits, prefetch, state_hash


@inlined
def precedes(rows, row, others, other):
    """Is a packed state before another, word by word?"""
    for word in range(WORDS):
        if rows[row, word] != others[other, word]:
            return rows[row, word] < others[other, word]
    return False


@entry(rows_type, rows_type, vector, number, number, rows_type, rows_type, number, number, index_type, vector, hash_vector)
def gather(rows, origins, origin_of, begin, end, states, parents, count, room, index, places, hashes):
    """Insert rows[begin:end], each with its origin as its parent; of a state that is there already, keep the least parent.

    Stops early when the index must grow beyond `room` states. Returns the row to go on with, and the new count.
    """
    capacity = np.uint64(len(index))
    bits = np.uint64(index_bits(len(index)))
    position_mask = (np.uint32(1) << np.uint32(bits)) - np.uint32(1) if bits < 32 else np.uint32(LOW_HALF)
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
                prefetch(parents, (np.int64(entry & position_mask) - 1) * WORDS)
        for k in range(size):
            place = places[k]
            origin = origin_of[begin + k]
            tag = np.uint32(((hashes[k] >> U32) << bits) & LOW_HALF) & ~position_mask
            while True:
                entry = index[place]
                if entry == 0:
                    for word in range(WORDS):
                        states[count, word] = rows[begin + k, word]
                        parents[count, word] = origins[origin, word]
                    count += 1
                    index[place] = tag | np.uint32(count)
                    break
                position = np.int64(entry & position_mask) - 1
                if (entry & ~position_mask) == tag and equal(states, position, rows, begin + k):
                    if precedes(origins, origin, parents, position):
                        for word in range(WORDS):
                            parents[position, word] = origins[origin, word]
                    break
                place += 1
                if place == len(index):
                    place = 0
        begin += size
    return begin, count


@entry(rows_type, number, rows_type, index_type, judged_type, vector, hash_vector)
def strike(rows, count, states, index, struck, places, hashes):
    """Set struck[k] for every candidate k that is among the first `count` rows."""
    capacity = np.uint64(len(index))
    bits = np.uint64(index_bits(len(index)))
    position_mask = (np.uint32(1) << np.uint32(bits)) - np.uint32(1) if bits < 32 else np.uint32(LOW_HALF)
    for begin in range(0, count, CHUNK):
        size = min(CHUNK, count - begin)
        for k in range(size):
            value = state_hash(rows, begin + k)
            hashes[k] = value
            places[k] = np.int64(((value & LOW_HALF) * capacity) >> U32)
            prefetch(index, places[k])
        for k in range(size):
            place = places[k]
            tag = np.uint32(((hashes[k] >> U32) << bits) & LOW_HALF) & ~position_mask
            while index[place] != 0:
                position = np.int64(index[place] & position_mask) - 1
                if (index[place] & ~position_mask) == tag and equal(states, position, rows, begin + k):
                    struck[position] = 1
                    break
                place += 1
                if place == len(index):
                    place = 0


@entry(rows_type, rows_type, number, rows_type, rows_type, vector, vector)
def deal(states, parents, count, dealt_states, dealt_parents, starts, owners):
    """Put the first `count` candidates in the order of the shards that own them; those of shard k begin at starts[k]."""
    shards = np.uint64(len(starts) - 1)
    starts[:] = 0
    for row in range(count):
        owner = np.int64(((state_hash(states, row) >> U32) * shards) >> U32)
        owners[row] = owner
        starts[owner + 1] += 1
    for shard in range(1, len(starts)):
        starts[shard] += starts[shard - 1]
    for row in range(count):
        at = starts[owners[row]]
        starts[owners[row]] = at + 1
        for word in range(WORDS):
            dealt_states[at, word] = states[row, word]
            dealt_parents[at, word] = parents[row, word]
    for shard in range(len(starts) - 1, 0, -1):
        starts[shard] = starts[shard - 1]
    starts[0] = 0


@entry(rows_type, rows_type, judged_type, number)
def survivors(states, parents, struck, count):
    """Move the candidates that are not struck to the front; returns how many there are, and the sum of their hashes."""
    digest = np.uint64(0)
    kept = 0
    for row in range(count):
        if struck[row] == 0:
            digest += state_hash(states, row)
            for word in range(WORDS):
                states[kept, word] = states[row, word]
                parents[kept, word] = parents[row, word]
            kept += 1
    return kept, digest
