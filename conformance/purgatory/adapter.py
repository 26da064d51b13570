"""The adapter of the in-process purgatory: threads are generators, which the steps of the purgatory's model advance."""

from __future__ import annotations

from collections.abc import Iterator

from neverlost.model.core import Model, Step
from neverlost.model.kafka.purgatory import LOOKING_BACK, NEW, RETURNED, TIMING, WATCHING, Key, Operation, Purgatory

from ..adapter import AdapterError, Capabilities, How, NotPerformed, Partial
from ..inprocess.clock import VirtualClock
from ..inprocess.purgatory import DelayedOperation
from ..inprocess.purgatory import Purgatory as InProcessPurgatory
from ..inprocess.timer import Timer

LONG_MS = 1 << 20
"""Deadlines come when the model says so."""


class Awaiting(DelayedOperation):
    """An operation that can complete when all events have happened; counts the responses."""

    def __init__(self, happened: set[int], keys: int) -> None:
        super().__init__(LONG_MS)
        self._happened, self._keys, self.responses = happened, keys, 0

    def try_complete(self) -> bool:
        return len(self._happened) == self._keys and self.force_complete()

    def on_complete(self) -> None:
        self.responses += 1

    def on_expiration(self) -> None:
        """Only complete."""


class PurgatoryAdapter:
    """An in-process purgatory under the model's steps. Raises AdapterError for another model."""

    def __init__(self, model: Model) -> None:
        if model.profile.state is not Purgatory:
            raise AdapterError(f"{model.profile.name} is not a model of the purgatory; choose kafka-purgatory")
        self.operations, self.keys = Operation.size(model.bounds), Key.size(model.bounds)
        self.happened: set[int] = set()
        self.purgatory = InProcessPurgatory(VirtualClock(), Timer())
        self.awaiting = [Awaiting(self.happened, self.keys) for _ in range(self.operations)]
        self.threads: dict[int, Iterator[None]] = {}
        self.moved = [0] * self.operations
        self.order = [list(range(self.keys)) for _ in range(self.operations)]
        self.returned = [False] * self.operations
        self.to_look_at: list[list[DelayedOperation]] = [[] for _ in range(self.keys)]
        names = ("arrive", "watch", "try_again", "set_deadline", "look_back", "happen", "look_at", "expire")
        self.capabilities = Capabilities(
            actions=dict.fromkeys(names, How.FORCED),
            fields=("phase", "watches", "completed", "responses", "has_deadline", "happened", "to_look_at"),
        )

    def perform(self, step: Step) -> None:
        """Let one thread do one thing. Raises NotPerformed if it cannot, AdapterError for an unknown action."""
        picks = step.picks()
        operation, key = picks.get("operation", 0), picks.get("key", 0)
        match step.action.name:
            case "arrive":
                self.threads[operation] = self.purgatory.arrival(self.awaiting[operation], self.order[operation])
                self._move(operation)
            case "watch":
                self._put_next(operation, key)
                self._move(operation)
            case "try_again" | "set_deadline" | "look_back":
                self._move(operation)
            case "happen":
                self.happened.add(key)
                self.to_look_at[key] = self.purgatory.watching(key)
            case "look_at":
                self.to_look_at[key].remove(self.awaiting[operation])
                self.awaiting[operation].look_at()
            case "expire":
                self._expire(operation)
            case other:
                raise AdapterError(
                    f"the purgatory's adapter cannot do {other}; it can do {', '.join(self.capabilities.actions)}"
                )

    def _put_next(self, operation: int, key: int) -> None:
        """The thread watches keys in the order of its list: put the step's key next."""
        order, position = self.order[operation], self.moved[operation] - 1
        order.remove(key)
        order.insert(position, key)

    def _move(self, operation: int) -> None:
        try:
            next(self.threads[operation])
            self.moved[operation] += 1
        except StopIteration:
            self.returned[operation] = True

    def _expire(self, operation: int) -> None:
        task = self.awaiting[operation].timeout
        if task is None or task.bucket is None:
            raise NotPerformed(f"operation {operation + 1} is not in the timer")
        task.cancel()
        task.action()

    def attempt(self, step: Step) -> bool:
        """Nothing can be tried that the model refuses."""
        return False

    def observe(self) -> Partial:
        """How far every thread has come, which operations watch which keys, and the outcome of each operation."""
        members = range(self.operations)
        watching = [self.purgatory.watching(key) for key in range(self.keys)]
        return {
            "phase": [self._phase(operation) for operation in members],
            "watches": [
                sum(1 << key for key in range(self.keys) if self.awaiting[o] in watching[key]) for o in members
            ],
            "completed": [int(one.completed) for one in self.awaiting],
            "responses": [one.responses for one in self.awaiting],
            "has_deadline": [int(one.timeout is not None and one.timeout.bucket is not None) for one in self.awaiting],
            "happened": sum(1 << key for key in self.happened),
            "to_look_at": [
                sum(1 << o for o in members if self.awaiting[o] in self.to_look_at[key]) for key in range(self.keys)
            ],
        }

    def _phase(self, operation: int) -> int:
        if operation not in self.threads:
            return NEW
        if self.returned[operation]:
            return RETURNED
        later = {self.keys + 2: TIMING, self.keys + 3: LOOKING_BACK}
        return later.get(self.moved[operation], WATCHING)
