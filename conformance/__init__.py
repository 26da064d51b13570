"""Conformance: compares an implementation with the model."""

from typing import TYPE_CHECKING

from neverlost.explorer.process.lazily import names_of

if TYPE_CHECKING:
    from .stateful.machine import state_machine

__getattr__ = names_of(__name__, {"state_machine": "stateful.machine"})

__all__ = ["state_machine"]
