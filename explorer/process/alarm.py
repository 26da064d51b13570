"""An alarm that ends what cannot be asked to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def alarm(seconds: float | None, error: Callable[[], BaseException], *, again_seconds: float = 0) -> Iterator[None]:
    """Raises what `error` makes in the middle of the block when so many seconds have passed, and perhaps again; never if None is given.

    Only the main thread of a process can be interrupted this way.
    """
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise error()

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, again_seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
