"""Mutants that are proven from the lemmas of the model that they were made from."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.explorer.symbolic.induction import Effort, Induction
from neverlost.explorer.symbolic.proof import lemmas_for
from neverlost.model.core import Lemma, Model


def is_proven(model: Model, name: str, lemmas: Sequence[Lemma]) -> bool:
    """Is a mutant, which has no lemmas of its own, proven from those of the model?"""
    prop = model.profile.property_named(name)
    induction = Induction(model, prop, lemmas_for(model, prop, lemmas), Effort())
    queries = []
    for query in induction.queries():
        queries.append(query)
        if query.pair is not None:
            break
    return induction.proven(queries)
