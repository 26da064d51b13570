"""Counterexamples to induction with as little as possible that differs from the start: only what matters is left to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from neverlost.model.core import Lemma, Model, ModelError, Packed, Property, Refused

from ..lemmas.checking import is_true, is_true_across, is_true_of
from ..traces.changes import field_changes
from .clauses import as_lemma
from .induction import DOMAIN, TRANSITION, Pair, Query


@dataclass(frozen=True, kw_only=True)
class Counterexamples:
    """The failing queries of an induction over `k` states, with what it assumes of the state before a step."""

    model: Model
    claim: Property
    lemmas: Sequence[Lemma]
    assumed: Sequence[Lemma]
    k: int

    def nearest(self, failing: Sequence[Query]) -> tuple[Query, ...]:
        """For each lemma, and for the domains, the query whose state before the step is nearest to the start; the nearest first.

        For `k` 1, what need not differ from the start in that state does not: it stays a counterexample by the interpreter.
        """
        chosen: dict[str, Query] = {}
        for query in sorted(failing, key=self._distance):
            chosen.setdefault(query.lemma, query)
        found = [self._reduced(query) if self.k == 1 else query for query in chosen.values()]
        return tuple(sorted(found, key=self._distance))

    def _distance(self, query: Query) -> int:
        """How many elements differ from the start."""
        assert query.pair is not None
        model = self.model
        return len(field_changes(model.state(model.initial_states()[0]), model.state(query.pair.before)))

    def _reduced(self, query: Query) -> Query:
        """The query with a state before its step in which no single element could be as at the start."""
        pair, model = query.pair, self.model
        if pair is None or pair.step is None:
            return query
        start, state = model.state(model.initial_states()[0]), model.state(pair.before)
        while True:
            tried = pair
            for declared, position in [(f, p) for f in state.fields for p in f.positions(model.bounds)]:
                kept, wanted = state.element(declared, position), start.element(declared, position)
                state.put(declared, position, wanted)
                found = None if kept == wanted else self._pair(query, pair, model.layout.pack(state))
                if found is None:
                    state.put(declared, position, kept)
                pair = found or pair
            if pair == tried:
                return replace(query, pair=pair)

    def _pair(self, query: Query, known: Pair, before: Packed) -> Pair | None:
        """The pair from another state, if the query fails there too and everything assumed holds."""
        assert known.step is not None
        try:
            after = self.model.apply(before, self.model.steps[known.step])
            fails = query.kind != DOMAIN and not self._holds(query, before, after)
        except Refused:
            return None
        except ModelError:
            after, fails = before, query.kind == DOMAIN
        return replace(known, before=before, after=after) if fails and self._is_assumed(before) else None

    def _holds(self, query: Query, before: Packed, after: Packed) -> bool:
        """Whether what a query asks of a step is so."""
        if query.kind == TRANSITION:
            return is_true_across(self.model, self.claim, before, after)
        asked = next(lemma for lemma in (*self.lemmas, as_lemma(self.claim)) if lemma.name == query.lemma)
        return is_true(self.model, asked, query.arguments, after)

    def _is_assumed(self, before: Packed) -> bool:
        state = self.model.state(before)
        return all(is_true_of(each, v, state) for each in self.assumed for v in each.combinations(self.model.bounds))
