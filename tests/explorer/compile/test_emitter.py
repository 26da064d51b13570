"""Kernel texts mean what Python means by them, in integers that wrap around; what could mean two things is refused."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from kernel_programs import NUMBER, U64, Word, by_python, program
from sampling import quick_one_in

from neverlost.explorer.compile.emitter.expressions import KernelError
from neverlost.explorer.compile.emitter.ir_module import emitted
from neverlost.explorer.compile.emitter.machine import Kernel, object_code

LARGEST, LEAST = (1 << 63) - 1, -(1 << 63)
RANDOM_PROGRAMS = 60
SEED = 0x9E3779B97F4A7C15


def compiled(text: str) -> Kernel:
    module = emitted(text)
    return Kernel(object_code(module.ir, module.wide), module.entries, module.constants)


def value_of(expression: str, a: int = 0, b: int = 0) -> object:
    """What an expression over two numbers is."""
    return compiled(f"@entry\ndef work(a, b):\n    return {expression}\n").work(a, b)


@pytest.mark.parametrize(
    ("expression", "a", "b", "value"),
    [
        ("a + b", LARGEST, 1, LEAST),
        ("a - b", LEAST, 1, LARGEST),
        ("a * b", 1 << 62, 4, 0),
        ("a << b", 1, 65, 2),
        ("a >> b", -8, 1, -4),
        ("u64(a) >> 1", -2, 0, LARGEST),
        ("u64(a) * 3", -1, 0, (1 << 64) - 3),
        ("u32(a)", -1, 0, (1 << 32) - 1),
        ("number(u32(a))", -1, 0, (1 << 32) - 1),
        ("number(u64(a))", -1, 0, -1),
        ("a < b", -1, 1, True),
        ("u64(a) < u64(b)", -1, 1, False),
        ("~a", 5, 0, -6),
        ("-a", 5, 0, -5),
        ("min(a, b, 3)", 7, 5, 3),
        ("max(a, b)", -7, -5, -5),
        ("1 << b | a", 8, 62, 1 << 62 | 8),
        ("a or b", 0, 9, 9),
        ("a and b", 3, 9, 9),
        ("a and b", 0, 9, 0),
        ("1 if a < b else 2", 0, 1, 1),
        ("number(a == b)", 4, 4, 1),
        ("not a", 4, 0, False),
        ("0 < a < b", 4, 5, True),
        ("0 < a < b", 4, 4, False),
        ("a & 255 ^ 15", 0x1234, 0, 0x34 ^ 15),
    ],
)
def test_an_expression_has_this_value(expression: str, a: int, b: int, value: object) -> None:
    found = value_of(expression, a, b)
    assert (found, type(found)) == (value, type(value))


def test_what_python_would_not_evaluate_is_not_evaluated() -> None:
    text = """
def noted(value, at: vector):
    at[0] = at[0] * 10 + value
    return value

@entry
def work(a, b, at: vector):
    if noted(a, at) and noted(b, at) or noted(3, at):
        noted(4, at)
    return (noted(5, at) if a else noted(6, at)) + (noted(7, at) < noted(8, at) < noted(9, at))
""".replace("+ (noted(7", "+ number(noted(7")
    text = text.replace("noted(9, at))", "noted(9, at))")
    for a, b, trail in ((0, 1, 0), (1, 1, 0), (1, 0, 0)):
        del trail
        at, expected = np.zeros(1, np.int64), [0]

        def noted(value: int, seen: list[int] = expected) -> int:
            seen[0] = seen[0] * 10 + value
            return value

        if (noted(a) and noted(b)) or noted(3):
            noted(4)
        result = (noted(5) if a else noted(6)) + (noted(7) < noted(8) < noted(9))
        assert compiled(text).work(a, b, at) == result
        assert at[0] == expected[0]


def test_a_loop_counts_by_itself_and_its_name_keeps_the_last_value() -> None:
    text = """
@entry
def work(n, seen: vector):
    count = 0
    k = -1
    for k in range(n):
        seen[count] = k
        count += 1
        k += 100
    for m in range(9, 0, -3):
        seen[count] = m
        count += 1
    while True:
        count += 1
        if count > 8:
            break
    return k, count
