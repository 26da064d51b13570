"""What an audit has to say of single places in files, for programs that show it there: findings, open questions, warnings.

Every form of output for a pipeline is made from these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from neverlost.explorer.verdict import Verdict
from neverlost.model.arguments import argument
from neverlost.model.core import NeverlostError
from neverlost.spec.configuration import ConfigurationError, Deployment, Notice, RefusedTopics
from neverlost.spec.families import inquiries
from neverlost.studies.audit.audit import AuditResult, ClassAudit
from neverlost.studies.audit.comparison import Change
from neverlost.studies.audit.dangers import DANGERS, exposure_of
from neverlost.studies.audit.edits import ROLE_OF, LineChange, Place, edits_of
from neverlost.studies.audit.examination import DecidedDanger
from neverlost.studies.audit.fixes import Fix
from neverlost.studies.audit.sections import Decided, Section, Standing
from neverlost.studies.audit.tolerance import EVERYDAY
from neverlost.studies.audit.unseen import unseen_in

from .readings import readings_block
from .sections import case_rows, command_of, fix_line, heading, headline_of, narrowing, story_of, why_not
from .wording import (
    called_by_name,
    cannot_be_audited,
    command,
    fix_words,
    no_fix_words,
    story,
    trace_of,
    unseen_words,
)

ABOUT_SETTINGS, ABOUT_INPUT, ABOUT_READINGS = "configuration", "input", "readings"
BEYOND_TOLERANCE = "That is beyond what it should survive."


class Level(StrEnum):
    """How much a remark matters: ERROR, what should be survived is not; WARNING, the verdict may be different; NOTE, the rest.

    What is SAFE, but not with everyday work, has a WARNING.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, kw_only=True)
