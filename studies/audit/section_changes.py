"""What became of the findings of sections since an older state of the files."""

from __future__ import annotations

from collections.abc import Iterator

from neverlost.explorer.verdict import Verdict
from neverlost.spec.exposure import Danger
from neverlost.spec.inquiry import Ask

from .comparison import Change, SectionChange
from .examination import WORST_FIRST, worst_of
from .sections import Decided, Section, Sections, Standing

Key = tuple[str, Danger, str]


def compare_sections(before: Sections, now: Sections) -> tuple[list[SectionChange], Verdict]:
    """What became of each finding, and whether any section got worse in what should be survived: undecided if it may have.

    Sections of a family are compared together: a client may have got another file.
    """
    changes = list(_changes(before, now))
    counted = {one.change for one in changes if one.standing == Standing.COUNTED}
    if Change.NEW in counted or any(_got_worse(family, before, now, Verdict.VIOLATED) for family in _families(now)):
        return changes, Verdict.VIOLATED
    unknown = any(_got_worse(family, before, now, Verdict.UNDECIDED) for family in _families(now))
    return changes, Verdict.UNDECIDED if unknown or Change.OPEN in counted else Verdict.HOLDS


def _families(found: Sections) -> dict[str, str]:
    return {section.inquiry.family: section.inquiry.title for section in found.asked}


def _verdict(family: str, found: Sections) -> Verdict:
    """The worst of a family's sections; one that was not asked says of nothing that it happens."""
    return worst_of([Verdict.HOLDS, *(one.verdict for one in found.asked if one.inquiry.family == family)])


def _got_worse(family: str, before: Sections, now: Sections, to: Verdict) -> bool:
    then, after = _verdict(family, before), _verdict(family, now)
    return after == to and WORST_FIRST.index(after) < WORST_FIRST.index(then)


def _changes(before: Sections, now: Sections) -> Iterator[SectionChange]:
    """What happens now, then what happened before and is not said to happen any more."""
    then, after = _found(before), _found(now)
    gone = {key: found for key, found in then.items() if key not in after}
    for key, (section, one) in {**after, **gone}.items():
        change = _since(key, one.ask, before) if key in after else _later(key, one.ask, now)
        if change is not None:
            yield SectionChange(
                family=section.inquiry.family,
                title=section.inquiry.title,
                danger=one.ask.danger,
                with_what=one.ask.with_what,
                standing=section.standing(one),
                change=change,
            )


def _since(key: Key, ask: Ask, before: Sections) -> Change:
    """Whether what happens now is new."""
    changes = {Verdict.HOLDS: Change.NEW, Verdict.UNDECIDED: Change.OPEN, Verdict.VIOLATED: Change.UNCHANGED}
    return changes[_said(key, ask, before)]


def _later(key: Key, ask: Ask, now: Sections) -> Change | None:
    """What became of what happened before; None if it happens now with fewer faults, and so is there as that."""
    changes = {Verdict.HOLDS: Change.GONE, Verdict.UNDECIDED: Change.OPEN, Verdict.VIOLATED: None}
    return changes[_said(key, ask, now)]


def _said(key: Key, ask: Ask, found: Sections) -> Verdict:
    """What the sections say of a danger. If the family, or the danger, was not asked about, nothing says that it happens."""
    family, danger, with_what = key
    of_family = (section for section in found.asked if section.inquiry.family == family)
    same = [one for section in of_family for one in section.decided if one.ask.danger == danger]
    if any(one.verdict == Verdict.VIOLATED and (one.ask.with_what == with_what or one.ask.within(ask)) for one in same):
        return Verdict.VIOLATED
    never = (one for one in same if one.verdict == Verdict.HOLDS)
    if not same or any(one.ask.with_what == with_what or ask.within(one.ask) for one in never):
        return Verdict.HOLDS
    return Verdict.UNDECIDED


def _found(sections: Sections) -> dict[Key, tuple[Section, Decided]]:
    """What happens with the fewest faults."""
    return {key_of(section, one): (section, one) for section in sections.asked for one in section.violated}


def key_of(section: Section, one: Decided) -> Key:
    """What makes a finding the same, whichever file it is of."""
    return section.inquiry.family, one.ask.danger, one.ask.with_what
