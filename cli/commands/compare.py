"""`neverlost compare`: where two releases of Kafka differ, shown on real brokers of both."""

from __future__ import annotations

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.watch import Watch
from neverlost.reports.quantities import show_seconds

from ..completion import one_of, release_names
from ..options import OptionsError
from ..output import Output
from ..progress import StatusLine, interruptible, until_interrupted
from ..terminal import show


@click.command("compare")
@click.argument("first", metavar="VERSION", shell_complete=one_of(release_names))
@click.argument("second", metavar="VERSION", shell_complete=one_of(release_names))
@click.option("--mode", metavar="zookeeper|kraft", help="For releases that have both; kraft if not given.")
@click.option("--list", "list_only", is_flag=True, help="Show the runs, and start no brokers.")
@click.option(
    "--rules", "rules_only", is_flag=True, help="Show the rules and known losses that differ; nothing is searched."
)
@click.option("--json", "json_path", metavar="FILE|-", help="Write what happened as JSON.")
@click.option("--quiet", is_flag=True, help="Only the verdict.")
def compare_command(
    first: str,
    second: str,
    mode: str | None,
    list_only: bool,
    rules_only: bool,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Show where two releases differ: the shortest run for each rule in which their versions of the model differ, on both.

    The release that has the rule must follow its run, and the other must leave it at the last step. 3.9 is the newest of its line.
    Without brokers, --rules says at once what changed between any two releases.

    Exit codes: 0 every run shows the difference, 1 one does not, 2 the input is wrong or something is missing, 3 interrupted.
    """
    if rules_only:
        from neverlost.reports.compare.between import between_text
        from neverlost.spec.between import between

        if json_path is not None or list_only or quiet:
            raise OptionsError("--rules shows text only, and all of it; leave out --list, --json and --quiet")
        show(between_text(between(first, second, mode)))
        return ExitCode.HOLDS
    from neverlost.conformance.cluster.comparing import Compared, compare, telling_rules
    from neverlost.conformance.cluster.releases import newest_of_line, release_named, runnable_releases
    from neverlost.reports.compare.as_json import compared_values
    from neverlost.reports.compare.as_text import compared_text, compared_verdict

    output = Output({"--json": json_path}, quiet=quiet)
    one, other = (
        release_named(name, mode if mode and len(runnable_releases().get(name, ())) > 1 else None)
        for name in (newest_of_line(first), newest_of_line(second))
    )
    if not quiet:
        click.echo("The runs are searched for, which takes minutes; --rules shows at once what differs", err=True)
    with StatusLine(quiet) as status, interruptible() as interrupted:
        watch = Watch(progress=status.say, interrupted=interrupted)
        rules = [telling_rules(one, other, watch=watch), telling_rules(other, one, watch=watch)]
        runs = sum(bool(rule.steps) for of_one in rules for rule in of_one)
        found = (
            [Compared(rule=rule) for of_one in rules for rule in of_one]
            if list_only
            else list(until_interrupted(compare(one, other, rules, watch=watch)))
        )
        complete = list_only or len(found) == sum(map(len, rules))
    output.show(f"Kafka {one} (`{one.profile.name}`) and {other} (`{other.profile.name}`)")
    if not quiet:
        output.show(compared_text(found, played=not list_only))
    took = "" if quiet else f" ({show_seconds(status.seconds)})"
    output.show(f"{compared_verdict(found, runs, played=not list_only, complete=complete)}{took}")
    output.write("--json", lambda: json_text(compared_values(found)))
    if not list_only and not all(row.as_expected for row in found):
        return ExitCode.VIOLATED
    return ExitCode.HOLDS if complete else ExitCode.UNDECIDED