class Remark:
    """One thing to say. `rule` is the property of a finding, or the key that a warning is about; None for `level`: it is undecided.

    `identity` stays the same when other lines of the files change. `notice` is what a warning is made of. `lines` is what the fix
    replaces, if replacing lines is all of it.
    """

    rule: str
    title: str
    message: str
    level: Level | None
    identity: tuple[str, ...]
    place: Place | None
    advice: str = ""
    lines: Sequence[LineChange] = ()
    change: Change | None = None
    notice: Notice | None = None
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What happens, and what to do."""
        return f"{self.message} {self.advice}".strip()


RULES = {danger.property: danger.what for danger in DANGERS} | {
    f"{inquiry.family}/{danger.property}": danger.what for inquiry in inquiries().values() for danger in inquiry.dangers
}
"""What each rule of a finding is about, in words; those of a section are named after its family."""


def remarks_of(audit: AuditResult) -> list[Remark]:
    """Every finding, open question and warning; what matters most, and what is new, comes first. No warning is there twice."""
    found = [remark for one in audit.classes for remark in findings_of(audit, one)]
    found += [remark for one in audit.refused for remark in refusals_of(one)]
    found += worse_elsewhere(audit)
    found += [remark for section in audit.sections.asked for remark in of_section(audit, section)]
    found += unknown_sections(audit)
    order = [Level.ERROR, None, Level.WARNING, Level.NOTE]
    return sorted(
        (*found, *warnings_of(audit, audit.classes)),
        key=lambda remark: (remark.change == Change.UNCHANGED, order.index(remark.level)),
    )


def problems_of(error: NeverlostError) -> list[Remark]:
    """What is wrong with the input."""
    notices = error.problems if isinstance(error, ConfigurationError) else [Notice(what=str(error))]
    return [_remark(notice, ABOUT_INPUT, Level.ERROR, None) for notice in notices]


def refusals_of(refused: RefusedTopics) -> list[Remark]:
    """What is wrong with topics that could not be audited."""
    said = cannot_be_audited(refused)
    problems = [_remark(notice, ABOUT_INPUT, Level.ERROR, None) for notice in refused.problems]
    return [replace(problem, message=f"{said}{problem.message}") for problem in problems]


def findings_of(audit: AuditResult, one: ClassAudit) -> list[Remark]:
    """The findings of a class of topics, and what is undecided."""
    return [*_findings(audit, one), *_open(audit, one), *_readings(one)]


def _readings(one: ClassAudit) -> Iterator[Remark]:
    """On what the verdict depends that no file says."""
    block = readings_block(one.readings)
    if block is not None and block.rows:
        rows = " ".join(f"{row.condition}: {row.words}." for row in block.rows)
        yield Remark(
            rule=ABOUT_READINGS,
            title="what no file says",
            message=f"{block.depends} {rows} The findings are of {block.examined}.",
            level=None if one.verdict == Verdict.UNDECIDED else Level.WARNING,
            identity=(ABOUT_READINGS, *one.deployment.units[:1]),
            place=_place_of_first(one.deployment),
            advice=f"To narrow this, add: {block.say}.",
        )


def of_section(audit: AuditResult, section: Section) -> list[Remark]:
    """The findings of a section, what is undecided, on what its verdict depends, and its warnings."""
    return [*_of_findings(audit, section), *_of_cases(section), *_of_doubts(section)]


ASIDE = {
    Standing.COUNTED: "",
    Standing.UNCOUNTED: " That is not counted: nobody promises otherwise.",
    Standing.BEYOND: f" {BEYOND_TOLERANCE}",
}
"""What is said of a finding of a section beside that it happens."""


def _of_findings(audit: AuditResult, section: Section) -> Iterator[Remark]:
    file, line = section.subject.place
    shown = [*section.violated, *(one for one in section.decided if one.verdict == Verdict.UNDECIDED)]
    for one in shown:
        danger, happens = one.ask.danger, one.verdict == Verdict.VIOLATED
        place = Place(file=file, line=line)
        fix = section.fixes.get(danger) if one.usual else None
        if fix is not None and fix.remedy.place is not None:
            place = Place(file=fix.remedy.place[0], line=fix.remedy.place[1])
        beyond = ASIDE[section.standing(one)]
        what = f"{heading(section)}: {danger.what}, with {one.ask.with_what}."
        open_words = f"The search was cut short before it was decided whether this can happen: {what}"
        yield Remark(
            rule=f"{section.inquiry.family}/{danger.property}",
            title=danger.name if happens else f"undecided: {danger.name}",
            message=f"{what}{beyond} {story_of(one)}" if happens else open_words,
            level=None if not happens else Level.ERROR if one.usual else Level.NOTE,
            identity=(section.inquiry.family, danger.property, one.ask.with_what, section.subject.about),
            place=place,
            advice=f"Fix: {fix_line(section, danger)}" if happens and danger in section.fixes and one.usual else "",
            change=_since(audit, section, one),
            facts={"faults": one.ask.with_what, **({"command": " ".join(command_of(one))} if happens else {})},
        )


def _since(audit: AuditResult, section: Section, one: Decided) -> Change | None:
    """What became of a finding since the baseline."""
    changes = () if audit.comparison is None else audit.comparison.sections.changes
    return next((c.change for c in changes if c.section is section and c.found is one), None)


def _of_cases(section: Section) -> Iterator[Remark]:
    rows = case_rows(section)
    lacking = section.case.lacks
    if rows or lacking:
        said = " ".join(f"{row.condition}: {row.words}." for row in rows)
        file, line = section.subject.place
        yield Remark(
            rule=ABOUT_READINGS,
            title=f"{section.inquiry.title.lower()}: what no file says"
            if rows
            else f"{section.inquiry.title.lower()}: open",
            message=f"{heading(section)}: {headline_of(section)} {said}".strip(),
            level=None if section.verdict == Verdict.UNDECIDED else Level.WARNING,
            identity=(ABOUT_READINGS, section.inquiry.family, section.subject.about),
            place=Place(file=file, line=line),
            advice=f"To narrow this, add: {narrowing(section)}." if rows else "",
        )


def _of_doubts(section: Section) -> Iterator[Remark]:
    file, line = section.subject.place
    for doubt in section.subject.doubts:
        level = Level.WARNING if doubt.decides else Level.NOTE
        yield _remark(doubt, ABOUT_SETTINGS, level, Place(file=file, line=line))


def unknown_sections(audit: AuditResult) -> list[Remark]:
    """What the files lead to, and nobody could ask."""
    return [
        Remark(
            rule=ABOUT_READINGS,
            title=f"{one.inquiry.title.lower()}: not asked",
            message=f"{one.inquiry.title}: {why_not(one)}.",
            level=None,
            identity=(ABOUT_READINGS, one.inquiry.family, one.subject.about),
            place=Place(file=one.subject.place[0], line=one.subject.place[1]),
        )
        for one in audit.sections.not_asked
        if one.subject is not None
    ]


def worse_elsewhere(audit: AuditResult) -> list[Remark]:
    """What a change makes worse in readings that are not examined."""
    return [
        Remark(
            rule=danger.property,
            title=f"{danger.name}, in another case",
            message=f"New in another case than the details are for: {danger.with_faults(faults)}.",
            level=Level.ERROR,
            identity=(danger.property, str(faults), ABOUT_READINGS),
            place=_place_of_first(audit.classes[0].deployment) if audit.classes else None,
            advice=f"If this case is not yours, say so with {argument('kafka_version')} or {argument('assume')}; else undo the change.",
            change=Change.NEW,
            facts={"faults": str(faults)},
        )
        for danger, faults in (() if audit.comparison is None else audit.comparison.unexamined)
    ]


def _place_of_first(deployment: Deployment) -> Place | None:
    return Place(file=deployment.files[0].path) if deployment.files else None


def warnings_of(audit: AuditResult, classes: Iterable[ClassAudit]) -> list[Remark]:
    """The warnings of classes of topics, each once: it is new if it is so for one of them."""
    warned: dict[tuple[object, ...], Remark] = {}
    for one in classes:
        for remark in _warnings(audit, one):
            same = (remark.rule, remark.text, remark.place)
            before = warned.get(same)
            warned[same] = remark if before is None or remark.change == Change.NEW else before
    return list(warned.values())


def _findings(audit: AuditResult, one: ClassAudit) -> Iterator[Remark]:
    for finding, fix in zip(one.examination.violated, one.fixes, strict=True):
        words = no_fix_words(one.examination, [finding]) if fix is None else fix_words(one.deployment, [fix])
        work = "" if finding.tolerated else _everyday(one, finding)
        beyond = f" Operators do that: {work}." if work else f" {BEYOND_TOLERANCE}"
        unseen = unseen_in(trace_of(finding))
        happens = story(finding) if unseen is None else f"{story(finding)} {unseen_words(unseen)}"
        yield Remark(
            rule=finding.danger.property,
            title=finding.danger.name,
            message=f"{_asked(audit, one, finding)}.{'' if finding.tolerated else beyond} {happens}",
            level=Level.ERROR if finding.tolerated else Level.WARNING if work else Level.NOTE,
            identity=(finding.danger.property, str(finding.faults), *one.deployment.units[:1]),
            place=_place(one.deployment, finding, fix),
            advice=f"Fix: {words}" if fix is not None else words,
            lines=() if fix is None else edits_of(one.deployment, fix.changes).complete,
            change=None if audit.comparison is None else audit.comparison.of_finding(one.examination, finding),
            facts={"faults": str(finding.faults), "command": " ".join(command(finding))},
        )


def _everyday(one: ClassAudit, finding: DecidedDanger) -> str:
    """The everyday work by which it happens although the class survives all else; empty if it is none."""
    return next((name for name in one.everyday if finding.faults.within(EVERYDAY[name])), "")


def _open(audit: AuditResult, one: ClassAudit) -> Iterator[Remark]:
    for finding in one.examination.decided:
        if finding.verdict == Verdict.UNDECIDED:
            yield Remark(
                rule=finding.danger.property,
                title=f"undecided: {finding.danger.name}",
                message=f"The search was cut short before it was decided whether this can happen: {_asked(audit, one, finding)}.",
                level=None,
                identity=(finding.danger.property, str(finding.faults), *one.deployment.units[:1]),
                place=_place(one.deployment, finding, None),
                advice=f"Raise {argument('limits', options=('max_states', 'time_limit'))}.",
                change=None if audit.comparison is None else audit.comparison.of_finding(one.examination, finding),
                facts={"faults": str(finding.faults)},
            )


def _asked(audit: AuditResult, one: ClassAudit, finding: DecidedDanger) -> str:
    """What happens, with which faults, and to which topics if there are several classes of them."""
    what = finding.danger.what
    topics = f" ({called_by_name(one.deployment)})" if len(audit.classes) > 1 else ""
    return f"{what[0].upper()}{what[1:]}, with {finding.faults}{topics}"


def _warnings(audit: AuditResult, one: ClassAudit) -> Iterator[Remark]:
    first = _place_of_first(one.deployment)
    for warning in one.deployment.warnings:
        change = None if audit.comparison is None else audit.comparison.of_warning(one.examination, warning)
        level = Level.WARNING if warning.decides else Level.NOTE
        yield _remark(warning, ABOUT_SETTINGS, level, first, change)


def _remark(notice: Notice, about: str, level: Level, usual: Place | None, change: Change | None = None) -> Remark:
    key = f"{notice.key}: " if notice.key else ""
    return Remark(
        rule=f"{about}/{notice.key}" if notice.key else about,
        title=f"{key}{notice.what}",
        message=f"{key}{notice.what} {notice.why}".strip(),
        level=level,
        identity=(about, notice.key or "", notice.what),
        place=usual if notice.file is None else Place(file=notice.file, line=notice.line),
        advice=notice.advice,
        change=change,
        notice=notice,
    )


def _place(deployment: Deployment, finding: DecidedDanger, fix: Fix | None) -> Place | None:
    """Where the fix changes a line; else the file to which it adds one; else a setting that decides; else the first file."""
    changed = [change.key for change in fix.changes] if fix is not None else []
    deciding = [change.key for change in exposure_of(finding.danger).changes[finding.danger.concerns]]
    return next(
        (
            place
            for places in (_set(deployment, changed), _added(deployment, changed), _set(deployment, deciding))
            for place in places
        ),
        _place_of_first(deployment),
    )


def _set(deployment: Deployment, keys: Iterable[str]) -> Iterator[Place]:
    for key in keys:
        source = deployment.sources.get(key)
        if source is not None and source.file is not None:
            yield Place(file=source.file, line=source.line)


def _added(deployment: Deployment, keys: Iterable[str]) -> Iterator[Place]:
    for key in keys:
        yield from (Place(file=file.path) for file in deployment.files if file.role == ROLE_OF.get(key))
