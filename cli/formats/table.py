"""The formats of `neverlost audit --format`, but for text, which is for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from neverlost.studies.audit.audit import AuditResult
from neverlost.studies.audit.audit_json import audit_json, problems_json
from neverlost.studies.audit.remarks import Remark

from .github import audit_github, problems_github
from .junit import audit_junit, problems_junit
from .markdown import audit_markdown, problems_markdown
from .sarif import audit_sarif, problems_sarif


@dataclass(frozen=True, kw_only=True)
class Format:
    """How a format says what an audit found, and what is wrong with its input."""

    audit: Callable[[AuditResult], str]
    problems: Callable[[Sequence[Remark]], str]


FORMATS: Mapping[str, Format] = {
    "sarif": Format(audit=audit_sarif, problems=problems_sarif),
    "junit": Format(audit=audit_junit, problems=problems_junit),
    "github": Format(audit=audit_github, problems=problems_github),
    "markdown": Format(audit=audit_markdown, problems=problems_markdown),
    "json": Format(audit=audit_json, problems=problems_json),
}
