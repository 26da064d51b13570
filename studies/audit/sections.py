"""The sections of an audit: what a family beside replication is asked about a client, a group or the controllers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from neverlost.explorer.answers.questions import Answer, Question
from neverlost.explorer.verdict import Verdict
from neverlost.model.arguments import argument
from neverlost.spec.bugs import assumed_in
from neverlost.spec.configuration import ConfigurationError, Notice
from neverlost.spec.configuration.readings import ALTERNATIVES
from neverlost.spec.exposure import Danger
from neverlost.spec.families import inquiries
from neverlost.spec.inquiry import Ask, Case, Counts, Inquiry, Read, Remedy, Subject

from ..study import Study
from .examination import WORST_FIRST, worst_of

MOST_STATES_OF_OTHERS = 20_000_000
"""So many states are searched for the other cases of a subject, all together, where their answers are not known."""


@dataclass(frozen=True, kw_only=True)
class Decided:
    """The answer to a question. `usual`: it should be survived. `several`: only several faults of brokers make it possible.

    `in_doubt`: a search for what makes it possible was cut short, and nothing else was found that does.
    """

    ask: Ask
    answer: Answer
    usual: bool
    several: bool
    in_doubt: bool

    @property
    def verdict(self) -> Verdict:
        happens = self.answer.verdict == Verdict.VIOLATED
        return Verdict.UNDECIDED if happens and self.in_doubt else self.answer.verdict


class Standing(StrEnum):
    """What an answer means for the verdict.

    COUNTED: it should be survived. BEYOND: it is with more than should be. UNCOUNTED: nobody promises that the danger is prevented.
    """

    COUNTED = "counted"
    UNCOUNTED = "not counted"
    BEYOND = "beyond tolerance"


@dataclass(frozen=True, kw_only=True)
class CaseVerdict:
    """The verdict on a case, with the first question that was found to decide it, if it does not hold."""

    case: Case
    verdict: Verdict
    first: Decided | None = None


@dataclass(frozen=True, kw_only=True)
class SectionFix:
    """A change that prevents a danger with all that should be survived; the largest search for this had `states` states."""

    remedy: Remedy
    asked: tuple[Ask, ...]
    states: int


@dataclass(frozen=True, kw_only=True)
class Section:
    """What a family says of a subject. `case` is the one that is examined: the usual one, or the one most like it that is worse.

    `said` is what the user said of the family's open points. `tolerated` are the faults to survive together, if the user named them.
    `open_fixes` are dangers of which no change is known to prevent them, and a search for one was cut short.
    """

    inquiry: Inquiry
    subject: Subject
    case: Case
    decided: Sequence[Decided]
    fixes: Mapping[Danger, SectionFix | None]
    open_fixes: frozenset[Danger]
    cases: Sequence[CaseVerdict]
    said: Mapping[str, str] = field(default_factory=dict)
    tolerated: Counts | None = None

    @property
    def verdict(self) -> Verdict:
        """The worst of those of all cases.

        What only a program or an operator can make worse is not said to happen: then it is open, for no file says what they do.
        """
        usual = [one for one in self.cases if is_usual(one.case, self.inquiry)]
        worst = worst_of(one.verdict for one in usual)
        everywhere = worst_of(one.verdict for one in self.cases)
        return Verdict.UNDECIDED if worst == Verdict.HOLDS != everywhere else worst

    @property
    def assumes(self) -> Sequence[str]:
        """What a verdict on the case rests on."""
        package = type(self.inquiry).__module__.rpartition(".")[0]
        return (*self.inquiry.assumed_of(self.case), *assumed_in(package, self.case.releases))

    @property
    def examined(self) -> CaseVerdict:
        """The verdict on the case that is examined."""
        return next(one for one in self.cases if one.case is self.case)

    def of(self, danger: Danger, verdict: Verdict) -> list[Decided]:
        """The answers with this verdict: if violated those with the fewest faults, if it holds those with the most."""
        found = [one for one in self.decided if one.ask.danger == danger and one.verdict == verdict]
        if verdict == Verdict.VIOLATED:
            return [one for one in found if not any(o is not one and o.ask.within(one.ask) for o in found)]
        if verdict == Verdict.HOLDS:
            return [one for one in found if not any(o is not one and one.ask.within(o.ask) for o in found)]
        return found

    @property
    def dangers(self) -> tuple[Danger, ...]:
        """The dangers that were asked about, in their order."""
        return tuple(dict.fromkeys(one.ask.danger for one in self.decided))

    def standing(self, one: Decided) -> Standing:
        """What an answer means for the verdict."""
        if one.usual:
            return Standing.COUNTED
        counts = any(other.ask.usual for other in self.decided if other.ask.danger == one.ask.danger)
        return Standing.BEYOND if counts else Standing.UNCOUNTED

    @property
    def violated(self) -> list[Decided]:
        """What happens with the fewest faults; what should be survived comes first."""
        found = [one for danger in self.dangers for one in self.of(danger, Verdict.VIOLATED)]
        return sorted(found, key=lambda one: not one.usual)


@dataclass(frozen=True, kw_only=True)
class NotAsked:
    """A family that was not asked. `subject` is what the files lead to, if they do: then no case of it is modelled.

    Else `why` says what is missing.
    """

    inquiry: Inquiry
    subject: Subject | None = None
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Sections:
    """Every section, and the families that were not asked."""

    asked: Sequence[Section] = ()
    not_asked: Sequence[NotAsked] = ()

    @property
    def verdicts(self) -> list[Verdict]:
        """Those of the sections; undecided for what the files lead to and nobody could ask."""
        unknown = [Verdict.UNDECIDED for one in self.not_asked if one.subject is not None]
        return [*(section.verdict for section in self.asked), *unknown]


NO_SECTIONS = Sections()
"""Where no family beside replication is asked."""


def is_usual(case: Case, inquiry: Inquiry) -> bool:
    """Do programs and operators do in this case what documentation says?"""
    usual = {point.name: next(iter(point.ways)) for point in inquiry.points if point.of_people}
    return all(case.ways.get(name, way) == way for name, way in usual.items())


def sections_of(read: Read, study: Study, *, older: bool = False) -> Sections:
    """Ask every family that the files lead to. Raises ConfigurationError for values that Kafka refuses.

    In an `older` state of the files, what was said may be of a file that was not there yet.
    """
    found = {inquiry: inquiry.subjects(read) for inquiry in inquiries().values()}
    if not older:
        _ensure_said_of(found, read)
    asked: list[Section] = []
    not_asked: list[NotAsked] = []
    for inquiry, subjects in found.items():
        said = {point.name: read.said[point.name] for point in inquiry.points if point.name in read.said}
        tolerated = read.tolerances.get(inquiry.family)
        asked += [_section(inquiry, subject, study, said, tolerated) for subject in subjects if subject.cases]
        not_asked += [NotAsked(inquiry=inquiry, subject=subject) for subject in subjects if not subject.cases]
        not_asked += [] if subjects else [NotAsked(inquiry=inquiry, why=inquiry.why_not_asked(read))]
    return Sections(asked=asked, not_asked=not_asked)


def families_of(read: Read) -> list[str]:
    """The families that `sections_of` asks. Raises ConfigurationError for values that Kafka refuses."""
    return [one.family for one in inquiries().values() if any(subject.cases for subject in one.subjects(read))]


def _ensure_said_of(found: Mapping[Inquiry, Sequence[Subject]], read: Read) -> None:
    """Raises ConfigurationError for what was said of a family that the files do not lead to, or that leaves no case of it."""
    problems = []
    for inquiry, subjects in found.items():
        names = {point.name for point in inquiry.points} - set(ALTERNATIVES)
        said = ", ".join(f"{name}={way}" for name, way in read.said.items() if name in names)
        if said and not any(subject.cases for subject in subjects):
            what, advice = f"{said} goes with no reading of the files.", "Leave it out, or look at what the files say."
            problems.append(Notice(what=what, advice=advice, key=argument("assume")))
        if inquiry.family in read.tolerances and not subjects:
            what = f"the files lead to no question about {inquiry.family}: {inquiry.why_not_asked(read)}."
            problems.append(Notice(what=what, advice="Name the file that does.", key=argument("tolerate")))
    if problems:
        raise ConfigurationError(problems)


def _section(
    inquiry: Inquiry, subject: Subject, study: Study, said: Mapping[str, str], tolerated: Counts | None
) -> Section:
    first, *others = subject.cases
    decided = _decide(first.asks, study)
    budget = _Budget(MOST_STATES_OF_OTHERS)
    cases = [_verdict_of(first, decided), *(_judge(case, study, budget) for case in others)]
    worst = min(cases, key=lambda one: _place(one, first, inquiry))
    if worst.case is not first:
        decided = _decide(worst.case.asks, study)
        cases = [_verdict_of(one.case, decided) if one is worst else one for one in cases]
    search = _Fixes(worst.case, decided, study)
    fixes = {danger: search.of(danger) for danger in search.urgent}
    return Section(
        inquiry=inquiry,
        subject=subject,
        case=worst.case,
        decided=decided,
        fixes=fixes,
        open_fixes=frozenset(danger for danger, fix in fixes.items() if fix is None and danger in search.cut_short),
        cases=cases,
        said=said,
        tolerated=tolerated,
    )


def _place(one: CaseVerdict, first: Case, inquiry: Inquiry) -> tuple[int, int, int]:
    """What documentation says first, then the worse verdict, then what differs least from the first case."""
    differing = sum(first.ways.get(name) != way for name, way in one.case.ways.items())
    return int(not is_usual(one.case, inquiry)), WORST_FIRST.index(one.verdict), differing


def _decide(asks: Sequence[Ask], study: Study) -> list[Decided]:
    """All questions, and those which these depend on."""
    given = {id(ask): ask.given for ask in asks if ask.given and ask.usual}
    everything = [*asks, *(one for several in given.values() for one in several)]
    answers = dict(zip(map(id, everything), _answers(everything, study), strict=True))
    return [_decided(ask, given.get(id(ask), ()), answers) for ask in asks]


def _decided(ask: Ask, given: Sequence[Ask], answers: Mapping[int, Answer]) -> Decided:
    """The answer to one question, by those to the questions that it depends on."""
    possible = {verdict: [one for one in given if answers[id(one)].verdict == verdict] for verdict in Verdict}
    makes = possible[Verdict.VIOLATED] or possible[Verdict.UNDECIDED]
    return Decided(
        ask=ask,
        answer=answers[id(ask)],
        usual=ask.usual and bool(makes or not given),
        several=all(one.several for one in makes) if makes else ask.several,
        in_doubt=bool(makes) and not possible[Verdict.VIOLATED],
    )


def _answers(asks: Sequence[Ask], study: Study) -> list[Answer]:
    questions = [question_of(ask) for ask in asks]
    labels = {
        question.key: f"{ask.danger.name}, with {ask.with_what}" for question, ask in zip(questions, asks, strict=True)
    }
    return study.answer_all(questions, labels)


def question_of(ask: Ask) -> Question:
    """The question whether the danger cannot happen."""
    return Question(model=ask.model, property=ask.danger.property)


def _verdict_of(case: Case, decided: Sequence[Decided]) -> CaseVerdict:
    """The verdict on what should be survived; what the model lacks of the files, or what is left open, leaves open what would hold."""
    counted = [one for one in decided if one.usual]
    for verdict in (Verdict.VIOLATED, Verdict.UNDECIDED):
        first = next((one for one in counted if one.verdict == verdict), None)
        if first is not None:
            return CaseVerdict(case=case, verdict=Verdict.UNDECIDED if case.lacks else verdict, first=first)
    return CaseVerdict(case=case, verdict=Verdict.UNDECIDED if case.lacks or case.left_open else Verdict.HOLDS)


@dataclass
class _Budget:
    """How many more states may be searched."""

    states: int


def _judge(case: Case, study: Study, budget: _Budget) -> CaseVerdict:
    """Whether a danger can happen: the first danger alone, then all others together, which need one search of each model."""
    by_danger: dict[Danger, list[Ask]] = {}
    for ask in case.asks:
        if ask.usual:
            by_danger.setdefault(ask.danger, []).append(ask)
    first, *others = by_danger.values() or [[]]
    decided: list[Decided] = []
    for asks in (first, [ask for several in others for ask in several]):
        if asks and (budget.states <= 0 or study.interrupted()):
            return CaseVerdict(case=case, verdict=Verdict.UNDECIDED)
        unknown = [ask for ask in asks if study.answers.known(question_of(ask)) is None]
        found = _decide(asks, study)
        budget.states -= _searched(unknown, found)
        decided += found
        judged = _verdict_of(case, decided)
        if judged.verdict == Verdict.VIOLATED:
            return judged
    return _verdict_of(case, decided)


def _searched(unknown: Sequence[Ask], decided: Sequence[Decided]) -> int:
    """How many states the searches for the answers had: one search answers all that is asked about a model."""
    new = {id(ask) for ask in unknown}
    states: dict[str, int] = {}
    for one in decided:
        if id(one.ask) in new:
            key = question_of(one.ask).search_key
            states[key] = max(states.get(key, 0), one.answer.distinct)
    return sum(states.values())


class _Fixes:
    """Searches for what prevents a danger: each remedy is asked, and all that held before must still hold.

    `urgent` are the dangers that should be survived and are not; `cut_short` those for which a search did not end.
    """

    def __init__(self, case: Case, decided: Sequence[Decided], study: Study) -> None:
        self.case, self.decided, self.study = case, decided, study
        violated = (one for one in decided if one.usual and one.verdict == Verdict.VIOLATED)
        self.urgent = tuple(dict.fromkeys(one.ask.danger for one in violated))
        self.cut_short = set[Danger]()

    def of(self, danger: Danger) -> SectionFix | None:
        """The first remedy with which the danger does not happen; None if none helps."""
        if self.case.lacks:
            return None
        return next((fix for fix in self._tried(danger) if fix is not None), None)

    def _tried(self, danger: Danger) -> Iterator[SectionFix | None]:
        for remedy in self.case.remedies():
            if self.study.interrupted():
                self.cut_short.add(danger)
                return
            yield self._fix(danger, remedy)

    def _fix(self, danger: Danger, remedy: Remedy) -> SectionFix | None:
        if remedy.case.lacks:
            return None
        after = remedy.case.asks
        # The same searches answer what is asked next: whether the change prevents the other dangers.
        urgent = [ask for ask in after if ask.usual and ask.danger in self.urgent]
        asked = [one for one in _decide(urgent, self.study) if one.usual and one.ask.danger == danger]
        if not asked or self._fails(danger, [one.verdict for one in asked]):
            return None
        held = {
            (one.ask.danger, one.ask.with_what)
            for one in self.decided
            if one.usual and one.verdict == Verdict.HOLDS and one.ask.danger != danger
        }
        others = _answers([ask for ask in after if (ask.danger, ask.with_what) in held], self.study)
        if self._fails(danger, [answer.verdict for answer in others]):
            return None
        return SectionFix(
            remedy=remedy, asked=tuple(one.ask for one in asked), states=max(one.answer.distinct for one in asked)
        )

    def _fails(self, danger: Danger, verdicts: Sequence[Verdict]) -> bool:
        """Whether a change is not known to help. One that no search says does not help may do so."""
        if Verdict.UNDECIDED in verdicts and Verdict.VIOLATED not in verdicts:
            self.cut_short.add(danger)
        return any(verdict != Verdict.HOLDS for verdict in verdicts)
