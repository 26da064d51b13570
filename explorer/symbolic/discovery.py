"""The search for lemmas: candidates from a grammar are dropped first by reached states, then by counterexamples to induction."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from neverlost.model.core import Lemma, Model, Property
from neverlost.model.core.profile import show_bounds

from ..engines.columns import Words, random_columns, sampled, unpacked
from ..lemmas.grammar import contexts
from ..lemmas.mining import Miner
from ..lemmas.text import WrittenLemma, module_text, written_lemmas
from ..process.watch import UNWATCHED, Watch
from ..search import Limits, Progress, reached_states
from .clauses import Translation
from .ground import Ground
from .houdini import Candidate, CandidateFilter, Houdini, MiningStopped, least
from .induction import DOMAIN, Effort, Induction
from .orbits import least_steps, provable_symmetry, searched_symmetry
from .proof import Proof, UnprovableError, prove
from .solving import QueryResult
from .terms import Truth

SAMPLES = 20_000
"""Candidates are made from so many reached states, and as many random ones."""

CHUNK = 1 << 16

SEED = 20

POOL = 4
"""So many times as many candidates of a length are considered as are wanted, because many follow from shorter ones."""

QUERY_SECONDS = 2.0
"""How long a question about many candidates may take before it is split, and one about a single candidate before that is dropped."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """How many candidates are left after a stage of the search, and when it ended."""

    name: str
    left: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Discovery:
    """The result of a search for lemmas.

    `states` states were reached, `complete` if these are all. The lemmas are true in all of them, and with the `given` ones
    inductive; `confirmed` says that this was proven again, from their texts. `proofs` are of properties, from given and found lemmas.
    """

    model: Model
    states: int
    complete: bool
    given: tuple[Lemma, ...]
    stages: tuple[Stage, ...]
    found: tuple[WrittenLemma, ...]
    confirmed: bool
    interrupted: bool
    proofs: tuple[Proof, ...]
    seconds: float

    @property
    def module(self) -> str:
        """All lemmas that were found, as a module."""
        return module_text(self.model, [found.text for found in self.found])


@dataclass(frozen=True, kw_only=True)
class Ambition:
    """The limits of a search for lemmas: how many candidates of a length go to Z3, how many literals they have (None: as many as can be
    tried), the seconds of a question to Z3, and those after which it starts no longer candidates and keeps what it has.
    """

    candidates: int = 1_500
    literals: int | None = None
    seconds: float = QUERY_SECONDS
    total: float = 180.0


class LemmaSearch:
    """One search for lemmas."""

    def __init__(
        self,
        model: Model,
        given: Sequence[Lemma],
        ambition: Ambition,
        watch: Watch[str],
    ) -> None:
        self.model, self.given, self.ambition = model, tuple(given), ambition
        self.watch = watch
        self.began = time.perf_counter()
        self.stages: list[Stage] = []
        self.generator = np.random.default_rng(SEED)
        self.translation = Translation(model)
        self.domains, _ = provable_symmetry(model, [], given)
        self.ground = Ground(self.translation, contexts(model), self.domains)

    def _ended(self, name: str, left: int) -> None:
        self.stages.append(Stage(name=name, left=left, seconds=time.perf_counter() - self.began))

    def candidates(self, blocks: Sequence[Words]) -> list[Candidate]:
        """Clauses that are true in a whole sample of the reached states, and false in one random state."""
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
            for clause, share in miner.clauses(self.watch.interrupted):
                self.watch.progress(f"{len(found):,} candidates")
                candidate = Candidate(context, context.least(clause), share, ())
                found.setdefault(candidate.text, candidate)
        self._ended("in the grammar", tried)
        self._ended(f"true in {min(total, SAMPLES):,} reached states, and not always", len(found))
        return sorted(found.values(), key=lambda c: (len(c.clause), -c.share, c.text))

    def _late(self) -> bool:
        return self.watch.interrupted() or time.perf_counter() - self.began > self.ambition.total

    def inductive(self, candidates: Sequence[Candidate], blocks: Sequence[Words]) -> list[Candidate]:
        """The candidates that are true in all reached states, inductive together, and not implied by others.

        Shorter ones come first: those found are assumed for longer ones, and dropped ones get another chance.
        """
        given = [clause.truth for clause in self.translation.clauses(self.given)]
        kept: list[Candidate] = []
        dropped: list[Candidate] = []
        for length in sorted({len(c.clause) for c in candidates}):
            try:
                own = [c for c in candidates if len(c.clause) == length]
                kept, dropped = self._with(own, dropped, kept, given, blocks)
            except MiningStopped:
                self._ended(f"of {length} literals: not finished", len(kept))
                break
        self.watch.progress(f"{len(kept):,} inductive; removing what the others imply")
        found = least(self.ground, self.domains, kept, given, self.watch.interrupted)
        self._ended("not implied by the others", len(found))
        return found

    def _with(
        self,
        own: Sequence[Candidate],
        dropped: Sequence[Candidate],
        kept: Sequence[Candidate],
        given: Sequence[Truth],
        blocks: Sequence[Words],
    ) -> tuple[list[Candidate], list[Candidate]]:
        """The inductive candidates with one more length, without those that follow from the rest; and the dropped ones."""
        most = self.ambition.candidates
        assumed = [*given, *(self.ground.term(instance) for c in kept for _, instance in c.instances)]
        pool = [replace(c, instances=tuple(self.ground.instances(c.context, c.clause))) for c in own[: POOL * most]]
        self.watch.progress(f"{len(pool):,} candidates; leaving out what follows from shorter ones")
        fresh = self._candidate_filter(assumed).new(pool, most, False, self._late) if assumed else pool[:most]
        name = f"of {len(own[0].clause)} literals"
        houdini = Houdini(
            self.ground,
            least_steps(self.model, self.domains),
            self.domains,
            [*dropped, *fresh],
            assumed,
            seconds=self.ambition.seconds,
            interrupted=self._late,
        )
        for block in blocks:
            for begin in range(0, len(block), CHUNK):
                houdini.try_on(block[begin : begin + CHUNK])
                self.watch.progress(f"{int(houdini.active.sum()):,} candidates true in all states so far")
        self._ended(f"{name}: true in all {sum(map(len, blocks)):,} states, not implied", int(houdini.active.sum()))
        survivors = houdini.run(
            lambda left: self.watch.progress(
                f"{left:,} candidates {name} left after {houdini.rounds:,} questions to Z3"
            )
        )
        self._ended(f"{name}: inductive together, by {houdini.rounds:,} questions to Z3", len(survivors))
        if houdini.unknown:
            self._ended(f"{name}: not settled in time, and dropped", houdini.unknown)
        alive = {id(c) for c in survivors}
        strongest = sorted(survivors, key=lambda c: (len(c.clause), -c.share, c.text))
        new = self._candidate_filter(assumed).new(strongest, len(strongest), True, self.watch.interrupted)
        return [*kept, *new], [c for c in (*dropped, *fresh) if id(c) not in alive][:most]

    def _candidate_filter(self, assumed: Sequence[Truth]) -> CandidateFilter:
        return CandidateFilter(self.ground, self.domains, assumed, self.ambition.seconds)

    def found(self, kept: Sequence[Candidate], states: int) -> list[WrittenLemma]:
        """The lemmas as texts, and as functions made from these."""
        within = f" ({show_bounds(self.model.bounds)})" if self.model.bounds else ""
        reason = f"Found by search: true in {states:,} reached states{within}, and inductive with the others."
        ordered = sorted(kept, key=lambda c: (len(c.clause), len(c.text), c.text))
        return written_lemmas(self.model, "found", reason, [(c.context, c.clause) for c in ordered])


def discover(
    model: Model,
    *,
    given: Sequence[Lemma] = (),
    properties: Sequence[Property] = (),
    ambition: Ambition | None = None,
    limits: Limits | None = None,
    effort: Effort | None = None,
    watch: Watch[Progress | str] = UNWATCHED,
) -> Discovery:
    """Search for lemmas, and try to prove properties from the `given` ones and what was found.

    Raises AssertionError if the texts of the found lemmas are not inductive.
    """
    search = LemmaSearch(model, given, ambition or Ambition(), watch)
    symmetry = searched_symmetry(model, search.domains)
    result, blocks = reached_states(model, symmetry=symmetry, limits=limits, watch=watch)
    states = sum(len(block) for block in blocks)
    found = search.found(search.inductive(search.candidates(blocks), blocks), states)
    lemmas = [*given, *(each.lemma for each in found)]
    watch.progress(f"proving {len(found):,} lemmas again")
    confirmed = _confirmed(model, properties, lemmas, effort or Effort())
    proofs = []
    for prop in properties:
        if watch.interrupted():
            break
        watch.progress(f"proving {prop.name}")
        proofs.append(
            prove(model, prop.name, lemmas=lemmas, effort=effort, limits=limits, watch=watch.without_progress)
        )
    return Discovery(
        model=model,
        states=states,
        complete=result.complete,
        given=tuple(given),
        stages=tuple(search.stages),
        found=tuple(found),
        confirmed=confirmed,
        interrupted=watch.interrupted(),
        proofs=tuple(proofs),
        seconds=time.perf_counter() - search.began,
    )


def _confirmed(model: Model, properties: Sequence[Property], lemmas: Sequence[Lemma], effort: Effort) -> bool:
    """Whether the lemmas are inductive as written, by the questions of a proof."""
    claim = next((p for p in (*properties, *model.profile.all_properties) if p.over_states), None)
    if claim is None:
        raise UnprovableError(
            f"{model.profile.name} has no property that is a predicate over one state; give it one to search for lemmas"
        )
    induction = Induction(model, claim, lemmas, effort)
    clauses = induction.lemma_clauses
    asked = [*induction.initiation(clauses), *induction.consecution(clauses)]
    return all(query.result == QueryResult.HOLDS for query in asked if query.kind != DOMAIN)
