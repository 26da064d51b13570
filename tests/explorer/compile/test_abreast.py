"""A loop abreast means what the same loop means one round after the other, for every number of rounds."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from neverlost.explorer.compile.emitter.expressions import KernelError
from neverlost.explorer.compile.emitter.ir_module import emitted
from neverlost.explorer.compile.emitter.kernel_types import LANES
from neverlost.explorer.compile.emitter.machine import Kernel, object_code

COUNTS = (0, 1, LANES - 1, LANES, LANES + 1, 61)

ROUNDS = "".join(
    f"""
@entry
def {name}(a: vector, b: vector, count, c, into: vector, first: vector, second: vector, flaw: vector):
    kept = 0
    for k in {rounds}(count):
        found, first[k], second[k] = f(a[k], b[k], c, flaw)
        kept += keep(into, kept, k, found)
    return kept
"""
    for name, rounds in (("several_at_a_time", "abreast"), ("in_turn", "range"))
)

FUNCTIONS = {
    "ends in several places": """
def f(a, b, c, flaw: vector):
    if a & 3 == 0:
        return False, a, b
    if a & 3 == 1 and b > c:
        return True, b, a
    if not (a < b or b & 1 == 1):
        if a & 4 == 4:
            return False, 0, 0
        return True, a + 1, b << 1
    return a > b, min(a, b, c), max(a, b)
""",
    "assigns on one side, on both, and in loops": """
def f(a, b, c, flaw: vector):
    total = 0
    for i in range(3):
        if (a >> i) & 1 == 1:
            total += i + 1
            b = b + total
        elif c > i:
            a = a ^ (1 << i)
        else:
            total = total - 1
    return True, total, a + b
""",
    "chooses": """
def f(a, b, c, flaw: vector):
    return number(a < b < c + 40 or a == c), (a if b & 1 == 1 else b if a & 1 == 1 else c), (a & 7 and b & 7) + (a & 8 or b & 3)
""",
    "calls one function on both sides": """
def g(a, b):
    if b & 1 == 1:
        return False, a
    return True, a * 3 + b


def f(a, b, c, flaw: vector):
    if a & 1 == 1:
        enabled, a = g(a, b)
        if not enabled:
            return False, a, b
    else:
        if a & 2 == 2:
            enabled, a = g(b, c)
            if not enabled:
                return False, a, b
        else:
            enabled, a = g(a, a)
            if not enabled:
                return False, a, b
    return True, a, b
""",
    "notes a flaw where it comes by": """
def checked(value, size, flaw: vector):
    if value < 0 or value >= size:
        flaw[0] = 1
        return 0
    return value


def f(a, b, c, flaw: vector):
    if a & 8 == 8 and checked(b & 15, 12, flaw) > 3:
        return True, checked(a & 7, 8, flaw), 1
    return False, (checked(a & 3, 2, flaw) if a & 2 == 0 else 5), 0
""",
    "does the same on both sides, where only the test has a flaw": """
def checked(value, size, flaw: vector):
    if value >= size:
        flaw[0] = 1
        return 0
    return value


def g(a, b):
    return True, a + b


def f(a, b, c, flaw: vector):
    if checked(a & 7, 7, flaw) == 1:
        enabled, b = g(a, b)
        if not enabled:
            return False, a, b
    else:
        enabled, b = g(a, b)
        if not enabled:
            return False, a, b
    return a & 1 == 1, a, b
""",
    "writes fields": """
def f(a, b, c, flaw: vector):
    for i in range(2):
        if i < (c & 3) and ((b >> (25 + i * 2) & 3) - 1) == -1:
            b = b & ~(3 << (25 + i * 2)) | (((a >> (9 + (c * 2 + i) * 2) & 3) - 1) + 1) << (25 + i * 2)
    return True, a, b
""",
    "has a loop of unknown length": """
def f(a, b, c, flaw: vector):
    total = 0
    for i in range(a & 7):
        total += b & i
    return total > c, total, a
