"""Proofs: a property is decided by induction from lemmas, and by search if induction fails."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from neverlost.model.core import Lemma, Model, ModelError, NeverlostError, Profile, Property
from neverlost.model.core.profile import lowered_lemma

from ..process.exit_code import ExitCode
from ..process.watch import UNWATCHED, Watch
from ..search import Limits, explore, find_state
from ..traces.trace import Trace
from ..verdict import Verdict
from .bounded import BoundedCheck, Depth
from .clauses import as_lemma
from .induction import SUFFICIENCY, Effort, Induction, Query
from .nearest import Counterexamples
from .orbits import provable_symmetry, searched_symmetry
from .solving import QueryResult

INDUCTION, BOUNDED = "induction", "bounded"


class UnprovableError(NeverlostError):
    """A property that is not a statement about every reachable state."""


@dataclass(frozen=True, kw_only=True)
class Reach:
    """Whether the state before a failing step can be reached: the shortest trace to it, or how far the search went."""

    trace: Trace | None
    complete: bool

    @property
    def text(self) -> str:
        """`reachable`, `unreachable` (all states were searched) or `not reached` (the search ended early)."""
        if self.trace is not None:
            return "reachable"
        return "unreachable" if self.complete else "not reached"


@dataclass(frozen=True, kw_only=True)
class Proof:
    """The queries, the verdict, and all that it rests on.

    Proven: every query holds. Violated: `trace` shows it. Undecided: some query fails or is unknown, and no violation was found;
    `broken` has a counterexample for each lemma that fails, the nearest to the start first, and `reach` says whether the state of the
    first can be reached. `depths` are the questions of bounded checking.
    """

    model: Model
    claim: Property
    verdict: Verdict
    method: str
    lemmas: tuple[Lemma, ...]
    queries: tuple[Query, ...]
    symmetric: tuple[str, ...]
    without_symmetry: str
    translated_seconds: float
    seconds: float
    bits: int
    trace: Trace | None = None
    broken: tuple[Query, ...] = ()
    reach: Reach | None = None
    k: int = 1
    depths: tuple[Depth, ...] = ()

    @property
    def failing(self) -> tuple[Query, ...]:
        """The queries with a counterexample, except for sufficiency: the property is then proven together with the lemmas."""
        return tuple(q for q in self.queries if q.result == QueryResult.FAILS and q.pair is not None)

    @property
    def unknown(self) -> tuple[Query, ...]:
        """The queries that no solver settled in its time."""
        return tuple(q for q in self.queries if q.result == QueryResult.UNKNOWN)

    @property
    def exit_code(self) -> ExitCode:
        """0 proven, 1 violated, 3 undecided."""
        return ExitCode.of(self.verdict)


def provable(profile: Profile, name: str, *, over_steps: bool = False) -> Property:
    """The property of that name, of the kind `always` or, if allowed, `step_always`. Raises UnknownNameError, UnprovableError."""
    prop = profile.property_named(name)
    kinds = ("always", "step_always") if over_steps else ("always",)
    if prop.kind in kinds:
        return prop
    others = [p.name for p in profile.all_properties if p.kind in kinds]
    such = f", such as {', '.join(others[:3])}" if others else f"; {profile.name} has none"
    raise UnprovableError(
        f"{name} is {prop.kind}: {'this' if prop.over_steps else 'a proof'} is about a predicate over one state"
        f"{' or one step' if over_steps else ''} that is always true{such}. `neverlost check` decides {name} within bounds"
    )


def ensure_named_apart(prop: Property, lemmas: Sequence[Lemma]) -> None:
    """Raises ModelError for two lemmas of one name, or of the property's: names identify queries, and what fails."""
    if prop.name in [lemma.name for lemma in lemmas]:
        raise ModelError(f"a lemma to prove {prop.name} from has the same name; give it a name of its own")
    for name, count in Counter(lemma.name for lemma in lemmas).items():
        if count > 1:
            raise ModelError(
                f"{count} lemmas to prove {prop.name} from are named {name!r}; give each a name of its own"
            )


def lemmas_for(model: Model, prop: Property, lemmas: Sequence[Lemma] | None) -> tuple[Lemma, ...]:
    """The lemmas to prove a property from, by default the profile's: those that say something within the bounds of the model.

    Raises ModelError as `ensure_named_apart` does.
    """
    chosen = model.profile.lemmas if lemmas is None else lemmas
    ensure_named_apart(prop, chosen)
    chosen = tuple(map(lowered_lemma, chosen))
    return tuple(lemma for lemma in chosen if not lemma.is_empty(model.bounds))


