"""Evaluates Z3 terms in many states at once, without Z3.

A term becomes a list of operations on NumPy arrays, one for each of its subterms. A bit-vector lies in the high bits of an
integer of the array's type: sums then wrap where those of the bit-vectors do, and comparisons respect the sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
import z3

from ..engines.columns import Columns
from .states import SymbolicState
from .terms import Number, SymbolicSet, UntranslatableError, Value

Array = npt.NDArray[Any]

BATCH = 1 << 13
"""States whose values are computed together: they should fit the processor's cache, and be enough to outweigh the calls."""

OPERATIONS: Mapping[int, Callable[..., Array]] = {
    z3.Z3_OP_NOT: np.logical_not,
    z3.Z3_OP_AND: lambda *values: reduce(np.logical_and, values),
    z3.Z3_OP_OR: lambda *values: reduce(np.logical_or, values),
    z3.Z3_OP_IMPLIES: lambda one, other: ~one | other,
    z3.Z3_OP_XOR: np.not_equal,
    z3.Z3_OP_EQ: np.equal,
    z3.Z3_OP_ITE: np.where,
    z3.Z3_OP_BADD: lambda *values: reduce(np.add, values),
    z3.Z3_OP_BSUB: lambda *values: reduce(np.subtract, values),
    z3.Z3_OP_BNEG: np.negative,
    z3.Z3_OP_SLT: np.less,
    z3.Z3_OP_SLEQ: np.less_equal,
    z3.Z3_OP_SGT: np.greater,
    z3.Z3_OP_SGEQ: np.greater_equal,
}


@dataclass(frozen=True)
class Instruction:
    """One subterm: its operation, the places that it reads, the place of its result, and the places that no later one reads."""

    compute: Callable[..., Array]
    sources: tuple[int, ...]
    place: int
    spent: tuple[int, ...]


class Evaluator:
    """Some terms over the variables of one symbolic state, ready to be computed for many states."""

    def __init__(self, state: SymbolicState, terms: Sequence[Any], width: int) -> None:
        """Raises UntranslatableError for an operation that no translation makes."""
        self.kind = next(
            kind for kind in (np.int8, np.int16, np.int32, np.int64) if np.dtype(kind).itemsize * 8 >= width
        )
        self.shift = np.dtype(self.kind).itemsize * 8 - width
        self.variables = dict(_variables(state))
        self.inputs: list[tuple[int, Callable[[Columns], Array]]] = []
        self.constants: list[tuple[int, Any]] = []
        self.places: dict[int, int] = {}
        steps = [self._entered(term) for term in _in_order(terms)]
        self.results = [self._known(term) if isinstance(term, int) else self.places[term.get_id()] for term in terms]
        self.operations = _spending([step for step in steps if step is not None], set(self.results))

    def _known(self, value: int) -> int:
        """The place of a value that is known before."""
        place = len(self.places)
        self.places[-place] = place
        self.constants.append((place, np.bool_(value) if isinstance(value, bool) else self.kind(value << self.shift)))
        return place

    def _entered(self, term: Any) -> Instruction | None:
        """Give a term a place. Returns the operation that fills it, unless it is a variable or constant."""
        key, place = term.get_id(), len(self.places)
        self.places[key] = place
        kind = term.decl().kind()
        if key in self.variables:
            self.inputs.append((place, self._input(self.variables[key])))
        elif kind in (z3.Z3_OP_TRUE, z3.Z3_OP_FALSE):
            self.constants.append((place, np.bool_(kind == z3.Z3_OP_TRUE)))
        elif kind == z3.Z3_OP_BNUM:
            self.constants.append((place, self.kind(term.as_signed_long() << self.shift)))
        else:
            sources = tuple(self.places[child.get_id()] for child in term.children())
            return Instruction(self._operation(kind, term), sources, place, ())
        return None

    def _input(self, source: tuple[str, int, int | None]) -> Callable[[Columns], Array]:
        field, number, member = source
        if member is None:
            return lambda columns: (columns[field][number] << self.shift).astype(self.kind)
        return lambda columns: columns[field][number] >> member & 1 == 1

    def _operation(self, kind: int, term: Any) -> Callable[..., Array]:
        if kind == z3.Z3_OP_DISTINCT and term.num_args() == 2:
            return np.not_equal
        if kind == z3.Z3_OP_BMUL:
            return lambda *values: reduce(lambda one, other: one * (other >> self.shift), values)
        if kind not in OPERATIONS:
            raise UntranslatableError(f"a term has the operation {term.decl().name()}, which is not evaluated: {term}")
        return OPERATIONS[kind]

    def values(self, columns: Columns) -> Iterator[list[Array]]:
        """The value of each term in each state, batch by batch of states. A term whose value is known gives a single one."""
        count = next(iter(columns.values())).shape[1]
        for begin in range(0, count, BATCH):
            part = {name: rows[:, begin : begin + BATCH] for name, rows in columns.items()}
            yield self._batch(part)

    def _batch(self, columns: Columns) -> list[Array]:
        held: list[Any] = [None] * len(self.places)
        for place, value in self.constants:
            held[place] = value
        for place, read in self.inputs:
            held[place] = read(columns)
        for operation in self.operations:
            held[operation.place] = operation.compute(*[held[source] for source in operation.sources])
            for place in operation.spent:
                held[place] = None
        return [held[place] for place in self.results]

    def table(self, columns: Columns) -> list[Array]:
        """The value of each term in each state, bit-vectors as numbers."""
        count = next(iter(columns.values())).shape[1]
        found: list[list[Array]] = [[] for _ in self.results]
        for begin, batch in zip(range(0, count, BATCH), self.values(columns), strict=True):
            size = min(BATCH, count - begin)
            for parts, values in zip(found, batch, strict=True):
                parts.append(np.broadcast_to(values if values.dtype == bool else values >> self.shift, size))
        return [np.concatenate(parts) for parts in found]


