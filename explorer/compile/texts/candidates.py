"""The candidates of a task of a sharded search: successors, each with the least state that leads to it, without known states.

A table of candidates has the layout and the hashing of a shard's visited set, but each row holds two packed states: the candidate,
then its parent. Both are then in one cache line.

The text of this file becomes part of the kernel.
"""

from .kernel_base import FIRST, SECOND, SEED, WORDS, equal, state_hash
from .names import (
    columns,
    entries,
    entry,
    hashes,
    inlined,
    number,
    octets,
    pairs,
    prefetch,
    rows,
    table,
    u32,
    u64,
    vector,
)
from .positions import CHUNK, home, index_bits, owner_of, position_mask, tag_of

BLOOM_WORD_BITS = 6


@inlined
def precedes(origins: table, origin, first, known: pairs, pair):
    """Is the packed state that begins at word `first` of a row before the parent in a pair, word by word?"""
    for word in range(WORDS):
        if origins[origin, first + word] != known[pair, WORDS + word]:
            return origins[origin, first + word] < known[pair, WORDS + word]
    return False


@inlined
def column_hash(states: columns, row):
    """The hash of a state whose words are in columns."""
    value = SEED
    for word in range(WORDS):
        value = (value ^ u64(states[word][row])) * FIRST
        value ^= value >> 32
    value = value * SECOND
    return value ^ (value >> 29)


@inlined
def is_in_columns(known: pairs, pair, states: columns, row):
    """Is the candidate of a pair the state whose words are in columns?"""
    for word in range(WORDS):
        if known[pair, word] != states[word][row]:
            return False
    return True


@entry
def gather(
    found: table, origins: table, first, origin_of: entries, begin, end,
    known: pairs, count, room, index: entries, places: vector, values: hashes,
):  # fmt: skip
    """Insert found[begin:end]; the parent of row k begins at word `first` of origins[origin_of[k]].

    Of a state that is there already, the least parent is kept. Stops early when the index must grow beyond `room` states. Returns the
    row to go on with, and the new count.
    """
    bits = index_bits(len(index))
    mask = position_mask(bits)
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
                prefetch(known, number(item & mask) - 1)
        for k in range(size):
            place = places[k]
            origin = number(origin_of[begin + k])
            tag = tag_of(values[k], bits)
            while True:
                item = index[place]
                if item == 0:
                    for word in range(WORDS):
                        known[count, word] = found[begin + k, word]
                        known[count, WORDS + word] = origins[origin, first + word]
                    count += 1
                    index[place] = tag | u32(count)
                    break
                position = number(item & mask) - 1
                if (item & ~mask) == tag and equal(known, position, found, begin + k):
                    if precedes(origins, origin, first, known, position):
                        for word in range(WORDS):
                            known[position, WORDS + word] = origins[origin, first + word]
                    break
                place += 1
                if place == len(index):
                    place = 0
        begin += size
    return begin, count


@inlined
def bloom_bit(value: u64, bloom_filter: hashes):
    """Which bit of a Bloom filter a hash sets. The low half chooses it: the high half is much the same in all of a shard."""
    return (value << 32) >> (64 - BLOOM_WORD_BITS - index_bits(len(bloom_filter) - 1))


@entry
def fill_bloom_filter(known: pairs, count, bloom_filter: hashes):
    """Set the bit of every candidate in a Bloom filter of 2^k bits, 6 < k <= 32: most other states find theirs unset."""
    for word in range(len(bloom_filter)):
        bloom_filter[word] = u64(0)
    for row in range(count):
        bit = bloom_bit(state_hash(known, row), bloom_filter)
        bloom_filter[bit >> BLOOM_WORD_BITS] |= u64(1) << (bit & 63)


@entry
def drop_known(
    states: columns, count, known: pairs, index: entries, bloom_filter: hashes, dropped: octets,
    passed: vector, places: vector, values: hashes,
):  # fmt: skip
    """Set dropped[k] for every candidate k that is among the first `count` states, whose words are in columns."""
    bits = index_bits(len(index))
    mask = position_mask(bits)
    for begin in range(0, count, CHUNK):
        size = 0
        for row in range(begin, min(begin + CHUNK, count)):
            value = column_hash(states, row)
            bit = bloom_bit(value, bloom_filter)
            passed[size] = row
            values[size] = value
            size += number((bloom_filter[bit >> BLOOM_WORD_BITS] >> (bit & 63)) & 1)
        for k in range(size):
            places[k] = home(values[k], index)
            prefetch(index, places[k])
        for k in range(size):
            place = places[k]
            tag = tag_of(values[k], bits)
            while index[place] != 0:
                position = number(index[place] & mask) - 1
                if (index[place] & ~mask) == tag and is_in_columns(known, position, states, passed[k]):
                    dropped[position] = 1
                    break
                place += 1
                if place == len(index):
                    place = 0


@entry
def deal(known: pairs, count, dealt: pairs, starts: vector, owners: vector):
    """Put the first `count` pairs in the order of the shards that own the candidates; those of shard k begin at starts[k]."""
    for shard in range(len(starts)):
        starts[shard] = 0
    for row in range(count):
        owner = owner_of(state_hash(known, row), len(starts) - 1)
        owners[row] = owner
        starts[owner + 1] += 1
    for shard in range(1, len(starts)):
        starts[shard] += starts[shard - 1]
    for row in range(count):
        at = starts[owners[row]]
        starts[owners[row]] = at + 1
        for word in range(2 * WORDS):
            dealt[at, word] = known[row, word]
    for shard in range(len(starts) - 1, 0, -1):
        starts[shard] = starts[shard - 1]
    starts[0] = 0


@entry
def survivors(known: pairs, dropped: octets, count, states: rows, parts: table):
    """Write the candidates that are not dropped as rows, and with their parents as columns.

    Returns how many there are, and the sum of their hashes.
    """
    digest = u64(0)
    kept = 0
    for row in range(count):
        if dropped[row] == 0:
            digest += state_hash(known, row)
            for word in range(WORDS):
                states[kept, word] = known[row, word]
            for word in range(2 * WORDS):
                parts[word, kept] = known[row, word]
            kept += 1
    return kept, digest