def prove(
    model: Model,
    name: str,
    *,
    lemmas: Sequence[Lemma] | None = None,
    k: int = 1,
    effort: Effort | None = None,
    until: str = "first",
    limits: Limits | None = None,
    watch: Watch[Query] = UNWATCHED,
) -> Proof:
    """Prove an `always` or `step_always` property of a model for any number of steps, from `lemmas` (by default the profile's).

    A `step_always` property must hold of every step from a state in which the lemmas hold; it is proven for `k` 1 only.

    Ends with the first query that fails, or with `until` "all" after all of them; then the states within `limits` are searched
    for a violation, and for the state that the failing step starts from.
    Raises UnknownNameError, UnprovableError, ModelError for two lemmas of one name, and WidthError for numbers that do not fit the
    bits asked for.
    """
    began = time.perf_counter()
    prop = provable(model.profile, name, over_steps=k == 1)
    chosen = lemmas_for(model, prop, lemmas)
    induction = Induction(model, prop, chosen, effort or Effort(), k=k, interrupted=watch.interrupted)
    queries: list[Query] = []
    for query in induction.queries():
        queries.append(query)
        watch.progress(query)
        if watch.interrupted() or (until == "first" and query.pair is not None):
            break
    proof = Proof(
        model=model,
        claim=prop,
        verdict=Verdict.PROVEN if not watch.interrupted() and induction.proven(queries) else Verdict.UNDECIDED,
        method=INDUCTION,
        lemmas=chosen,
        queries=tuple(queries),
        symmetric=tuple(sorted(d.__name__.lower() for d in induction.domains)),
        without_symmetry=induction.without_symmetry,
        translated_seconds=induction.translated_seconds,
        seconds=time.perf_counter() - began,
        bits=induction.translation.terms.width,
        k=k,
    )
    if proof.verdict == Verdict.PROVEN:
        return proof
    found = _with_counterexamples(proof) if watch.interrupted() else _searched(proof, limits or Limits(), watch)
    return replace(found, seconds=time.perf_counter() - began)


def prove_within(
    model: Model,
    name: str,
    depth: int,
    *,
    effort: Effort | None = None,
    watch: Watch[Depth] = UNWATCHED,
) -> Proof:
    """Search for the shortest violation of a property within `depth` steps. Without one, the property is undecided.

    Raises UnknownNameError, UnprovableError, WidthError, and ModelError if a step leaves the domain of a field.
    """
    prop, chosen = provable(model.profile, name), effort or Effort()
    began = time.perf_counter()
    trace: Trace | None = None
    depths: list[Depth] = []
    unrolled = BoundedCheck(model, prop, bits=chosen.bits, seconds=chosen.rounds[-1])
    for asked, found in unrolled.depths(depth):
        trace = found
        depths.append(asked)
        watch.progress(asked)
        if watch.interrupted():
            break
    return Proof(
        model=model,
        claim=prop,
        verdict=Verdict.UNDECIDED if trace is None else Verdict.VIOLATED,
        method=BOUNDED,
        lemmas=(),
        queries=(),
        symmetric=tuple(sorted(d.__name__.lower() for d in unrolled.domains)),
        without_symmetry=unrolled.without_symmetry,
        translated_seconds=unrolled.translated_seconds,
        seconds=time.perf_counter() - began,
        bits=unrolled.translation.terms.width,
        trace=trace,
        depths=tuple(depths),
    )


def _with_counterexamples(proof: Proof) -> Proof:
    implied = any(q.kind == SUFFICIENCY and q.result == QueryResult.HOLDS for q in proof.queries)
    assumed = proof.lemmas if implied or proof.claim.over_steps else (*proof.lemmas, as_lemma(proof.claim))
    found = Counterexamples(model=proof.model, claim=proof.claim, lemmas=proof.lemmas, assumed=assumed, k=proof.k)
    return replace(proof, broken=found.nearest(proof.failing))


def _searched(proof: Proof, limits: Limits, watch: Watch[Any]) -> Proof:
    """Search the states within limits if induction fails: for a violation, and for the nearest counterexample to induction."""
    name = proof.claim.name
    domains, _ = provable_symmetry(proof.model, [proof.claim], proof.lemmas)
    symmetry, silent = searched_symmetry(proof.model, domains), watch.without_progress
    result = explore(proof.model, properties=[name], symmetry=symmetry, limits=limits, watch=silent)
    trace = result.findings[name].trace
    if trace is not None:
        return replace(proof, verdict=Verdict.VIOLATED, method=BOUNDED, trace=trace)
    proof = _with_counterexamples(proof)
    pair = proof.broken[0].pair if proof.broken else None
    if pair is None:
        return proof
    way, complete = find_state(proof.model, pair.before, symmetry=symmetry, limits=limits, watch=silent)
    return replace(proof, reach=Reach(trace=way, complete=complete))
