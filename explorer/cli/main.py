"""The command `neverlost`: check, prove, lemmas, audit, matrix, claims, list, describe, trace, replay, and what other packages add."""

from __future__ import annotations

import os
import sys
import traceback

import click

from neverlost.model.core import NeverlostError

from .audit import audit_command
from .check import check_command
from .claims import claims_command
from .describe import describe_command
from .lemmas import lemmas_command
from .listing import list_command
from .matrix import matrix_command
from .plugins import plugin_commands
from .prove import prove_command
from .traces import replay_command, trace_command

INPUT_IS_WRONG = 2
INTERNAL_ERROR = 70
"""Python would exit with 1, which says that a property is violated; this is EX_SOFTWARE of sysexits.h."""
SHOWN_FRAMES = 5


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="neverlost")
def cli() -> None:
    """Can an acknowledged Kafka record be lost, duplicated, reordered, or read and then vanish?

    Explores every state of a replication protocol within bounds, and shows the shortest story of what goes wrong.
    """


COMMANDS = (
    check_command,
    prove_command,
    lemmas_command,
    audit_command,
    matrix_command,
    claims_command,
    list_command,
    describe_command,
    trace_command,
    replay_command,
)
for command in (*COMMANDS, *plugin_commands()):
    cli.add_command(command)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line: 0 every property holds, 1 one is violated, 2 the input is wrong, 3 undecided.

    Whatever fails by a mistake of neverlost itself is no verdict: 70, with the end of the traceback.
    """
    try:
        code = cli.main(arguments, prog_name="neverlost", standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return INPUT_IS_WRONG
    except click.ClickException as error:
        error.show()
        return INPUT_IS_WRONG
    except NeverlostError as error:
        click.echo(f"error: {error}", err=True)
        return INPUT_IS_WRONG
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain once more when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        click.echo(traceback.format_exc(limit=-SHOWN_FRAMES), err=True, nl=False)
        click.echo(f"neverlost: internal error, this is a bug: {type(error).__name__}: {error}", err=True)
        return INTERNAL_ERROR
