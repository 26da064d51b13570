"""The command `neverlost`: check, prove, lemmas, audit, matrix, claims, list, describe, trace, replay, and what other packages add."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

import click

from .lazy import LazyGroup, missing, plugin_commands

INPUT_IS_WRONG = 2
INTERNAL_ERROR = 70
"""Python would exit with 1, which says that a property is violated; this is EX_SOFTWARE of sysexits.h."""
SHOWN_FRAMES = 5


HERE = "neverlost.explorer.cli"
COMMANDS = {
    "check": (f"{HERE}.check:check_command", "Explore every state, and decide the properties."),
    "prove": (f"{HERE}.prove:prove_command", "Prove a property for any number of steps."),
    "lemmas": (f"{HERE}.lemmas:lemmas_command", "Search for lemmas that prove more."),
    "audit": (f"{HERE}.audit:audit_command", "What can happen to the records of a deployment."),
    "matrix": (f"{HERE}.matrix:matrix_command", "Versions, settings and faults: what loses an acknowledged record."),
    "claims": (f"{HERE}.claims:claims_command", "Decide the claims of the ledger."),
    "list": (f"{HERE}.listing:list_command", "List the profiles and properties."),
    "describe": (f"{HERE}.describe:describe_command", "Show the state, actions, guards and properties of a profile."),
    "trace": (f"{HERE}.traces:trace_command", "Show a recorded trace in another form."),
    "replay": (f"{HERE}.traces:replay_command", "Check a recorded trace step by step."),
}


@click.group(
    cls=LazyGroup,
    later={**COMMANDS, **plugin_commands()},
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="neverlost")
def cli() -> None:
    """Can an acknowledged Kafka record be lost, duplicated, reordered, or read and then vanish?

    Explores every state of a replication protocol within bounds, and shows the shortest story of what goes wrong.
    """


def main(arguments: list[str] | None = None) -> int:
    """Run the command line: 0 every property holds, 1 one is violated, 2 the input is wrong, 3 undecided.

    Whatever fails by a mistake of neverlost itself is no verdict: 70, with the end of the traceback.
    """
    if sys.platform == "win32":
        click.echo("neverlost runs on Linux and macOS; on Windows, run it in WSL", err=True)
        return INPUT_IS_WRONG
    _escape_what_cannot_be_encoded()
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
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain once more when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        refused = _refused(error)
        if refused is not None:
            click.echo(f"error: {refused}", err=True)
            return INPUT_IS_WRONG
        return _internal_error(error)


def _escape_what_cannot_be_encoded() -> None:
    """Write to standard output what its encoding lacks as an escape, `\\xe9` for \u00e9, as Python itself does on standard error."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _refused(error: Exception) -> str | None:
    """What the user can mend: wrong input, or a package that is not installed. None for a mistake of neverlost itself."""
    from neverlost.model.core import NeverlostError

    if isinstance(error, NeverlostError):
        return str(error)
    return missing(error) if isinstance(error, ModuleNotFoundError) else None


def _internal_error(error: Exception) -> int:
    import traceback

    click.echo(traceback.format_exc(limit=-SHOWN_FRAMES), err=True, nl=False)
    click.echo(f"neverlost: internal error, this is a bug: {type(error).__name__}: {error}", err=True)
    return INTERNAL_ERROR
