"""A mutant of the in-process brokers or their clients: one function of them in which a text stands as another."""

from __future__ import annotations

import importlib
import inspect
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from neverlost.conformance.mutants.mutant import CODE, Mutant, ensure_stands_once
from neverlost.model.core.source import defined

PACKAGE = "neverlost.conformance"


@dataclass(frozen=True, kw_only=True)
class CodeMutant(Mutant):
    """A mistake that a programmer could make, and the bench on which it can be seen.

    `place` is a function or property of a class, from below `conformance` on; a statement that is left out becomes `pass`.
    """

    bench: str


def mistake(name: str, rule: str, bench: str, place: str, written: str, instead: str) -> CodeMutant:
    """A mistake that breaks a rule, as the tables write it."""
    return CodeMutant(name=name, kind=CODE, rules=rule, bench=bench, place=place, written=written, instead=instead)


@contextmanager
def planted(mutant: CodeMutant) -> Iterator[None]:
    """The mistake is made, while this lasts. Raises ValueError if its text does not stand exactly once in its place."""
    module_name, class_name, name = f"{PACKAGE}.{mutant.place}".rsplit(".", 2)
    module = importlib.import_module(module_name)
    owner = getattr(module, class_name)
    right = inspect.getattr_static(owner, name)
    text = textwrap.dedent(inspect.getsource(right.fget if isinstance(right, property) else right))
    ensure_stands_once(mutant.written, text.count(mutant.written), f"{mutant.place}, for {mutant.name}")
    wrong = defined(text.replace(mutant.written, mutant.instead), f"<{mutant.name}>", vars(module))[name]
    setattr(owner, name, wrong)
    try:
        yield
    finally:
        setattr(owner, name, right)
