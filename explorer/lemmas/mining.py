"""Clauses that are true in every sample. Each literal is a row of bits, so a few operations on words try a clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb

import numpy as np
import numpy.typing as npt

from .grammar import Clause

Bits = npt.NDArray[np.uint64]
Table = npt.NDArray[np.bool_]
"""A row for each sample, a column for each atom."""

QUICK_WORDS = 64
"""A clause is first tried on so many words of 64 samples: hardly any false one passes."""

MOST_LITERALS = 4
MOST_CLAUSES = 20_000_000
"""All clauses of a length are tried if there are no more than this."""


def literal_bits(table: Table) -> Bits:
    """For each literal, in which samples it is false: a bit for each sample."""
    count, atoms = table.shape
    words = -(-count // 64)
    false = np.zeros((2 * atoms, words * 64), bool)
    false[::2, :count], false[1::2, :count] = ~table.T, table.T
    return np.packbits(false, axis=1).view(np.uint64)


def longest(literals: int) -> int:
    """How many literals the longest tried clauses have."""
    return max((k for k in range(1, MOST_LITERALS + 1) if comb(literals, k) <= MOST_CLAUSES), default=1)


class Miner:
    """Finds the shortest clauses that are true in all reached samples, and false in some of the drawn ones."""

    def __init__(self, reached: Table, drawn: Table, length: int | None = None) -> None:
        generator = np.random.default_rng(1)
        self.false = literal_bits(reached[generator.permutation(len(reached))])
        self.quick = np.ascontiguousarray(self.false[:, :QUICK_WORDS])
        self.drawn = literal_bits(drawn)
        self.count, self.samples = len(self.false), len(drawn)
        self.length = longest(self.count) if length is None else length
        self.known: set[Clause] = set()
        self.pairs = np.zeros((self.count, self.count), bool)
        self.units = np.logical_not(self.drawn.any(axis=1))
        """Literals that no further clause has: true in all reached samples, or in all drawn ones."""

    @property
    def possible(self) -> int:
        """How many clauses there are, of all tried lengths."""
        return sum(comb(self.count, k) for k in range(1, self.length + 1))

    def clauses(self, interrupted: Callable[[], bool]) -> Iterator[tuple[Clause, float]]:
        """Every such clause, shorter ones first, with the share of all values that it excludes."""
        for length in range(1, self.length + 1):
            for clause in self._of_length((), None, 0, length, interrupted):
                self._note(clause)
                share = self._excluded(clause)
                if share:
                    yield clause, share

    def _note(self, clause: Clause) -> None:
        self.known.add(clause)
        if len(clause) == 1:
            self.units[clause] = True
        elif len(clause) == 2:
            self.pairs[clause] = self.pairs[clause[::-1]] = True

    def _of_length(
        self, prefix: Clause, open_samples: Bits | None, first: int, length: int, interrupted: Callable[[], bool]
    ) -> Iterator[Clause]:
        """The clauses that extend a prefix, which is false only in the open samples."""
        if interrupted():
            return
        usable = ~self.units
        usable[:first] = False
        for literal in prefix:
            usable &= ~self.pairs[literal]
            usable[literal ^ 1] = False
        places = np.flatnonzero(usable)
        if length == len(prefix) + 1:
            rest = self.quick[places] if open_samples is None else self.quick[places] & open_samples
            for literal in places[~rest.any(axis=1)].tolist():
                clause = (*prefix, literal)
                if self._is_true(clause) and not self._is_known(clause):
                    yield clause
            return
        for literal in places.tolist():
            left = self.quick[literal] if open_samples is None else self.quick[literal] & open_samples
            if left.any():
                yield from self._of_length((*prefix, literal), left, literal + 1, length, interrupted)

    def _is_true(self, clause: Clause) -> bool:
        return not np.bitwise_and.reduce(self.false[list(clause)]).any()

    def _is_known(self, clause: Clause) -> bool:
        """Does a shorter clause say more?"""
        return len(clause) > 3 and any((*clause[:k], *clause[k + 1 :]) in self.known for k in range(len(clause)))

    def _excluded(self, clause: Clause) -> float:
        false = np.bitwise_and.reduce(self.drawn[list(clause)])
        return float(np.bitwise_count(false).sum()) / self.samples
