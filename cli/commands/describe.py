"""`neverlost describe`: a profile's state, actions, guards and properties, and how large it is within bounds."""

from __future__ import annotations

import sys

import click

from neverlost.explorer.loading import in_file
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.reports.describe.as_text import described
from neverlost.reports.describe.atomicity import ledger_text

from ..bounds import USAGE, BoundedCommand, bounded_model, clashes, known_profile
from ..completion import profile_names
from ..terminal import show


@click.command(
    "describe",
    cls=BoundedCommand,
    options_metavar=USAGE,
)
@click.argument("profile", shell_complete=profile_names)
@click.option("--code", is_flag=True, help="Show the source of every action and helper, not only the guards.")
@click.option(
    "--atomic",
    is_flag=True,
    help="Show instead what makes each action one step in Kafka: a lock, a thread, or nothing. For a version of Kafka.",
)
@click.option("--tla", is_flag=True, help="Write the model as a module of TLA+ instead, with its lemmas, for TLC.")
@click.pass_context
def describe_command(context: click.Context, profile: str, code: bool, atomic: bool, tla: bool) -> int:
    """Describe PROFILE within bounds: its state, its actions with their rules and guards, its properties, its size."""
    model = bounded_model(context, known_profile(profile))
    if tla:
        from neverlost.reports.describe.as_tla import tla_module

        sys.stdout.write(tla_module(model))
        return ExitCode.HOLDS
    if atomic:
        show(ledger_text(model.profile))
        return ExitCode.HOLDS
    show(described(model, with_code=code, taken=clashes(context, model.profile) if in_file(profile) else {}))
    return ExitCode.HOLDS
