"""Time that passes only when somebody advances it."""

from __future__ import annotations


class VirtualClock:
    """Milliseconds since the start; they pass by `advance_to` alone."""

    def __init__(self, now_ms: int = 0) -> None:
        self.now_ms = now_ms

    def advance_to(self, time_ms: int) -> None:
        """Let time pass until `time_ms`. Raises ValueError if that has passed."""
        if time_ms < self.now_ms:
            raise ValueError(f"the clock is at {self.now_ms} ms and cannot go back to {time_ms} ms")
        self.now_ms = time_ms
