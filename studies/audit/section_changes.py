"""What became of the sections of an audit since an older state of the files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from neverlost.explorer.verdict import Verdict
from neverlost.spec.inquiry import Ask, Inquiry, Subject

from .comparison import SINCE, Change, SectionChange, SectionDoubt, SectionsCompared, identity
from .examination import WORST_FIRST, worst_of
from .same_files import SameFiles
from .sections import Decided, Section, Sections, Standing

Pair = tuple[Section | None, Section | None]
"""A section of before and one of now; None if the other has none in that state."""


def compare_sections(before: Sections, now: Sections, same: SameFiles | None = None) -> SectionsCompared:
    """What became of each section: whether one got worse in what should be survived, which is undecided if it may have.

    It is undecided too if nobody could ask about a client that is new, or could be asked about before.
    """
    same = same or SameFiles()
    pairs = list(_pairs(before, now, same))
    compared = [_compared(*pair, same) for pair in pairs]
    known = {_key(one.subject, one.inquiry, same.path) for one in before.not_asked if one.subject is not None}
    unknown = {_key(one.subject, one.inquiry) for one in now.not_asked if one.subject is not None} - known
    return SectionsCompared(
        changes=tuple(change for one in compared for change in one.changes),
        doubts=tuple(doubt for one in compared for doubt in one.doubts),
        left=tuple(older for older, newer in pairs if older is not None and newer is None),
        verdict=worst_of([Verdict.UNDECIDED if unknown else Verdict.HOLDS, *(one.verdict for one in compared)]),
    )


def _compared(before: Section | None, now: Section | None, same: SameFiles) -> SectionsCompared:
    """The same of one pair."""
    changes, doubts = tuple(_changes(before, now)), tuple(_doubts(before, now, same))
    return SectionsCompared(changes=changes, doubts=doubts, verdict=_verdict(before, now, changes, doubts))


def _pairs(before: Sections, now: Sections, same: SameFiles) -> Iterator[Pair]:
    """Each section with that of before of the same client.

    Where a file has several clients of one name, those go together of which the same is said, then one with one.
    """
    older: dict[object, list[Section]] = {}
    newer: dict[object, list[Section]] = {}
    for section in before.asked:
        older.setdefault(_key(section.subject, section.inquiry, same.path), []).append(section)
    for section in now.asked:
        newer.setdefault(_key(section.subject, section.inquiry), []).append(section)
    for key in dict.fromkeys((*newer, *older)):
        of_before, of_now = older.get(key, []), newer.get(key, [])
        for section in tuple(of_now):
            alike = (one for one in of_before if _is_as_before(one, section, same))
            if (found := next(alike, None)) is not None:
                of_before.remove(found)
                of_now.remove(section)
                yield found, section
        if len(of_before) == len(of_now) == 1:
            yield of_before[0], of_now[0]
        else:
            yield from ((None, section) for section in of_now)
            yield from ((section, None) for section in of_before)


def _key(subject: Subject, inquiry: Inquiry, path: Callable[[str], str] = str) -> object:
    """What is asked about, in whichever state; of the controllers there is one quorum."""
    client = None if subject.client is None else (path(subject.client[0]), subject.client[1])
    return inquiry.family, client


def _is_as_before(before: Section, now: Section, same: SameFiles) -> bool:
    compared = _compared(before, now, same)
    changes = {one.change for one in compared.changes} | {one.change for one in compared.doubts}
    return compared.verdict == Verdict.HOLDS and changes <= {Change.UNCHANGED}


def _verdict(
    before: Section | None, now: Section | None, changes: Sequence[SectionChange], doubts: Sequence[SectionDoubt]
) -> Verdict:
    """Whether a section got worse. What is not asked any more is undecided: no file says that the client is gone."""
    if now is None:
        return Verdict.UNDECIDED
    counted = {one.change for one in changes if one.standing == Standing.COUNTED}
    then = Verdict.HOLDS if before is None else before.verdict
    got_worse = WORST_FIRST.index(now.verdict) < WORST_FIRST.index(then)
    if Change.NEW in counted or (got_worse and now.verdict == Verdict.VIOLATED):
        return Verdict.VIOLATED
    usual = [one for one in now.decided if one.usual and one.verdict == Verdict.UNDECIDED]
    cut_short = any(_said(one.ask, before) == Verdict.HOLDS != _said(one.ask, now) for one in usual)
    doubtful = any(one.change == Change.NEW and one.doubt.decides for one in doubts)
    return Verdict.UNDECIDED if got_worse or cut_short or doubtful or Change.OPEN in counted else Verdict.HOLDS


def _changes(before: Section | None, now: Section | None) -> Iterator[SectionChange]:
    """What happens now, then what happened before and is not said to happen any more."""
    met = set()
    if now is not None:
        for one in now.violated:
            met.add((one.ask.danger, one.ask.with_what))
            yield SectionChange(section=now, found=one, standing=now.standing(one), change=_since(one, before))
    if before is not None:
        for one in before.violated:
            asked = now is not None and one.ask.danger in now.dangers
            said = _said(one.ask, now) if asked else Verdict.UNDECIDED
            if (one.ask.danger, one.ask.with_what) not in met and said != Verdict.VIOLATED:
                change = Change.GONE if said == Verdict.HOLDS else Change.OPEN
                yield SectionChange(section=before, found=one, standing=before.standing(one), change=change)


def _since(one: Decided, before: Section | None) -> Change:
    """Whether what happens now is new. What should be survived now is, if it was not to be before."""
    change = SINCE[_said(one.ask, before)]
    if change == Change.UNCHANGED and one.usual and not any(then.usual for then in _violating(one.ask, before)):
        return Change.NEW
    return change


def _violating(ask: Ask, section: Section | None) -> Sequence[Decided]:
    """The findings of a section that are the same, or need less."""
    found = () if section is None else section.decided
    return [
        one
        for one in found
        if one.verdict == Verdict.VIOLATED
        and one.ask.danger == ask.danger
        and (one.ask.with_what == ask.with_what or one.ask.within(ask))
    ]


def _said(ask: Ask, section: Section | None) -> Verdict:
    """What a section says of a danger. If there is none, or it was not asked about the danger, nothing says that it happens."""
    if _violating(ask, section):
        return Verdict.VIOLATED
    same = [] if section is None else [one for one in section.decided if one.ask.danger == ask.danger]
    never = (one for one in same if one.verdict == Verdict.HOLDS)
    if not same or any(one.ask.with_what == ask.with_what or ask.within(one.ask) for one in never):
        return Verdict.HOLDS
    return Verdict.UNDECIDED


def _doubts(before: Section | None, now: Section | None, same: SameFiles) -> Iterator[SectionDoubt]:
    """The doubts of now, then those that are gone."""
    older, newer = (() if section is None else section.subject.doubts for section in (before, now))
    known = {identity(doubt, same.said_before) for doubt in older}
    kept = {identity(doubt, same.said_now) for doubt in newer}
    for doubt in newer:
        assert now is not None
        yield SectionDoubt(now, doubt, Change.UNCHANGED if identity(doubt, same.said_now) in known else Change.NEW)
    for doubt in older:
        if before is not None and now is not None and identity(doubt, same.said_before) not in kept:
            yield SectionDoubt(before, doubt, Change.GONE)