"""
    seen = np.zeros(10, np.int64)
    assert compiled(text).work(3, seen) == (102, 9)
    assert list(seen[:6]) == [0, 1, 2, 9, 6, 3]
    assert compiled(text).work(0, seen) == (-1, 9)


def test_arrays_of_every_type_are_read_and_written() -> None:
    text = """
WORDS = 2
CODES = [7, 9, 250]

@inlined
def total(states: table, row):
    sum = 0
    for word in range(WORDS):
        sum += states[row, word]
    return sum

@entry
def work(a: rows, b: pairs, c: boxes, d: columns, e: hashes, f: entries, g: octets):
    codes = 0
    for code in CODES:
        codes = codes * 1000 + number(code)
    part = a[1:3]
    part[0, 1] += 5
    e[0] = e[0] * u64(3)
    f[1] = ~f[1]
    g[0] = u8(codes)
    c[1, 0, 1] = d[1][2]
    return total(a, 1), total(b, 0), len(part), e[0], codes
"""
    rows, pairs = np.arange(6).reshape(3, 2), np.arange(8).reshape(2, 4)
    boxes, columns = np.zeros((2, 1, 2), np.int64), (np.arange(3), np.arange(10, 13))
    hashes, entries, octets = np.array([1 << 63], np.uint64), np.array([0, 1], np.uint32), np.zeros(1, np.uint8)
    found = compiled(text).work(rows, pairs, boxes, columns, hashes, entries, octets)
    assert found == (2 + 3 + 5, 0 + 1, 2, 1 << 63, 7009250)
    assert rows.tolist() == [[0, 1], [2, 8], [4, 5]]
    assert boxes.tolist() == [[[0, 0]], [[0, 12]]]
    assert (entries[1], octets[0]) == ((1 << 32) - 2, 7009250 % 256)


@pytest.mark.parametrize("count", [1, 5, 6, 8])
@pytest.mark.parametrize(("kind", "dtype"), [("vector", np.int64), ("hashes", np.uint64), ("entries", np.uint32)])
def test_several_elements_are_compared_at_once(kind: str, dtype: type[np.integer[Any]], count: int) -> None:
    convert = {"vector": "number", "hashes": "u64", "entries": "u32"}[kind]
    text = f"""
@entry
def work(a: {kind}, position, value):
    found = matches(a, position, {convert}(value), {count})
    first = -1
    if found != 0:
        first = lowest(found)
    return found, first
"""
    work, values = compiled(text).work, [5, 7, 5, 0, 0, 9, 7, 5, 5, 9]
    array = np.array(values, dtype)
    for position in range(3):
        for value in range(11):
            equal = [number for number in range(count) if values[position + number] == value]
            assert work(array, position, value) == (sum(1 << number for number in equal), min(equal, default=-1))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("    x = 1\n    x = a < b\n    return x", "a truth in place of a number"),
        ("    x = a < b\n    x = a\n    return number(x)", "a number in place of a truth"),
        ("    x = False\n    x = 1\n    return number(x)", "does not fit truth"),
        ("    return a + (a < b)", "a truth in place of a number"),
        ("    return a + u64(b)", "a u64 in place of a number"),
        ("    return u32(a) | u64(b)", "a u64 in place of a u32"),
        ("    return a if b else a < b", "a truth in place of a number"),
        ("    return a or a < b", "a truth in place of a number"),
        ("    return a < (a < b)", "a truth in place of a number"),
        ("    return (a < b) << 1", "a truth in place of a number"),
        ("    return a << 64", "a shift by 64"),
        ("    return u32(a) + 4294967296", "the number 4294967296 does not fit u32"),
        ("    return a % b", "not an operator of a kernel"),
        ("    return a // b", "a division of numbers that may be negative"),
        ("    return acquire(v, a, b)", "not how acquire is called"),
        ("    return exchange(v, a, b)", "not how exchange is called"),
        ("    return matches(v, a, u32(b), 8)", "a u32 in place of a number"),
        ("    return matches(v, a, a, b)", "a number of elements that is not written out"),
        ("    return matches(v, a, a, 64)", "or out of range"),
        ("    return lowest(u64(a))", "a u64 in place of a number"),
        ("    return missing", "an unknown name"),
        ("    return missing(a)", "a call of an unknown function"),
        ("    if a:\n        return a\n    return a < b", "results of different types than before"),
        ("    if a:\n        return a", "a path on which it returns nothing"),
        ("    for k in a:\n        b = k\n    return b", "a loop over neither"),
        ("    for k in range(0, a, b):\n        a = k\n    return b", "a step of a loop that is 0 or not written out"),
        ("    return v[a, b]", "2 indexes of 1"),
        ("    return [a, b]", "not an expression of a kernel"),
        ("    import os\n    return a", "not a statement of a kernel"),
        ("    return a in (1, 2)", "not an expression of a kernel"),
        ("    helper(a < b)\n    return a", "takes"),
        ("    break", "not a statement of a kernel"),
    ],
)
def test_what_has_no_one_meaning_is_refused_by_line(body: str, message: str) -> None:
    text = f"def helper(a):\n    return a\n\n@entry\ndef work(a, b, v: vector):\n{body}\n"
    with pytest.raises(KernelError, match=message):
        emitted(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@njit\ndef f(a):\n    return a", "a decorator other than @entry, @inlined and @apart"),
        ("def f(a: matrix):\n    return a\n\n@entry\ndef g(a):\n    return f(a)", "matrix is not a type"),
        ("import numpy", "neither a function nor a constant"),
        ("SIZES = [1, 300]", "not a list of integers from 0 to 255"),
        ("SIZE = unknown", "an unknown name"),
    ],
)
def test_a_text_that_is_no_kernel_is_refused(text: str, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        emitted(text)


KERNEL = """
WORDS = 2

