"""The step of no return of a trace, as it was found; `explorer.no_return` finds it."""

from __future__ import annotations

from dataclasses import dataclass

from neverlost.model.core import Step

FROM_THE_START = "nothing makes the property safe, even at the start"
STILL_POSSIBLE = "what is awaited can still happen after the last step"


@dataclass(frozen=True, kw_only=True)
class NoReturn:
    """After `step` nothing makes the property safe any more without another fault, and before it this was possible.

    `rescue` are the fewest steps that make it safe from the state before `step`; there are none if it is safe there. If `step` is None,
    `why` says why there is none, or `undecided` why it is not known; then it is not later than `at_latest`.
    """

    step: int | None = None
    rescue: tuple[Step, ...] = ()
    why: str = ""
    undecided: str = ""
    at_latest: int | None = None
