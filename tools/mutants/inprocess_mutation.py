"""A mutant of the in-process brokers or their clients: one function of them in which a text stands as another."""

from __future__ import annotations

import importlib
import inspect
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

PACKAGE = "neverlost.conformance"


@dataclass(frozen=True)
class Mutant:
    """A mistake that a programmer could make: which rule it breaks, on which bench that can be seen, and what text becomes which.

    `place` is a function or property of a class, from below `conformance` on; a statement that is left out becomes `pass`.
    """

    name: str
    rule: str
    bench: str
    place: str
    written: str
    instead: str


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """The mistake is made, while this lasts. Raises ValueError if its text does not stand exactly once in its place."""
    module, owner, name = _found(mutant.place)
    right = inspect.getattr_static(owner, name)
    text = textwrap.dedent(inspect.getsource(right.fget if isinstance(right, property) else right))
    if text.count(mutant.written) != 1:
        raise ValueError(
            f"{mutant.name}: {mutant.written!r} stands {text.count(mutant.written)} times in {mutant.place}; write it as it stands now"
        )
    wrong = text.replace(mutant.written, mutant.instead)
    made: dict[str, Any] = {}
    code = compile(wrong, f"<{mutant.name}>", "exec")
    exec(code, vars(module), made)
    setattr(owner, name, made[name])
    try:
        yield
    finally:
        setattr(owner, name, right)


def _found(place: str) -> tuple[Any, type, str]:
    """The module, the class and the name in it."""
    module, owner, name = f"{PACKAGE}.{place}".rsplit(".", 2)
    importlib.import_module(module)
    return sys.modules[module], getattr(sys.modules[module], owner), name
