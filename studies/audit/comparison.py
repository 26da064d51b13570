"""What a change of files makes better or worse: the findings and the warnings of an audit beside those of an older state.

A finding is the same if its property and its faults are the same, for the same topic. Where something happened with fewer faults
before, it is not new with more of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.verdict import Verdict
from neverlost.spec.configuration import Notice
from neverlost.spec.exposure import Danger
from neverlost.spec.faults import Faults

from .dangers import promises_nothing, that_matter
from .examination import DecidedDanger, Examination, worst_of
from .sections import Decided, Section, Standing


class Change(StrEnum):
    """What became of a finding or a warning; OPEN: the search was cut short, or it was not asked in one of the states."""

    NEW = "new"
    OPEN = "open"
    UNCHANGED = "unchanged"
    GONE = "gone"


SINCE = {Verdict.HOLDS: Change.NEW, Verdict.UNDECIDED: Change.OPEN, Verdict.VIOLATED: Change.UNCHANGED}
"""What a danger that happens now is, by what was said of it before."""


@dataclass(frozen=True, kw_only=True)
class TopicsCompared:
    """Topics that are one class now, and were one class before, each with its program where there are several.

    `before` or `after` is None if they are not there.

    `refused`: they are there, but could not be audited in one of the states, or in both.
    """

    units: tuple[str, ...]
    before: Examination | None
    after: Examination | None
    refused: bool = False

    @property
    def findings(self) -> Iterator[tuple[DecidedDanger, Change]]:
        """What can happen now, then what could happen before and cannot any more."""
        for found in () if self.after is None else self.after.violated:
            yield found, self.since(found)
        for found in () if self.before is None else self.before.violated:
            now = _nothing(self.refused) if self.after is None else verdict_on(self.after, found.danger, found.faults)
            if now != Verdict.VIOLATED:
                yield found, Change.GONE if now == Verdict.HOLDS else Change.OPEN

    @property
    def warnings(self) -> Iterator[tuple[Notice, Change]]:
        """The warnings of now, then those that are gone."""
        after = () if self.after is None else self.after.deployment.warnings
        before = () if self.before is None else self.before.deployment.warnings
        yield from ((warning, self.warned(warning)) for warning in after)
        kept = {identity(warning) for warning in after}
        gone = Change.OPEN if self.after is None and self.refused else Change.GONE
        yield from ((warning, gone) for warning in before if identity(warning) not in kept)

    def warned(self, warning: Notice) -> Change:
        """Whether a warning of now is new."""
        if self.before is None:
            return Change.OPEN if self.refused else Change.NEW
        known = {identity(one) for one in self.before.deployment.warnings}
        return Change.UNCHANGED if identity(warning) in known else Change.NEW

    @property
    def verdict(self) -> Verdict:
        """Whether the topics are at least as safe as before, with what they should survive. Topics that are gone are."""
        if self.after is None:
            return _nothing(self.refused)
        counted = [d for d in self.after.decided if d.tolerated]
        changes = [self.since(d) for d in self.after.violated if d.tolerated]
        if Change.NEW in changes or self._promises_less(counted):
            return Verdict.VIOLATED
        cut_short = [d for d in counted if d.verdict == Verdict.UNDECIDED]
        unknown = [d for d in cut_short if self.since(d) != Change.UNCHANGED]
        return Verdict.UNDECIDED if Change.OPEN in changes or unknown or not counted else Verdict.HOLDS

    def _promises_less(self, counted: Sequence[DecidedDanger]) -> bool:
        """Whether nothing is acknowledged any more, of what was kept before."""
        if self.before is None or self.after is None:
            return False
        lost = [d for d in counted if promises_nothing(self.after.deployment, d.danger)]
        return any(self.since(d) == Change.NEW for d in lost)

    def since(self, finding: DecidedDanger) -> Change:
        """Whether what happens now, or may happen, is new. Before, nothing happened to topics that were not there.

        Nor to a consumer whose configuration was not given.
        """
        if self.before is None or finding.danger not in self.before.dangers:
            return SINCE[_nothing(self.refused)]
        return SINCE[verdict_on(self.before, finding.danger, finding.faults)]


@dataclass(frozen=True, kw_only=True)
class SectionChange:
    """What became of a finding of a section. `section` and `standing` are those of now, or, if it is gone, those of before."""

    section: Section
    found: Decided
    standing: Standing
    change: Change


@dataclass(frozen=True)
class SectionDoubt:
    """What became of a doubt of a section."""

    section: Section
    doubt: Notice
    change: Change


@dataclass(frozen=True, kw_only=True)
class SectionsCompared:
    """What became of the sections of families beside replication. `left` are those that are not asked any more."""

    changes: tuple[SectionChange, ...] = ()
    doubts: tuple[SectionDoubt, ...] = ()
    left: tuple[Section, ...] = ()
    verdict: Verdict = Verdict.HOLDS


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All topics, compared; each topic is in one of the parts. `worse` is what is new in some reading, examined or not.

    `sections` is what became of those of families beside replication.
    """

    parts: Sequence[TopicsCompared]
    worse: tuple[tuple[Danger, Faults], ...] = ()
    sections: SectionsCompared = field(default_factory=SectionsCompared)

    @property
    def verdict(self) -> Verdict:
        """Whether nothing got worse."""
        found = [*(part.verdict for part in self.parts), self.sections.verdict]
        return worst_of([*found, Verdict.VIOLATED] if self.worse else found)

    @property
    def unexamined(self) -> list[tuple[Danger, Faults]]:
        """What is new in a reading, and not among what is new in the readings that are examined."""
        examined = {(f.danger, f.faults) for part in self.parts for f, change in part.findings if change == Change.NEW}
        return [pair for pair in self.worse if pair not in examined]

    @property
    def exit_code(self) -> ExitCode:
        """0 nothing got worse, 1 something did, 3 undecided."""
        return ExitCode.of(self.verdict)

    def of_finding(self, examination: Examination, finding: DecidedDanger) -> Change:
        """Whether a finding is new, for some of its topics."""
        return _most(part.since(finding) for part in self.parts if part.after is examination)

    def of_warning(self, examination: Examination, warning: Notice) -> Change:
        """Whether a warning is new, for some of its topics."""
        return _most(part.warned(warning) for part in self.parts if part.after is examination)


