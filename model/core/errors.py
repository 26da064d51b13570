"""Errors in a model, a bound or a step, with messages that say how to correct them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from itertools import takewhile


class NeverlostError(Exception):
    """Base of every error that a user can correct: its text says what is wrong, where, and what to do."""


class ModelError(NeverlostError):
    """A model function broke its own contract: an index or a value outside its domain. `written` is the field that it wrote."""

    def __init__(self, message: str, written: str = "") -> None:
        super().__init__(message)
        self.written = written


class LanguageError(NeverlostError):
    """A model function uses a construct outside Model Python."""


class SymmetryError(NeverlostError):
    """The profile, or a property asked for, may distinguish members of the domain."""


class BoundsError(NeverlostError):
    """A bound is missing, unknown, below its minimum, or makes the packed state too wide."""


class WrittenError(BoundsError):
    """A wrong bound or setting in a file or from a user: `where` names it, as in `settings.acks`, and `why` says what is wrong."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where} {why}")
        self.where, self.why = where, why


MOST_SHOWN = 8
"""So many names are listed; of more than these only so many."""
LEAST_ALIKE = 0.5
"""What is less alike than this, from 0 to 1, is not suggested."""


class UnknownNameError(NeverlostError):
    """An unknown name; the text lists the known names, or those that are most alike, and the nearest one."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        known = list(known)
        near = _nearest(name, known)
        hint = f" Did you mean {near!r}?" if near else ""
        shown = known if len(known) <= MOST_SHOWN else difflib.get_close_matches(name, known, n=MOST_SHOWN, cutoff=0)
        more = f" and {len(known) - len(shown)} more" if len(shown) < len(known) else ""
        super().__init__(f"no {what} is named {name!r}.{hint} Known: {', '.join(shown)}{more}.")


def _nearest(name: str, known: Sequence[str]) -> str | None:
    """The known name that is most alike: of several, the one that begins most like it, as 4.1.1 does for 4.1.0."""

    def likeness(one: str) -> tuple[float, int]:
        begins = takewhile(lambda pair: pair[0] == pair[1], zip(one, name, strict=False))
        return difflib.SequenceMatcher(None, one, name).ratio(), len(list(begins))

    best = max(known, key=likeness, default=None)
    return best if best is not None and likeness(best)[0] >= LEAST_ALIKE else None
