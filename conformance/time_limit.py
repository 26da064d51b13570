"""A limit to how long an implementation may take, whatever it waits for."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TookTooLongError(BaseException):
    """An implementation takes too long. This is not an Exception, so that an adapter that catches every Exception does not catch it."""


@contextmanager
def within(seconds: float | None, what: str) -> Iterator[None]:
    """Raises TookTooLongError if the block takes longer, and again each second. Only the main thread can be interrupted this way."""
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(number: int, frame: FrameType | None) -> None:
        raise TookTooLongError(
            f"it took longer than {seconds:g} s for {what}; is it waiting for something that does not happen?"
        )

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
