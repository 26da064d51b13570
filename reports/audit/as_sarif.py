"""SARIF 2.1.0, for code scanning: a result for each finding, open question and warning.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.studies.audit.audit import AuditResult
from neverlost.studies.audit.comparison import Change
from neverlost.studies.audit.edits import LineChange, Place

from ..printable import printable
from .plain_text import relative, uri
from .remarks import RULES, Remark, remarks_of

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
BASE = "%SRCROOT%"
"""What code scanning calls the folder that paths begin in."""

STATES = {Change.NEW: "new", Change.OPEN: "new", Change.UNCHANGED: "unchanged"}
FINGERPRINT = "neverlost/v1"


def audit_sarif(audit: AuditResult) -> str:
    """The remarks of an audit as results. Text from files is in text only, never in Markdown."""
    remarks = remarks_of(audit)
    rules = list(dict.fromkeys(remark.rule for remark in remarks))
    run = {
        "tool": _tool(remarks),
        "invocations": [{"executionSuccessful": True, "exitCode": int(audit.exit_code)}],
        "originalUriBaseIds": {BASE: {"description": {"text": "The folder in which neverlost audit ran."}}},
        "results": [_result(remark, rules.index(remark.rule)) for remark in remarks],
        "properties": {"verdict": audit.verdict.value},
    }
    return _log(run)


def problems_sarif(problems: Sequence[Remark]) -> str:
    """Wrong input: the tool did not begin, so there are no results, but notifications."""
    said = [
        {
            "descriptor": {"id": printable(problem.rule)},
            "level": "error",
            "message": {"text": printable(problem.text)},
            **({} if problem.place is None else {"locations": [_location(problem.place)]}),
        }
        for problem in problems
    ]
    invocation = {
        "executionSuccessful": False,
        "exitCode": int(ExitCode.WRONG_INPUT),
        "toolConfigurationNotifications": said,
    }
    return _log({"tool": _tool([]), "invocations": [invocation]})


def _log(run: dict[str, Any]) -> str:
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _tool(remarks: Sequence[Remark]) -> dict[str, Any]:
    rules = {remark.rule: remark for remark in remarks}
    return {"driver": {"name": "neverlost", "version": version("neverlost"), "rules": [_rule(rule) for rule in rules]}}


def _rule(rule: str) -> dict[str, Any]:
    about = RULES.get(rule)
    if about is not None:
        said = f"{about[0].upper()}{about[1:]}"
        return {"id": rule, "shortDescription": {"text": f"{said}."}, "defaultConfiguration": {"level": "error"}}
    key = rule.partition("/")[2]
    said = f"About {printable(key)}" if key else "About the files as a whole"
    return {"id": printable(rule), "shortDescription": {"text": f"{said}."}, "defaultConfiguration": {"level": "note"}}


def _result(remark: Remark, rule: int) -> dict[str, Any]:
    """A result; what is undecided has the kind "open", whose level is "none" by the standard (3.27.10)."""
    severity = {"kind": "open", "level": "none"} if remark.level is None else {"level": remark.level.value}
    identity = "\0".join(remark.identity).encode("utf-8", "surrogatepass")
    found: dict[str, Any] = {
        "ruleId": printable(remark.rule),
        "ruleIndex": rule,
        **severity,
        "message": {"text": printable(remark.text)},
        "locations": [] if remark.place is None else [_location(remark.place)],
        "partialFingerprints": {FINGERPRINT: hashlib.sha256(identity).hexdigest()[:32]},
    }
    if remark.lines:
        found["fixes"] = [_fix(remark)]
    if remark.change is not None:
        found["baselineState"] = STATES[remark.change]
    if remark.facts:
        found["properties"] = {name: printable(value) for name, value in remark.facts.items()}
    return found


def _location(place: Place) -> dict[str, Any]:
    """A location; one without a line is at the first, because code scanning shows nothing else."""
    return {"physicalLocation": {"artifactLocation": _artifact(place.file), "region": {"startLine": place.line or 1}}}


def _artifact(file: str) -> dict[str, Any]:
    path = relative(file)
    if path is None:
        return {"uri": f"file://{uri(str(Path(file).absolute()))}"}
    return {"uri": uri(path), "uriBaseId": BASE}


def _fix(remark: Remark) -> dict[str, Any]:
    by_file: dict[str, list[LineChange]] = {}
    for line in remark.lines:
        by_file.setdefault(line.place.file, []).append(line)
    changes = [
        {"artifactLocation": _artifact(file), "replacements": [_replacement(line) for line in lines]}
        for file, lines in by_file.items()
    ]
    return {"description": {"text": printable(remark.advice)}, "artifactChanges": changes}


def _replacement(line: LineChange) -> dict[str, Any]:
    """A whole line without its end: that is what a region with only its start means (3.30.8). What is added goes before a line."""
    if line.before is None:
        below = (line.place.line or 0) + 1
        region = {"startLine": below, "startColumn": 1, "endLine": below, "endColumn": 1}
        return {"deletedRegion": region, "insertedContent": {"text": f"{line.after}{line.end}"}}
    return {"deletedRegion": {"startLine": line.place.line}, "insertedContent": {"text": line.after}}
