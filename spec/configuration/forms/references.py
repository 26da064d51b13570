"""References to variables in values, and the defaults that stand in them: `${NAME:-default}` of Compose, `${name:default}` of Spring.

What a reference becomes is decided where the program starts. A default that can be seen is taken, and said; any other reference stays.
Compose: "Interpolation" in the Compose specification, spec.md of compose-spec. Spring: "Property Placeholders" in Spring Boot's
documentation of external configuration, and PropertyPlaceholderHelper of Spring, which looks for the first colon outside of braces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

OF_COMPOSE = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?P<operator>:?[-+?])?(?P<rest>.*)", re.DOTALL)
PLAIN = re.compile(r"\$[A-Za-z_][A-Za-z0-9_]*")
DEEPEST = 10
"""A default that is nested more deeply than this, or a property that names itself, stays a reference."""


@dataclass(frozen=True)
class Filled:
    """A text whose references have become their defaults where these can be seen; `defaults` are those, by the variable's name.

    `is_open`: is a reference left in it?
    """

    text: str
    defaults: dict[str, str] = field(default_factory=dict)
    is_open: bool = False

    @property
    def defaulted(self) -> str:
        """Which defaults are in it, in words."""
        return " and ".join(f"{name} is taken to be its default {value!r}" for name, value in self.defaults.items())


def filled_by_compose(text: str, elsewhere: Collection[str] = (), depth: int = 0) -> Filled:
    """A value of a compose file; the variables that are set `elsewhere` do not have their defaults."""
    parts: list[str] = []
    defaults: dict[str, str] = {}
    is_open, at = False, 0
    while at < len(text):
        if text.startswith("$$", at):
            parts.append("$")
            at += 2
        elif text.startswith("${", at) and (end := _end(text, at)) is not None:
            matched = OF_COMPOSE.fullmatch(text[at + 2 : end])
            inner = Filled("", is_open=True)
            if matched and matched["operator"] in ("-", ":-") and matched["name"] not in elsewhere and depth < DEEPEST:
                inner = filled_by_compose(matched["rest"], elsewhere, depth + 1)
                defaults |= {matched["name"]: inner.text} | inner.defaults
            parts.append(text[at : end + 1] if inner.is_open else inner.text)
            is_open |= inner.is_open
            at = end + 1
        else:
            plain = PLAIN.match(text, at)
            is_open |= plain is not None or text.startswith("${", at)
            parts.append(plain[0] if plain else text[at])
            at += len(parts[-1])
    return Filled("".join(parts), {} if is_open else defaults, is_open)


def filled_by_spring(text: str, property_named: Callable[[str], str | None], depth: int = 0) -> Filled:
    """A value of a Spring application, where `property_named` gives what its own files set."""
    parts: list[str] = []
    defaults: dict[str, str] = {}
    is_open, at = False, 0
    while at < len(text):
        end = _end(text, at) if text.startswith("${", at) else None
        if end is None:
            is_open |= text.startswith("${", at)
            parts.append(text[at])
            at += 1
            continue
        name, default = _apart(text[at + 2 : end])
        own = property_named(name)
        value = default if own is None else own
        inner = Filled("", is_open=True)
        if value is not None and depth < DEEPEST and "${" not in name:
            inner = filled_by_spring(value, property_named, depth + 1)
            defaults |= inner.defaults if value is own else {name: inner.text} | inner.defaults
        parts.append(text[at : end + 1] if inner.is_open else inner.text)
        is_open |= inner.is_open
        at = end + 1
    return Filled("".join(parts), {} if is_open else defaults, is_open)


def _end(text: str, start: int) -> int | None:
    """Where the reference that begins here ends; None if it does not end."""
    depth = 0
    for at in range(start, len(text)):
        if text.startswith("${", at):
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return at
    return None


def _apart(inside: str) -> tuple[str, str | None]:
    """The name and the default of one of Spring's references."""
    depth = 0
    for at, letter in enumerate(inside):
        depth += inside.startswith("${", at) - (letter == "}")
        if letter == ":" and depth == 0:
            return inside[:at], inside[at + 1 :]
    return inside, None