""",
}


def kernel(text: str) -> tuple[Kernel, bool]:
    module = emitted(text)
    return Kernel(object_code(module.ir, module.wide), module.entries, module.constants), module.wide


def outcome(entry: Any, a: Any, b: Any, count: int, c: int) -> tuple[list[int], list[tuple[int, int]], bool]:
    """Which rounds were kept, what was found in these, and whether there was a flaw."""
    size = count + 2 * LANES
    into, first, second, flaw = (np.zeros(n, np.int64) for n in (size, size, size, LANES))
    kept = [int(k) for k in into[: entry(a, b, count, c, into, first, second, flaw)]]
    return kept, [(int(first[k]), int(second[k])) for k in kept], bool(flaw.any())


@pytest.mark.parametrize("about", FUNCTIONS)
def test_a_loop_abreast_means_the_same_as_one_round_after_the_other(about: str) -> None:
    loaded, wide = kernel(FUNCTIONS[about] + ROUNDS)
    assert wide == (about != "has a loop of unknown length")
    randomness = np.random.default_rng(len(about))
    flaws, several = set[bool](), False
    for count in COUNTS:
        for c in range(6):
            for bits in (5, 61):
                # After the last round there is more, so that lanes that are not asked for have something to find.
                a, b = (randomness.integers(0, 1 << bits, count + 2 * LANES) for _ in range(2))
                found = outcome(loaded.several_at_a_time, a, b, count, c)
                assert found == outcome(loaded.in_turn, a, b, count, c)
                flaws.add(found[2])
                several |= len(found[0]) > LANES
    assert several
    assert flaws == ({False, True} if "flaw" in about else {False})


def test_no_lane_beyond_the_last_round_notes_a_flaw() -> None:
    loaded, _ = kernel(FUNCTIONS["notes a flaw where it comes by"] + ROUNDS)
    good, bad = 2, 8
    for count in range(1, 2 * LANES):
        a = np.array([good] * count + [bad] * 2 * LANES, np.int64)
        b = np.full(len(a), 15, np.int64)
        assert outcome(loaded.several_at_a_time, a, b, count, 0)[2] is False
        assert outcome(loaded.several_at_a_time, a, b, count + 1, 0)[2] is True


def test_a_division_and_a_number_that_is_written_out_are_no_obstacle() -> None:
    text = """
def f(a, b):
    return number(u64(a) // u64(b))


@entry
def work(a: vector, count):
    for k in abreast(count):
        a[k] = f(a[k], 3)
"""
    loaded, wide = kernel(text)
    numbers = np.arange(9 + LANES)
    loaded.work(numbers, 9)
    assert not wide
    assert numbers[:9].tolist() == [k // 3 for k in range(9)]


def test_a_loop_abreast_without_what_it_keeps_writes_all_results() -> None:
    text = """
def f(a, b):
    return a + b, a * b


@entry
def work(a: vector, b: vector, count):
    for k in abreast(count):
        a[k], b[k] = f(a[k], b[k])
"""
    loaded, wide = kernel(text)
    randomness = random.Random(1)
    a, b = ([randomness.randrange(1000) for _ in range(9)] for _ in range(2))
    sums, products = (np.array([*numbers, *[0] * LANES], np.int64) for numbers in (a, b))
    loaded.work(sums, products, 9)
    assert wide
    assert sums[:9].tolist() == [x + y for x, y in zip(a, b, strict=True)]
    assert products[:9].tolist() == [x * y for x, y in zip(a, b, strict=True)]


@pytest.mark.parametrize(
    "body",
    [
        "a[k] = b[k]",
        "a[0] = f(b[k])",
        "found = f(b[k])\n        kept += keep(a, kept, k + 1, found)",
        "found = f(b[k])\n        kept += keep(a, kept, k, other)",
        "a[k] = f(b[k])\n        b[k] = f(a[k])",
        "a[k] = f(k)",
        "a[k] = f(b[k + 1])",
        "a[k] = t(b[k])",
        "a[k] = sometimes(b[k])",
    ],
)
def test_a_loop_abreast_that_says_more_is_refused(body: str) -> None:
    text = """
def f(a):
    return a


def t(a):
    return a > 1


def sometimes(a):
    if a > 1:
        return a


@entry
def work(a: vector, b: vector, other):
    kept = 0
    for k in abreast(4):
"""
    with pytest.raises(KernelError, match=r"in a loop abreast|a loop abreast says|a truth in place|returns nothing"):
        emitted(f"{text}        {body}")
