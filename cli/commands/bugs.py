"""`neverlost bugs`: the losses that Kafka's users really had, and the searches that find them."""

from __future__ import annotations

import click

from neverlost.explorer.process.exit_code import ExitCode
from neverlost.reports.bugs.as_json import bugs_json
from neverlost.reports.bugs.as_text import bug_text, bugs_text
from neverlost.reports.bugs.page import bugs_html
from neverlost.spec.bugs import bug_named
from neverlost.spec.families import known_bugs

from ..completion import one_of, tickets
from ..options import json_option
from ..output import Output


@click.command("bugs")
@click.argument("ticket", required=False, metavar="[TICKET]", shell_complete=one_of(tickets))
@json_option("the ledger")
@click.option("--html", "html_path", metavar="FILE", help="Write a page with the story of each.")
def bugs_command(ticket: str | None, json_path: str | None, html_path: str | None) -> int:
    """List the losses that Kafka had, and what finds each; or show one in full: neverlost bugs KAFKA-7128.

    This command does not search: verdicts and stories are recorded. `make golden` searches for all of them again.
    """
    chosen = known_bugs() if ticket is None else (bug_named(ticket),)
    output = Output({"--json": json_path, "--html": html_path})
    output.show(bugs_text(chosen) if ticket is None else bug_text(chosen[0]))
    output.write("--json", lambda: bugs_json(chosen))
    output.write("--html", lambda: bugs_html(chosen))
    return ExitCode.HOLDS
