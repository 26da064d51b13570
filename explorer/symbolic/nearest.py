"""Counterexamples to induction with as little as possible that differs from the start: only what matters is left to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from neverlost.model.core import Lemma, Model, ModelError, Packed, Refused

from ..lemmas.checking import is_true, is_true_of
from ..traces.changes import field_changes
from .induction import DOMAIN, Pair, Query


def nearest(
    model: Model, failing: Sequence[Query], assumed: Sequence[Lemma], asked: Sequence[Lemma], *, k: int = 1
) -> tuple[Query, ...]:
    """For each lemma of failing queries, and for the domains, one query: that whose state before the step is nearest to the start.

    For `k` 1, what need not differ from the start in that state does not: it stays a counterexample by the interpreter.
    The nearest comes first.
    """

    def distance(query: Query) -> int:
        assert query.pair is not None
        return len(field_changes(start, model.state(query.pair.before)))

    start = model.state(model.initial_states()[0])
    chosen: dict[str, Query] = {}
    for query in sorted(failing, key=distance):
        chosen.setdefault(query.lemma, query)
    found = [_reduced(model, q, assumed, asked) if k == 1 else q for q in chosen.values()]
    return tuple(sorted(found, key=distance))


def _reduced(model: Model, query: Query, assumed: Sequence[Lemma], asked: Sequence[Lemma]) -> Query:
    """The query with a state before its step in which no single element could be as at the start."""
    pair = query.pair
    if pair is None or pair.step is None:
        return query
    start, state = model.state(model.initial_states()[0]), model.state(pair.before)
    while True:
        tried = pair
        for declared, position in [(f, p) for f in state.fields for p in f.positions(model.bounds)]:
            kept, wanted = state.element(declared, position), start.element(declared, position)
            state.put(declared, position, wanted)
            found = None if kept == wanted else _pair(model, model.layout.pack(state), query, assumed, asked)
            if found is None:
                state.put(declared, position, kept)
            pair = found or pair
        if pair == tried:
            return replace(query, pair=pair)


def _pair(model: Model, before: Packed, query: Query, assumed: Sequence[Lemma], asked: Sequence[Lemma]) -> Pair | None:
    """The pair from that state, if the query's step breaks there what it says and everything assumed holds."""
    assert query.pair is not None
    assert query.pair.step is not None
    try:
        after = model.apply(before, model.steps[query.pair.step])
    except Refused:
        return None
    except ModelError:
        if query.kind != DOMAIN:
            return None
        after = before
    else:
        broken = next((lemma for lemma in asked if lemma.name == query.lemma), None)
        if broken is None or is_true(model, broken, query.arguments, after):
            return None
    state = model.state(before)
    holds = all(is_true_of(each, values, state) for each in assumed for values in each.combinations(model.bounds))
    return replace(query.pair, before=before, after=after) if holds else None
