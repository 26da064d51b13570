"""Properties: named predicates that the explorer decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .actions import Action
from .errors import ModelError
from .parameters import Parameters, ensure_stated, hints_of, ranging_parameters
from .source import defined

Story = Callable[[Sequence[Any]], str]
"""Turns the states of a deciding trace into one sentence that says what happened, in the words of the system."""


@dataclass(frozen=True, kw_only=True)
class Harmless:
    """The states from which no run violates a property, or some of them: a predicate in Model Python, and what it says as a clause."""

    statement: str
    function: Callable[..., bool]


@dataclass(frozen=True, kw_only=True, repr=False)
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

    def __repr__(self) -> str:
        return f"<Property {self.name}: {self.statement}>"

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


STATES = {"step_always": 2}
"""How many states a predicate takes, if not one."""

BY_MEMBERS = {"always": "every", "sometimes": "some"}
"""The kinds of properties that may have parameters, and for how many of their members the property is then true."""


def _declare(kind: str, statement: str, story: Story | None) -> Callable[[Callable[..., bool]], Property]:
    ensure_stated(kind, statement)
    if story is not None and not callable(story):
        raise ModelError(f"the story of a property is {story!r:.60}; it must be a function of the states of a trace")

    def decorate(function: Callable[..., bool]) -> Property:
        return Property(
            name=function.__name__, kind=kind, statement=statement, function=_of_states(kind, function), story=story
        )

    return decorate


def _of_states(kind: str, function: Callable[..., bool]) -> Callable[..., bool]:
    """A predicate over states alone: one with parameters is meant for every member of their domains, or for some."""
    code, states = function.__code__, STATES.get(kind, 1)
    if code.co_argcount == states:
        return function
    place = f"{code.co_filename}:{code.co_firstlineno}: {function.__name__}"
    if kind not in BY_MEMBERS or code.co_argcount < states:
        takes = "the states before and after a step" if states == 2 else "one state"
        raise ModelError(
            f"{place} takes {counted_parameters(code.co_argcount)}; `{kind}` takes {takes}, and nothing else"
        )
    return _by_members(function, ranging_parameters(function), place, every=BY_MEMBERS[kind] == "every")


OF_STATE = "of_state"
"""The name of the class of the state in functions that are made here."""


def counted_parameters(number: int) -> str:
    """`1 parameter`, `no parameters`."""
    return f"{number or 'no'} parameter{'' if number == 1 else 's'}"


def _by_members(
    function: Callable[..., bool], parameters: Parameters, place: str, *, every: bool
) -> Callable[..., bool]:
    """The function that asks `function` for each combination of members, until one decides."""
    state = function.__code__.co_varnames[0]
    indent, loops = "    ", ""
    for name, index in parameters:
        loops += f"{indent}for {name} in {state}.each({index.__name__}):\n"
        indent += "    "
    # Each function of a module has a name of its own: mutants write them into one text.
    made_name = f"{'every' if every else 'some'}_{function.__name__}"
    asked = f"{function.__name__}({', '.join((state, *(name for name, _ in parameters)))})"
    text = (
        f"def {made_name}({state}: {OF_STATE}) -> bool:\n{loops}"
        f"{indent}if {'not ' if every else ''}{asked}:\n{indent}    return {not every}\n    return {every}\n"
    )
    names: dict[str, object] = {index.__name__: index for _, index in parameters}
    names |= {function.__name__: function, OF_STATE: hints_of(function).get(state), "__name__": function.__module__}
    made: Callable[..., bool] = defined(text, f"<{place}, for {'every' if every else 'some'} member>", names)[made_name]
    made.__doc__ = function.__doc__
    return made


def always(
    statement: str, story: Story | None = None, harmless: Harmless | None = None
) -> Callable[[Callable[..., bool]], Property]:
    """True in every reachable state. `story` describes the first counterexample in one sentence.

    The predicate takes the state. Other parameters, each annotated with an index domain, mean: for every member of it.
    States that are `harmless` are not expanded if a search is for this property alone, and if it is proven that no run from them
    violates it.
    """

    declare = _declare("always", statement, story)
    return lambda function: replace(declare(function), harmless=harmless)


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

    declare = _declare("always", statement, None)
    return lambda function: replace(declare(function), runs_out=what)


def sometimes(statement: str, story: Story | None = None) -> Callable[[Callable[..., bool]], Property]:
    """True in at least one reachable state: a witness that something does happen. With parameters, for some members."""
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
    if awaited is not None:
        _of_states("after", awaited)

    declare = _declare("eventually", statement, story)
    return lambda function: replace(declare(function), after=awaited, weak=_names(weak), strong=_names(strong))


def _names(actions: str | Action | Sequence[str | Action]) -> tuple[str, ...]:
    several = [actions] if isinstance(actions, str | Action) else actions
    return tuple(dict.fromkeys(a if isinstance(a, str) else a.name for a in several))
