"""An audit as JSON, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.verdict import Verdict
from neverlost.spec.configuration import Notice
from neverlost.spec.exposure import VERSION, ConfigurationChange
from neverlost.studies.audit.audit import AuditResult, ClassAudit
from neverlost.studies.audit.comparison import Comparison, TopicsCompared
from neverlost.studies.audit.dangers import model_of, rests_on
from neverlost.studies.audit.examination import DecidedDanger, Examination
from neverlost.studies.audit.fixes import Fix
from neverlost.studies.audit.reading_verdicts import ReadingVerdict
from neverlost.studies.audit.sections import Decided, Section, Standing
from neverlost.studies.audit.tolerance import Tolerance
from neverlost.studies.audit.unseen import unseen_in

from .remarks import Remark
from .sections import command_of, story_of, why_not
from .wording import change_words, command, story, trace_of

SCHEMA = 3


def audit_json(audit: AuditResult) -> str:
    """The audit as JSON text; docs/reference/json.md says what each key is."""
    return json_text(audit_values(audit))


def audit_values(audit: AuditResult) -> dict[str, Any]:
    """The audit as plain values, ready for JSON."""
    first = audit.classes[0].deployment if audit.classes else None
    return {
        "neverlost": "audit",
        "schema": SCHEMA,
        "version": None if first is None else first.version,
        "profile": None if first is None else first.profile,
        **_tolerance(audit.tolerance),
        "verdict": audit.verdict.value,
        "classes": [_class(one) for one in audit.classes],
        "refused": [
            {
                "topics": list(one.topics),
                "programs": list(one.programs),
                "problems": [_notice(problem) for problem in one.problems],
            }
            for one in audit.refused
        ],
        "sections": [_section(section) for section in audit.sections.asked],
        "not_asked": [
            {"family": one.inquiry.family, "title": one.inquiry.title, "why": why_not(one)}
            for one in audit.sections.not_asked
        ],
        "baseline": None if audit.comparison is None else _comparison(audit.comparison),
    }


def problems_json(problems: Sequence[Remark]) -> str:
    """What is wrong with the input as JSON text: there is no verdict then."""
    said = [_notice(problem.notice) for problem in problems if problem.notice is not None]
    return json_text({"neverlost": "audit", "schema": SCHEMA, "verdict": None, "problems": said})


def _comparison(compared: Comparison) -> dict[str, Any]:
    return {
        "verdict": compared.verdict.value,
        "worse_readings": [danger.with_faults(faults) for danger, faults in compared.worse],
        "parts": [_part(part) for part in compared.parts],
        "sections": [
            {
                "family": one.section.inquiry.family,
                "about": one.section.subject.about,
                "property": one.found.ask.danger.property,
                "with": one.found.ask.with_what,
                "tolerated": one.standing == Standing.COUNTED,
                "change": one.change.value,
            }
            for one in compared.sections.changes
        ],
        "section_warnings": [
            {
                "family": one.section.inquiry.family,
                "about": one.section.subject.about,
                "warning": _notice(one.doubt),
                "change": one.change.value,
            }
            for one in compared.sections.doubts
        ],
        "sections_left": [{"family": one.inquiry.family, "about": one.subject.about} for one in compared.sections.left],
    }


def _part(part: TopicsCompared) -> dict[str, Any]:
    return {
        "topics": list(part.units),
        "before": None if part.before is None else part.before.verdict.value,
        "after": None if part.after is None else part.after.verdict.value,
        "verdict": part.verdict.value,
        "findings": [
            {
                "property": finding.danger.property,
                "faults": dict(finding.faults.counts),
                "tolerated": finding.tolerated,
                "change": change.value,
            }
            for finding, change in part.findings
        ],
        "warnings": [{"warning": _notice(warning), "change": change.value} for warning, change in part.warnings],
    }


def _class(audit: ClassAudit) -> dict[str, Any]:
    examination, deployment = audit.examination, audit.deployment
    fixes = dict(zip(((d.danger, d.faults) for d in examination.violated), audit.fixes, strict=True))
    return {
        "topics": list(deployment.topics),
        "programs": list(deployment.programs),
        "internal": deployment.internal,
        "clients": {role: client.name for role, client in deployment.clients.items()},
        "replication_factor": deployment.replication_factor,
        "verdict": audit.verdict.value,
        "everyday": {name: verdict.value for name, verdict in audit.everyday.items()},
        "reading": dict(deployment.reading.open),
        "assumed": dict(deployment.reading.assumed),
        "readings": [_reading(one) for one in audit.readings.verdicts],
        "findings": [_finding(examination, d, fixes.get((d.danger, d.faults))) for d in examination.decided],
        "assumed_defaults": dict(deployment.assumed_defaults),
        "deciding_defaults": dict(deployment.deciding_defaults),
        "warnings": [_notice(warning) for warning in deployment.warnings],
        "unchecked": [notice.unchecked for notice in deployment.unchecked],
    }


def _section(section: Section) -> dict[str, Any]:
    file, line = section.subject.place
    return {
        "family": section.inquiry.family,
        "title": section.inquiry.title,
        "about": section.subject.about,
        "file": file,
        "line": line,
        "verdict": section.verdict.value,
        "tolerance": None if section.tolerated is None else dict(section.tolerated),
        "says": section.case.says,
        "lacks": list(section.case.lacks),
        "several": list(section.case.several),
        "left_open": section.case.left_open,
        "assumes": list(section.assumes),
        "ways": dict(section.case.ways),
        "assumed": dict(section.said),
        "cases": [
            {
                "release": one.case.release,
                "stands_for": dict(one.case.stands_for),
                "ways": dict(one.case.ways),
                "verdict": one.verdict.value,
                "property": None if one.first is None else one.first.ask.danger.property,
                "with": None if one.first is None else one.first.ask.with_what,
            }
            for one in section.cases
        ],
        "findings": [_of_section(section, one) for one in section.decided],
        "warnings": [_notice(doubt) for doubt in section.subject.doubts],
    }


def _of_section(section: Section, one: Decided) -> dict[str, Any]:
    violated, fix = one.verdict == Verdict.VIOLATED, section.fixes.get(one.ask.danger)
    return {
        "property": one.ask.danger.property,
        "name": one.ask.danger.name,
        "with": one.ask.with_what,
        "faults": dict(one.ask.counts),
        "tolerated": one.usual,
        "verdict": one.verdict.value,
        "from": one.answer.origin.value,
        "distinct": one.answer.distinct,
        "trace_length": one.answer.trace_length,
        "sentence": story_of(one) if violated else None,
        "command": command_of(one) if violated else None,
        "profile": one.ask.model.profile.name,
        "bounds": dict(one.ask.model.bounds),
        "settings": one.ask.model.plain_settings,
        "out_of_bounds": one.answer.hidden,
        "fix": None
        if fix is None or not violated or not one.usual
        else {
            "text": fix.remedy.words,
            "holds_with": [ask.with_what for ask in fix.asked],
            "distinct": fix.states,
        },
    }


def _reading(judged: ReadingVerdict) -> dict[str, Any]:
    """The readings that have the same answers, with the first danger that was found."""
    return {
        "open": [dict(reading.open) for reading in judged.deployment.alike],
        "release": judged.deployment.release,
        "mode": judged.deployment.mode,
        "verdict": judged.verdict.value,
        "property": None if judged.danger is None else judged.danger.property,
        "faults": None if judged.faults is None else dict(judged.faults.counts),
    }


def _tolerance(tolerance: Tolerance | None) -> dict[str, Any]:
    """The faults that were named, or the events, each with its faults."""
    found = {} if tolerance is None else {name: dict(faults.counts) for name, faults in tolerance.named}
    events = tolerance is not None and tolerance.of_events
    return {
        "tolerance": None if events or not found else next(iter(found.values())),
        "survive": found if events else None,
    }


def _finding(examination: Examination, finding: DecidedDanger, fix: Fix | None) -> dict[str, Any]:
    answer, violated = finding.answer, finding.verdict == Verdict.VIOLATED
    model = model_of(examination.deployment, finding.danger, finding.faults)
    return {
        "property": finding.danger.property,
        "faults": dict(finding.faults.counts),
        "tolerated": finding.tolerated,
        "verdict": finding.verdict.value,
        "assumes": list(rests_on(examination.deployment, finding.danger)) if finding.verdict == Verdict.HOLDS else [],
        "from": answer.origin.value,
        "distinct": answer.distinct,
        "trace_length": answer.trace_length,
        "sentence": story(finding) if violated else None,
        "command": command(finding) if violated else None,
        "unseen": _unseen(finding) if violated else None,
        "bounds": dict(model.bounds),
        "settings": model.plain_settings,
        "out_of_epochs": answer.hidden,
        "fix": None if fix is None else _fix(examination, fix),
    }


def _unseen(finding: DecidedDanger) -> dict[str, Any] | None:
    """What of the story no broker was seen to do, and the shortest run without such a step."""
    found = unseen_in(trace_of(finding))
    if found is None:
        return None
    return {
        "step": found.step,
        "seen": found.seen,
        "length": found.length,
        "none": found.gone,
        "sends_once": found.once,
        "command": list(found.command),
    }


def _fix(examination: Examination, fix: Fix) -> dict[str, Any]:
    return {
        "changes": [_change(examination, change) for change in fix.changes],
        "holds_with": [dict(faults.counts) for faults in fix.faults],
        "distinct": fix.states,
        "until_upgrade": None if fix.until is None else _fix(examination, fix.until),
    }


def _change(examination: Examination, change: ConfigurationChange) -> dict[str, Any]:
    deployment = examination.deployment
    source = deployment.sources.get(change.key)
    return {
        "key": change.key if source is None else source.key,
        "from": deployment.version if change.key == VERSION else None if source is None else source.value,
        "to": change.value,
        "file": None if source is None else source.file,
        "line": None if source is None else source.line,
        "text": change_words(deployment, change),
    }


def _notice(notice: Notice) -> dict[str, Any]:
    return {
        "key": notice.key,
        "file": notice.file,
        "line": notice.line,
        "what": notice.what,
        "why": notice.why,
        "advice": notice.advice,
        "decides": notice.decides,
    }
