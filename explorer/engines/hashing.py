"""The hash of a packed state: it places states in tables and shards; the digest of a set of states is the sum of hashes."""

from __future__ import annotations

from neverlost.model.core import Packed

MASK = (1 << 64) - 1
SEED = 0x9E3779B97F4A7C15
MULTIPLIERS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def state_hash(words: Packed) -> int:
    """A 64-bit hash of a packed state; the compiled engine computes the same."""
    value = SEED
    for word in words:
        value = (value ^ word) * MULTIPLIERS[0] & MASK
        value ^= value >> 32
    value = value * MULTIPLIERS[1] & MASK
    return value ^ value >> 29


def digest_text(total: int) -> str:
    """The digest of a set of states: the sum of their hashes modulo 2**64, as 16 hexadecimal digits."""
    return f"{total & MASK:016x}"
