"""Names that the texts of kernels use, for readers and linters: `kernel_types` and `lower` define them."""

from typing import Any

columns = boxes = entries = hashes = octets = pairs = rows = table = vector = Any


def entry(function: Any) -> Any:
    """A function that Python calls."""
    return function


def inlined(function: Any) -> Any:
    """A function that is inlined wherever it is called."""
    return function


def apart(function: Any) -> Any:
    """A function that is never inlined: many places call it, and each call does much."""
    return function


def u32(value: Any) -> Any:
    """The value as an unsigned integer of 32 bits."""


def u64(value: Any) -> Any:
    """The value as an unsigned integer of 64 bits."""


def number(value: Any) -> Any:
    """The value as a signed integer of 64 bits."""


def prefetch(array: Any, position: Any) -> None:
    """Ask for the memory of array[position]: it is used soon."""


def acquire(array: Any, position: Any) -> Any:
    """array[position], and with it everything that the thread that released it wrote before."""


def release(array: Any, position: Any, value: Any) -> None:
    """Make array[position] this value, visible to others after everything written before."""


def exchange(array: Any, position: Any, old: Any, new: Any) -> Any:
    """Make array[position] `new` if it is `old`, in one step that no other thread can come between. Returns what it was."""


def matches(array: Any, position: Any, value: Any, count: Any) -> Any:
    """Which of `count` elements from array[position] on equal a value: bit k of the result stands for element k.

    All must exist; this is not checked.
    """


def lowest(bits: Any) -> Any:
    """The number of the lowest bit of a number that is set; some bit must be."""


def local(size: Any) -> Any:
    """A vector of numbers that lives as long as the call of the function that makes it. The numbers are not set."""


def abreast(count: Any) -> Any:
    """As range(count), for rounds that do not depend on each other: several at a time, if what is called needs no jump.

    The loop says `a[k], b[k] = f(c[k], d, ...)`, or `found, a[k] = f(...)` and then `n += keep(into, n, k, found)`. As many elements
    as there are lanes may change after a[count - 1] and into[n - 1], so the arrays must be that much longer. An array that is handed on
    whole has an element for each lane: what f writes to element 0 may come to any. Where the first of several results is a truth, and
    false, the others mean nothing.
    """


def keep(into: Any, place: Any, value: Any, flag: Any) -> Any:
    """Write a value to into[place]. Returns 1 if the flag is not 0, else 0: whoever adds that to the place keeps what has a flag."""
