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
        """Check whether the operation can complete; if so, complete it by `force_complete`."""

    @abstractmethod
    def on_complete(self) -> None:
        """Do what completion means; called exactly once."""

    @abstractmethod
    def on_expiration(self) -> None:
        """Do what the deadline means in addition to completion."""

    def force_complete(self) -> bool:
        """Complete, unless that was done before; then the deadline no longer counts (R-DP-2)."""
        if self.completed:
            return False
        self.completed = True
        if self.timeout is not None:
            self.timeout.cancel()
        self.on_complete()
        return True

    def is_over_once_tried(self) -> bool:
        """Try to complete. Is the operation completed now, by this thread or another?"""
        return self.try_complete() or self.completed

    def look_at(self) -> bool:
        """The event of a watched key happened. Does it complete the operation?"""
        return not self.completed and self.try_complete()

    def expire(self) -> None:
        """The deadline has come: complete with the current state."""
        if self.force_complete():
            self.on_expiration()


class Watchers:
    """The operations that wait for the event of one key, in order of arrival."""

    def __init__(self) -> None:
        self.operations: list[DelayedOperation] = []

    def watch(self, operation: DelayedOperation) -> None:
        self.operations.append(operation)

    def try_complete_watched(self) -> int:
        """Try each operation that has not completed; remove those that have. Returns how many completed by this."""
        completed = 0
        for operation in list(self.operations):
            completed += operation.look_at()
        self.purge()
        return completed

    def purge(self) -> int:
        """Forget operations that completed elsewhere: by their deadline, or by another key. Returns how many."""
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
        """Complete the operation now, or watch every key and set its deadline. Did it complete (R-DP-3)?"""
        for _ in self.arrival(operation, keys):
            pass
        self._purge_now_and_then()
        return operation.completed

    def arrival(self, operation: DelayedOperation, keys: Collection[Hashable]) -> Iterator[None]:
        """The steps of a request's thread: try, watch every key, try again, because the event may have come in between (R-DP-3).

        In a broker, other threads run wherever this yields. The second try comes only after every key is watched, so a later
        event finds the operation. An operation that completed while its deadline was set leaves the timer again.
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
        """The operations that watch a key, in order of arrival."""
        watchers = self._watchers.get(key)
        return [] if watchers is None else list(watchers.operations)

    def check_and_complete(self, key: Hashable) -> int:
        """The event of the key happened: try the operations that watch it. Returns how many completed."""
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
        """Forget what completed under another key or at its deadline. Returns the number of entries."""
        forgotten = sum(watchers.purge() for watchers in self._watchers.values())
        self._watchers = {key: watchers for key, watchers in self._watchers.items() if watchers.operations}
        return forgotten

    def watched(self) -> int:
        """The number of entries of all keys together: an operation counts once for each of its keys."""
        return sum(len(watchers.operations) for watchers in self._watchers.values())

    def waiting(self) -> list[DelayedOperation]:
        """Every operation that has not completed, once, in the order of keys and arrival."""
        found = [operation for watchers in self._watchers.values() for operation in watchers.operations]
        return [operation for operation in dict.fromkeys(found) if not operation.completed]