@dataclass(frozen=True, kw_only=True)
class Examined:
    """The examinations of a state of the files, and the names of the topics that could not be audited."""

    examinations: Sequence[Examination]
    refused: frozenset[str] = frozenset()

    @property
    def home(self) -> dict[str, Examination]:
        """The examination of each topic that has a name, with each program."""
        return {name: one for one in self.examinations for name in one.deployment.units}


def compare(before: Examined, after: Examined) -> Comparison:
    """Topics go by their names where both states have names; else the one class of before is compared with every one of after."""
    parts = [part for one in after.examinations for part in _compared(one, before)]
    met = {id(part.before) for part in parts if not part.units}
    still_there = {name for part in parts for name in part.units}
    for one in before.examinations:
        left = [name for name in one.deployment.units if name not in still_there]
        for refused in (True, False):
            units = tuple(name for name in left if (name in after.refused) == refused)
            if units and id(one) not in met:
                parts.append(TopicsCompared(units=units, before=one, after=None, refused=refused))
    unknown = tuple(sorted(after.refused - set(before.home)))
    if unknown:
        parts.append(TopicsCompared(units=unknown, before=None, after=None, refused=True))
    return Comparison(parts=parts)


def _compared(after: Examination, before: Examined) -> Iterator[TopicsCompared]:
    """The parts of a class; where the topics had one program only before, every program of now is compared with that one."""
    deployment, home = after.deployment, before.home
    names = deployment.units
    if not names or not home:
        alone = before.examinations[0] if len(before.examinations) == 1 else None
        yield TopicsCompared(units=names, before=alone, after=after)
        return
    topics = [topic for topic in deployment.topics for _ in deployment.programs or ("",)] or names
    together: dict[tuple[int, bool], list[tuple[str, Examination | None]]] = {}
    for name, topic in zip(names, topics, strict=True):
        found = home.get(name) or home.get(topic)
        together.setdefault((id(found), name in before.refused), []).append((name, found))
    for (_, refused), same in together.items():
        units = tuple(name for name, _ in same)
        yield TopicsCompared(units=units, before=same[0][1], after=after, refused=refused)


def _nothing(refused: bool) -> Verdict:
    """What is known of topics of which there is no examination: if they are not there, nothing happens to them."""
    return Verdict.UNDECIDED if refused else Verdict.HOLDS


def verdict_on(examination: Examination, danger: Danger, faults: Faults) -> Verdict:
    """What an examination says of a danger with faults, also if it asked with fewer or more: what it does not say is undecided.

    What is never acknowledged counts as lost: a change is no better for promising nothing, and no worse for promising more.
    """
    if promises_nothing(examination.deployment, danger):
        return Verdict.VIOLATED
    asked = that_matter(examination.deployment, danger, faults)
    found = [d for d in examination.decided if d.danger == danger]
    if any(d.verdict == Verdict.VIOLATED and d.faults.within(asked) for d in found):
        return Verdict.VIOLATED
    return (
        Verdict.HOLDS
        if any(d.verdict == Verdict.HOLDS and asked.within(d.faults) for d in found)
        else Verdict.UNDECIDED
    )


def _most(changes: Iterable[Change]) -> Change:
    """The one that a reader has to know of first."""
    found = set(changes)
    return next(change for change in Change if change in found)


def identity(warning: Notice) -> tuple[str | None, str]:
    """What makes a warning the same: the key and what is said of it, in whichever file and line."""
    return warning.key, warning.what
