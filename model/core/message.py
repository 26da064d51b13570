"""Messages: records over finite domains. They exist only in the text of a model, where `lowering` replaces them by their fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, ClassVar, Protocol, TypeGuard, TypeVar, dataclass_transform, get_type_hints

from .domains import Index
from .errors import ModelError

MOST_FIELDS = 4
"""A field of the state has at most so many indexes."""


class YesNo(Index, names=("no", "yes")):
    """The values of a `bool` in a message."""


@dataclass_transform(kw_only_default=True)
class Message:
    """A kind of message, as a class: its annotations name what is in it, each with an index domain or `bool`.

    Only functions of a model make messages. A field `messages(Vote)` of the state holds those that are under way. Any other Python,
    as a story or a view, reads that field as the flags or numbers that it is: `votes[term][candidate][voter]`.
    """

    def __init__(self, **fields: Any) -> None:
        name = type(self).__name__
        raise ModelError(
            f"{name}(...) has a meaning only in functions of a model; elsewhere read the field `messages({name})` by its indexes:"
            f" {', '.join(fields_of(type(self)))}"
        )


M = TypeVar("M", bound=Message)


class Network(Protocol[M]):
    """How type checkers see a field of messages."""

    def __contains__(self, message: object, /) -> bool: ...
    def __iter__(self) -> Iterator[M]: ...
    def __getitem__(self, position: int, /) -> Any: ...
    def send(self, message: M, /) -> None: ...
    def take(self, message: M, /) -> None: ...
    def count(self, message: M, /) -> int: ...


METHODS: Mapping[str, str] = {
    "send": "the message is under way from now on",
    "take": "a guard: it must be under way, and is no more",
    "count": "how many of it are under way",
}
"""What a field of messages can be told or asked, besides `in` and `for`."""


_FIELDS: dict[type[Message], dict[str, type[Index]]] = {}


def fields_of(kind: type[Message]) -> dict[str, type[Index]]:
    """What is in a message, in order, each with its domain. Raises ModelError for what has none, or for too many."""
    if kind in _FIELDS:
        return _FIELDS[kind]
    found: dict[str, type[Index]] = {}
    for name, hint in get_type_hints(kind).items():
        if hint == ClassVar or getattr(hint, "__origin__", None) is ClassVar:
            continue
        domain = YesNo if hint is bool else hint
        if not (isinstance(domain, type) and issubclass(domain, Index)):
            raise ModelError(
                f"{name} of the message {kind.__name__} has no finite domain; annotate it with an Index class or `bool`"
            )
        found[name] = domain
    if len(found) > MOST_FIELDS:
        raise ModelError(
            f"the message {kind.__name__} has {len(found)} fields, at most {MOST_FIELDS} are possible; make two kinds of messages"
        )
    _FIELDS[kind] = found
    return found


def is_kind(value: object) -> TypeGuard[type[Message]]:
    """Whether a value is a kind of message."""
    return isinstance(value, type) and issubclass(value, Message)


def flat_name(message: str, field: str) -> str:
    """The parameter or local name that stands for a field of a message: `vote.term` is `vote_term`."""
    return f"{message}_{field}"


@cache
def copies(most: int) -> type[Index]:
    """The domain that counts how many equal messages are under way. Raises ModelError unless `most` is a number above 0."""
    if type(most) is not int or most < 1:
        raise ModelError(f"at_most is {most!r:.60}; it is how many equal messages may be under way: 1 or more")

    class Copies(Index, members=most):
        """Equal messages that are under way."""

    Copies.__name__ = Copies.__qualname__ = f"Copies{most}"
    return Copies
