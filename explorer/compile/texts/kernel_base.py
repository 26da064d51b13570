"""The beginning of every kernel: comparisons and hashes of packed states.

The text of this file becomes part of each kernel, which sets WORDS to its own width. `compile.emitter.ir_module` says what the text of
a kernel may hold.
"""

from .names import inlined, table, u64

WORDS = 2
"""How many words a state has."""

SEED = u64(0x9E3779B97F4A7C15)
FIRST = u64(0xBF58476D1CE4E5B9)
SECOND = u64(0x94D049BB133111EB)


@inlined
def equal(states: table, row, others: table, other):
    """Are two packed states the same?"""
    for word in range(WORDS):
        if states[row, word] != others[other, word]:
            return False
    return True


@inlined
def state_hash(states: table, row):
    """The hash of a state: `explorer.hashing.state_hash` of its words."""
    value = SEED
    for word in range(WORDS):
        value = (value ^ u64(states[row, word])) * FIRST
        value ^= value >> 32
    value = value * SECOND
    return value ^ (value >> 29)
