"""A clock that a caller advances."""

from __future__ import annotations


class VirtualClock:
    """Milliseconds since the start; only `advance_to` changes them."""

    def __init__(self, now_ms: int = 0) -> None:
        self.now_ms = now_ms

    def advance_to(self, time_ms: int) -> None:
        """Advance the time to `time_ms`. Raises ValueError if that is in the past."""
        if time_ms < self.now_ms:
            raise ValueError(f"the clock is at {self.now_ms} ms and cannot go back to {time_ms} ms")
        self.now_ms = time_ms
