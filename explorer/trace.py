"""Traces: states joined by steps, from an initial state."""

from __future__ import annotations

from dataclasses import dataclass

from neverlost.model.core import Model, Packed, State, Step


@dataclass(frozen=True, kw_only=True)
class Trace:
    """States joined by steps, from an initial state: `states[i + 1]` is what `steps[i]` makes of `states[i]`.

    `property` is the name of the property that the trace decides, if it was found for one.
    """

    model: Model
    states: tuple[Packed, ...]
    steps: tuple[Step, ...]
    property: str | None = None

    def __len__(self) -> int:
        """The number of states, the initial one included."""
        return len(self.states)

    def unpacked(self) -> list[State]:
        """The states as objects that the model's functions take."""
        return [self.model.state(words) for words in self.states]
