"""A timer that is nothing but a heap: what the timing wheel is held against."""

from __future__ import annotations

import heapq
from collections.abc import Callable


class HeapTimer:
    """Does tasks in the order of their deadlines, and of their arrival where those are equal."""

    def __init__(self) -> None:
        self._tasks: list[tuple[int, int, Callable[[], None]]] = []
        self._cancelled: set[int] = set()
        self._added = 0

    def add(self, deadline: int, action: Callable[[], None]) -> int:
        self._added += 1
        heapq.heappush(self._tasks, (deadline, self._added, action))
        return self._added

    def cancel(self, task: int) -> None:
        self._cancelled.add(task)

    def advance(self, now: int) -> None:
        while self._tasks and self._tasks[0][0] <= now:
            _, number, action = heapq.heappop(self._tasks)
            if number not in self._cancelled:
                action()
