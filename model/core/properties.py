"""Properties: named predicates that the explorer decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .actions import Action
from .errors import ModelError

Story = Callable[[Sequence[Any]], str]
"""Turns the states of a deciding trace into one sentence that says what happened, in the words of the system."""


@dataclass(frozen=True, kw_only=True)
class Harmless:
    """The states from which no run violates a property, or some of them: a predicate in Model Python, and what it says as a clause."""

    statement: str
    function: Callable[..., bool]


@dataclass(frozen=True, kw_only=True)
class Property:
    """A named predicate in Model Python: over a state, over the two states of a step, or, for an `eventually`, over runs.

    `runs_out` says what a state has none left of if an `always` is false there: "leader epochs". Such a property is about bounds, so
    it is always decided. A search for an `always` alone need not expand its `harmless` states. The last three fields are for an
    `eventually`: when the wait for it begins (None: at the start), and the names of the actions of which each step is weakly or
    strongly fair.
    """

    name: str
    kind: str
    statement: str
    function: Callable[..., bool]
    story: Story | None = None
    runs_out: str | None = None
    harmless: Harmless | None = None
    after: Callable[..., bool] | None = None
    weak: tuple[str, ...] = ()
    strong: tuple[str, ...] = ()

    @property
    def over_states(self) -> bool:
        return not self.over_steps and not self.over_runs

    @property
    def over_steps(self) -> bool:
        return self.kind == "step_always"

    @property
    def over_runs(self) -> bool:
        return self.kind == "eventually"

    @property
    def functions(self) -> tuple[Callable[..., bool], ...]:
        """All its predicates."""
        return (self.function,) if self.after is None else (self.function, self.after)

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


def always(
    statement: str, story: Story | None = None, harmless: Harmless | None = None
) -> Callable[[Callable[..., bool]], Property]:
    """True in every reachable state. `story` describes the first counterexample in one sentence.

    States that are `harmless` are not expanded if a search is for this property alone, and if it is proven that no run from them
    violates it.
    """

    def decorate(function: Callable[..., bool]) -> Property:
        return replace(_declare("always", statement, story)(function), harmless=harmless)

    return decorate


def harmless(statement: str) -> Callable[[Callable[..., bool]], Harmless]:
    """Declare states from which no run violates a property; `statement` says why, as a clause: "nothing is left to lose".

    The predicate is a conjunction. Each part compares one field with constants: one element, or `all` of them. Then it is proven
    in milliseconds, for each model that is searched, that no step leads out of these states, and that the property holds in them.
    """
    return lambda function: Harmless(statement=statement, function=function)


def suffices(what: str, statement: str) -> Callable[[Callable[..., bool]], Property]:
    """True in every state for which the bounds leave enough of something, as "leader epochs". Elsewhere they may hide what follows.

    Every search counts these states, and a verdict that holds says how many they are.
    """

    def decorate(function: Callable[..., bool]) -> Property:
        return Property(name=function.__name__, kind="always", statement=statement, function=function, runs_out=what)

    return decorate


def sometimes(statement: str, story: Story | None = None) -> Callable[[Callable[..., bool]], Property]:
    """True in at least one reachable state: a witness that something does happen."""
    return _declare("sometimes", statement, story)


def step_always(statement: str, story: Story | None = None) -> Callable[[Callable[..., bool]], Property]:
    """True of every step from a reachable state; the predicate takes the states before and after it."""
    return _declare("step_always", statement, story)


def eventually(
    statement: str,
    *,
    after: Callable[..., bool] | Property | None = None,
    weak: str | Action | Sequence[str | Action] = (),
    strong: str | Action | Sequence[str | Action] = (),
    story: Story | None = None,
) -> Callable[[Callable[..., bool]], Property]:
    """In every fair run, true in each state in which `after` is true, or later; without `after`, true at some time.

    A run never ends: if no more steps are taken, its state stays forever. It is fair if a step of a `weak` action that can
    happen in all states from some time on does happen again, and a step of a `strong` one that can happen infinitely often
    happens infinitely often. A step is an action with its arguments; one that changes nothing does not count.
    Raises ModelError if `after` is not about one state.
    """
    if isinstance(after, Property) and not after.over_states:
        raise ModelError(f"`after` is {after.name}, which is {after.kind}; it must be a predicate over one state")
    awaited = after.function if isinstance(after, Property) else after

    def decorate(function: Callable[..., bool]) -> Property:
        return Property(
            name=function.__name__,
            kind="eventually",
            statement=statement,
            function=function,
            story=story,
            after=awaited,
            weak=_names(weak),
            strong=_names(strong),
        )

    return decorate


def _names(actions: str | Action | Sequence[str | Action]) -> tuple[str, ...]:
    several = [actions] if isinstance(actions, str | Action) else actions
    return tuple(dict.fromkeys(a if isinstance(a, str) else a.name for a in several))
