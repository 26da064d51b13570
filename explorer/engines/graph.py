"""The graph of all states of a complete search: states by number, steps as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Model, Packed, Property

Numbers = npt.NDArray[np.int64]
"""States by their numbers."""

SETTLED, OPEN, BEGINS = range(3)
"""An `eventually` in a state: it is true; it is not; it is not, and the wait for it begins here."""


@dataclass(frozen=True, kw_only=True)
class Edges:
    """Steps that change something, as three arrays: the numbers of the states before and after, and of the step in between."""

    sources: npt.NDArray[Any]
    steps: npt.NDArray[Any]
    targets: npt.NDArray[Any]

    def __len__(self) -> int:
        return len(self.sources)

    def where(self, chosen: npt.NDArray[Any]) -> Edges:
        """Some of the edges, by a mask or by positions."""
        return Edges(sources=self.sources[chosen], steps=self.steps[chosen], targets=self.targets[chosen])


def joined(parts: Sequence[Edges]) -> Edges:
    """All edges of several parts."""
    if not parts:
        nothing = np.empty(0, np.int32)
        return Edges(sources=nothing, steps=nothing, targets=nothing)
    return Edges(
        sources=np.concatenate([part.sources for part in parts]),
        steps=np.concatenate([part.steps for part in parts]),
        targets=np.concatenate([part.targets for part in parts]),
    )


def judged(model: Model, prop: Property, words: Packed) -> int:
    """The interpreter's answer for a state: SETTLED, OPEN or, if `after` is true, BEGINS."""
    state = model.state(words)
    if prop.function(state):
        return SETTLED
    return BEGINS if prop.after is not None and prop.after(state) else OPEN


class StateGraph(Protocol):
    """All states of a complete search, numbered from 0, with their steps. Each engine has its own numbers."""

    count: int

    def judge(self, prop: Property) -> npt.NDArray[np.uint8]:
        """SETTLED, OPEN or, if `after` is true, BEGINS for every state. Raises ModelError if a predicate leaves a domain."""

    def levels(self, numbers: Numbers) -> Numbers:
        """How many steps each of these states is from the start."""

    def edges(self, numbers: Numbers) -> Edges:
        """All steps from these states, in any order."""

    def packed(self, numbers: Numbers) -> npt.NDArray[np.int64]:
        """These states, a row each."""