def _variables(state: SymbolicState) -> Iterator[tuple[int, tuple[str, int, int | None]]]:
    """The id of each variable of a fresh state, with field, element, and for a truth value the bit that it is of the value."""
    for name, values in state.fields.items():
        for number, value in enumerate(values):
            if isinstance(value, Number):
                yield value.term.get_id(), (name, number, None)
            elif isinstance(value, SymbolicSet):
                yield from ((bit.get_id(), (name, number, m)) for m, bit in enumerate(value.bits))
            elif z3.is_expr(value):
                yield value.get_id(), (name, number, 0)


def _in_order(terms: Sequence[Any]) -> Iterator[Any]:
    """All subterms, each once and after its own."""
    done: set[int] = set()
    waiting = [(term, False) for term in reversed(terms) if not isinstance(term, int)]
    while waiting:
        term, opened = waiting.pop()
        if term.get_id() in done:
            continue
        if opened:
            done.add(term.get_id())
            yield term
        else:
            waiting.append((term, True))
            waiting += [(child, False) for child in term.children() if child.get_id() not in done]


def _spending(operations: Sequence[Instruction], kept: set[int]) -> list[Instruction]:
    """The operations, each with the places that no later one reads."""
    read: set[int] = set()
    found = []
    for operation in reversed(operations):
        spent = tuple(p for p in dict.fromkeys(operation.sources) if p not in read and p not in kept)
        read.update(operation.sources)
        found.append(Instruction(operation.compute, operation.sources, operation.place, spent))
    return found[::-1]


def value_terms(value: Value) -> list[Any]:
    """The parts of a value, known or not, for an Evaluator."""
    if isinstance(value, SymbolicSet):
        return list(value.bits)
    return [value.term] if isinstance(value, Number) else [value]


def value_from(value: Value, found: Sequence[Array]) -> Array:
    """A value's numbers, from the numbers of its terms: a set as its bit mask."""
    if isinstance(value, SymbolicSet):
        return reduce(np.add, (bit.astype(np.int64) << m for m, bit in enumerate(found)))
    return found[0].astype(np.int64)
