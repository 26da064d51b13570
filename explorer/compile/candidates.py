"""The candidates of a task of a sharded search: successors with the least state that leads to each, and what is known struck out.

A table of candidates is laid out and found as the visited set of a shard is, but each row holds two packed states: the candidate, and
behind it its parent. Both then come with one line of memory.

The text of this file becomes part of the kernel.
"""

import numpy as np
from numba import types

from .kernel_base import WORDS, entry, equal, hash_vector, index_type, inlined, judged_type, number, rows_type, vector
from .visited import CHUNK, FIRST, LOW_HALF, SECOND, SEED, U29, U32, index_bits, prefetch, state_hash

columns_type = types.UniTuple(types.Array(types.int64, 1, "C", readonly=True), WORDS)
ONE = np.uint64(1)
SIEVE_WORD_BITS = np.uint64(6)
SIEVE_BIT = np.uint64(63)


@inlined
def precedes(rows, row, first, pairs, pair):
    """Is the packed state that begins at word `first` of a row before the parent in a pair, word by word?"""
    for word in range(WORDS):
        if rows[row, first + word] != pairs[pair, WORDS + word]:
            return rows[row, first + word] < pairs[pair, WORDS + word]
    return False


@inlined
def column_hash(columns, row):
    """The hash of a state whose words are in columns."""
    value = SEED
    for word in range(WORDS):
        value = (value ^ np.uint64(columns[word][row])) * FIRST
        value ^= value >> U32
    value = value * SECOND
    return value ^ (value >> U29)


@inlined
def is_in_columns(pairs, pair, columns, row):
    """Is the candidate of a pair the state whose words are in columns?"""
    for word in range(WORDS):
        if pairs[pair, word] != columns[word][row]:
            return False
    return True


@entry(rows_type, rows_type, number, vector, number, number, rows_type, number, number, index_type, vector, hash_vector)
def gather(rows, origins, first, origin_of, begin, end, pairs, count, room, index, places, hashes):
    """Insert rows[begin:end]; the parent of row k begins at word `first` of origins[origin_of[k]].

    Of a state that is there already, the least parent is kept. Stops early when the index must grow beyond `room` states. Returns the
    row to go on with, and the new count.
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
                prefetch(pairs, (np.int64(entry & position_mask) - 1) * 2 * WORDS)
        for k in range(size):
            place = places[k]
            origin = origin_of[begin + k]
            tag = np.uint32(((hashes[k] >> U32) << bits) & LOW_HALF) & ~position_mask
            while True:
                entry = index[place]
                if entry == 0:
                    for word in range(WORDS):
                        pairs[count, word] = rows[begin + k, word]
                        pairs[count, WORDS + word] = origins[origin, first + word]
                    count += 1
                    index[place] = tag | np.uint32(count)
                    break
                position = np.int64(entry & position_mask) - 1
                if (entry & ~position_mask) == tag and equal(pairs, position, rows, begin + k):
                    if precedes(origins, origin, first, pairs, position):
                        for word in range(WORDS):
                            pairs[position, WORDS + word] = origins[origin, first + word]
                    break
                place += 1
                if place == len(index):
                    place = 0
        begin += size
    return begin, count


@entry(rows_type, number, hash_vector)
def sift(pairs, count, sieve):
    """Set the bit of every candidate in a sieve of 2^k bits, 6 < k <= 32: most other states find theirs unset.

    The low half of the hash chooses it: the high half is much the same in all of a shard.
    """
    sieve[:] = 0
    shift = np.uint64(64 - SIEVE_WORD_BITS - index_bits(len(sieve) - 1))
    for row in range(count):
        bit = (state_hash(pairs, row) << U32) >> shift
        sieve[bit >> SIEVE_WORD_BITS] |= ONE << (bit & SIEVE_BIT)


@entry(columns_type, number, rows_type, index_type, hash_vector, judged_type, vector, vector, hash_vector)
def strike(columns, count, pairs, index, sieve, struck, rows, places, hashes):
    """Set struck[k] for every candidate k that is among the first `count` states, whose words are in columns."""
    capacity = np.uint64(len(index))
    bits = np.uint64(index_bits(len(index)))
    position_mask = (np.uint32(1) << np.uint32(bits)) - np.uint32(1) if bits < 32 else np.uint32(LOW_HALF)
    shift = np.uint64(64 - SIEVE_WORD_BITS - index_bits(len(sieve) - 1))
    for begin in range(0, count, CHUNK):
        size = 0
        for row in range(begin, min(begin + CHUNK, count)):
            value = column_hash(columns, row)
            bit = (value << U32) >> shift
            rows[size] = row
            hashes[size] = value
            size += np.int64((sieve[bit >> SIEVE_WORD_BITS] >> (bit & SIEVE_BIT)) & ONE)
        for k in range(size):
            places[k] = np.int64(((hashes[k] & LOW_HALF) * capacity) >> U32)
            prefetch(index, places[k])
        for k in range(size):
            place = places[k]
            tag = np.uint32(((hashes[k] >> U32) << bits) & LOW_HALF) & ~position_mask
            while index[place] != 0:
                position = np.int64(index[place] & position_mask) - 1
                if (index[place] & ~position_mask) == tag and is_in_columns(pairs, position, columns, rows[k]):
                    struck[position] = 1
                    break
                place += 1
                if place == len(index):
                    place = 0


@entry(rows_type, number, rows_type, vector, vector)
def deal(pairs, count, dealt, starts, owners):
    """Put the first `count` pairs in the order of the shards that own the candidates; those of shard k begin at starts[k]."""
    shards = np.uint64(len(starts) - 1)
    starts[:] = 0
    for row in range(count):
        owner = np.int64(((state_hash(pairs, row) >> U32) * shards) >> U32)
        owners[row] = owner
        starts[owner + 1] += 1
    for shard in range(1, len(starts)):
        starts[shard] += starts[shard - 1]
    for row in range(count):
        at = starts[owners[row]]
        starts[owners[row]] = at + 1
        for word in range(2 * WORDS):
            dealt[at, word] = pairs[row, word]
    for shard in range(len(starts) - 1, 0, -1):
        starts[shard] = starts[shard - 1]
    starts[0] = 0


@entry(rows_type, judged_type, number, rows_type, rows_type)
def survivors(pairs, struck, count, states, columns):
    """Write the candidates that are not struck as rows, and with their parents as columns.

    Returns how many there are, and the sum of their hashes.
    """
    digest = np.uint64(0)
    kept = 0
    for row in range(count):
        if struck[row] == 0:
            digest += state_hash(pairs, row)
            for word in range(WORDS):
                states[kept, word] = pairs[row, word]
            for word in range(2 * WORDS):
                columns[word, kept] = pairs[row, word]
            kept += 1
    return kept, digest
