"""JUnit XML, which test reports of most pipelines read: a suite for each class of topics, a case for each danger.

A case fails if the danger happens with faults that should be survived. It is an error if that is undecided, as a test is that could not
be completed. It is skipped if nothing is promised, and beside a baseline if it was so before; not known to be new is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from neverlost.explorer.verdict import Verdict
from neverlost.spec.exposure import Danger
from neverlost.studies.audit.audit import AuditResult, ClassAudit
from neverlost.studies.audit.comparison import Change
from neverlost.studies.audit.dangers import promises_nothing
from neverlost.studies.audit.sections import Section

from ..printable import printable
from .remarks import (
    ABOUT_READINGS,
    Level,
    Remark,
    findings_of,
    of_section,
    refusals_of,
    unknown_sections,
    warnings_of,
    worse_elsewhere,
)
from .sections import heading
from .wording import NOT_PROMISED, called_by_name, few, settings_line

NAME = "neverlost audit"


def audit_junit(audit: AuditResult) -> str:
    """The audit as a document of JUnit."""
    refused = [_refused(f"cannot be audited: {called_by_name(one)}", refusals_of(one)) for one in audit.refused]
    worse = worse_elsewhere(audit)
    elsewhere = [_refused("what is worse in a reading that is not examined", worse)] if worse else []
    sections = [_section(audit, section) for section in audit.sections.asked]
    unknown = unknown_sections(audit)
    open_ones = [_refused("what the files lead to and was not asked", unknown)] if unknown else []
    classes = [_suite(audit, one) for one in audit.classes]
    return _document([*classes, *sections, *refused, *elsewhere, *open_ones])


def _section(audit: AuditResult, section: Section) -> ElementTree.Element:
    """A suite for a section: a case for each danger, and one for what its verdict depends on."""
    suite = ElementTree.Element("testsuite", _named(f"{NAME}: {heading(section)}"))
    properties = ElementTree.SubElement(suite, "properties")
    said = {"family": section.inquiry.family, "verdict": section.verdict.value, "says": section.case.says}
    for name, value in said.items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": printable(value)})
    remarks = of_section(audit, section)
    for danger in section.dangers:
        of_danger = [one for one in remarks if one.rule == f"{section.inquiry.family}/{danger.property}"]
        case = _case(suite, danger.name)
        failed = [one for one in of_danger if one.level == Level.ERROR]
        new = [one for one in failed if one.change in (None, Change.NEW)]
        cut_short = [one for one in of_danger if one.level is None]
        rest = [one for one in of_danger if one.level == Level.NOTE]
        if new and not section.case.lacks:
            _outcome(case, "failure", danger.property, _with(danger, new), [_text(one) for one in new])
        elif cut_short or new:
            shown = cut_short or new
            _outcome(case, "error", "undecided", _with(danger, shown), [_text(one) for one in shown])
        elif failed:
            words = f"as in the baseline: {_with(danger, failed)}"
            _outcome(case, "skipped", "unchanged", words, [_text(one) for one in failed])
        if rest:
            ElementTree.SubElement(case, "system-out").text = "\n\n".join(_text(one) for one in rest)
    for remark in remarks:
        if remark.rule == ABOUT_READINGS:
            case = _case(suite, remark.title)
            if remark.level is None:
                _outcome(case, "error", "undecided", remark.message, [_text(remark)])
            else:
                ElementTree.SubElement(case, "system-out").text = printable(_text(remark))
    return suite


def problems_junit(problems: Sequence[Remark]) -> str:
    """Wrong input: a suite with an error for each problem."""
    return _document([_refused("the files cannot be audited", problems)])


def _refused(name: str, problems: Sequence[Remark]) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", _named(f"{NAME}: {name}"))
    for problem in problems:
        _outcome(_case(suite, problem.title), "error", problem.rule, problem.title, [_text(problem)])
    return suite


def _document(suites: Sequence[ElementTree.Element]) -> str:
    root = ElementTree.Element("testsuites", _named(NAME))
    for suite in suites:
        root.append(suite)
        for found, name in (
            ("testcase", "tests"),
            ("failure", "failures"),
            ("error", "errors"),
            ("skipped", "skipped"),
        ):
            suite.set(name, str(len(list(suite.iter(found)))))
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _named(name: str) -> dict[str, str]:
    return {"name": printable(name)}


def _suite(audit: AuditResult, one: ClassAudit) -> ElementTree.Element:
    deployment = one.deployment
    named = f": {few(deployment.units)}" if deployment.units else ""
    suite = ElementTree.Element("testsuite", _named(f"{NAME}{named}"))
    properties = ElementTree.SubElement(suite, "properties")
    said = {
        "deployment": settings_line(deployment),
        "verdict": one.verdict.value,
        **({"not_safe_with": ", ".join(one.everyday)} if one.everyday else {}),
        "topics": str(len(deployment.topics)),
        "version": deployment.version,
        "profile": deployment.profile,
        "replication_factor": str(deployment.replication_factor),
        **{name: str(value).lower() for name, value in deployment.settings.items()},
    }
    for name, value in said.items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": printable(value)})
    remarks = findings_of(audit, one)
    for danger in one.examination.dangers:
        _danger(suite, one, danger, [remark for remark in remarks if remark.rule == danger.property])
    for remark in remarks:
        if remark.rule == ABOUT_READINGS:
            case = _case(suite, remark.title)
            if remark.level is None:
                _outcome(case, "error", "undecided", remark.message, [_text(remark)])
            else:
                ElementTree.SubElement(case, "system-out").text = printable(_text(remark))
    warnings = [_text(remark) for remark in warnings_of(audit, [one])]
    if warnings:
        ElementTree.SubElement(suite, "system-out").text = "\n".join(["Warnings", *warnings])
    return suite


def _danger(suite: ElementTree.Element, one: ClassAudit, danger: Danger, remarks: Sequence[Remark]) -> None:
    case = _case(suite, danger.name)
    undecided = {str(d.faults) for d in one.examination.of(danger, Verdict.UNDECIDED) if d.tolerated}
    failed = [remark for remark in remarks if remark.level == Level.ERROR]
    counted = [remark for remark in remarks if remark.level is None and remark.facts["faults"] in undecided]
    new = [remark for remark in failed if remark.change in (None, Change.NEW)]
    cut_short = [remark for remark in counted if remark.change != Change.UNCHANGED]
    cut_short += [remark for remark in failed if remark.change == Change.OPEN]
    if new:
        _outcome(case, "failure", danger.property, _with(danger, new), [_text(remark) for remark in new])
    elif cut_short:
        _outcome(case, "error", "undecided", _with(danger, cut_short), [_text(remark) for remark in cut_short])
    elif failed:
        words = f"as in the baseline: {_with(danger, failed)}"
        _outcome(case, "skipped", "unchanged", words, [_text(remark) for remark in failed])
    elif promises_nothing(one.deployment, danger):
        _outcome(case, "skipped", "not promised", NOT_PROMISED, [])
    shown = {id(remark) for remark in (new or cut_short or failed)}
    rest = [_text(remark) for remark in remarks if id(remark) not in shown]
    if rest:
        ElementTree.SubElement(case, "system-out").text = "\n\n".join(rest)


def _case(suite: ElementTree.Element, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", {**_named(name), "classname": suite.get("name", NAME)})


def _outcome(case: ElementTree.Element, kind: str, of: str, message: str, said: Sequence[str]) -> None:
    outcome = ElementTree.SubElement(case, kind, {"type": printable(of), "message": printable(message)})
    outcome.text = "\n\n".join(said) or None


def _with(danger: Danger, remarks: Sequence[Remark]) -> str:
    return f"{danger.what}, with {', or '.join(remark.facts['faults'] for remark in remarks)}"


def _text(remark: Remark) -> str:
    """The place, what happens, and what to do, each in a line."""
    place = "" if remark.place is None else f"{remark.place.file}:{remark.place.line or 1}"
    again = f"To see it step by step: {remark.facts['command']}" if "command" in remark.facts else ""
    return printable("\n".join(part for part in (place, remark.message, remark.advice, again) if part))
