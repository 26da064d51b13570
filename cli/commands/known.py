"""`neverlost known`: what is known of real brokers, played again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from neverlost.explorer.exit_code import ExitCode
from neverlost.explorer.json_text import json_text
from neverlost.explorer.render_text import counted
from neverlost.explorer.watch import Watch

from ..output import Output
from ..progress import StatusLine, interruptible
from ..quantities import show_seconds

if TYPE_CHECKING:
    from neverlost.conformance.cluster.scenarios import ScenarioRun


@click.command("known")
@click.argument("names", nargs=-1, metavar="[SCENARIO...]")
@click.option("--kafka", "releases", multiple=True, metavar="VERSION", help="Only on this release: 4.1.1. Repeatable.")
@click.option("--times", default=1, type=click.IntRange(min=1), metavar="N", help="How many times each; 1.")
@click.option("--unpatched", is_flag=True, help="Change no request on its way: only delay and cut.")
@click.option("--list", "list_only", is_flag=True, help="Show the scenarios, and run nothing.")
@click.option("--json", "json_path", metavar="FILE|-", help="Write what happened as JSON.")
@click.option("--markdown", "markdown_path", metavar="FILE|-", help="Write the table as Markdown.")
@click.option("--quiet", is_flag=True, help="Only the verdict.")
def known_command(
    names: tuple[str, ...],
    releases: tuple[str, ...],
    times: int,
    unpatched: bool,
    list_only: bool,
    json_path: str | None,
    markdown_path: str | None,
    quiet: bool,
) -> int:
    """Play the losses that Kafka is known for, and what ended them, on real brokers of the releases in question.

    The model finds each run, real brokers do it, and the outcome is compared with what is known of the release.

    Exit codes: 0 all as known, 1 something is otherwise, 2 the input is wrong or something is missing, 3 interrupted.
    """
    from neverlost.conformance.cluster.scenarios import play, scenarios, steps_played
    from neverlost.conformance.cluster.scenarios_text import scenario_table, scenario_values, scenarios_markdown

    output = Output({"--json": json_path, "--markdown": markdown_path}, quiet=quiet)
    wanted = scenarios(names)
    if list_only:
        output.show("\n".join(f"{scenario.name}\n    {scenario.about}" for scenario in wanted))
        return ExitCode.HOLDS
    began = time.perf_counter()
    found: list[ScenarioRun] = []
    complete = False
    with StatusLine(quiet) as status, interruptible() as interrupted:
        try:
            # What was played before an interruption is kept.
            found.extend(
                play(
                    wanted,
                    releases=releases,
                    times=times,
                    patched=not unpatched,
                    watch=Watch(progress=status.say, interrupted=interrupted),
                )
            )
            complete = True
        except KeyboardInterrupt:
            pass
    bad = [played for played in found if not played.as_known]
    runs, steps = counted(sum(len(played.runs) for played in found), "run"), counted(steps_played(found), "step")
    verdict = f"{counted(len(bad), 'scenario')} NOT as known" if bad else "all as known"
    how = "" if complete else " before it was interrupted"
    if not quiet:
        output.show(scenario_table(found))
    output.show(f"{runs} of {steps} on real brokers{how}: {verdict} ({show_seconds(time.perf_counter() - began)})")
    output.write("--json", lambda: json_text(scenario_values(found)))
    output.write("--markdown", lambda: scenarios_markdown(found))
    if bad:
        return ExitCode.VIOLATED
    return ExitCode.HOLDS if complete else ExitCode.UNDECIDED
