"""A run of the model before it is done: its steps, each with the states before and after it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Generic, TypeVar, cast

from neverlost.model.core import Model, Packed, Step
from neverlost.model.kafka.replication.state import Partition

from ...adapter import CannotSchedule


@lru_cache(maxsize=1024)
def _state(model: Model, words: Packed) -> Partition:
    """A state, which is only read; kept, as a run that grows step by step is planned again and again."""
    return cast(Partition, model.state(words))


@dataclass(frozen=True)
class PlannedStep:
    """A step of a run, the first with number 1."""

    run: PlannedRun
    number: int
    step: Step
    before: Partition
    after: Partition

    @property
    def name(self) -> str:
        """The name of its action."""
        return self.step.action.name

    @property
    def picks(self) -> dict[str, int]:
        """What it is done to."""
        return self.step.picks()

    def refuse(self, why: str) -> CannotSchedule:
        """What says that real brokers cannot be made to do it."""
        return CannotSchedule(self.number, self.step.show(self.run.model.bounds), why)


@dataclass(frozen=True)
class PlannedRun:
    """The steps of a run of a model, and the states between them."""

    model: Model
    steps: Sequence[Step]
    states: Sequence[Packed]

    def __iter__(self) -> Iterator[PlannedStep]:
        states = (_state(self.model, words) for words in self.states)
        for number, (step, (before, after)) in enumerate(zip(self.steps, pairwise(states), strict=True), start=1):
            yield PlannedStep(self, number, step, before, after)

    def possible(self, number: int, action: str) -> Iterator[Step]:
        """The steps of an action that may happen in place of a step of the run."""
        words = self.states[number - 1]
        of_action = (step for step in self.model.steps if step.action.name == action)
        return (step for step in of_action if not self.model.refusal(words, step))


Obstacles = Callable[[PlannedRun], Iterator[str]]
"""For each step of a run, why real brokers cannot be made to do it after the steps before; empty if they can."""


Memory = TypeVar("Memory", bound=Hashable)


@dataclass(frozen=True)
class Remembering(Generic[Memory]):
    """An obstacle that depends on the steps before a step, by what is remembered of them: a search for a run remembers the same.

    `at_start` is remembered at the start; `after` takes what is remembered before a step, and says what is after it, and why
    brokers cannot be made to do the step.
    """

    at_start: Callable[[Model], Memory]
    after: Callable[[Memory, PlannedStep], tuple[Memory, str]]

    def __call__(self, run: PlannedRun) -> Iterator[str]:
        """What stands in the way of each step."""
        memory = self.at_start(run.model)
        for planned in run:
            memory, why = self.after(memory, planned)
            yield why
