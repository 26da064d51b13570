"""What every kernel begins with: how its functions are compiled, and comparisons of packed states.

The text of this file becomes part of each kernel, which sets WORDS to its own width.
"""

from numba import njit, types

WORDS = 2
"""How many words a state has."""

# Without reference counts: every array is the caller's and nothing is allocated here. With them, each call that takes an array
# costs two atomic additions, which doubled the cost of a state.
inlined = njit(forceinline=True, error_model="numpy", _nrt=False)
plain = njit(error_model="numpy", _nrt=False)


def entry(*arguments):
    """A function that Python calls: compiled for these argument types when the kernel is loaded, or read from the cache."""
    return njit(arguments, nogil=True, error_model="numpy", cache=True, _nrt=False)


number, vector, rows_type = types.int64, types.int64[::1], types.int64[:, ::1]
hash_vector, index_type, boxes_type = types.uint64[::1], types.uint32[::1], types.int64[:, :, ::1]
judged_type = types.uint8[::1]


@inlined
def equal(states, row, others, other):
    """Are two packed states the same?"""
    for word in range(WORDS):
        if states[row, word] != others[other, word]:
            return False
    return True
