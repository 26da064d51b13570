"""Actions: named rules with parameters over finite domains; a step is an action with its parameters fixed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import ModelError, UnknownNameError
from .message import is_kind
from .parameters import Parameters, combinations, ensure_stated, hints_of, ranging_parameters, show_call
from .picture import Arrow


class Refused(Exception):
    """A guard does not hold: the step cannot happen in this state."""


def require(condition: bool) -> None:
    """A guard: the step may happen only if `condition` holds."""
    if not condition:
        raise Refused


@dataclass(frozen=True, kw_only=True, repr=False)
class Action:
    """One named rule: a Model Python function, its parameters in order, and the rule or paper that it follows.

    `messages` are what a step sends, for pictures: no engine looks at them.
    """

    name: str
    function: Callable[..., None]
    parameters: Parameters
    source: str
    messages: tuple[Arrow, ...] = ()

    def __repr__(self) -> str:
        return f"<Action {self.name}: {self.statement}>"

    @property
    def statement(self) -> str:
        """The first line of the function's docstring."""
        return (self.function.__doc__ or "").strip().split("\n")[0]

    def combinations(self, bounds: Mapping[str, int]) -> list[tuple[int, ...]]:
        """Every assignment of the parameters, the last parameter fastest."""
        return combinations(self.parameters, bounds)


def action(source: str, *messages: Arrow) -> Callable[[Callable[..., None]], Action]:
    """Declare a model function to be an action; `source` names the rule, KIP or paper that it states, `messages` what a step sends.

    The function takes the state first; every other parameter is annotated with the index domain that it ranges over.
    Raises ModelError for a parameter without such an annotation, and if there is no `source`.
    """
    ensure_stated("action", source)

    def decorate(function: Callable[..., None]) -> Action:
        kinds = [name for name, hint in hints_of(function).items() if is_kind(hint)]
        return Action(
            name=function.__name__,
            function=function,
            parameters=ranging_parameters(function),
            source=source,
            messages=tuple(arrow.with_fields_of(kinds) for arrow in messages),
        )

    return decorate


@dataclass(frozen=True)
class Step:
    """An action with its parameters fixed."""

    action: Action
    arguments: tuple[int, ...]

    def show(self, bounds: Mapping[str, int]) -> str:
        """The step as text for people: `fetch(follower=r2, leader=r1)`."""
        return show_call(self.action.name, self.action.parameters, self.arguments, bounds)

    def picks(self) -> dict[str, int]:
        """The arguments by parameter name."""
        return {name: value for (name, _), value in zip(self.action.parameters, self.arguments, strict=True)}


def parse_step(text: str, actions: Mapping[str, Action], bounds: Mapping[str, int]) -> Step:
    """The step that `Step.show` printed as `text`.

    Raises UnknownNameError for an unknown action, ModelError for arguments that do not fit it.
    """
    matched = re.fullmatch(r"\s*(\w+)\s*\((.*)\)\s*", text, flags=re.DOTALL)
    if matched is None:
        raise ModelError(f"{text!r} is not a step; a step looks like `name(parameter=value, ...)`")
    name, inside = matched.groups()
    if name not in actions:
        raise UnknownNameError("action", name, actions)
    found = actions[name]
    given: dict[str, Any] = dict(re.findall(r"(\w+)\s*=\s*(\{[^}]*\}|[^,{}]+?)\s*(?:,|$)", inside))
    wanted = [parameter for parameter, _ in found.parameters]
    if sorted(given) != sorted(wanted):
        raise ModelError(f"{text!r} does not fit {name}({', '.join(wanted)})")
    arguments = []
    for parameter, index in found.parameters:
        values = {index.show(v, bounds): v for v in range(index.size(bounds))}
        if given[parameter] not in values:
            raise ModelError(f"{text!r}: {parameter} must be one of {', '.join(values)}")
        arguments.append(values[given[parameter]])
    return Step(found, tuple(arguments))
