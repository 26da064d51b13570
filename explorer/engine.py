"""What the search asks of an engine, and what both share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Model, ModelError, Packed, Property


class Stopped(Exception):
    """The search was cut short; `reason` is one of states, depth, memory, time, interrupt."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


Tick = Callable[[int, int, int], None]
"""Called between batches with (states expanded of the level, distinct states, bytes about to be allocated); may raise Stopped."""


@dataclass
class Tally:
    """How often a property was decided against (or, for a `sometimes`, witnessed), and the least packed state among these."""

    count: int = 0
    least: Packed | None = None

    def add(self, count: int, least: Packed) -> None:
        """Count more states, the least of which is given."""
        self.count += count
        self.least = least if self.least is None else min(self.least, least)


@contextmanager
def at_depth(depth: int) -> Iterator[None]:
    """Tell of a model's error how far from the start the state is in which it shows."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"{depth} steps from the start: {error}") from error


Numbers = npt.NDArray[np.int64]
"""States by their numbers."""

SETTLED, OPEN, BEGINS = range(3)
"""What an `eventually` says of a state: it is true there; it is not; it is not, and there the wait for it begins."""


@dataclass(frozen=True, kw_only=True)
class Edges:
    """Steps that change something, as three arrays: the numbers of the states before and after, and of the step in between."""

    sources: npt.NDArray[Any]
    steps: npt.NDArray[Any]
    targets: npt.NDArray[Any]

    def __len__(self) -> int:
        return len(self.sources)

    def where(self, chosen: npt.NDArray[Any]) -> Edges:
        """Some of them: by a mask, or by their positions."""
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
    """What the interpreter says of a state: SETTLED, OPEN or, where `after` is true, BEGINS."""
    state = model.state(words)
    if prop.function(state):
        return SETTLED
    return BEGINS if prop.after is not None and prop.after(state) else OPEN


class StateGraph(Protocol):
    """All states of a complete search, numbered from 0, with their steps. The numbers are the engine's own affair."""

    count: int

    def judge(self, prop: Property) -> npt.NDArray[np.uint8]:
        """SETTLED, OPEN or, where `after` is true, BEGINS for every state. Raises ModelError if a predicate leaves a domain."""

    def levels(self, numbers: Numbers) -> Numbers:
        """How many steps each of these states is from the start."""

    def edges(self, numbers: Numbers) -> Edges:
        """All steps from these states, in any order."""

    def packed(self, numbers: Numbers) -> npt.NDArray[np.int64]:
        """These states, a row each."""


class Engine(Protocol):
    """What the search asks of an engine. Levels are numbered from 0; packed states are representatives under the symmetry."""

    name: str
    workers: int
    compile_seconds: float
    step_tallies: list[Tally]

    @property
    def digest(self) -> int:
        """The sum of the hashes of all states seen."""

    @property
    def generated(self) -> list[int]:
        """How many steps of each action could happen."""

    def start(self, initial: Sequence[Packed]) -> int:
        """Make the initial states level 0; how many there are."""

    def expand(self, tick: Tick) -> int:
        """Make the new successors of the last level the next one; how many there are. What `tick` raises leaves a partial level."""

    def evaluate(self, level: int) -> list[Tally]:
        """Evaluate the state properties on a level."""

    def predecessor(self, level: int, target: Packed) -> Packed:
        """The least state of a level that has a step to `target`."""

    def graph(self) -> StateGraph:
        """The graph of all states, after a complete search without symmetry."""
