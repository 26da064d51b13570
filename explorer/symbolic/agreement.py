"""Compares the terms of proofs with the interpreter in random states, step by step and lemma by lemma."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Lemma, Model, ModelError, Packed, Refused, State, Step

from ..engines.columns import Columns, Words, packed, perturbed, random_columns, sampled, unpacked
from ..lemmas.checking import is_true_of
from .clauses import Clause, SymbolicStep, Translation
from .evaluate import Evaluator, value_from, value_terms

MOST_PERTURBED = 3
"""Elements of a reachable state that are drawn again at random: few enough that guards are sometimes true."""

LEMMA_STATES = 4_000
"""States in which lemmas are compared, one instance of each in each state."""

CLAUSES_AFTER = 24
"""Instances of lemmas whose terms after a step are compared, for each step, and in how many states each."""

SEED = 20


class Disagreement(AssertionError):
    """Two ways to evaluate the same function give different answers: a bug of neverlost."""


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """What was compared, always with the same outcome: in each of `states` states one step was taken both ways.

    `taken` of these steps could happen, and `flawed` would have left a domain. `lemmas` counts instances of lemmas in a state,
    `later` instances after a step.
    """

    states: int
    taken: int
    flawed: int
    lemmas: int
    later: int


def compare(
    translation: Translation,
    steps: Sequence[Step],
    lemmas: Sequence[Lemma],
    reached: Sequence[Words],
    *,
    count: int,
    interrupted: Callable[[], bool] = lambda: False,
) -> Agreement:
    """Compare the terms with the interpreter in `count` states within the domains: half of them anywhere, half near reached ones.

    Raises Disagreement.
    """
    generator = np.random.default_rng(SEED)
    comparison = _Comparison(translation, generator)
    clauses = translation.clauses(lemmas)
    shares = np.array_split(np.arange(count), len(steps))
    for step, share in zip(steps, shares, strict=True):
        if interrupted():
            break
        comparison.of_step(step, clauses, _states(translation.model, reached, len(share), generator))
    if clauses and not interrupted():
        states = _states(translation.model, reached, min(count, LEMMA_STATES), generator)
        comparison.of_lemmas(lemmas, clauses, states)
    return comparison.agreement


def _states(model: Model, reached: Sequence[Words], count: int, generator: np.random.Generator) -> Columns:
    anywhere = random_columns(model, count - count // 2, generator)
    near = perturbed(model, unpacked(model, sampled(reached, count // 2, generator)), MOST_PERTURBED, generator)
    return {name: np.concatenate([rows, near[name]], axis=1) for name, rows in anywhere.items()}


class _Comparison:
    """The comparison so far."""

    def __init__(self, translation: Translation, generator: np.random.Generator) -> None:
        self.translation, self.model, self.generator = translation, translation.model, generator
        self.states = self.taken = self.flawed = self.lemmas = self.later = 0

    @property
    def agreement(self) -> Agreement:
        return Agreement(states=self.states, taken=self.taken, flawed=self.flawed, lemmas=self.lemmas, later=self.later)

    def of_step(self, step: Step, clauses: Sequence[Clause], columns: Columns) -> None:
        """Take a step both ways in some states, then compare some lemmas after it."""
        symbolic = self.translation.symbolic_step(step)
        rows = packed(self.model, columns)
        enabled, flawed, after = self._symbolic(symbolic, columns)
        happened = []
        for number, words in enumerate(_tuples(rows)):
            expected = "flaw" if flawed[number] else tuple(map(int, after[number])) if enabled[number] else "refused"
            found = self._interpreted(words, step)
            if found != expected:
                raise Disagreement(
                    f"{step.show(self.model.bounds)}: the interpreter finds {found}, the terms say {expected}, in the state"
                    f" {self.model.state(words).values()}"
                )
            if not isinstance(found, str):
                happened.append((number, found))
        self.states += len(rows)
        self.taken += len(happened)
        self.flawed += int(flawed.sum())
        self._after(symbolic, clauses, columns, happened[:CLAUSES_AFTER])

    def _symbolic(self, symbolic: SymbolicStep, columns: Columns) -> tuple[Any, Any, Words]:
        """Whether the step is enabled, whether it leaves a domain, and the packed state after it if it does not."""
        before, later = self.translation.before.fields, symbolic.after.fields
        changed = [
            (name, number, value)
            for name, values in later.items()
            for number, value in enumerate(values)
            if value is not before[name][number]
        ]
        terms = [symbolic.enabled, symbolic.flaw, *(term for _, _, value in changed for term in value_terms(value))]
        evaluator = Evaluator(self.translation.before, terms, self.translation.terms.width)
        enabled, flaw, *rest = evaluator.table(columns)
        after = {name: rows.copy() for name, rows in columns.items()}
        for name, number, value in changed:
            size = len(value_terms(value))
            own, rest = rest[:size], rest[size:]
            values = value_from(value, own)
            after[name][number] = np.where(enabled & ~flaw, values, after[name][number])
        return enabled, flaw, packed(self.model, after)

    def _interpreted(self, words: Packed, step: Step) -> Packed | str:
        try:
            return self.model.apply(words, step)
        except Refused:
            return "refused"
        except ModelError:
            return "flaw"

    def _after(
        self,
        symbolic: SymbolicStep,
        clauses: Sequence[Clause],
        columns: Columns,
        happened: Sequence[tuple[int, Packed]],
    ) -> None:
        touched = [clause for clause in clauses if symbolic.becomes.keys() & clause.reads]
        if not touched or not happened:
            return
        order = self.generator.permutation(len(touched))[:CLAUSES_AFTER]
        chosen = [touched[k] for k in order]
        here = {name: rows[:, [number for number, _ in happened]] for name, rows in columns.items()}
        terms = [self.translation.later(symbolic, clause) for clause in chosen]
        table = Evaluator(self.translation.before, terms, self.translation.terms.width).table(here)
        for number, (_, words) in enumerate(happened):
            state = self.model.state(words)
            for clause, truths in zip(chosen, table, strict=True):
                self._same(clause, state, bool(truths[number]), f" after {symbolic.step.show(self.model.bounds)}")
        self.later += len(chosen) * len(happened)

    def of_lemmas(self, lemmas: Sequence[Lemma], clauses: Sequence[Clause], columns: Columns) -> None:
        """Compare a random instance of each lemma in each of some states."""
        evaluator = Evaluator(self.translation.before, [c.truth for c in clauses], self.translation.terms.width)
        table = evaluator.table(columns)
        own = [[k for k, clause in enumerate(clauses) if clause.lemma is lemma] for lemma in lemmas]
        for number, words in enumerate(_tuples(packed(self.model, columns))):
            state = self.model.state(words)
            for numbers in own:
                k = numbers[self.generator.integers(len(numbers))]
                self._same(clauses[k], state, bool(table[k][number]), "")
        self.lemmas += len(lemmas) * len(table[0])

    def _same(self, clause: Clause, state: State, said: bool, when: str) -> None:
        found = is_true_of(clause.lemma, clause.arguments, state)
        if found != said:
            shown = clause.lemma.show(clause.arguments, self.model.bounds)
            raise Disagreement(
                f"{shown}{when}: the interpreter finds {found}, the terms say {said}, in the state {state.values()}"
            )


def _tuples(rows: npt.NDArray[np.int64]) -> list[Packed]:
    return [tuple(row) for row in rows.tolist()]
