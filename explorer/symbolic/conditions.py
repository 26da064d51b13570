"""Proofs with settings left open: under which of their values a property is proven, and what happens under the others."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from neverlost.model.core import Lemma, Model, Property, UnknownNameError

from ..process.exit_code import ExitCode
from ..process.watch import UNWATCHED, Watch
from ..search import Limits, Progress, explore
from ..traces.trace import Trace
from ..verdict import Verdict
from .induction import Effort, Induction, Query
from .orbits import searched_symmetry
from .proof import lemmas_for, provable
from .solving import QueryResult

Choices = tuple[tuple[int, ...], ...]
"""For each open setting some of its values: all their combinations."""


@dataclass(frozen=True, kw_only=True)
class SettingsCase:
    """One combination of values of the open settings: its verdict, the query that fails for it, and the trace of a violation.

    `states` were searched for one; `complete` says that these are all states within the bounds.
    """

    values: tuple[int, ...]
    verdict: Verdict
    query: Query | None = None
    trace: Trace | None = None
    states: int = 0
    complete: bool = False


@dataclass(frozen=True, kw_only=True)
class ConditionalProof:
    """A property with settings left open, case by case."""

    model: Model
    claim: Property
    settings: tuple[str, ...]
    cases: tuple[SettingsCase, ...]
    lemmas: tuple[Lemma, ...]
    queries: tuple[Query, ...]
    seconds: float

    @property
    def verdict(self) -> Verdict:
        """Proven if every case is proven or violated, and at least one is proven; violated if every case is violated."""
        verdicts = {case.verdict for case in self.cases}
        if Verdict.UNDECIDED in verdicts:
            return Verdict.UNDECIDED
        return Verdict.PROVEN if Verdict.PROVEN in verdicts else Verdict.VIOLATED

    def having(self, verdict: Verdict) -> list[tuple[Choices, list[SettingsCase]]]:
        """The cases of one verdict as few products of values, each with its cases."""
        cases = {case.values: case for case in self.cases if case.verdict == verdict}
        return [(choices, [cases[values] for values in product(*choices)]) for choices in products(set(cases))]

    @property
    def unknown(self) -> int:
        """How many queries no solver settled in its time."""
        return sum(q.result == QueryResult.UNKNOWN for q in self.queries)

    def show(self, choices: Choices) -> str:
        """Values as people write them: `acks=all, min_isr=2..7`."""
        return ", ".join(self._show(name, values) for name, values in zip(self.settings, choices, strict=True))

    def _show(self, name: str, values: Sequence[int]) -> str:
        declared = {s.name: s for s in self.model.profile.state.settings}[name]
        shown = [declared.show(value) for value in values]
        consecutive = len(values) > 2 and list(values) == list(range(values[0], values[-1] + 1))
        if consecutive and shown[0].isdigit() and shown[-1].isdigit():
            return f"{name}={shown[0]}..{shown[-1]}"
        return f"{name}={'|'.join(shown)}"

    @property
    def exit_code(self) -> ExitCode:
        """0 proven under some condition and violated elsewhere, 1 violated in every case, 3 undecided in some."""
        return ExitCode.of(self.verdict)


def products(wanted: set[tuple[int, ...]]) -> list[Choices]:
    """A few products of sets of values that together contain each combination in `wanted` exactly once."""
    found: list[Choices] = []
    left = set(wanted)
    while left:
        choices: list[tuple[int, ...]] = [(value,) for value in min(left)]
        for place in range(len(choices)):
            for value in sorted({combination[place] for combination in left}):
                wider = [*choices[:place], tuple(sorted({*choices[place], value})), *choices[place + 1 :]]
                if set(product(*wider)) <= left:
                    choices = wider
        found.append(tuple(choices))
        left -= set(product(*choices))
    return found


def prove_for_all(
    model: Model,
    name: str,
    settings: Sequence[str],
    *,
    lemmas: Sequence[Lemma] | None = None,
    effort: Effort | None = None,
    limits: Limits | None = None,
    watch: Watch[Query] = UNWATCHED,
) -> ConditionalProof:
    """Prove a property with some settings left open, and search the cases in which it is not inductive for a violation.

    Raises UnknownNameError for a setting that the profile does not have, and what `prove` raises.
    """
    began = time.perf_counter()
    prop, known = provable(model.profile, name), {s.name: s for s in model.profile.state.settings}
    for setting in settings:
        if setting not in known:
            raise UnknownNameError(f"setting of {model.profile.name}", setting, known)
    chosen = lemmas_for(model, prop, lemmas)
    induction = Induction(
        model, prop, chosen, effort or Effort(), open_settings=settings, interrupted=watch.interrupted
    )
    queries: list[Query] = []
    for query in induction.queries():
        queries.append(query)
        watch.progress(query)
        if watch.interrupted():
            break
    complete = not watch.interrupted() and not any(q.result == QueryResult.UNKNOWN for q in queries)
    refuted: Mapping[tuple[int, ...], Query] = {q.pair.settings: q for q in reversed(queries) if q.pair is not None}
    cases = [
        _case(induction, values, refuted.get(values), complete, limits or Limits(), watch.without_progress)
        for values in product(*(known[setting].choices().values() for setting in settings))
    ]
    return ConditionalProof(
        model=model,
        claim=prop,
        settings=tuple(settings),
        cases=tuple(cases),
        lemmas=chosen,
        queries=tuple(queries),
        seconds=time.perf_counter() - began,
    )


def _case(
    induction: Induction,
    values: tuple[int, ...],
    query: Query | None,
    complete: bool,
    limits: Limits,
    watch: Watch[Progress],
) -> SettingsCase:
    if query is None and complete:
        return SettingsCase(values=values, verdict=Verdict.PROVEN)
    name = induction.prop.name
    result = explore(
        induction.model_with(values),
        properties=[name],
        symmetry=searched_symmetry(induction.model, induction.domains),
        limits=limits,
        watch=watch,
    )
    trace = result.findings[name].trace
    return SettingsCase(
        values=values,
        verdict=Verdict.UNDECIDED if trace is None else Verdict.VIOLATED,
        query=query,
        trace=trace,
        states=result.distinct,
        complete=result.complete,
    )
