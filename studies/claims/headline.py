"""The evidence for the headline, claim C-26: the faults that each version survives, and the effect of every switch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neverlost.explorer.answers.questions import Question
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Profile
from neverlost.spec.claims import Case, Claim
from neverlost.spec.kafka.replication.claims.headline import (
    COUNTED,
    FIX,
    NEEDED_UNDER,
    NEWEST,
    PROPERTY,
    SETTINGS,
    SWITCHES,
    Budget,
    Switch,
    budgets,
    budgets_of,
    for_switches,
    largest,
    within,
)
from neverlost.spec.kafka.replication.versions import REPLICATING

from ..study import Study
from .judging import ClaimVerdict, DecidedCase, Judgement, judge


@dataclass(frozen=True, kw_only=True)
class Survival:
    """What a version survives, as released or with the fix: the maximal sets of faults without a loss, the minimal ones with one."""

    profile: Profile
    fixed: bool = False
    survived: tuple[DecidedCase, ...]
    fatal: tuple[DecidedCase, ...]

    @property
    def name(self) -> str:
        """`kafka-4.1`; `kafka-4.1 with the fix`."""
        return f"{self.profile.name} with the fix" if self.fixed else self.profile.name


@dataclass(frozen=True, kw_only=True)
class Dropped:
    """A switch that is off: the shortest loss under faults that all switches together survive; None if there is none."""

    switch: Switch
    loss: DecidedCase | None
    searched: int


@dataclass(frozen=True, kw_only=True)
class Needed:
    """For a number of faults: a minimal set of switches that is enough when all others are off."""

    budget: Budget
    kept: tuple[Switch, ...]
    without: Mapping[str, int]
    proof: DecidedCase


@dataclass(frozen=True, kw_only=True)
class Headline(Judgement):
    """The judgement of C-26, with its evidence."""

    survivals: tuple[Survival, ...]
    dropped: tuple[Dropped, ...]
    needed: tuple[Needed, ...]


def budget_of(decided: DecidedCase) -> Budget:
    """The faults that a case allows."""
    return {name: decided.model.settings[name] for name in COUNTED if decided.model.settings[name]}


def faults_of(decided: DecidedCase) -> str:
    """The faults that a case allows, in words."""
    return decided.model.profile.state.fault_words(budget_of(decided))


def judge_headline(claim: Claim, study: Study) -> Headline:
    """Decide C-26, and find its evidence."""
    before = study.cut_short
    plain = judge(claim, study)
    fixed = survival_of(NEWEST, study, fixed=True)
    survivals = (*(survival_of(version, study) for version in REPLICATING), fixed)
    dropped = tuple(what_is_lost_without(switch, fixed, study) for switch in SWITCHES)
    asked = [b for b in NEEDED_UNDER if any(within(b, budget_of(d)) for d in fixed.survived)]
    needed = tuple(needed_under(budget, study) for budget in asked)
    verdict = ClaimVerdict.UNDECIDED if study.cut_short > before else _verdict(survivals)
    said = "; ".join(_survives(s) for s in _by_equal_lines(survivals))
    parts = {name: getattr(plain, name) for name in ("claim", "decided", "remarks")}
    return Headline(
        **parts,
        verdict=verdict,
        limits_in_words=f"unclean election off, and at most, in {said}",
        survivals=survivals,
        dropped=dropped,
        needed=needed,
    )


def _verdict(survivals: Sequence[Survival]) -> ClaimVerdict:
    if not any(s.fatal for s in survivals):
        return ClaimVerdict.CONFIRMED
    return (
        ClaimVerdict.CONDITIONAL if any(budget_of(d) for s in survivals for d in s.survived) else ClaimVerdict.REFUTED
    )


def _survives(survival: tuple[str, Survival]) -> str:
    names, found = survival
    return f"{names}: {' or '.join(faults_of(d) for d in found.survived)}"


def _by_equal_lines(survivals: Sequence[Survival]) -> list[tuple[str, Survival]]:
    """Consecutive versions that survive the same, as one entry."""
    lines: list[tuple[str, Survival]] = []
    for survival in survivals:
        same = lines and [budget_of(d) for d in lines[-1][1].survived] == [budget_of(d) for d in survival.survived]
        first = lines.pop()[0].split(" to ")[0] + " to " if same else ""
        lines.append((first + survival.name, survival))
    return lines


def ask_budgets(profile: Profile, asked: Sequence[Budget], study: Study, **chosen: int) -> list[DecidedCase]:
    """The headline in a version for each of the numbers of faults."""
    cases = [Case(profile=profile, chosen={**SETTINGS, **chosen, **budget}, property=PROPERTY) for budget in asked]
    questions = [Question(model=case.profile.bounded(**case.chosen), property=PROPERTY) for case in cases]
    return [
        DecidedCase(case=case, model=question.model, answer=answer)
        for case, question, answer in zip(cases, questions, study.answer_all(questions), strict=True)
    ]


def survival_of(profile: Profile, study: Study, *, fixed: bool = False) -> Survival:
    """Which numbers of faults a version survives. Supersets of a fatal one are not asked: they are fatal too."""
    fatal: list[DecidedCase] = []
    held: list[DecidedCase] = []
    known, chosen = budgets_of(profile), FIX if fixed else {}
    for size in range(max(sum(b.values()) for b in known) + 1):
        asked = [b for b in known if sum(b.values()) == size and not any(within(budget_of(d), b) for d in fatal)]
        for decided in ask_budgets(profile, asked, study, **chosen):
            if decided.answer.verdict != Verdict.UNDECIDED:
                (fatal if decided.answer.verdict == Verdict.VIOLATED else held).append(decided)
    most = largest([budget_of(d) for d in held])
    return Survival(
        profile=profile, fixed=fixed, survived=tuple(d for d in held if budget_of(d) in most), fatal=tuple(fatal)
    )


def what_is_lost_without(switch: Switch, fixed: Survival, study: Study) -> Dropped:
    """The shortest loss with the switch off, with as few faults as possible, among those that all switches together survive.

    The largest numbers are asked first: a loss with fewer faults is also a loss with these.
    """
    survived = [b for b in for_switches() if any(within(b, budget_of(d)) for d in fixed.survived)]
    found = ask_budgets(NEWEST, largest(survived), study, **{**FIX, **switch.without})
    fatal = [budget_of(d) for d in found if d.answer.verdict == Verdict.VIOLATED]
    smaller = [budget for budget in budgets() if any(within(budget, one) for one in fatal)]
    searched = len(found)
    for size in sorted({sum(budget.values()) for budget in smaller}):
        asked = [budget for budget in smaller if sum(budget.values()) == size]
        found = ask_budgets(NEWEST, asked, study, **{**FIX, **switch.without})
        searched += len(found)
        losses = [d for d in found if d.answer.verdict == Verdict.VIOLATED]
        if losses:
            shortest = min(losses, key=lambda d: d.answer.steps or 0)
            return Dropped(switch=switch, loss=shortest, searched=searched)
    return Dropped(switch=switch, loss=None, searched=searched)


def needed_under(budget: Budget, study: Study) -> Needed:
    """A minimal set of switches for a number of faults: each switch is turned off permanently if nothing is lost without it."""
    without: dict[str, int] = dict(FIX)
    kept: dict[str, Switch] = {}
    (proof,) = ask_budgets(NEWEST, [budget], study, **FIX)
    for switch in SWITCHES:
        if any(name in kept for name in switch.without):
            continue
        (decided,) = ask_budgets(NEWEST, [budget], study, **{**without, **switch.without})
        if decided.answer.verdict == Verdict.HOLDS:
            without |= switch.without
            proof = decided
        else:
            kept |= dict.fromkeys(switch.without, switch)
    return Needed(budget=budget, kept=tuple(kept.values()), without=without, proof=proof)
