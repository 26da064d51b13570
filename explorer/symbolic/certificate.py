"""A second check of a proof by other means: its lemmas in states that a search reached, its terms against the interpreter."""

from __future__ import annotations

import time
from dataclasses import dataclass

from neverlost.model.core import Lemma, Model, NeverlostError
from neverlost.model.core.profile import show_bounds

from ..lemmas.checking import Refutation, refutations
from ..process.watch import UNWATCHED, Watch
from ..search import Limits, Progress, reached_states
from .agreement import Agreement, Disagreement, compare
from .clauses import Translation, as_lemma
from .orbits import least_steps, provable_symmetry, searched_symmetry
from .proof import Proof

RANDOM_STATES = 100_000

NEARBY_STATES = 200_000
"""The most reached states from which half of the random ones are made."""


class RefutedLemmaError(NeverlostError):
    """A lemma that is proven within some bounds is false within others."""


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """What was checked again, with the outcome that the proof says.

    In `states` states that a search of `larger` reached (all of them if it was `complete`, one of each class under a symmetry),
    every lemma was true. `agreement` is about random states within the bounds of the proof.
    """

    larger: Model
    states: int
    complete: bool
    symmetric: tuple[str, ...]
    lemmas: tuple[Lemma, ...]
    agreement: Agreement
    seconds: float


def certify(
    proof: Proof,
    larger: Model,
    *,
    limits: Limits | None = None,
    watch: Watch[Progress] = UNWATCHED,
) -> Certificate | None:
    """Check a proof again: its lemmas and property in states of a model, perhaps within larger bounds; its terms in random states.

    None if it was interrupted: then it says nothing about the proof.

    Raises Disagreement if neverlost contradicts itself, and RefutedLemmaError for a lemma that is false within the larger bounds.
    """
    began = time.perf_counter()
    judged = (*proof.lemmas, as_lemma(proof.claim))
    domains, _ = provable_symmetry(larger, [proof.claim], proof.lemmas)
    symmetric = searched_symmetry(larger, domains)
    result, blocks = reached_states(larger, symmetry=symmetric, limits=limits, watch=watch)
    for refuted in refutations(larger, judged, blocks, watch.interrupted):
        _refuse(proof, larger, refuted)
    states = sum(len(block) for block in blocks)
    if larger.bounds != proof.model.bounds:
        near = Limits(states=NEARBY_STATES)
        _, blocks = reached_states(proof.model, limits=near, watch=watch)
    own_domains, _ = provable_symmetry(proof.model, [proof.claim], proof.lemmas)
    agreement = compare(
        Translation(proof.model, proof.bits),
        least_steps(proof.model, own_domains),
        judged,
        blocks,
        count=RANDOM_STATES,
        interrupted=watch.interrupted,
    )
    if watch.interrupted():
        return None
    return Certificate(
        larger=larger,
        states=states,
        complete=result.complete,
        symmetric=tuple(symmetric),
        lemmas=proof.lemmas,
        agreement=agreement,
        seconds=time.perf_counter() - began,
    )


def _refuse(proof: Proof, larger: Model, refuted: Refutation) -> None:
    shown = refuted.lemma.show(refuted.arguments, larger.bounds)
    state = f"false in {refuted.states:,} of the states reached, first in {larger.state(refuted.least).values()}"
    if larger.bounds == proof.model.bounds:
        raise Disagreement(f"{shown} is proven, but {state}")
    within = show_bounds(larger.bounds)
    raise RefutedLemmaError(f"{shown} is proven within the bounds asked for; within {within} it is {state}")
