"""Decides what happens next: one of the things that may happen now, drawn with a seed; else time passes until something is due."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from random import Random

from .clock import VirtualClock

Move = Callable[[], object]


class Stuck(Exception):
    """Nothing can happen any more, now or later."""


class Scheduler:
    """The same seed gives the same run. `moves` are the things that may happen now, `wakes` the times that other things wait for."""

    def __init__(self, clock: VirtualClock, seed: int) -> None:
        self.clock, self.random = clock, Random(seed)
        self.moves: list[Callable[[], Iterable[Move]]] = []
        self.wakes: list[Callable[[], int | None]] = []
        self._later: list[tuple[int, int, Move]] = []
        self._planned = 0

    def after(self, delay_ms: int, action: Move) -> None:
        """Do something after this time."""
        self._planned += 1
        heapq.heappush(self._later, (self.clock.now_ms + delay_ms, self._planned, action))

    def every(self, interval_ms: int, action: Move) -> None:
        """Do something repeatedly, first after one interval."""

        def again() -> None:
            action()
            self.after(interval_ms, again)

        self.after(interval_ms, again)

    def step(self) -> None:
        """Do one of the things that may happen now; if there is none, let time pass until there may be one. Raises Stuck."""
        ready = [move for source in self.moves for move in source()]
        if ready:
            self.random.choice(ready)()
            return
        self._pass_time()

    def _next_time(self) -> int | None:
        times = [time for time in (wake() for wake in self.wakes) if time is not None]
        times += [self._later[0][0]] if self._later else []
        return min(times, default=None)

    def _pass_time(self) -> None:
        time = self._next_time()
        if time is None:
            raise Stuck(f"at {self.clock.now_ms} ms nothing can happen any more")
        self.clock.advance_to(max(time, self.clock.now_ms))
        while self._later and self._later[0][0] <= self.clock.now_ms:
            heapq.heappop(self._later)[2]()

    def run_until(self, happened: Callable[[], bool], timeout_ms: int) -> bool:
        """Continue until something has happened, or this time has passed. Has it happened?"""
        deadline = self.clock.now_ms + timeout_ms
        self.after(timeout_ms, lambda: None)
        while not happened():
            if self.clock.now_ms >= deadline:
                return False
            self.step()
        return True

    def run_for(self, duration_ms: int) -> None:
        """Continue for this time."""
        self.run_until(lambda: False, duration_ms)
