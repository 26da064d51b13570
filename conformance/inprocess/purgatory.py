"""The purgatory: operations that wait until they can complete, or until their deadline (R-DP-2, R-DP-3)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterator

from .clock import VirtualClock
from .timer import Timer
from .timing_wheel import TimerTask


class DelayedOperation(ABC):
    """Something that completes exactly once: when it can, or at its deadline (R-DP-2)."""

    def __init__(self, delay_ms: int) -> None:
        self.delay_ms = delay_ms
        self.completed = False
        self.timeout: TimerTask | None = None

    @abstractmethod
    def try_complete(self) -> bool:
        """Look whether the operation can complete, and if so complete it by `force_complete`."""

    @abstractmethod
    def on_complete(self) -> None:
        """What completing does; called exactly once."""

    @abstractmethod
    def on_expiration(self) -> None:
        """What the deadline does beside completing."""

    def force_complete(self) -> bool:
        """Complete unless that was done before; the deadline no longer counts then (R-DP-2)."""
        if self.completed:
            return False
        self.completed = True
        if self.timeout is not None:
            self.timeout.cancel()
        self.on_complete()
        return True

    def is_over_once_tried(self) -> bool:
        """Try; has the operation completed by that, or was it completed by another thread?"""
        return self.try_complete() or self.completed

    def look_at(self) -> bool:
        """Something happened that the operation watches; does it complete by that?"""
        return not self.completed and self.try_complete()

    def expire(self) -> None:
        """The deadline has come: complete with what there is."""
        if self.force_complete():
            self.on_expiration()


class Watchers:
    """The operations that wait for something to happen to one key, in the order in which they came."""

    def __init__(self) -> None:
        self.operations: list[DelayedOperation] = []

    def watch(self, operation: DelayedOperation) -> None:
        self.operations.append(operation)

    def try_complete_watched(self) -> int:
        """Try each that has not completed; those that have are watched no more. How many completed by this."""
        completed = 0
        for operation in list(self.operations):
            completed += operation.look_at()
        self.purge()
        return completed

    def purge(self) -> int:
        """Forget operations that completed elsewhere: by their deadline, or by another key. How many."""
        waiting = [operation for operation in self.operations if not operation.completed]
        forgotten = len(self.operations) - len(waiting)
        self.operations = waiting
        return forgotten


class Purgatory:
    """Operations under the keys that they wait for, and a timer for their deadlines."""

    def __init__(self, clock: VirtualClock, timer: Timer, *, purge_interval: int = 1000) -> None:
        self._clock, self._timer, self._purge_interval = clock, timer, purge_interval
        self._watchers: dict[Hashable, Watchers] = {}
        self._since_purge = 0

    def try_complete_else_watch(self, operation: DelayedOperation, keys: Collection[Hashable]) -> bool:
        """Complete the operation now, or watch every key and set its deadline; did it complete (R-DP-3)?"""
        for _ in self.arrival(operation, keys):
            pass
        self._purge_now_and_then()
        return operation.completed

    def arrival(self, operation: DelayedOperation, keys: Collection[Hashable]) -> Iterator[None]:
        """What the thread of a request does: try, watch every key, try once more as the event may have come between (R-DP-3).

        In a broker other threads come in wherever this yields. The second try is made only once every key is watched, so that
        an event that comes after it finds the operation. What has completed while its deadline was set leaves the timer again.
        """
        if not keys:
            raise ValueError("an operation must wait for at least one key; complete it at once instead")
        if operation.try_complete():
            return
        yield
        for key in keys:
            self._watchers.setdefault(key, Watchers()).watch(operation)
            yield
        if operation.is_over_once_tried():
            return
        yield
        operation.timeout = self._timer.add(self._clock.now_ms + operation.delay_ms, operation.expire)
        yield
        if operation.completed:
            operation.timeout.cancel()

    def watching(self, key: Hashable) -> list[DelayedOperation]:
        """The operations that watch a key, in the order in which they came."""
        watchers = self._watchers.get(key)
        return [] if watchers is None else list(watchers.operations)

    def check_and_complete(self, key: Hashable) -> int:
        """Something happened to the key: try what watches it. How many completed."""
        watchers = self._watchers.get(key)
        if watchers is None:
            return 0
        completed = watchers.try_complete_watched()
        if not watchers.operations:
            self._watchers.pop(key, None)
        return completed

    def _purge_now_and_then(self) -> None:
        self._since_purge += 1
        if self._since_purge >= self._purge_interval:
            self._since_purge = 0
            self.purge()

    def purge(self) -> int:
        """Forget what completed under another key or at its deadline; how many entries that were."""
        forgotten = sum(watchers.purge() for watchers in self._watchers.values())
        self._watchers = {key: watchers for key, watchers in self._watchers.items() if watchers.operations}
        return forgotten

    def watched(self) -> int:
        """How many entries all keys have together: an operation counts once for each of its keys."""
        return sum(len(watchers.operations) for watchers in self._watchers.values())

    def waiting(self) -> list[DelayedOperation]:
        """Every operation that has yet to complete, once, in the order of keys and arrival."""
        found = [operation for watchers in self._watchers.values() for operation in watchers.operations]
        return [operation for operation in dict.fromkeys(found) if not operation.completed]
