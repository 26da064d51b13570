"""Messages for errors that a user's own code raised: a profile, a story, a view."""

from __future__ import annotations

from collections.abc import Callable
from traceback import extract_tb

from neverlost.model.core import ModelError


def raised(error: BaseException) -> str:
    """The error in words: `KeyError: 'r1'`."""
    said = str(error)
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def raised_at(error: BaseException) -> str:
    """Where it was raised: `profile.py, line 7`."""
    frames = extract_tb(error.__traceback__)
    return f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else "somewhere"


def text_of(what: str, show: Callable[..., object], *arguments: object) -> str:
    """The text that a profile's own code returns. Raises ModelError, with file and line, if it raises or returns no text."""
    try:
        shown = show(*arguments)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ModelError(f"{raised_at(error)}: {what} raised {raised(error)}; correct it") from error
    if not isinstance(shown, str):
        raise ModelError(f"{what} is {shown!r:.60}, which is not a text; let it return a text")
    return shown
