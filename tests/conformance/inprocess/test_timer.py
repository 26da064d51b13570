"""The hierarchical timing wheel: where a task waits, how it comes down, when it is done."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from heap_timer import HeapTimer
from hypothesis import given
from hypothesis import strategies as st

from neverlost.conformance.inprocess.clock import VirtualClock
from neverlost.conformance.inprocess.timer import Reaper, Timer
from neverlost.conformance.inprocess.timing_wheel import Bucket, TimerTask, TimingWheel


def nothing() -> None:
    pass


def wheel(*, tick: int = 1, size: int = 20, start: int = 0) -> TimingWheel:
    return TimingWheel(tick=tick, size=size, start=start, on_expiration=lambda _: None)


@pytest.mark.rule("R-TIMER-1")
def test_the_clock_of_a_level_starts_rounded_down_to_its_tick() -> None:
    assert wheel(tick=20, start=437).current_time == 420


@pytest.mark.rule("R-TIMER-1")
def test_the_interval_of_a_level_is_its_tick_times_its_size_and_the_tick_of_the_next() -> None:
    lowest = wheel()
    lowest.add(TimerTask(8_000, nothing))
    assert [(level.tick, level.interval) for level in lowest.levels()] == [
        (1, 20),
        (20, 400),
        (400, 8_000),
        (8_000, 160_000),
    ]


@pytest.mark.rule("R-TIMER-1")
@pytest.mark.parametrize(("deadline", "levels"), [(19, 1), (20, 2), (399, 2), (400, 3), (7_999, 3), (8_000, 4)])
def test_levels_are_created_on_demand(deadline: int, levels: int) -> None:
    lowest = wheel()
    lowest.add(TimerTask(deadline, nothing))
    assert len(lowest.levels()) == levels


@pytest.mark.rule("R-TIMER-1")
def test_a_task_due_before_the_current_tick_ends_is_done_at_once() -> None:
    lowest = wheel(tick=10, start=40)
    assert not lowest.add(TimerTask(49, nothing))
    assert lowest.add(TimerTask(50, nothing))


@pytest.mark.rule("R-TIMER-1")
def test_a_bucket_is_the_deadline_divided_by_the_tick_modulo_the_size_and_expires_at_the_deadline_rounded_down() -> (
    None
):
    lowest = wheel(tick=10, size=20, start=100)
    task = TimerTask(257, nothing)
    lowest.add(task)
    assert task.bucket is lowest.buckets[5]
    assert lowest.buckets[5].expiration == 250


@pytest.mark.rule("R-TIMER-2")
def test_a_task_due_in_450_waits_in_level_3_then_2_then_1_and_is_done_at_450() -> None:
    timer, done = Timer(), []
    task = timer.add(450, lambda: done.append(True))
    assert (timer.waits_in_level(task), timer.next_expiration()) == (3, 400)
    timer.advance(400)
    assert (timer.waits_in_level(task), timer.next_expiration()) == (2, 440)
    timer.advance(440)
    assert (timer.waits_in_level(task), timer.next_expiration()) == (1, 450)
    timer.advance(449)
    assert done == []
    timer.advance(450)
    assert done == [True]
    assert timer.waits_in_level(task) is None


@pytest.mark.rule("R-TIMER-2")
def test_one_long_advance_brings_a_task_down_all_levels() -> None:
    timer, done = Timer(), []
    timer.add(450, lambda: done.append(True))
    assert timer.advance(10_000)
    assert done == [True]


@pytest.mark.rule("R-TIMER-2")
def test_expired_buckets_come_in_the_order_of_their_expiration() -> None:
    timer, done = Timer(), []
    for deadline in (700, 30, 450, 5, 31):
        timer.add(deadline, lambda deadline=deadline: done.append(deadline))  # type: ignore[misc]
    timer.advance(1_000)
    assert done == [5, 30, 31, 450, 700]


@pytest.mark.rule("R-TIMER-2")
def test_the_reaper_does_what_is_due_by_the_clock() -> None:
    clock, timer, done = VirtualClock(), Timer(), []
    reaper = Reaper(timer, clock)
    timer.add(7, lambda: done.append(True))
    clock.advance_to(6)
    assert (reaper.has_work(), reaper.reap(), done) == (False, False, [])
    clock.advance_to(7)
    assert (reaper.has_work(), reaper.reap(), done) == (True, True, [True])


@pytest.mark.rule("R-TIMER-2")
def test_a_task_that_is_done_may_add_another() -> None:
    timer, done = Timer(), []
    timer.add(5, lambda: timer.add(3, lambda: done.append("overdue")) and None)
    timer.add(5, lambda: timer.add(30, lambda: done.append("later")) and None)
    timer.advance(29)
    assert done == ["overdue"]
    timer.advance(30)
    assert done == ["overdue", "later"]


@pytest.mark.rule("R-TIMER-2")
def test_a_cancelled_task_leaves_its_bucket_and_the_others_stay_in_order() -> None:
    bucket, tasks = Bucket(), [TimerTask(1, nothing) for _ in range(3)]
    for task in tasks:
        bucket.add(task)
    tasks[1].cancel()
    assert bucket.size == 2
    assert list(bucket.flush()) == [tasks[0], tasks[2]]


@pytest.mark.rule("R-TIMER-3")
@given(
    delays=st.lists(st.integers(0, 3_000), max_size=30),
    pauses=st.lists(st.integers(1, 700), max_size=30),
    size=st.integers(2, 30),
)
def test_no_task_is_done_early_or_twice_and_none_late_once_the_clock_is_advanced(
    delays: list[int], pauses: list[int], size: int
) -> None:
    timer, now, done = Timer(wheel_size=size), 0, []
    for number, delay in enumerate(delays):
        timer.add(delay, lambda number=number: done.append((now, number)))  # type: ignore[misc]
    for pause in [*pauses, 5_000]:
        before, now = now, now + pause
        timer.advance(now)
        due = [number for number, delay in enumerate(delays) if delay <= now]
        assert sorted(number for _, number in done) == due
        assert [number for time, number in done if time == now] == sorted(
            (number for number in due if delays[number] > before or (before == 0 and delays[number] > 0)),
            key=lambda number: delays[number],
        )


@pytest.mark.rule("R-TIMER-3")
def test_with_a_tick_of_ten_a_task_may_be_done_less_than_a_tick_early_which_is_why_a_broker_has_a_tick_of_one() -> None:
    timer, done = Timer(tick=10), []
    timer.add(25, lambda: done.append(True))
    timer.advance(19)
    assert done == []
    timer.advance(20)
    assert done == [True]


@pytest.mark.rule("R-TIMER-3")
def test_a_cancelled_task_is_never_done_even_if_another_task_of_its_bucket_cancels_it() -> None:
    timer, done = Timer(), []
    victim: list[TimerTask] = []
    timer.add(5, lambda: [task.cancel() for task in victim] and None)
    victim.append(timer.add(5, lambda: done.append(True)))
    timer.advance(1_000)
    assert done == []


Done = tuple[int, int, int]


def fired(timer: Timer | HeapTimer, count: int, cancel: Callable[[object], None]) -> list[Done]:
    """Which of `count` random tasks is done: until when the clock had been advanced by then, its deadline, its number."""
    random, clock, done = Random(17), VirtualClock(), []
    tasks: list[object] = []

    def pass_time(duration_ms: int) -> None:
        clock.advance_to(clock.now_ms + duration_ms)
        timer.advance(clock.now_ms)

    for number in range(count):
        delay = 1 + int(random.expovariate(1 / 2_000))
        due = clock.now_ms + delay
        tasks.append(timer.add(due, lambda d=due, n=number: done.append((clock.now_ms, d, n))))  # type: ignore[misc]
        if random.random() < 0.2:
            cancel(tasks[random.randrange(number + 1)])
        if random.random() < 0.05:
            pass_time(random.randrange(1, 40))
    for _ in range(2_000):
        pass_time(50)
    return done


@pytest.mark.rule("R-TIMER-3")
def test_random_tasks_are_done_in_the_order_of_a_heap_under_one_tick(request: pytest.FixtureRequest) -> None:
    count = 1_000_000 if request.config.getoption("--timer-million") else 20_000
    heap = HeapTimer()
    by_heap = fired(heap, count, heap.cancel)  # type: ignore[arg-type]
    by_wheel = fired(Timer(), count, lambda task: task.cancel())  # type: ignore[attr-defined]
    assert len(by_heap) > 0.7 * count
    assert [done[:2] for done in by_wheel] == [done[:2] for done in by_heap]
    assert sorted(by_wheel) == sorted(by_heap)
