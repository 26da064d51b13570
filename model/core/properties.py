"""Properties: named predicates that the explorer decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Story = Callable[[Sequence[Any]], str]
"""From the states of a deciding trace to one sentence that tells what happened, in the words of the system."""


@dataclass(frozen=True, kw_only=True)
class Property:
    """A named predicate in Model Python: over a state, or over the two states of a step."""

    name: str
    kind: str
    statement: str
    function: Callable[..., bool]
    story: Story | None = None

    @property
    def over_steps(self) -> bool:
        return self.kind == "step_always"

    @property
    def seeks(self) -> bool:
        """The truth value that decides the property: False refutes an `always`, True is the witness of a `sometimes`."""
        return self.kind == "sometimes"

    def __call__(self, *states: Any) -> bool:
        return self.function(*states)


def _declare(kind: str, statement: str, story: Story | None) -> Callable[[Callable[..., bool]], Property]:
    def decorate(function: Callable[..., bool]) -> Property:
        return Property(name=function.__name__, kind=kind, statement=statement, function=function, story=story)

    return decorate


def always(statement: str, story: Story | None = None) -> Callable[[Callable[..., bool]], Property]:
    """True in every reachable state. `story` tells the first counterexample in one sentence."""
    return _declare("always", statement, story)


def sometimes(statement: str, story: Story | None = None) -> Callable[[Callable[..., bool]], Property]:
    """True in at least one reachable state: a witness that something does happen."""
    return _declare("sometimes", statement, story)


def step_always(statement: str, story: Story | None = None) -> Callable[[Callable[..., bool]], Property]:
    """True of every step from a reachable state; the predicate takes the states before and after it."""
    return _declare("step_always", statement, story)
