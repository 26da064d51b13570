"""How an argument is named to whoever called: as the Python API has it, or as an option of the command line.

A message of a library often says which argument to give. Its caller may have called a function, or typed a command.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote

_as_options = False


@contextmanager
def named_as_options() -> Iterator[None]:
    """Within it, arguments are named as the command line has them."""
    global _as_options  # noqa: PLW0603 - one process answers one caller at a time
    before, _as_options = _as_options, True
    try:
        yield
    finally:
        _as_options = before


def argument(name: str, value: str = "", *, options: tuple[str, ...] = ()) -> str:
    """An argument with its value: `kafka_version="4.1"`, or `--kafka-version 4.1`; without a value, its name.

    `options` are what the command line has in its place, if that has another name: one of these will do.
    """
    if _as_options:
        shown = " or ".join(f"--{option.replace('_', '-')}" for option in options or (name,))
        return f"{shown} {value if _is_plain(value) else quote(value)}" if value else shown
    return f'{name}="{value}"' if value else f"`{name}`"


def as_options() -> bool:
    """Are arguments named as the command line has them?"""
    return _as_options


def _is_plain(value: str) -> bool:
    """Is it shown as it is: text for a shell, or a choice such as `elr=on|off`, which nobody types as it stands?"""
    return "|" in value or quote(value) == value