@entry
def work(count, states: rows, places: vector, parts: columns):
    return count
"""
ROWS, VECTOR, COLUMNS = (
    np.zeros((4, 2), np.int64),
    np.zeros(3, np.int64),
    (np.zeros(3, np.int64), np.zeros(3, np.int64)),
)


@pytest.mark.parametrize(
    "arguments",
    [
        (0.5, ROWS, VECTOR, COLUMNS),
        (1 << 63, ROWS, VECTOR, COLUMNS),
        (0, np.zeros((4, 3), np.int64), VECTOR, COLUMNS),
        (0, ROWS.T, VECTOR, COLUMNS),
        (0, VECTOR, VECTOR, COLUMNS),
        (0, ROWS, VECTOR.astype(np.uint64), COLUMNS),
        (0, ROWS, VECTOR[::2], COLUMNS),
        (0, ROWS, [0, 0], COLUMNS),
        (0, ROWS, VECTOR, COLUMNS[:1]),
        (0, ROWS, VECTOR, (VECTOR, ROWS)),
        (0, ROWS, VECTOR),
    ],
)
def test_an_argument_of_another_type_is_refused(arguments: tuple[object, ...]) -> None:
    kernel = compiled(KERNEL)
    assert kernel.work(7, ROWS, VECTOR, COLUMNS) == 7
    with pytest.raises(TypeError):
        kernel.work(*arguments)


def test_what_a_kernel_does_not_have_is_named() -> None:
    with pytest.raises(AttributeError, match="this kernel has no play"):
        compiled(KERNEL).play()


@pytest.mark.parametrize("number", quick_one_in(4, range(RANDOM_PROGRAMS)))
def test_a_random_kernel_does_what_python_does(number: int) -> None:
    text, randomness = program(number), random.Random(number)
    kernel = compiled(text)
    for _ in range(20):
        a, b = (randomness.choice([0, 1, -1, 2, 5, 63, LARGEST, LEAST, randomness.getrandbits(62)]) for _ in range(2))
        values = [randomness.choice([0, 1, -3, randomness.getrandbits(40), LARGEST]) for _ in range(8)]
        vector, words = np.array(values, np.int64), [Word(value, NUMBER) for value in values]
        expected = by_python(text, "work", Word(a, NUMBER), Word(b, NUMBER), words)
        assert kernel.work(a, b, vector) == tuple(e if isinstance(e, bool) else e.value for e in expected), text
        assert [int(v) for v in vector] == [w.value if isinstance(w, Word) else w for w in words], text


def test_the_judge_of_random_kernels_wraps_around_as_stated() -> None:
    assert (Word(LARGEST, NUMBER) + Word(1, NUMBER)).value == LEAST
    assert (Word(SEED, U64) * Word(SEED, U64)).value == SEED * SEED % (1 << 64)
    assert (Word(1, NUMBER) << Word(65, NUMBER)).value == 2
