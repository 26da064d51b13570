"""Suggestions for a missing lemma: short facts that are true in all states reached, and false before the step that breaks a proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from neverlost.model.core.profile import show_bounds

from ..engines.columns import Words, random_columns, unpacked
from ..lemmas.grammar import Clause, Context, clause_text, contexts
from ..lemmas.mining import Bits, Miner, literal_bits
from ..lemmas.text import WrittenLemma, written_lemmas
from ..process.watch import UNWATCHED, Watch
from ..search import Limits, reached_states
from .clauses import Translation
from .ground import Ground
from .orbits import provable_symmetry, searched_symmetry
from .proof import Proof

MOST = 3
LITERALS = (2, 3)
"""So many literals at most; longer facts are tried only if there is no shorter one."""

MOST_STATES = 20_000
MOST_ATOMS = 1_000
"""With more comparisons in its grammar, a model would take minutes."""

SAMPLES, SEED = 20_000, 20


@dataclass(frozen=True, kw_only=True)
class Suggestions:
    """Facts that exclude the state before a failing step, the shortest first. None is proven.

    They are true in `states` states reached, `complete` if these are all; with `symmetric`, in one of each that differ by renaming.
    Without `tried`, there are too many facts to try.
    """

    found: tuple[WrittenLemma, ...] = ()
    states: int = 0
    complete: bool = False
    symmetric: bool = False
    tried: bool = True


def suggestions(proof: Proof, watch: Watch[Any] = UNWATCHED) -> Suggestions | None:
    """Facts that exclude the state of a proof's first counterexample; None if it has none, or a search reaches that state."""
    pair = proof.broken[0].pair if proof.broken else None
    if pair is None or proof.reach is None or proof.reach.trace is not None:
        return None
    model, grammar = proof.model, contexts(proof.model)
    if sum(len(context.atoms) for context in grammar) > MOST_ATOMS:
        return Suggestions(tried=False)
    domains, _ = provable_symmetry(model, [], proof.lemmas)
    symmetry, limits = searched_symmetry(model, domains), Limits(states=MOST_STATES)
    result, blocks = reached_states(model, symmetry=symmetry, limits=limits, watch=watch.without_progress)
    states = sum(map(len, blocks))
    facts = _Facts(Ground(Translation(model), grammar, domains), np.concatenate(blocks), np.array([pair.before]))
    which = "all states" if result.complete else f"{states:,} states"
    within = f" ({show_bounds(model.bounds)})" if model.bounds else ""
    reason = f"Suggested, not proven: true in {which} reached{within}."
    chosen, taken = facts.strongest(watch.interrupted), [lemma.name for lemma in proof.lemmas]
    found = tuple(written_lemmas(model, "suggested", reason, chosen, taken))
    return Suggestions(found=found, states=states, complete=result.complete, symmetric=bool(symmetry))


class _Facts:
    """The clauses of a grammar that are true in some reached states, and false in an excluded one."""

    def __init__(self, ground: Ground, reached: Words, excluded: Words) -> None:
        self.ground = ground
        truths, false = (ground.truths(unpacked(ground.model, rows)) for rows in (reached, excluded))
        self.samples = [(c, ground.samples(c, truths), ground.samples(c, false)) for c in ground.contexts]
        drawn = ground.truths(random_columns(ground.model, SAMPLES, np.random.default_rng(SEED)))
        self.false = literal_bits(np.concatenate([false, drawn]))

    def strongest(self, interrupted: Callable[[], bool]) -> list[tuple[Context, Clause]]:
        """The shortest, of these the ones that exclude most of some random states, and none that follows from those before it."""
        for literals in LITERALS:
            chosen: list[tuple[Context, Clause]] = []
            covered = np.zeros_like(self.false[0])
            for fact in sorted(self._up_to(literals, interrupted).values(), key=self._rank):
                false = self._false(*fact)
                if len(chosen) < MOST and (false & ~covered).any():
                    chosen.append(fact)
                    covered |= false
            if chosen:
                return chosen
        return []

    def _up_to(self, literals: int, interrupted: Callable[[], bool]) -> dict[str, tuple[Context, Clause]]:
        """The facts of so many literals at most, by their conditions: contexts share some."""
        found: dict[str, tuple[Context, Clause]] = {}
        for context, reached, excluded in self.samples:
            for clause, _ in Miner(reached, excluded, literals).clauses(interrupted):
                least = context.least(clause)
                found.setdefault(clause_text(context, least), (context, least))
        return found

    def _rank(self, fact: tuple[Context, Clause]) -> tuple[int, int, str]:
        return len(fact[1]), -int(np.bitwise_count(self._false(*fact)).sum()), clause_text(*fact)

    def _false(self, context: Context, clause: Clause) -> Bits:
        """In which of the excluded and the random states a clause is false for some values of its parameters."""
        instances = [list(literals) for _, literals in self.ground.instances(context, clause)]
        false: Bits = np.bitwise_or.reduce([np.bitwise_and.reduce(self.false[each]) for each in instances])
        return false
