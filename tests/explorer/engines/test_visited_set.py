"""The visited set is a set: whatever the width of states, the size of the table, the number of threads, and however full it becomes."""

from __future__ import annotations

import multiprocessing
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import pytest

from neverlost.explorer.compile.slot_format import BESIDE_FIRST, MIXED_BITS, STEP_BITS, low_bits, slot_format
from neverlost.explorer.engines import table_memory, visited_set
from neverlost.explorer.engines.engine import Stopped
from neverlost.explorer.engines.hashing import MASK, state_hash
from neverlost.explorer.engines.table_memory import TableMemory, sparing_memory
from neverlost.explorer.engines.visited_set import HOMES, Hands, VisitedSet

Words = npt.NDArray[np.int64]
WORD_BITS = 63
WIDTHS = [(1, 0), (2, 1), (2, 32), (2, 33), (2, 34), (2, 63), (3, 20), (3, 63), (4, 50), (5, 7)]


def drawn(words: int, last: int, count: int, seed: int, *, dense: bool = False) -> Words:
    """States with words of 63 bits, the last of `last`; dense: their words are small, as those of states that differ little."""
    randomness = np.random.default_rng(seed)
    bits = [WORD_BITS] * (words - 1) + [last or WORD_BITS]
    limits = [1 << (min(width, 9) if dense else width) for width in bits]
    return np.stack([randomness.integers(0, limit, count) for limit in limits], axis=1)


def inserted(visited: VisitedSet, rows: Words, hands: Hands) -> list[tuple[int, ...]]:
    """The rows that were new, in the order in which they were; the table grows as it must."""
    fresh, begin, found = np.zeros((len(rows), rows.shape[1]), np.int64), 0, []
    while begin < len(rows):
        begin, used, digest, full = visited.insert(rows, begin, len(rows), fresh, 0, max(1, visited.room), hands)
        visited.count += used
        new = [tuple(map(int, row)) for row in fresh[:used]]
        assert digest & MASK == sum(map(state_hash, new)) & MASK
        found += new
        if full or not visited.room:
            visited.grow([hands])
    return found


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visited_set, "FIRST_SPAN", 16)


