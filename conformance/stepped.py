"""What adapters of in-process systems have in common whose actions are methods, and whose state can be copied."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pickle import HIGHEST_PROTOCOL, dumps, loads
from typing import ClassVar, Generic, TypeVar

from neverlost.model.core import Model, Step

from .adapter import AdapterError, Capabilities, How, NotPerformed, Partial, known_actions

T = TypeVar("T")
World = TypeVar("World")


class SteppedAdapter(ABC, Generic[World]):
    """Drives a world, which is everything that a step can change. An action `poll` of the model is the method `do_poll`."""

    subject: ClassVar[str]
    """What it is the adapter of, for messages."""
    refusals: ClassVar[tuple[type[Exception], ...]]
    """What the world raises if it does not do something."""

    def __init__(self, model: Model, world: World, *, fields: tuple[str, ...], attempts: tuple[str, ...]) -> None:
        self.model, self.world = model, world
        self._actions: dict[str, Callable[..., None]] = {
            name.removeprefix("do_"): getattr(self, name) for name in dir(self) if name.startswith("do_")
        }
        self.capabilities = Capabilities(
            actions=dict.fromkeys(known_actions(model, self._actions), How.FORCED),
            fields=fields,
            attempts=known_actions(model, attempts),
        )

    def perform(self, step: Step) -> None:
        """Make the step happen. Raises NotPerformed if the world does not do it, AdapterError for an unknown action."""
        if step.action.name not in self._actions:
            known = ", ".join(sorted(self._actions))
            raise AdapterError(f"the adapter of {self.subject} cannot do {step.action.name}; it can do {known}")
        try:
            self._actions[step.action.name](**step.picks())
        except self.refusals as refused:
            raise NotPerformed(str(refused)) from refused

    def attempt(self, step: Step) -> bool:
        """Let something be tried that the model refuses.

        It is done to a copy of all, which takes the place of all if the step is done there. False if nobody would try.
        """
        if not self._is_thinkable(step.action.name, **step.picks()):
            return False
        before = self.world
        self.world = copied(before)
        try:
            self.perform(step)
        except NotPerformed:
            self.world = before
        return True

    @abstractmethod
    def _is_thinkable(self, action: str, **picks: int) -> bool:
        """Would anyone try this now?"""

    @abstractmethod
    def observe(self) -> Partial:
        """What can be seen of the world."""


def copied(whole: T) -> T:
    """A copy of something and all that it holds, several times as fast as `deepcopy`."""
    copy: T = loads(dumps(whole, HIGHEST_PROTOCOL))
    return copy
