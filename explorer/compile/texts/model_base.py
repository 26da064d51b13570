"""The part of every model's kernel that is not the model's own functions: flaws, and counting the states that decide a property.

The text of this file becomes part of each model's kernel.
"""

from .kernel_base import WORDS, equal
from .names import inlined, rows, table, vector


@inlined
def checked(position, size, flaw: vector):
    """An index that the generator could not prove to lie within its domain; if it does not, flaw[0] is set."""
    if position < 0 or position >= size:
        flaw[0] = 1
        return 0
    return position


@inlined
def bounded(value, flaw: vector):
    """A sum whose operands may themselves be sums; if it grows beyond what the language allows, flaw[0] is set."""
    if value < -72057594037927936 or value > 72057594037927936:
        flaw[0] = 1
        return 0
    return value


@inlined
def in_domain(value, low, size, flaw: vector):
    """A value that the generator could not prove to lie within the domain of its field; if it does not, flaw[0] is set."""
    if value < low or value >= low + size:
        flaw[0] = 1
        return low
    return value


def tally(states: rows, row, decided, counts: vector, least: rows):
    """Count a state that decides a property, by its number, and keep the least such."""
    counts[decided] += 1
    if counts[decided] > 1 and not less(states, row, least, decided):
        return
    for word in range(WORDS):
        least[decided, word] = states[row, word]


@inlined
def less(states: table, row, others: table, other):
    """Is a packed state before another, word by word?"""
    for word in range(WORDS):
        if states[row, word] != others[other, word]:
            return states[row, word] < others[other, word]
    return False


def leads_to(states: rows, count, target: rows):
    """Is target[0] among the first `count` rows?"""
    for row in range(count):
        if equal(states, row, target, 0):
            return True
    return False
