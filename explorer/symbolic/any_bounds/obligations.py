"""The questions of a proof for any bounds. Each is small, and has all that it may assume."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neverlost.model.core import Lemma, Property, Unbounded

from ..clauses import as_lemma
from ..induction import CONSECUTION, DOMAIN, INITIATION, MEANING, SIMULATION, SUFFICIENCY
from ..states import SymbolicState
from ..terms import Truth, conjunction, negation, same_truth
from .clauses import AnyClause, clauses_of
from .meanings import shown_of
from .translation import AnySymbolicStep, AnyTranslation, symbols_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Obligation:
    """One question: does the goal, one clause, follow from the assumptions on every state and the facts of this step?"""

    kind: str
    lemma: str = ""
    part: str = ""
    action: str = ""
    step: str = ""
    assumed: Sequence[Any]
    given: Sequence[Any] = ()
    goal: AnyClause


@dataclass(frozen=True, eq=False)
class _Said:
    """A lemma with variables for its parameters, as clauses over the state before a step."""

    lemma: Lemma
    variables: Sequence[Any]
    truth: Truth
    flaw: Truth

    @property
    def reads(self) -> frozenset[str]:
        return symbols_of(self.truth)


class Obligations:
    """The questions of one property of a profile with some settings."""

    def __init__(
        self, unbounded: Unbounded, prop: Property, lemmas: Sequence[Lemma], settings: Mapping[str, int]
    ) -> None:
        began = time.perf_counter()
        self.translation = AnyTranslation(unbounded, settings)
        self.unbounded = unbounded
        self.lemmas = [self._said(lemma) for lemma in lemmas]
        self.goal = self._said(as_lemma(prop))
        self.seconds = time.perf_counter() - began
        """The time that the translation has taken so far."""

    def _all(self, truth: Truth) -> list[AnyClause]:
        return clauses_of(self.translation.vocabulary, truth)

    def _said(self, lemma: Lemma) -> _Said:
        variables = self.translation.variables(lemma.parameters)
        return _Said(lemma, variables, *self.translation.says(lemma.function, variables, self.translation.before))

    def assumed(self, lemmas: Sequence[_Said]) -> list[Any]:
        """The facts before every step: fields lie in their domains, and the lemmas hold."""
        said = [c.closed for each in lemmas for c in self.translation.clauses(each.truth, each.variables)]
        return [*self._known(self.translation.domain), *said]

    def _known(self, truths: Iterable[Truth]) -> list[Any]:
        return [c.closed for c in self._all(conjunction(truths))]

    def sufficiency(self) -> list[Obligation]:
        """Whether the lemmas imply the property."""
        clauses = self.translation.clauses(self.goal.truth, ())
        return list(self._parts(SUFFICIENCY, clauses, self.assumed(self.lemmas), lemma=self.goal.lemma.name))

    def induction(self, with_property: bool) -> list[Obligation]:
        """Whether the lemmas, with the property if needed, hold at the start, and every step preserves them."""
        began = time.perf_counter()
        lemmas = [*self.lemmas, self.goal] if with_property else self.lemmas
        found = [*self.meanings(), *self._well_defined([*self.lemmas, self.goal]), *self._initiation(lemmas)]
        assumed = self.assumed(lemmas)
        traced = self.unbounded.traced.actions
        for action, original in zip(traced, self.unbounded.profile.actions, strict=True):
            symbolic = self.translation.symbolic_step(action)
            found += self._step(symbolic, lemmas, assumed)
            if action is not original:
                found += self._simulation(symbolic, self.translation.symbolic_step(original, symbolic.parameters))
        self.seconds += time.perf_counter() - began
        return found

    def meanings(self) -> Iterator[Obligation]:
        """What is assumed of the result of a function has to follow from the function."""
        domain = self._known(self.translation.domain)
        for meaning in self.unbounded.meanings:
            for shown in shown_of(self.translation, meaning):
                about = {"lemma": meaning.function.__name__, "step": shown.when}
                yield from self._parts(MEANING, self._all(shown.goal), domain, self._known([shown.given]), **about)

    def _well_defined(self, lemmas: Sequence[_Said]) -> Iterator[Obligation]:
        """A lemma that reads outside a domain would have no meaning; if all fields lie in their domains, no lemma does."""
        for each in lemmas:
            clauses = self.translation.clauses(negation(each.flaw), each.variables)
            yield from self._parts(DOMAIN, clauses, self._known(self.translation.domain), lemma=each.lemma.name)

    def _initiation(self, lemmas: Sequence[_Said]) -> Iterator[Obligation]:
        state, flaw = self.translation.initial()
        sizes = self.translation.vocabulary.sizes_are_possible()
        within = conjunction((negation(flaw), *self.translation.space.domain(state)))
        yield from self._parts(DOMAIN, self._all(within), sizes, step="the start")
        for each in lemmas:
            yield from self._parts(INITIATION, self._of(each, state), sizes, lemma=each.lemma.name)

    def _step(self, symbolic: AnySymbolicStep, lemmas: Sequence[_Said], assumed: Sequence[Any]) -> Iterator[Obligation]:
        given = self._known(symbolic.given)
        about = {"action": symbolic.action.name, "step": symbolic.name}
        yield from self._parts(DOMAIN, self._all(negation(symbolic.flaw)), assumed, given, **about)
        possible = [*given, *self._known([symbolic.enabled])]
        for each in lemmas:
            if each.reads & symbolic.changed:
                clauses = self._of(each, symbolic.after)
                yield from self._parts(CONSECUTION, clauses, assumed, possible, lemma=each.lemma.name, **about)

    def _of(self, said: _Said, state: SymbolicState) -> list[AnyClause]:
        """A lemma in another state."""
        return self.translation.clauses(
            self.translation.says(said.lemma.function, said.variables, state)[0], said.variables
        )

    def _simulation(self, traced: AnySymbolicStep, original: AnySymbolicStep) -> Iterator[Obligation]:
        """An action with ghosts happens when the action without them does, and changes the protocol's fields in the same way."""
        fields = [field.name for field in self.unbounded.profile.state.fields]
        same = (
            same_truth(traced.enabled, original.enabled),
            self.translation.same_fields(fields, traced.after, original.after),
        )
        domain, given = self._known(self.translation.domain), self._known((*traced.given, *original.given))
        yield from self._parts(
            SIMULATION, self._all(conjunction(same)), domain, given, action=traced.action.name, step=traced.name
        )

    @staticmethod
    def _parts(
        kind: str, clauses: Sequence[AnyClause], assumed: Sequence[Any], given: Sequence[Any] = (), **about: str
    ) -> Iterator[Obligation]:
        asked = [c for c in clauses if not c.is_trivial]
        for number, goal in enumerate(asked, 1):
            part = f"part {number} of {len(asked)}" if len(asked) > 1 else ""
            yield Obligation(kind=kind, part=part, assumed=assumed, given=given, goal=goal, **about)
