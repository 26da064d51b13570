"""The ledger of bugs, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neverlost.explorer.files.json_text import json_text
from neverlost.spec.bugs import Bug
from neverlost.spec.recorded_search import RecordedSearch
from neverlost.studies.recorded import command_of


def bugs_json(bugs: Sequence[Bug]) -> str:
    """All bugs as a list; see docs/reference/json.md."""
    return json_text([_values(bug) for bug in bugs])


def _values(bug: Bug) -> dict[str, Any]:
    return {
        "tickets": bug.jira,
        "releases": bug.releases,
        "fixed": bug.fixed,
        "what": bug.what,
        "statement": bug.statement,
        "note": bug.note,
        "left_out": bug.left_out,
        **{role: _search_values(search) for role, search in (("lost", bug.lost), ("kept", bug.kept))},
    }


def _search_values(search: RecordedSearch | None) -> dict[str, Any] | None:
    if search is None:
        return None
    return {
        "profile": search.profile,
        "property": search.property,
        "verdict": search.verdict,
        "distinct": search.distinct,
        "steps": search.steps,
        "command": " ".join(command_of(search)),
    }
