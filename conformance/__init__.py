"""Conformance: what the model says is compared with what an implementation does."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .stateful.machine import state_machine

__all__ = ["state_machine"]


def __getattr__(name: str) -> object:
    """Load `state_machine` when it is asked for: every command of this package starts without Hypothesis and the search."""
    if name != "state_machine":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .stateful.machine import state_machine

    return state_machine
