"""The beginning of every kernel: comparisons of packed states.

The text of this file becomes part of each kernel, which sets WORDS to its own width. `explorer.compile.ir_module` says what the text of
a kernel may hold.
"""

from .names import inlined, table

WORDS = 2
"""How many words a state has."""


@inlined
def equal(states: table, row, others: table, other):
    """Are two packed states the same?"""
    for word in range(WORDS):
        if states[row, word] != others[other, word]:
            return False
    return True
