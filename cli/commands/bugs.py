"""`neverlost bugs`: the losses that Kafka's users really had, and the searches that find them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.traces.render_text import check_command, counted, sentence, shell_lines, steps_text, wrapped
from neverlost.spec.bugs import Bug, bug_named
from neverlost.spec.families import known_bugs
from neverlost.spec.recorded_search import RecordedSearch
from neverlost.studies.recorded import answer, command_of, recorded_trace

from ..output import Output
from ..reports.bugs_page import bugs_html

NAME, FOUND = 24, 29
"""Width of the first two columns."""


@click.command("bugs")
@click.argument("ticket", required=False, metavar="[TICKET]")
@click.option(
    "--json", "json_path", metavar="FILE|-", help="Write the ledger as JSON; with -, the text goes to standard error."
)
@click.option("--html", "html_path", metavar="FILE", help="Write a page with the story of each.")
def bugs_command(ticket: str | None, json_path: str | None, html_path: str | None) -> int:
    """List the losses that Kafka had, and what finds each; or show one in full: neverlost bugs KAFKA-7128.

    This command does not search: verdicts and stories are recorded. `make golden` searches for all of them again.
    """
    chosen = known_bugs() if ticket is None else (bug_named(ticket),)
    output = Output({"--json": json_path, "--html": html_path})
    text = "\n".join(_table(chosen)) if ticket is None else "\n\n".join(_in_full(chosen[0]))
    output.show(text)
    output.write("--json", lambda: json_text([_values(bug) for bug in chosen]))
    output.write("--html", lambda: bugs_html(chosen))
    return ExitCode.HOLDS


def _table(bugs: tuple[Bug, ...]) -> Iterator[str]:
    found = sum(bug.lost is not None for bug in bugs)
    yield f"Losses that Kafka had: {found} of {len(bugs)} are found on a released version"
    for bug in bugs:
        what = f"{bug.what} ({bug.releases})" if bug.releases else bug.what
        start = f"  {bug.name:{NAME}}{_found(bug):{FOUND}}"
        yield wrapped(start + what, " " * len(start))
    yield "To see one in full, with its story or the reason why no search finds it"
    yield "  neverlost bugs KAFKA-7128"


def _found(bug: Bug) -> str:
    if bug.lost is None:
        return "not in the model"
    return f"{bug.lost.profile}, {counted(len(bug.lost.steps or ()), 'step')}"


def _in_full(bug: Bug) -> Iterator[str]:
    names = ", ".join(bug.jira)
    yield f"{names}: {bug.what}\n" + "\n".join(
        wrapped(f"  {title:10}{text}", " " * 12)
        for title, text in (("releases", bug.releases), ("fixed in", bug.fixed))
        if text
    )
    yield wrapped(f"  {bug.statement}", "  ")
    if bug.lost is None or bug.kept is None:
        yield "Why no search finds it\n" + wrapped(f"  {bug.left_out}", "  ")
        return
    trace = recorded_trace(bug.lost)
    yield f"On {bug.lost.profile}, in {counted(len(trace.steps), 'step')}\n" + wrapped(f"  {sentence(trace)}", "  ")
    yield steps_text(trace)
    yield "To see this again\n" + shell_lines(check_command(trace))
    yield f"On the fixed version, {bug.kept.property} {answer(bug.kept)}\n" + shell_lines(command_of(bug.kept))
    if bug.note is not None:
        yield "Note\n" + wrapped(f"  {bug.note}", "  ")


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
