"""`neverlost compare`: where two releases of Kafka differ, shown on real brokers of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.traces.render_text import counted
from neverlost.reports.quantities import show_seconds

from ..output import Output
from ..progress import StatusLine, interruptible, until_interrupted

if TYPE_CHECKING:
    from neverlost.conformance.cluster.comparing import Compared, Played


@click.command("compare")
@click.argument("first", metavar="VERSION")
@click.argument("second", metavar="VERSION")
@click.option("--mode", metavar="zookeeper|kraft", help="For releases that have both; kraft if not given.")
@click.option("--list", "list_only", is_flag=True, help="Show the runs, and start no brokers.")
@click.option("--json", "json_path", metavar="FILE|-", help="Write what happened as JSON.")
@click.option("--quiet", is_flag=True, help="Only the verdict.")
def compare_command(
    first: str, second: str, mode: str | None, list_only: bool, json_path: str | None, quiet: bool
) -> int:
    """Show where two releases differ: the shortest run for each rule in which their versions of the model differ, on both.

    The release that has the rule must follow its run, and the other must leave it at the last step.

    Exit codes: 0 every run shows the difference, 1 one does not, 2 the input is wrong or something is missing, 3 interrupted.
    """
    from neverlost.conformance.cluster.comparing import (
        Compared,
        compare,
        compared_values,
        telling_rules,
    )
    from neverlost.conformance.cluster.releases import release_named, runnable_releases

    output = Output({"--json": json_path}, quiet=quiet)
    one, other = (
        release_named(name, mode if mode and len(runnable_releases().get(name, ())) > 1 else None)
        for name in (first, second)
    )
    with StatusLine(quiet) as status, interruptible() as interrupted:
        watch = Watch(progress=status.say, interrupted=interrupted)
        rules = [telling_rules(one, other, watch=watch), telling_rules(other, one, watch=watch)]
        expected = sum(bool(rule.steps) for of_one in rules for rule in of_one)
        found = (
            [Compared(rule=rule) for of_one in rules for rule in of_one]
            if list_only
            else list(until_interrupted(compare(one, other, rules, watch=watch)))
        )
        complete = list_only or len(found) == sum(map(len, rules))
    output.show(f"Kafka {one} (`{one.profile.name}`) and {other} (`{other.profile.name}`)")
    if not quiet:
        output.show("\n".join(line for row in found for line in compared_lines(row, played=not list_only)))
    took = "" if quiet else f" ({show_seconds(status.seconds)})"
    bad = [] if list_only else [row for row in found if not row.as_expected]
    verdict = (
        "not played"
        if list_only
        else "interrupted"
        if not complete
        else f"{counted(len(bad), 'run')} NOT as expected"
        if bad
        else "each shows its difference"
    )
    output.show(f"{counted(len(found), 'rule')} differ, {counted(expected, 'run')} show them: {verdict}{took}")
    output.write("--json", lambda: json_text(compared_values(found)))
    if bad:
        return ExitCode.VIOLATED
    return ExitCode.HOLDS if complete else ExitCode.UNDECIDED


def compared_lines(row: Compared, *, played: bool) -> list[str]:
    """A rule, its run, and how it went on both releases, for people."""
    rule = row.rule
    lines = ["", f"{rule.own} in {rule.version}; {rule.other} in the other"]
    if rule.model is None:
        return [*lines, f"  no run: {rule.why}"]
    lines += [f"{number:4}. {step.show(rule.model.bounds)}" for number, step in enumerate(rule.steps, start=1)]
    if played:
        lines += [f"  here:  {outcome(row.there)}", f"  there: {outcome(row.elsewhere)}"]
    return lines


def outcome(played: Played | None) -> str:
    """How a run went, in a line."""
    if played is None:
        return "not played"
    left = played.difference
    if left is None:
        return "as the run" + (f"; then {played.trouble}" if played.trouble else "")
    return f"differs at step {left.number}: {left.refusal or '; '.join(one.show() for one in left.differences)}"
