"""The part of every model's kernel that is not the model's own functions: flaws, and counting the states that decide a property.

The text of this file becomes part of each model's kernel.
"""

from .kernel_base import WORDS
from .names import apart, entries, inlined, rows, table, u32, vector

FRAME_ROWS = 256
"""How many states are computed together, so that their words, and what is decided about them, stay in the nearest cache.

A frame holds so many states as a vector: first all their first words, then all their second words, and so on, then their row numbers.
"""

FRAME = (WORDS + 1) * FRAME_ROWS


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


@apart
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


@apart
def tally_flagged(states: rows, begin, size, flags: vector, decided, counts: vector, least: rows):
    """Tally those of `size` states from states[begin] on that have a flag."""
    for k in range(size):
        if flags[k] != 0:
            tally(states, begin + k, decided, counts, least)


@apart
def clear(numbers: vector):
    """Make every number 0."""
    for k in range(len(numbers)):
        numbers[k] = 0


@apart
def number_rows(frame: vector):
    """Number the rows of a frame."""
    for k in range(FRAME_ROWS):
        frame[WORDS * FRAME_ROWS + k] = k


@apart
def fill(frame: vector, states: rows, begin, size):
    """Put the words of states[begin:begin + size] into a frame."""
    for k in range(size):
        for word in range(WORDS):
            frame[word * FRAME_ROWS + k] = states[begin + k, word]


@apart
def fill_firsts(firsts: vector, states: rows, begin, size):
    """Put the first words of states[begin:begin + size] into an array."""
    for k in range(size):
        firsts[k] = states[begin + k, 0]


@apart
def fill_chosen(frame: vector, states: rows, begin, chosen: vector, count):
    """Put the words of the chosen ones of states[begin:] into a frame."""
    for k in range(count):
        for word in range(WORDS):
            frame[word * FRAME_ROWS + k] = states[begin + chosen[k], word]


@apart
def put_back(states: rows, begin, frame: vector, chosen: vector, count):
    """Put the words of a frame into the chosen ones of states[begin:]."""
    for k in range(count):
        for word in range(WORDS):
            states[begin + chosen[k], word] = frame[word * FRAME_ROWS + k]


@apart
def pick(into: vector, frame: vector, chosen: vector, count):
    """Copy the chosen rows of a frame to the beginning of another one."""
    for k in range(count):
        for word in range(WORDS + 1):
            into[word * FRAME_ROWS + k] = frame[word * FRAME_ROWS + chosen[k]]


@apart
def append(out: rows, count, sources: entries, begin, after: vector, chosen: vector, frame: vector, more):
    """Append the chosen rows of `after` to `out`, and the numbers of the rows in `frame` that they come from to `sources`."""
    for k in range(more):
        sources[count + k] = u32(begin + frame[WORDS * FRAME_ROWS + chosen[k]])
        for word in range(WORDS):
            out[count + k, word] = after[word * FRAME_ROWS + chosen[k]]


@apart
def note(flaws: vector, flaw: vector):
    """Set flaw[0] if a flaw was found in any lane."""
    for k in range(len(flaws)):
        if flaws[k] != 0:
            flaw[0] = 1
