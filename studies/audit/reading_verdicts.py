"""The verdict on each reading of the files: of what they leave open, each choice is asked about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from neverlost.explorer.answers.questions import Answer
from neverlost.explorer.verdict import Verdict
from neverlost.spec.configuration import Deployment
from neverlost.spec.configuration.readings import RELEASE
from neverlost.spec.exposure import Danger
from neverlost.spec.faults import Faults

from ..study import Study
from .asking import answers_to
from .dangers import DANGERS, question_of
from .examination import WORST_FIRST, Examination, broken_everyday, examine, is_tolerated, plan, together, worst_of
from .tolerance import EVERYDAY, Tolerance

MOST_STATES_OF_OTHERS = 20_000_000
"""So many states are searched for the other readings of a class of topics, all together, where their answers are not known."""


@dataclass(frozen=True, kw_only=True)
class ReadingVerdict:
    """The verdict on a deployment; if violated, the first danger with its faults that was found to happen.

    If not, `everyday` is the work that operators do on purpose with which something happens, or may happen, by name.
    """

    deployment: Deployment
    verdict: Verdict
    danger: Danger | None = None
    faults: Faults | None = None
    everyday: Mapping[str, Verdict] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Readings:
    """The examination of one of the readings with the worst verdict, and the verdicts on all of them."""

    examination: Examination
    verdicts: Sequence[ReadingVerdict]

    @property
    def verdict(self) -> Verdict:
        """The worst of the verdicts."""
        return worst_of([self.examination.verdict, *(one.verdict for one in self.verdicts)])

    @property
    def everyday(self) -> Mapping[str, Verdict]:
        """The everyday work by which something happens, or may happen, in some reading, if all of them survive all else."""
        return together(one.everyday for one in self.verdicts) if self.verdict == Verdict.HOLDS else {}


def examine_readings(deployment: Deployment, tolerance: Tolerance | None, study: Study) -> Readings:
    """Examine the first reading, or the one most like it that is not safe; of the others ask until one danger is found.

    Of releases of one version the one is examined in which most happens.
    """
    if tolerance is not None:
        tolerance = tolerance.as_placed(deployment.replicas_taken)
    first = examine(deployment, tolerance, study)
    if not deployment.others:
        return Readings(examination=first, verdicts=[_verdict_of(first)])
    budget = _Budget(MOST_STATES_OF_OTHERS)
    verdicts = [_verdict_of(first), *(_judge(other, tolerance, study, budget) for other in deployment.others)]
    worst = min(verdicts, key=lambda one: _distance(one, deployment))
    alike = [worst.deployment, *(one.deployment for one in verdicts if _is_of_its_version(one, worst))]
    examined = [first if one is deployment else examine(one, tolerance, study) for one in alike]
    return Readings(examination=max(examined, key=_how_much), verdicts=verdicts)


def _is_of_its_version(one: ReadingVerdict, worst: ReadingVerdict) -> bool:
    """Is it not safe either, of another release of the same version (2.8.0, 2.8.1), and the same in all else?"""
    if one is worst or {one.verdict, worst.verdict} != {Verdict.VIOLATED}:
        return False
    own, its = one.deployment.reading, worst.deployment.reading
    differing = {name for name in {**own.open, **its.open} if own.open.get(name) != its.open.get(name)}
    return differing <= {RELEASE} and own.chosen.version == its.chosen.version


def _how_much(examination: Examination) -> tuple[int, int]:
    """With how many sets of faults a danger happens of those to survive, then of all that are asked about."""
    happens = [
        is_tolerated(faults, examination.tolerance)
        for danger, sets in plan(examination.deployment, examination.tolerance).items()
        for faults in sets
        if any(one.faults.within(faults) for one in examination.of(danger, Verdict.VIOLATED))
    ]
    return sum(happens), len(happens)


def _distance(one: ReadingVerdict, usual: Deployment) -> tuple[int, int, int]:
    """What is not safe first, then what is undecided, then what differs least from the usual reading, then what is worse."""
    before, now = usual.reading.open, one.deployment.reading.open
    differences = sum(before.get(name) != value for name, value in now.items())
    return WORST_FIRST.index(one.verdict), differences, 0 if one.danger is None else DANGERS.index(one.danger)


@dataclass
class _Budget:
    """How many more states may be searched."""

    states: int

    def search(self, study: Study, deployment: Deployment, danger: Danger, faults: Faults) -> Answer | None:
        """The answer, which takes its states from the budget; None if nothing is left, or the user has enough of it."""
        if self.states <= 0 or study.interrupted():
            return None
        (answer,) = answers_to(study, [(deployment, danger, faults)])
        self.states -= answer.distinct
        return answer


def _verdict_of(examination: Examination) -> ReadingVerdict:
    bad = [d for d in examination.decided if d.tolerated and d.verdict == Verdict.VIOLATED]
    order = list(_asked(examination.deployment, examination.tolerance))
    first = min(bad, key=lambda d: order.index((d.danger, d.faults)), default=None)
    return ReadingVerdict(
        deployment=examination.deployment,
        verdict=examination.verdict,
        danger=None if first is None else first.danger,
        faults=None if first is None else first.faults,
        everyday={} if bad else broken_everyday(examination),
    )


def _asked(deployment: Deployment, tolerance: Tolerance | None) -> Iterator[tuple[Danger, Faults]]:
    """What the deployment should survive, in the order in which it is asked: danger by danger, with more and more faults."""
    for danger, sets in plan(deployment, tolerance).items():
        yield from ((danger, faults) for faults in sets if is_tolerated(faults, tolerance))


def _judge(deployment: Deployment, tolerance: Tolerance | None, study: Study, budget: _Budget) -> ReadingVerdict:
    """Whether a danger can happen: what is known without a search is looked at first, and the rest is searched for."""
    unknown, cut_short = [], False
    for danger, faults in _asked(deployment, tolerance):
        answer = study.answers.known(question_of(deployment, danger, faults))
        if answer is None or answer.verdict == Verdict.UNDECIDED:
            unknown.append((danger, faults))
        elif answer.verdict == Verdict.VIOLATED:
            return ReadingVerdict(deployment=deployment, verdict=answer.verdict, danger=danger, faults=faults)
    for danger, faults in unknown:
        answer = budget.search(study, deployment, danger, faults)
        if answer is not None and answer.verdict == Verdict.VIOLATED:
            return ReadingVerdict(deployment=deployment, verdict=answer.verdict, danger=danger, faults=faults)
        cut_short = cut_short or answer is None or answer.verdict == Verdict.UNDECIDED
    return ReadingVerdict(
        deployment=deployment,
        verdict=Verdict.UNDECIDED if cut_short else Verdict.HOLDS,
        everyday={} if tolerance is not None or cut_short else _everyday(deployment, study, budget),
    )


def _everyday(deployment: Deployment, study: Study, budget: _Budget) -> Mapping[str, Verdict]:
    """The work that operators do on purpose by which records are lost, or may be."""
    found: dict[str, Verdict] = {}
    for name, faults in EVERYDAY.items():
        verdicts = []
        for danger in (danger for danger in DANGERS if danger.basic):
            answer = study.answers.known(question_of(deployment, danger, faults))
            if answer is None:
                answer = budget.search(study, deployment, danger, faults)
            verdicts.append(Verdict.UNDECIDED if answer is None else answer.verdict)
        if worst_of(verdicts) != Verdict.HOLDS:
            found[name] = worst_of(verdicts)
    return found