@pytest.mark.parametrize("dense", [False, True], ids=["random", "dense"])
@pytest.mark.parametrize(("words", "last"), WIDTHS)
def test_each_state_is_new_once(words: int, last: int, dense: bool, tiny: None) -> None:
    visited, hands, seen = VisitedSet(words, last, 1), Hands(), set()
    for seed in range(4):
        rows = drawn(words, last, 5_000, seed // 2, dense=dense)[seed % 2 :: 2]
        for new in inserted(visited, np.concatenate([rows, rows[::3]]), hands):
            assert new not in seen
            seen.add(new)
        assert {tuple(map(int, row)) for row in rows} <= seen
    assert visited.count == len(seen)
    assert visited.span > 16


@pytest.mark.parametrize(("words", "last"), [(1, 0), (2, 32), (3, 63)])
def test_threads_that_insert_the_same_states_find_each_new_once(words: int, last: int) -> None:
    threads = 4
    visited, rows = VisitedSet(words, last, threads), drawn(words, last, 40_000, 7)
    orders = [np.ascontiguousarray(np.random.default_rng(k).permutation(rows)) for k in range(threads)]
    fresh = [np.zeros_like(rows) for _ in range(threads)]

    def insert(number: int) -> int:
        order = orders[number]
        begin, used, _, full = visited.insert(order, 0, len(order), fresh[number], 0, len(order), Hands())
        assert (begin, full) == (len(order), False)
        return used

    with ThreadPoolExecutor(threads) as pool:
        used = list(pool.map(insert, range(threads)))
    found = [tuple(row) for rows, count in zip(fresh, used, strict=True) for row in rows[:count].tolist()]
    assert len(found) == len(set(found)) == len(rows)


@pytest.mark.parametrize(("words", "last"), [(1, 0), (2, 63), (3, 63), (5, 7)])
def test_threads_that_fill_a_table_to_the_last_slot_find_each_state_new_once(
    words: int, last: int, tiny: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several threads push states on in the same lines; when one loses its slot, all wait for the growth with what they hold."""
    monkeypatch.setattr(visited_set, "FULLNESS", 100.0)
    threads, homeless = 4, 0
    visited, rows = VisitedSet(words, last, threads), drawn(words, last, 40_000, 8)
    orders = [np.ascontiguousarray(np.random.default_rng(k).permutation(rows)) for k in range(threads)]
    fresh, hands = [np.zeros_like(rows) for _ in range(threads)], [Hands() for _ in range(threads)]
    begins, used = [0] * threads, [0] * threads

    def insert(k: int) -> bool:
        begins[k], used[k], _, full = visited.insert(
            orders[k], begins[k], len(rows), fresh[k], used[k], len(rows), hands[k]
        )
        return full

    with ThreadPoolExecutor(threads) as pool:
        while any(list(pool.map(insert, range(threads)))):
            homeless += sum(bool(hand.hand[visited.slots.full + 1]) for hand in hands)
            visited.grow(hands)
    found = [tuple(row) for new, count in zip(fresh, used, strict=True) for row in new[:count].tolist()]
    assert homeless
    assert len(found) == len(set(found)) == len(rows)


@pytest.mark.parametrize(("words", "last"), [(1, 0), (2, 63), (3, 20)])
def test_a_table_that_is_filled_to_the_last_slot_loses_nothing(
    words: int, last: int, tiny: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a limit, states are pushed until one finds no slot near its home; it survives the growth."""
    monkeypatch.setattr(visited_set, "FULLNESS", 100.0)
    visited, hands, homeless = VisitedSet(words, last, 1), Hands(), 0
    rows, fresh = drawn(words, last, 30_000, 3), np.zeros((30_000, words), np.int64)
    begin = used = 0
    while begin < len(rows):
        begin, used, _, full = visited.insert(rows, begin, len(rows), fresh, used, len(fresh), hands)
        if full:
            homeless += bool(hands.hand[visited.slots.full + 1])
            visited.grow([hands])
    assert homeless
    assert used == len(rows)
    again = visited.insert(rows, 0, len(rows), fresh, 0, len(fresh), hands)
    assert (again[0], again[1]) == (len(rows), 0)


@pytest.mark.parametrize("step", [visited_set.LARGE_STEP, visited_set.HUGE_STEP])
def test_growing_by_a_part_moves_every_state(step: int, tiny: None, monkeypatch: pytest.MonkeyPatch) -> None:
    visited, hands, rows = VisitedSet(2, 40, 1), Hands(), drawn(2, 40, 3_000, 5)
    inserted(visited, rows, hands)
    monkeypatch.setattr(visited_set, "LARGE_BYTES", 0)
    monkeypatch.setattr(visited_set, "HUGE_BYTES", 0 if step == visited_set.HUGE_STEP else 1 << 40)
    formats = set()
    for _ in range(20):
        before = visited.span
        visited.grow([hands])
        formats.add(visited.slots)
        assert visited.span == before + before // step
        assert inserted(visited, rows, hands) == []
    assert len(formats) > 1


def test_several_threads_may_move_the_lines(tiny: None) -> None:
    visited, hands, rows = VisitedSet(2, 40, 3), Hands(), drawn(2, 40, 300_000, 6)
    inserted(visited, rows, hands)
    with ThreadPoolExecutor(3) as pool:
        for _ in range(3):
            visited.grow([hands], lambda count, work: [*pool.map(work, range(count))] and None)
            assert inserted(visited, rows, hands) == []
    assert visited.count == len(rows)


def test_a_table_without_room_to_grow_stops_the_search(tiny: None) -> None:
    visited, hands = VisitedSet(1, 0, 1), Hands()
    visited.capacity = 40
    with pytest.raises(Stopped, match="memory"):
        inserted(visited, drawn(1, 0, 5_000, 1), hands)


@pytest.mark.parametrize(("words", "last"), [(1, 0), (2, 40), (3, 63)])
def test_memory_of_an_earlier_table_is_spared_and_empty(words: int, last: int, tiny: None) -> None:
    """Also after a search that ended while its table grew, and whatever the width of the earlier states."""
    with sparing_memory():
        earlier, hands = VisitedSet(2, 40, 1), Hands()
        earlier.capacity = 200
        memory = earlier.memory
        with pytest.raises(Stopped):
            inserted(earlier, drawn(2, 40, 5_000, 1), hands)
        del earlier
        later, rows = VisitedSet(words, last, 1), drawn(words, last, 5_000, 2)
        assert later.memory is memory
        assert not later.lines[: memory.used + 4096].any()
        assert len(inserted(later, rows, Hands())) == len({*map(tuple, rows.tolist())})


def test_memory_is_not_spared_when_nobody_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def memory_of_next() -> TableMemory:
        return VisitedSet(1, 0, 1).memory

    first = memory_of_next()
    assert memory_of_next() is not first
    with sparing_memory():
        second = memory_of_next()
        assert memory_of_next() is second
    assert memory_of_next() is not second
    with sparing_memory():
        monkeypatch.setattr(table_memory, "SPARED_SHARE", 0)
        third = memory_of_next()
        assert memory_of_next() is not third


def test_a_process_with_several_tables_may_start_another_one() -> None:
    tables = [VisitedSet(1, 0, 1) for _ in range(5)]
    child = multiprocessing.get_context("fork").Process(target=len, args=(tables,))
    child.start()
    child.join()
    assert child.exitcode == 0


def test_every_format_has_room_for_what_a_slot_must_hold() -> None:
    randomness = random.Random(4)
    for _ in range(2_000):
        words = randomness.randint(1, 8)
        last, span = 0 if words == 1 else randomness.randint(1, WORD_BITS), randomness.randint(16, 1 << 31)
        slots = slot_format(words, last, span)
        beside = BESIDE_FIRST - last
        remainder = MIXED_BITS - low_bits(span)
        assert STEP_BITS + max(0, remainder - max(0, beside)) + max(0, -beside) <= slots.width
        assert slots.each * slots.width < 64
        assert slots.slots <= slots.groups * slots.each
        assert slots.slots * slots.full + slots.groups <= 8 * slots.full
        assert (slots.groups - 1) * slots.each < slots.slots


def test_hands_have_room_for_every_home_that_is_noted_ahead() -> None:
    assert VisitedSet(2, 40, 1).kernel.AHEAD == HOMES
