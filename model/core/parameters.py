"""Parameters that range over finite domains: those of actions, and those of lemmas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, get_type_hints

from .domains import Index
from .errors import ModelError
from .message import fields_of, flat_name, is_kind

BUILT_IN = {"None": type(None), "bool": bool, "int": int}

Parameters = tuple[tuple[str, type[Index]], ...]
"""Names, each with the index domain that it ranges over."""


def hints_of(function: Callable[..., object]) -> dict[str, Any]:
    """What a function's annotations mean, as `typing.get_type_hints` has it: fast for those that are plain names, as most are."""
    written, known = function.__annotations__, function.__globals__
    if all(isinstance(a, str) and (a in known or a in BUILT_IN) for a in written.values()):
        return {name: known[a] if a in known else BUILT_IN[a] for name, a in written.items()}
    return get_type_hints(function)


def ensure_stated(decorator: str, statement: object) -> None:
    """Raises ModelError for a decorator that was given no text: `@always` in place of `@always("...")`."""
    if not isinstance(statement, str):
        named = getattr(statement, "__name__", repr(statement))
        raise ModelError(
            f'`@{decorator}` before {named} has no text; write `@{decorator}("what it states, in a sentence")`'
        )


def ranging_parameters(function: Callable[..., object]) -> Parameters:
    """The parameters after the first, the state; in place of a message, its fields: `vote: Vote` is `vote_term` and `vote_voter`.

    Raises ModelError for one that is not annotated with an index domain.
    """
    code = function.__code__
    hints = hints_of(function)
    parameters: list[tuple[str, type[Index]]] = []
    for name in code.co_varnames[1 : code.co_argcount]:
        hint = hints.get(name)
        if is_kind(hint):
            parameters += [(flat_name(name, field), domain) for field, domain in fields_of(hint).items()]
            continue
        if not (isinstance(hint, type) and issubclass(hint, Index)):
            raise ModelError(
                f"{code.co_filename}:{code.co_firstlineno}: parameter {name!r} of {function.__name__} has no finite domain;"
                " annotate it with an Index class, as in `replica: Replica`"
            )
        parameters.append((name, hint))
    names = [name for name, _ in parameters]
    for name in names:
        if names.count(name) > 1:
            raise ModelError(
                f"{code.co_filename}:{code.co_firstlineno}: {function.__name__} has a parameter {name!r} besides that of a message"
            )
    return tuple(parameters)


def combinations(parameters: Parameters, bounds: Mapping[str, int]) -> list[tuple[int, ...]]:
    """Every assignment of the parameters, the last parameter fastest."""
    return list(product(*(range(index.size(bounds)) for _, index in parameters)))


def show_call(name: str, parameters: Parameters, values: Sequence[int], bounds: Mapping[str, int]) -> str:
    """A call with its arguments as people write it: `fetch(follower=r2, leader=r1)`."""
    shown = (f"{n}={i.show(v, bounds)}" for (n, i), v in zip(parameters, values, strict=True))
    return f"{name}({', '.join(shown)})"
