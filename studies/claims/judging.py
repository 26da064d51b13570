"""Judges a claim by searches: its verdict, and if it holds only under a condition, the weakest one among its assumptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations

from neverlost.explorer.answers.questions import Answer, Question
from neverlost.explorer.symmetry import symmetric_domains
from neverlost.explorer.traces.commands import model_options, search_command
from neverlost.explorer.traces.sentence import sentence
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Model
from neverlost.spec.claims import Assumption, Case, Claim, Remark

from ..study import Study


class ClaimVerdict(StrEnum):
    """What the searches make of a claim. Conditional: it is true only under some assumptions."""

    CONFIRMED = "confirmed"
    CONDITIONAL = "conditional"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True)
class DecidedCase:
    """A case with its answer; `happened` says whether its witness was found, None if there is no question for one."""

    case: Case
    model: Model
    answer: Answer
    happened: bool | None = None

    @property
    def speaks_for(self) -> bool | None:
        """Whether the case speaks for its claim; None if that is undecided."""
        if self.answer.verdict == Verdict.UNDECIDED:
            return None
        return self.answer.verdict == self.case.speaks_for and self.happened is not False

    @cached_property
    def title(self) -> str:
        """The profile, and the choices that differ from its defaults."""
        chosen = [f"{option.removeprefix('--')}" for option in options_beside_bounds(self.model)]
        profile = self.model.profile.name.removeprefix("claims/")
        return f"{profile}: {', '.join(chosen)}" if chosen else profile

    @property
    def command(self) -> list[str]:
        """The words of the command that asks the same again."""
        return search_command(self.model, self.case.property, symmetric_domains(self.model))

    @property
    def sentence(self) -> str:
        """What the trace shows, in one sentence; empty without a trace."""
        return "" if self.answer.trace is None else sentence(self.answer.trace)


def options_beside_bounds(model: Model) -> list[str]:
    """The differences from the profile's own bounds and settings, as options."""
    usual = {f"--{name.replace('_', '-')} {value}" for name, value in model.profile.default_bounds.items()}
    return [option for option in model_options(model) if option not in usual]


@dataclass(frozen=True, kw_only=True)
class Condition:
    """Assumptions under which a claim holds, and the cases asked under them."""

    assumptions: tuple[Assumption, ...]
    decided: tuple[DecidedCase, ...]

    @property
    def words(self) -> str:
        return " and ".join(assumption.words for assumption in self.assumptions)


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A claim with its verdict and its evidence."""

    claim: Claim
    verdict: ClaimVerdict
    decided: tuple[DecidedCase, ...]
    remarks: tuple[tuple[Remark, DecidedCase], ...]
    conditions: tuple[Condition, ...] = ()
    limits_in_words: str | None = None

    @property
    def condition(self) -> str | None:
        """The condition of the claim; None unless it is conditional."""
        if self.verdict != ClaimVerdict.CONDITIONAL:
            return None
        if self.limits_in_words is not None:
            return self.limits_in_words
        if self.conditions:
            return "; or ".join(condition.words for condition in self.conditions)
        return "only " + "; ".join(decided.title for decided in self.decided if decided.speaks_for)

    @property
    def telling(self) -> DecidedCase:
        """The case to show: the one with the shortest trace among those that decide the verdict, else the first."""
        deciding = [d for d in self.decided if bool(d.speaks_for) == (self.verdict == ClaimVerdict.CONFIRMED)] or list(
            self.decided
        )
        traced = [d for d in deciding if d.answer.trace is not None]
        return min(traced, key=lambda d: d.answer.steps or 0) if traced else deciding[0]


def decide(study: Study, asked: Sequence[Case], witness: str | None = None) -> list[DecidedCase]:
    """Every case with its answer; if it holds, also whether the witness was found."""
    questions = [question_of(case) for case in asked]
    plain = [
        DecidedCase(case=case, model=question.model, answer=answer)
        for case, question, answer in zip(asked, questions, study.answer_all(questions), strict=True)
    ]
    doubtful = [d for d in plain if witness is not None and d.answer.trace is None and d.speaks_for]
    witnesses = [Question(model=d.model, property=witness or "") for d in doubtful]
    happened = dict(zip(map(id, doubtful), study.answer_all(witnesses), strict=True))
    return [
        DecidedCase(case=d.case, model=d.model, answer=d.answer, happened=happened[id(d)].verdict == Verdict.HOLDS)
        if id(d) in happened
        else d
        for d in plain
    ]


def question_of(case: Case) -> Question:
    """The question that a case asks."""
    return Question(model=case.profile.bounded(**case.chosen), property=case.property)


def judge(claim: Claim, study: Study) -> Judgement:
    """Decide a claim by its cases and, if some speak against it, by the search for a condition.

    It is undecided as soon as one of its searches is.
    """
    before = study.cut_short
    decided = tuple(decide(study, claim.cases, claim.witness))
    remarks = tuple(zip(claim.remarks, decide(study, [r.case for r in claim.remarks]), strict=True))
    stands = [d.speaks_for for d in decided]
    conditions = tuple(weakest_conditions(claim, study)) if False in stands else ()
    if study.cut_short > before:
        verdict = ClaimVerdict.UNDECIDED
    elif all(stands):
        verdict = ClaimVerdict.CONFIRMED
    else:
        verdict = ClaimVerdict.CONDITIONAL if conditions or any(stands) else ClaimVerdict.REFUTED
    return Judgement(claim=claim, verdict=verdict, decided=decided, remarks=remarks, conditions=conditions)


def weakest_conditions(claim: Claim, study: Study) -> list[Condition]:
    """The minimal sets of the claim's assumptions under which every remaining case speaks for it; the weakest of these."""
    for size in range(1, min(claim.largest, len(claim.assumptions)) + 1):
        found = [
            Condition(assumptions=assumptions, decided=tuple(decided))
            for assumptions in combinations(claim.assumptions, size)
            if (decided := _under(claim, assumptions, study))
        ]
        if found:
            return [one for one in found if not any(_is_weaker(other, one) for other in found if other is not one)]
    return []


def _is_weaker(one: Condition, other: Condition) -> bool:
    return all(any(mine.is_implied_by(theirs) for theirs in other.assumptions) for mine in one.assumptions)


def _under(claim: Claim, assumptions: Sequence[Assumption], study: Study) -> list[DecidedCase]:
    """The remaining cases under the assumptions, all decided; none if one of them does not speak for the claim."""
    cases: list[Case] = []
    for case in claim.cases:
        changed: Case | None = case
        for assumption in assumptions:
            changed = None if changed is None else assumption.added_to(changed)
        if changed is not None:
            cases.append(changed)
    decided: list[DecidedCase] = []
    for start in range(0, len(cases), study.workers):
        decided += decide(study, cases[start : start + study.workers], claim.witness)
        if not all(d.speaks_for for d in decided):
            return []
    return decided
