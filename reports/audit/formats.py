"""The formats of `neverlost audit --format`, but for text, which is for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from neverlost.studies.audit.audit import AuditResult

from .as_github import audit_github, problems_github
from .as_json import audit_json, problems_json
from .as_junit import audit_junit, problems_junit
from .as_markdown import audit_markdown, problems_markdown
from .as_sarif import audit_sarif, problems_sarif
from .remarks import Remark


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
