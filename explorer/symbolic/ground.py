"""Atoms of the grammar for all values of their parameters: as terms, and as truth values in many states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from neverlost.model.core import Lemma, SymmetryError, check_equivariance

from ..engines.columns import Columns
from ..lemmas.grammar import Atom, Clause, Context, Variable, clause_variables
from ..lemmas.mining import Bits, Table, literal_bits
from ..lemmas.text import lemma_functions
from .clauses import Translation
from .evaluate import Evaluator
from .orbits import Domains
from .terms import Truth, disjunction, negation

Instance = tuple[int, ...]
"""The literals of a clause for fixed parameters: 2 * ground atom, one more for its negation."""


class Ground:
    """The ground atoms of some contexts, each a number: the same number if they are the same term."""

    def __init__(self, translation: Translation, contexts: Sequence[Context], domains: Domains) -> None:
        self.translation, self.model = translation, translation.model
        self.terms: list[Truth] = []
        self.numbers: dict[tuple[str, tuple[int, ...]], int] = {}
        self._known: dict[int, int] = {}
        self.contexts = [self._entered(context, domains) for context in contexts]
        self.evaluator = Evaluator(translation.before, self.terms, translation.terms.width)

    def _entered(self, context: Context, domains: Domains) -> Context:
        """The context without the atoms that distinguish members of symmetric domains; the others get their numbers."""
        texts = [(self._variables(context, atom), atom.yes) for atom in context.atoms]
        kept = []
        for atom, (variables, _), function in zip(
            context.atoms, texts, lemma_functions(self.model, texts), strict=True
        ):
            try:
                check_equivariance(self.model, domains, [], [function])
            except SymmetryError:
                continue
            kept.append(atom)
            self._number(atom, variables, function)
        return Context(context.variables, tuple(kept))

    def _number(self, atom: Atom, variables: Sequence[Variable], function: Lemma) -> None:
        for values in product(*(range(v.domain.size(self.model.bounds)) for v in variables)):
            if (atom.yes, values) in self.numbers:
                return
            truth = self.translation.says(function, values, self.translation.before)
            key = -1 - int(truth) if isinstance(truth, bool) else truth.get_id()
            if key not in self._known:
                self._known[key] = len(self.terms)
                self.terms.append(truth)
            self.numbers[atom.yes, values] = self._known[key]

    @staticmethod
    def _variables(context: Context, atom: Atom) -> list[Variable]:
        names = atom.variables([v.name for v in context.variables])
        return [v for v in context.variables if v.name in names]

    def assignments(self, context: Context, variables: Sequence[Variable]) -> Iterator[dict[str, int]]:
        """All values of some parameters of a context; two of one domain always differ."""
        names = {v.name for v in variables}
        twins = context.twins if context.twins is not None and set(context.twins) <= names else None
        for values in product(*(range(v.domain.size(self.model.bounds)) for v in variables)):
            found = dict(zip((v.name for v in variables), values, strict=True))
            if twins is None or found[twins[0]] != found[twins[1]]:
                yield found

    def at(self, context: Context, atom: int, values: dict[str, int]) -> int:
        """The number of an atom for values of the parameters."""
        found = context.atoms[atom]
        return self.numbers[found.yes, tuple(values[v.name] for v in self._variables(context, found))]

    def instances(self, context: Context, clause: Clause) -> list[tuple[tuple[int, ...], Instance]]:
        """Every instance of a clause, with the values of its parameters."""
        variables = clause_variables(context, clause)
        return [
            (
                tuple(values[v.name] for v in variables),
                tuple(2 * self.at(context, literal // 2, values) + literal % 2 for literal in clause),
            )
            for values in self.assignments(context, variables)
        ]

    def truths(self, columns: Columns) -> Table:
        """A row for each state, a column for each ground atom."""
        return np.stack(self.evaluator.table(columns), axis=1)

    def bits(self, columns: Columns) -> Bits:
        """For each ground literal, in which states it is false."""
        return literal_bits(self.truths(columns))

    def samples(self, context: Context, truths: Table) -> Table:
        """The distinct rows of truth values of a context's atoms in some states, for all values of the parameters."""
        packed = []
        for values in self.assignments(context, context.variables):
            columns = [self.at(context, atom, values) for atom in range(len(context.atoms))]
            packed.append(np.unique(np.packbits(truths[:, columns], axis=1), axis=0))
        rows = np.unique(np.concatenate(packed), axis=0)
        return np.unpackbits(rows, axis=1, count=len(context.atoms)).astype(bool)

    def literal(self, literal: int, terms: Sequence[Truth] | None = None) -> Truth:
        """A ground literal as a term over the state before a step, or over the given terms."""
        term = (self.terms if terms is None else terms)[literal // 2]
        return negation(term) if literal & 1 else term

    def term(self, instance: Instance, terms: Sequence[Truth] | None = None) -> Truth:
        """An instance of a clause as a term."""
        return disjunction(self.literal(literal, terms) for literal in instance)
