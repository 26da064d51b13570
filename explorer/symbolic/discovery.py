"""The search for lemmas: candidates from a grammar, thrown out by reached states, then by counterexamples to induction."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from neverlost.model.core import Lemma, Model, Property

from ..columns import Words, random_columns, sampled, unpacked
from ..grammar import Context, clause_variables, contexts
from ..lemma_text import lemma_text, loaded_lemmas, module_text
from ..mining import Miner
from ..search import Limits, Progress, reached_states
from .clauses import Translation
from .ground import Ground
from .houdini import Candidate, Houdini, Stopped
from .induction import DOMAIN, Effort, Induction
from .orbits import least_steps, provable_symmetry
from .proof import PROVEN, Proof, prove
from .solving import HOLDS

SAMPLES = 20_000
"""Reached states, and as many drawn ones, that candidates are made from."""

CHUNK = 1 << 16

SEED = 20

QUERY_SECONDS = 5.0
"""How long a question of many candidates may take before it is split up; one of a single candidate, before that is dropped."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """How many candidates are left after a stage of the search, and when it ended."""

    name: str
    left: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Found:
    """A lemma that was found: its text in Model Python, and what that says."""

    lemma: Lemma
    text: str
    condition: str


@dataclass(frozen=True, kw_only=True)
class Discovery:
    """What a search for lemmas came to.

    `states` states were reached, `complete` if these are all. The lemmas are true in all of them, and with the `given` ones
    inductive; `confirmed` says that this was proven anew, from their texts. `proofs` are those of properties, from given and found.
    """

    model: Model
    states: int
    complete: bool
    given: tuple[Lemma, ...]
    stages: tuple[Stage, ...]
    found: tuple[Found, ...]
    confirmed: bool
    interrupted: bool
    proofs: tuple[Proof, ...]
    seconds: float

    @property
    def module(self) -> str:
        """All that was found as a module that can be kept."""
        return module_text(self.model, [found.text for found in self.found], public=True)


@dataclass(frozen=True, kw_only=True)
class Ambition:
    """How far a search for lemmas goes: how many candidates it takes to Z3, how many literals they have (None: as many as there is time
    for), and the seconds of a question to Z3.
    """

    candidates: int = 3_000
    literals: int | None = None
    seconds: float = QUERY_SECONDS


class Search:
    """One search for lemmas."""

    def __init__(
        self,
        model: Model,
        given: Sequence[Lemma],
        ambition: Ambition,
        told: Callable[[str], None],
        interrupted: Callable[[], bool],
    ) -> None:
        self.model, self.given, self.ambition = model, tuple(given), ambition
        self.told, self.interrupted = told, interrupted
        self.began = time.perf_counter()
        self.stages: list[Stage] = []
        self.generator = np.random.default_rng(SEED)
        self.translation = Translation(model)
        self.domains, _ = provable_symmetry(model, [], given)
        self.ground = Ground(self.translation, contexts(model), self.domains)

    def _ended(self, name: str, left: int) -> None:
        self.stages.append(Stage(name=name, left=left, seconds=time.perf_counter() - self.began))

    def candidates(self, blocks: Sequence[Words]) -> list[Candidate]:
        """What is true in all of a sample of the reached states, and false in one of the drawn ones."""
        total = sum(len(block) for block in blocks)
        rows = np.concatenate(blocks) if total <= SAMPLES else sampled(blocks, SAMPLES, self.generator)
        reached = self.ground.truths(unpacked(self.model, rows))
        drawn = self.ground.truths(random_columns(self.model, SAMPLES, self.generator))
        found: dict[str, Candidate] = {}
        tried = 0
        for context in self.ground.contexts:
            miner = Miner(
                self.ground.samples(context, reached), self.ground.samples(context, drawn), self.ambition.literals
            )
            tried += miner.possible
            for clause, share in miner.clauses(self.interrupted):
                self.told(f"{len(found):,} candidates")
                least = self._least(context, clause)
                candidate = Candidate(context, least, share, ())
                found.setdefault(candidate.text, candidate)
        self._ended("in the grammar", tried)
        self._ended(f"true in {min(total, SAMPLES):,} reached states, and not always", len(found))
        strongest = sorted(found.values(), key=lambda c: (len(c.clause), -c.share, c.text))
        chosen = strongest[: self.ambition.candidates]
        return [replace(c, instances=tuple(self.ground.instances(c.context, c.clause))) for c in chosen]

    @staticmethod
    def _least(context: Context, clause: tuple[int, ...]) -> tuple[int, ...]:
        """Of a clause and the one with the twins swapped, the one that stands first."""
        if context.twins is None:
            return clause
        swapped = sorted(2 * context.swapped(literal // 2) + literal % 2 for literal in clause)
        return min(clause, tuple(swapped))

    def inductive(self, candidates: Sequence[Candidate], blocks: Sequence[Words]) -> list[Candidate]:
        """Of the candidates, those that all reached states leave, that are inductive together, and that no others imply."""
        given = [clause.truth for clause in self.translation.clauses(self.given)]
        houdini = Houdini(
            self.ground,
            least_steps(self.model, self.domains),
            self.domains,
            candidates,
            given,
            seconds=self.ambition.seconds,
            interrupted=self.interrupted,
        )
        for block in blocks:
            for begin in range(0, len(block), CHUNK):
                houdini.active &= ~houdini.refuted(block[begin : begin + CHUNK])
                self.told(f"{int(houdini.active.sum()):,} candidates true in all states so far")
        self._ended(f"true in all {sum(len(block) for block in blocks):,}", int(houdini.active.sum()))
        kept = houdini.run(lambda left: self.told(f"{left:,} candidates left after {houdini.rounds:,} questions to Z3"))
        self._ended(f"inductive together, by {houdini.rounds:,} questions", len(kept))
        if houdini.unknown:
            self._ended("of these not settled in time, and dropped", houdini.unknown)
        self.told(f"{len(kept):,} inductive; removing what the others imply")
        least = houdini.least(kept)
        self._ended("not implied by the others", len(least))
        return least

    def found(self, kept: Sequence[Candidate], states: int) -> list[Found]:
        """The lemmas as texts, and as functions made from these."""
        bounds = ", ".join(f"{name} {value}" for name, value in self.model.bounds.items())
        reason = f"Found by search: true in {states:,} reached states ({bounds}), and inductive with the others."
        ordered = sorted(kept, key=lambda c: (len(c.clause), len(c.text), c.text))
        texts = [
            lemma_text(self.model, f"found_{number}", reason, clause_variables(c.context, c.clause), c.text)
            for number, c in enumerate(ordered, start=1)
        ]
        lemmas = loaded_lemmas(self.model, texts)
        return [
            Found(lemma=lemma, text=text, condition=c.text)
            for lemma, text, c in zip(lemmas, texts, ordered, strict=True)
        ]


def discover(
    model: Model,
    *,
    given: Sequence[Lemma] = (),
    properties: Sequence[Property] = (),
    ambition: Ambition | None = None,
    limits: Limits | None = None,
    effort: Effort | None = None,
    progress: Callable[[Progress], None] | None = None,
    told: Callable[[str], None] = lambda text: None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Discovery:
    """Search for lemmas, and try to prove properties from the `given` ones and what was found.

    Raises AssertionError if what was found is not inductive, as it stands in its text.
    """
    search = Search(model, given, ambition or Ambition(), told, interrupted)
    symmetry = sorted(domain.__name__.lower() for domain in search.domains)
    result, blocks = reached_states(model, symmetry=symmetry, limits=limits, progress=progress, interrupted=interrupted)
    states = sum(len(block) for block in blocks)
    found: list[Found] = []
    stopped = False
    try:
        found = search.found(search.inductive(search.candidates(blocks), blocks), states)
    except Stopped:
        stopped = True
    lemmas = [*given, *(each.lemma for each in found)]
    confirmed = bool(found) and not stopped and _confirmed(model, properties, lemmas, effort or Effort())
    proofs = []
    for prop in properties if not stopped else ():
        told(f"proving {prop.name}")
        proofs.append(prove(model, prop.name, lemmas=lemmas, effort=effort, limits=limits, interrupted=interrupted))
    return Discovery(
        model=model,
        states=states,
        complete=result.complete,
        given=tuple(given),
        stages=tuple(search.stages),
        found=tuple(found),
        confirmed=confirmed,
        interrupted=stopped or interrupted(),
        proofs=tuple(proofs),
        seconds=time.perf_counter() - search.began,
    )


def _confirmed(model: Model, properties: Sequence[Property], lemmas: Sequence[Lemma], effort: Effort) -> bool:
    """Are the lemmas inductive as they stand, by the questions that a proof asks?"""
    claim = next(p for p in (*properties, *model.profile.all_properties) if p.over_states)
    induction = Induction(model, claim, lemmas, effort)
    clauses = induction.lemma_clauses
    asked = [*induction.initiation(clauses), *induction.consecution(clauses)]
    return all(query.result == HOLDS for query in asked if query.kind != DOMAIN)


def discovery_values(discovery: Discovery) -> dict[str, Any]:
    """The discovery as plain values, ready for JSON."""
    return {
        "schema": 1,
        "profile": discovery.model.profile.name,
        "bounds": dict(discovery.model.bounds),
        "settings": discovery.model.plain_settings,
        "states": discovery.states,
        "complete": discovery.complete,
        "given": [lemma.name for lemma in discovery.given],
        "stages": [{"name": s.name, "left": s.left, "seconds": s.seconds} for s in discovery.stages],
        "found": [{"name": f.lemma.name, "condition": f.condition, "text": f.text} for f in discovery.found],
        "confirmed": discovery.confirmed,
        "interrupted": discovery.interrupted,
        "properties": {proof.claim.name: proof.verdict for proof in discovery.proofs},
        "proven": [proof.claim.name for proof in discovery.proofs if proof.verdict == PROVEN],
        "seconds": discovery.seconds,
    }
