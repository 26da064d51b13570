"""Arguments of another kind than a function takes: what to write instead."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from neverlost.model.core import Model, NeverlostError, Profile


class ArgumentError(NeverlostError):
    """An argument is of another kind than the function takes; the text says what to write."""


def ensure_model(given: object) -> None:
    """Raises ArgumentError for anything but a model."""
    if isinstance(given, Model):
        return
    if isinstance(given, str):
        raise ArgumentError(f"{given!r} is a name, and a model is needed; write nl.profile({given!r}).model()")
    if isinstance(given, Profile):
        raise ArgumentError(
            f"{given.name} is a profile, and a model is needed; write nl.profile({given.name!r}).model()"
        )
    raise ArgumentError(
        f"a model is needed, and {given!r:.60} is of type {type(given).__name__}; write nl.profile(NAME).model()"
    )


def ensure_kind(given: object, what: str, example: str, *kinds: type) -> None:
    """Raises ArgumentError for anything but None and the kinds; `example` is what to write."""
    if given is not None and not isinstance(given, kinds):
        raise ArgumentError(f"{what} is {given!r:.60}; write {what}={example}")


def ensure_name(given: object, what: str) -> None:
    """Raises ArgumentError for anything but one name."""
    if not isinstance(given, str):
        raise ArgumentError(f"{what} is {given!r:.60}; write one name, as text")


def ensure_names(given: object, what: str) -> None:
    """Raises ArgumentError for anything but None and a list of names."""
    if given is None or (
        isinstance(given, Collection) and not isinstance(given, str) and all(isinstance(one, str) for one in given)
    ):
        return
    example = repr(given) if isinstance(given, str) else "NAME"
    raise ArgumentError(f"{what} is {given!r:.60}, and a list of names is needed; write {what}=[{example}]")


def path_of(given: object, what: str) -> Path:
    """A path. Raises ArgumentError for what is none."""
    if not isinstance(given, (str, Path)):
        raise ArgumentError(f"{what} is {given!r:.60}; write a path, as text")
    return Path(given)
