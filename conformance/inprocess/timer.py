"""The timer: timing wheels whose buckets wait in a delay queue, and the reaper that removes expired ones (R-TIMER-2)."""

from __future__ import annotations

import heapq
from collections.abc import Callable

from .clock import VirtualClock
from .timing_wheel import Bucket, TimerTask, TimingWheel


class Timer:
    """Runs tasks when they are due. Its time passes only when it is advanced, from expiration to expiration."""

    def __init__(self, *, start: int = 0, tick: int = 1, wheel_size: int = 20) -> None:
        self._queue: list[tuple[int, int, Bucket]] = []
        self._offered = 0
        self._wheel = TimingWheel(tick=tick, size=wheel_size, start=start, on_expiration=self._offer)

    def _offer(self, bucket: Bucket) -> None:
        self._offered += 1
        heapq.heappush(self._queue, (bucket.expiration, self._offered, bucket))

    def add(self, deadline: int, action: Callable[[], None]) -> TimerTask:
        """Run the action at the deadline, or at once if it is due already; the task can be cancelled."""
        task = TimerTask(deadline, action)
        self._place(task)
        return task

    def _place(self, task: TimerTask) -> None:
        """Put the task in a bucket, of a lower level than before if it was in one (demotion), or run it now (R-TIMER-2)."""
        if not self._wheel.add(task):
            task.action()

    def next_expiration(self) -> int | None:
        """When the next bucket expires; None if none waits. Cancelled tasks may have left it empty."""
        return self._queue[0][0] if self._queue else None

    def advance(self, now: int) -> bool:
        """Run what is due until `now`, bucket by bucket; False if no bucket had expired."""
        expired = False
        while self._queue and self._queue[0][0] <= now:
            expiration, _, bucket = heapq.heappop(self._queue)
            expired = True
            self._wheel.advance(expiration)
            for task in list(bucket.flush()):
                if not task.cancelled:
                    self._place(task)
        return expired

    def waits_in_level(self, task: TimerTask) -> int | None:
        """The level, counted from 1, that the task waits in; None if it does not wait."""
        for number, wheel in enumerate(self._wheel.levels(), start=1):
            if task.bucket in wheel.buckets:
                return number
        return None


class Reaper:
    """Advances a timer to the clock's time, as a broker's reaper thread does whenever it wakes (R-TIMER-2)."""

    def __init__(self, timer: Timer, clock: VirtualClock) -> None:
        self._timer, self._clock = timer, clock

    def has_work(self) -> bool:
        """Has a bucket expired by now?"""
        expiration = self._timer.next_expiration()
        return expiration is not None and expiration <= self._clock.now_ms

    def reap(self) -> bool:
        """Run what is due by now; False if nothing was."""
        return self._timer.advance(self._clock.now_ms)
