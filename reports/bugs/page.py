"""The ledger of bugs as a page: every loss that Kafka had with its story, or why no search finds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neverlost.explorer.traces.commands import check_command
from neverlost.explorer.traces.sentence import sentence
from neverlost.explorer.words import counted
from neverlost.spec.bugs import Bug
from neverlost.studies.recorded import answer, command_of, recorded_trace

from ..layout import shell_lines
from ..pages.page import filled, whole_page
from ..trace.page import story_section, symbols


def bugs_html(bugs: Sequence[Bug]) -> str:
    """The page: one file. With one bug alone, its story also has what else could have happened."""
    alone = len(bugs) == 1
    found = sum(bug.lost is not None for bug in bugs)
    title = bugs[0].what if alone else "Losses that Kafka had"
    models = [bug.lost.model() for bug in bugs if bug.lost is not None]
    body = filled(
        "bugs/bugs.html.j2",
        symbols=symbols(*models),
        title=title,
        summary="" if alone else f"{found} of {len(bugs)} are found on a released version.",
        bugs=[_values(bug, with_beyond=alone) for bug in bugs],
    )
    return whole_page(title, body, scripts=["trace/story.js"])


def _values(bug: Bug, *, with_beyond: bool) -> dict[str, Any]:
    said = {
        "name": bug.name,
        "names": ", ".join(bug.jira),
        "what": bug.what,
        "releases": bug.releases,
        "statement": bug.statement,
        "fixed": bug.fixed,
        "left_out": bug.left_out,
        "note": bug.note,
        "found": "",
        "story": "",
    }
    if bug.lost is None or bug.kept is None:
        return said
    trace = recorded_trace(bug.lost)
    return said | {
        "found": f"{bug.lost.profile}, {counted(len(trace.steps), 'step')}",
        "sentence": sentence(trace),
        "story": story_section(trace, "step" if with_beyond else f"{bug.name}-step", with_beyond=with_beyond),
        "command": shell_lines(check_command(trace), ""),
        "kept": f"On the fixed version, {bug.kept.property} {answer(bug.kept)}",
        "kept_command": shell_lines(command_of(bug.kept), ""),
    }
