"""What became of the findings of sections since an older state of the files."""

from __future__ import annotations

from collections.abc import Iterator

from neverlost.explorer.verdict import Verdict
from neverlost.spec.exposure import Danger

from .comparison import Change, SectionChange
from .examination import WORST_FIRST, worst_of
from .sections import Decided, Section, Sections

Key = tuple[str, Danger, str]


def compare_sections(before: Sections, now: Sections) -> tuple[list[SectionChange], Verdict]:
    """The changes of what should be survived, and whether any section got worse: violated if it did, undecided if it may have.

    Sections of a family are compared together: a client may have got another file.
    """
    changes = list(_changes(before, now))
    worse = [one for one in changes if one.change == Change.NEW]
    if worse or any(_got_worse(family, before, now, Verdict.VIOLATED) for family in _families(now)):
        return changes, Verdict.VIOLATED
    unknown = any(_got_worse(family, before, now, Verdict.UNDECIDED) for family in _families(now))
    return changes, Verdict.UNDECIDED if unknown else Verdict.HOLDS


def _families(found: Sections) -> dict[str, str]:
    return {section.inquiry.family: section.inquiry.title for section in found.asked}


def _verdict(family: str, found: Sections) -> Verdict:
    """The worst of a family's sections; one that was not asked says of nothing that it happens."""
    return worst_of([Verdict.HOLDS, *(one.verdict for one in found.asked if one.inquiry.family == family)])


def _got_worse(family: str, before: Sections, now: Sections, to: Verdict) -> bool:
    then, after = _verdict(family, before), _verdict(family, now)
    return after == to and WORST_FIRST.index(after) < WORST_FIRST.index(then)


def _changes(before: Sections, now: Sections) -> Iterator[SectionChange]:
    then, after = _found(before), _found(now)
    titles = {**_families(before), **_families(now)}
    for key in {**after, **then}:
        family, danger, with_what = key
        change = Change.UNCHANGED if key in then and key in after else Change.NEW if key in after else Change.GONE
        yield SectionChange(family=family, title=titles[family], danger=danger, with_what=with_what, change=change)


def _found(sections: Sections) -> dict[Key, Decided]:
    """What happens and should be survived."""
    return {key_of(section, one): one for section in sections.asked for one in section.violated if one.usual}


def key_of(section: Section, one: Decided) -> Key:
    """What makes a finding the same, whichever file it is of."""
    return section.inquiry.family, one.ask.danger, one.ask.with_what
