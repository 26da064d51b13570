"""A limit to how long an implementation may take, whatever it waits for."""

from __future__ import annotations

from contextlib import AbstractContextManager

from neverlost.explorer.process.alarm import alarm


class TookTooLongError(BaseException):
    """An implementation takes too long. This is not an Exception, so that an adapter that catches every Exception does not catch it."""


def within(seconds: float | None, what: str) -> AbstractContextManager[None]:
    """Raises TookTooLongError if the block takes longer, and again each second, in the main thread; never if no limit is given."""

    def late() -> TookTooLongError:
        return TookTooLongError(
            f"it took longer than {seconds:g} s for {what}; is it waiting for something that does not happen?"
        )

    return alarm(seconds, late, again_seconds=1)
