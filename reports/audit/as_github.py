"""Workflow commands of GitHub Actions, which become annotations of files.

Escapes are those of @actions/core 1 (packages/core/src/command.ts of actions/toolkit): `%`, CR and LF everywhere, `:` and `,` in
properties too. A step shows at most ten annotations of each kind (docs/problem-matchers.md there), so what matters comes first.
"""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.studies.audit.audit import AuditResult
from neverlost.studies.audit.comparison import Change

from ..printable import printable
from .plain_text import relative
from .remarks import Level, Remark, remarks_of

COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice", None: "warning"}
"""What is undecided is a warning: the step fails with 3."""


def audit_github(audit: AuditResult) -> str:
    """One line for each remark."""
    return problems_github(remarks_of(audit))


def problems_github(remarks: Sequence[Remark]) -> str:
    """One line for each remark; what was so before, in the baseline, is a notice."""
    return "".join(_line(remark) for remark in remarks)


def _line(remark: Remark) -> str:
    before = remark.change == Change.UNCHANGED
    command = "notice" if before else COMMANDS[remark.level]
    properties = {"title": f"as before: {remark.title}" if before else remark.title}
    if remark.place is not None:
        file = relative(remark.place.file) or remark.place.file
        properties = {"file": file, "line": str(remark.place.line or 1), **properties}
    said = ",".join(f"{name}={_property(printable(value))}" for name, value in properties.items())
    return f"::{command} {said}::{_data(printable(remark.text))}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
