"""What a change of files makes better or worse: the findings and the warnings of an audit beside those of an older state.

A finding is the same if its property and its faults are the same, for the same topic and the same program. Where something happened
with fewer faults before, it is not new with more of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.verdict import Verdict
from neverlost.spec.configuration import Notice, RefusedTopics
from neverlost.spec.configuration.configuration_file import ConfigurationFile
from neverlost.spec.configuration.topics import SAME_HOLDS
from neverlost.spec.exposure import Danger
from neverlost.spec.faults import Faults

from .counterparts import Unit, Units, counterparts, has_its_topic, units_of
from .dangers import promises_nothing, that_matter
from .examination import DecidedDanger, Examination, worst_of
from .same_files import SameFiles
from .sections import Decided, Section, Standing


class Change(StrEnum):
    """What became of a finding or a warning; OPEN: the search was cut short, or it was not asked in one of the states."""

    NEW = "new"
    OPEN = "open"
    UNCHANGED = "unchanged"
    GONE = "gone"


CONSUMER = "consumer"
"""Whose settings decide a danger of a consumer."""

SINCE = {Verdict.HOLDS: Change.NEW, Verdict.UNDECIDED: Change.OPEN, Verdict.VIOLATED: Change.UNCHANGED}
"""What a danger that happens now is, by what was said of it before."""


@dataclass(frozen=True, kw_only=True)
class TopicsCompared:
    """Topics that are one class now, and were one class before, each with its program where there are several.

    `before` or `after` is None if they are not there. `unknown`: then nothing is known of that state, since they could not be audited
    there, or no file leads to the program any more, which is `left`. `beside` are all classes of now that were one with them before,
    `elsewhere` what happens now in other readings than the one that is examined.
    `another_consumer`: the program had another one before. `older`: only what happened before is compared, as what happens now is with
    something else. `known` are the warnings that the older state had anywhere, where it does not have these topics.
    """

    units: tuple[str, ...]
    before: Examination | None
    after: Examination | None
    unknown: bool = False
    left: bool = False
    beside: tuple[Examination, ...] = ()
    elsewhere: tuple[tuple[Danger, Faults], ...] = ()
    another_consumer: bool = False
    older: bool = False
    known: frozenset[object] = frozenset()
    same: SameFiles = field(default_factory=SameFiles)

    @property
    def findings(self) -> Iterator[tuple[DecidedDanger, Change]]:
        """What can happen now, then what could happen before and cannot any more."""
        for found in () if self.after is None or self.older else self.after.violated:
            yield found, self.since(found)
        for found in () if self.before is None else self.before.violated:
            now = self._now(found)
            if now != Verdict.VIOLATED:
                yield found, Change.GONE if now == Verdict.HOLDS else Change.OPEN

    def _now(self, found: DecidedDanger) -> Verdict:
        """What is said now of what happened before: it is gone only where it is with all that these topics have become."""
        if self.after is None:
            return _nothing(self.unknown)
        said = [verdict_on(one, found.danger, found.faults) for one in (self.after, *self.beside)]
        if any(danger == found.danger and faults.within(found.faults) for danger, faults in self.elsewhere):
            said.append(Verdict.VIOLATED)
        if self.another_consumer and found.danger.concerns == CONSUMER:
            said.append(Verdict.UNDECIDED)
        return worst_of(said)

    @property
    def warnings(self) -> Iterator[tuple[Notice, Change]]:
        """The warnings of now, then those that are gone."""
        yield from ((warning, self._warned(of_now)) for warning, of_now in (() if self.older else self._warnings_now))
        gone = Change.OPEN if self.after is None and self.unknown else Change.GONE
        kept = {of_now for _, of_now in self._warnings_now}
        before = () if self.left else self._warnings_before
        yield from ((warning, gone) for warning, of_before in before if of_before not in kept)

    def warned(self, warning: Notice) -> Change:
        """Whether a warning of now is new."""
        return next(self._warned(of_now) for one, of_now in self._warnings_now if one == warning)

    def _warned(self, of_now: object) -> Change:
        if self.before is None:
            return Change.OPEN if self.unknown else Change.NEW
        return Change.UNCHANGED if any(of_now == of_before for _, of_before in self._warnings_before) else Change.NEW

    @cached_property
    def _warnings_before(self) -> Sequence[tuple[Notice, object]]:
        return _identified(self.before, self.same.said_before)

    @cached_property
    def _warnings_now(self) -> Sequence[tuple[Notice, object]]:
        return _identified(self.after, self.same.said_now)

    @property
    def verdict(self) -> Verdict:
        """Whether the topics are at least as safe as before, with what they should survive. Topics that are gone are."""
        if self.after is None:
            return _nothing(self.unknown)
        if self.older:
            return Verdict.HOLDS
        counted = [d for d in self.after.decided if d.tolerated]
        changes = [self.since(d) for d in self.after.violated if d.tolerated]
        if Change.NEW in changes or self._promises_less(counted):
            return Verdict.VIOLATED
        cut_short = [d for d in counted if d.verdict == Verdict.UNDECIDED]
        unknown = [d for d in cut_short if self.since(d) != Change.UNCHANGED]
        open_now = Change.OPEN in changes or unknown or not counted or self._more_doubtful
        return Verdict.UNDECIDED if open_now else Verdict.HOLDS

    @property
    def _more_doubtful(self) -> bool:
        """Whether something could change the verdict that could not before. What all topics had, new ones have too."""
        doubts = () if self.after is None else self.after.deployment.doubts
        return any(
            self.warned(one) == Change.NEW and in_its_file(one, self.same.said_now) not in self.known for one in doubts
        )

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
            return SINCE[_nothing(self.unknown)]
        if self.another_consumer and finding.danger.concerns == CONSUMER:
            return Change.NEW
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
        return _most(part.since(finding) for part in self.parts if part.after is examination and not part.older)

    def of_warning(self, examination: Examination, warning: Notice) -> Change:
        """Whether a warning is new, for some of its topics."""
        return _most(part.warned(warning) for part in self.parts if part.after is examination and not part.older)


@dataclass(frozen=True, kw_only=True)
class Examined:
    """The examinations of a state of the files, and what could not be audited. `others` are files that none of these is of."""

    examinations: Sequence[Examination]
    refused: Sequence[RefusedTopics] = ()
    others: Sequence[ConfigurationFile] = ()

    @property
    def paths(self) -> frozenset[str]:
        """Those of all files."""
        files = (file for one in self.examinations for file in one.deployment.files)
        return frozenset(file.path for file in (*files, *self.others))

    @property
    def units(self) -> list[Unit]:
        """Each topic with each program."""
        found = [unit for one in self.examinations for unit in units_of(one.deployment, one)]
        return found + [unit for one in self.refused for unit in units_of(one, None)]


def compare(before: Examined, after: Examined) -> Comparison:
    """Compare what happens to each topic of now, with each program, with what happened to it before.

    A topic goes by its name, a program by its files. Where either is not known in one of the states, it may be any of the other.
    """
    same = SameFiles.of(before.paths, after.paths)
    older, newer = Units(before.units, same.said_before, same.path), Units(after.units, same.said_now)
    of_now = [(unit, *counterparts(unit, newer, older)) for unit in newer.found]
    became: dict[int, dict[int, Examination]] = {}
    for unit, found, _ in of_now:
        for old in found:
            if unit.examination is not None:
                became.setdefault(id(old), {})[id(unit.examination)] = unit.examination
    known = frozenset(
        in_its_file(doubt, same.said_before) for one in before.examinations for doubt in one.deployment.doubts
    )
    parts = list[TopicsCompared]()
    for unit, found, another in of_now:
        part = TopicsCompared(
            units=unit.shown, before=None, after=unit.examination, same=same, another_consumer=another
        )
        refused = unit.examination is None
        for old in found:
            beside = tuple(became.get(id(old), {}).values())
            parts.append(
                replace(part, before=old.examination, unknown=refused or old.examination is None, beside=beside)
            )
        if not found:
            parts.append(replace(part, unknown=refused, known=known))
    used = {id(old) for _, found, _ in of_now for old in found}
    left = (unit for unit in older.found if id(unit) not in used)
    return Comparison(
        parts=_together([*parts, *(part for unit in left for part in _of_before(unit, older, newer, same))])
    )


def _of_before(unit: Unit, older: Units, newer: Units, same: SameFiles) -> Iterator[TopicsCompared]:
    """What became of a unit that no unit of now is compared with: of a program of whose files none is there, nothing is known."""
    found, another = counterparts(unit, older, newer)
    beside = tuple({id(one.examination): one.examination for one in found if one.examination is not None}.values())
    part = TopicsCompared(units=unit.shown, before=unit.examination, after=None, beside=beside, same=same)
    for one in found:
        now = one.examination
        yield replace(part, after=now, unknown=now is None, another_consumer=another, older=True)
    if not found and has_its_topic(unit, older, newer):
        yield replace(part, units=unit.in_full, unknown=True, left=True)
    elif not found:
        yield part


def _together(parts: Iterable[TopicsCompared]) -> list[TopicsCompared]:
    """Units that are compared alike as one part."""
    found: dict[object, TopicsCompared] = {}
    for part in parts:
        flags = part.unknown, part.left, part.another_consumer, part.older
        key = id(part.before), id(part.after), frozenset(map(id, part.beside)), flags
        shown = found[key].units if key in found else ()
        found[key] = replace(part, units=tuple(dict.fromkeys((*shown, *part.units))))
    return list(found.values())


def _nothing(unknown: bool) -> Verdict:
    """What is known of topics of which there is no examination: if they are not there, nothing happens to them."""
    return Verdict.UNDECIDED if unknown else Verdict.HOLDS


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


def identity(warning: Notice, said: Callable[[str], str], files: Iterable[ConfigurationFile] = ()) -> object:
    """What makes a warning the same: the key and what is said of it, in whichever file and line.

    Of what is not checked nothing is said, whatever its value is: it is the same with the same value.
    """
    place = warning.key, warning.file, warning.line
    entries = (entry for file in files for entry in file.entries) if warning.unchecked else ()
    value = next((entry.value for entry in entries if (entry.key, entry.file, entry.line) == place), None)
    return warning.key, said(warning.what.partition(SAME_HOLDS)[0]), value


def _identified(state: Examination | None, said: Callable[[str], str]) -> list[tuple[Notice, object]]:
    """The warnings of a state, each with what makes it the same."""
    if state is None:
        return []
    return [(one, identity(one, said, state.deployment.files)) for one in state.deployment.warnings]


def in_its_file(warning: Notice, said: Callable[[str], str]) -> object:
    """What makes a warning the same in the same file."""
    return identity(warning, said), said(warning.file or "")
