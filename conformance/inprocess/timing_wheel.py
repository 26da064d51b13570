"""Hierarchical timing wheels: tasks wait in buckets, coarse ones far ahead and fine ones near (R-TIMER-1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator


class TimerTask:
    """An action for `deadline`. It is linked into the bucket that it waits in, so that it can leave in constant time."""

    __slots__ = ("action", "bucket", "cancelled", "deadline", "following", "preceding")

    def __init__(self, deadline: int, action: Callable[[], None]) -> None:
        self.deadline, self.action, self.cancelled = deadline, action, False
        self.bucket: Bucket | None = None
        self.preceding: TimerTask = self
        self.following: TimerTask = self

    def cancel(self) -> None:
        """The task will never run; it leaves its bucket, whose size does not matter (R-TIMER-3)."""
        self.cancelled = True
        if self.bucket is not None:
            self.bucket.remove(self)


def _nothing() -> None:
    """The action of the head of a bucket's list."""


class Bucket:
    """The tasks of one slot, in the order in which they came: a ring of links around a head."""

    __slots__ = ("expiration", "head", "size")

    def __init__(self) -> None:
        self.head, self.size, self.expiration = TimerTask(-1, _nothing), 0, -1

    def add(self, task: TimerTask) -> None:
        """Add the task, behind the others."""
        last, head = self.head.preceding, self.head
        task.preceding, task.following, task.bucket = last, head, self
        last.following = head.preceding = task
        self.size += 1

    def remove(self, task: TimerTask) -> None:
        """Remove the task, which waits here."""
        task.preceding.following, task.following.preceding = task.following, task.preceding
        task.preceding = task.following = task
        task.bucket = None
        self.size -= 1

    def flush(self) -> Iterator[TimerTask]:
        """The bucket expires: remove every task, the oldest first."""
        self.expiration = -1
        while self.head.following is not self.head:
            task = self.head.following
            self.remove(task)
            yield task


class TimingWheel:
    """One level: `size` buckets of one `tick` each; what is due beyond a turn goes to the next level (R-TIMER-1).

    The next level's tick is the interval of this one, its whole turn; that level is created on first use. `on_expiration` is
    called with a bucket that got a new expiration.
    """

    def __init__(self, *, tick: int, size: int, start: int, on_expiration: Callable[[Bucket], None]) -> None:
        self.tick, self.size, self.interval = tick, size, tick * size
        self.current_time = start - start % tick
        self.buckets = [Bucket() for _ in range(size)]
        self.on_expiration = on_expiration
        self.next_level: TimingWheel | None = None

    def add(self, task: TimerTask) -> bool:
        """Put the task into a bucket; False if it is due before the current tick ends, so that it must run now.

        A tick is the finest unit of time: with a tick of several milliseconds, a task may run that much before its deadline.
        """
        deadline = task.deadline
        if deadline < self.current_time + self.tick:
            return False
        if deadline >= self.current_time + self.interval:
            return self._level_above().add(task)
        turn = deadline // self.tick
        bucket = self.buckets[turn % self.size]
        bucket.add(task)
        if bucket.expiration != turn * self.tick:
            bucket.expiration = turn * self.tick
            self.on_expiration(bucket)
        return True

    def _level_above(self) -> TimingWheel:
        if self.next_level is None:
            self.next_level = TimingWheel(
                tick=self.interval, size=self.size, start=self.current_time, on_expiration=self.on_expiration
            )
        return self.next_level

    def advance(self, time: int) -> None:
        """Advance every level's clock to `time`, rounded down to its tick (R-TIMER-2)."""
        level: TimingWheel | None = self
        while level is not None and time >= level.current_time + level.tick:
            level.current_time = time - time % level.tick
            level = level.next_level

    def levels(self) -> list[TimingWheel]:
        """This level and those above it, as far as they were needed."""
        return [self] + ([] if self.next_level is None else self.next_level.levels())
