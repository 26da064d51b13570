"""The step of no return of a trace, as it was found; `explorer.no_return` finds it."""

from __future__ import annotations

from dataclasses import dataclass

from neverlost.model.core import Step


@dataclass(frozen=True, kw_only=True)
class StepOfNoReturn:
    """After `step` nothing keeps the property true any more without another fault, and before it this was possible.

    `rescue` are the fewest steps that do so in the state before `step`; there are none if the property stays true there by itself.
    Of an `eventually` it is asked whether anything makes it true. If `step` is None, there is no such step: nothing does even at the
    start, or, if `always_possible`, something still does at the end. Or `undecided` says why it is not known; then it is not later
    than `at_latest`.
    """

    step: int | None = None
    rescue: tuple[Step, ...] = ()
    always_possible: bool = False
    undecided: str = ""
    at_latest: int | None = None
