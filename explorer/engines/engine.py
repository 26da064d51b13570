"""The interface of an engine, and what both engines share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from neverlost.model.core import ModelError, Packed, Property

from ..words import counted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .graph import StateGraph


class Stopped(Exception):
    """The search was interrupted; `reason` is one of states, depth, memory, disk, time, interrupt."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class FlawFound(Exception):
    """A kernel found an index or a value outside its domain; the interpreter says which."""


Tick = Callable[[int, int, int], None]
"""Called between batches with (states expanded of the level, distinct states, bytes about to be allocated); may raise Stopped."""


@dataclass
class Tally:
    """In how many states a property was violated (or, for a `sometimes`, witnessed), and the least packed one of these."""

    count: int = 0
    least: Packed | None = None

    def add(self, count: int, least: Packed) -> None:
        """Count more states, and take their least one into account."""
        self.count += count
        self.least = least if self.least is None else min(self.least, least)


class FlawError(ModelError):
    """A model's error in a state that a search has reached: the packed state, and how many steps from the start it is."""

    def __init__(self, error: ModelError, depth: int, words: Packed) -> None:
        super().__init__(f"{counted(depth, 'step')} from the start: {error}")
        self.depth, self.words = depth, words


@contextmanager
def at_depth(depth: int, words: Packed) -> Iterator[None]:
    """Add to a model's error in which state it is, and how far that is from the start."""
    try:
        yield
    except ModelError as error:
        raise FlawError(error, depth, words) from error


class Engine(Protocol):
    """The interface of an engine. Levels are numbered from 0; packed states are representatives under the symmetry."""

    name: str
    workers: int
    step_tallies: list[Tally]

    @property
    def compile_seconds(self) -> float:
        """How long compiling kernels took."""

    @property
    def digest(self) -> int:
        """The sum of the hashes of all states seen."""

    @property
    def generated(self) -> list[int]:
        """How many steps of each action could happen."""

    def start(self, initial: Sequence[Packed]) -> int:
        """Make the initial states level 0. Returns how many there are."""

    def expand(self, tick: Tick) -> int:
        """Make the new successors of the last level a level. Returns how many there are. If `tick` raises, it is partial."""

    def evaluate(self, level: int) -> list[Tally]:
        """Evaluate the state properties on a level."""

    def whole(self, level: int) -> int | None:
        """How many states a level has without the symmetry; None if it is not known."""

    def has(self, level: int, target: Packed) -> bool:
        """Whether a state is on a level."""

    def predecessor(self, level: int, target: Packed) -> Packed:
        """The least state of a level that has a step to `target`."""

    def states(self) -> list[npt.NDArray[np.int64]]:
        """Every state seen so far, in arrays with a packed state in each row."""

    def graph(self) -> StateGraph:
        """The graph of all states, after a complete search without symmetry."""


class LeavesOut(Engine, Protocol):
    """An engine that can leave out harmless states."""

    @property
    def left_out(self) -> int:
        """How many states were not expanded because they are harmless."""

    def leave_out(self, prop: Property) -> None:
        """Expand no harmless states of a property from now on."""
