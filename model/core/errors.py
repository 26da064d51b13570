"""What can be wrong with a model, a bound or a step, said so that it can be mended."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class NeverlostError(Exception):
    """Base of every error that is the user's to mend: its text says what, where, and what to do."""


class ModelError(NeverlostError):
    """A model function broke its own contract: an index or a value outside its domain."""


class LanguageError(NeverlostError):
    """A model function uses a construct outside Model Python."""


class SymmetryError(NeverlostError):
    """The profile, or a property asked for, may tell members of the domain apart."""


class BoundsError(NeverlostError):
    """A bound is missing, unknown, below its minimum, or makes the packed state too wide."""


class WrittenError(BoundsError):
    """What a file or a person writes is no bound or setting: `where` says which, as `settings.acks`, and `why` what is wrong."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where} {why}")
        self.where, self.why = where, why


class UnknownNameError(NeverlostError):
    """A name that is not among the known ones; the text lists them and the nearest."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        known = list(known)
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        super().__init__(f"no {what} is named {name!r}.{hint} Known: {', '.join(known)}.")
