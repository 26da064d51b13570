"""The command `neverlost`: its commands, and how errors end it."""

from __future__ import annotations

import os
import sys
from io import StringIO

import click

from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.memory import LEAST_ADDRESS_SPACE, address_space_suffices, lacks_memory
from neverlost.model.arguments import named_as_options
from neverlost.reports.printable import printable

from .lazy import LazyGroup, missing
from .streams import (
    StreamError,
    closed_stream,
    guarded_streams,
    hold_closed_input,
    say,
)

SHOWN_FRAMES = 5
COMPLETION = "_NEVERLOST_COMPLETE"
"""Shells set this when Click completes a command line."""


COMMANDS = {
    "Kafka in use": {
        "audit": ("audit:audit_command", "Say what can happen to the records of a deployment."),
        "matrix": ("matrix:matrix_command", "Search versions, settings and faults for lost records."),
        "bugs": ("bugs:bugs_command", "List the losses that Kafka had, and what finds each."),
        "claims": ("claims:claims_command", "Decide the claims of the ledger."),
    },
    "Models": {
        "check": ("check:check_command", "Explore every state, and decide the properties."),
        "prove": ("prove:prove_command", "Prove a property for any number of steps."),
        "lemmas": ("lemmas:lemmas_command", "Search for lemmas that prove more."),
        "mutants": ("mutants:mutants_command", "Leave out each condition of a model, and say what finds that."),
        "explore": ("explore:explore_command", "Click through a model in the browser."),
        "list": ("listing:list_command", "List the profiles and properties."),
        "describe": ("describe:describe_command", "Show the state, actions, guards and properties of a profile."),
    },
    "Implementations": {
        "suite": ("suite:suite_command", "Write test cases for an implementation."),
        "conform": ("conform:conform_command", "Run a suite against an implementation."),
        "validate": ("validate:validate_command", "Compare an event log of brokers with the model."),
        "history": ("history:history_command", "Judge what clients of a real system saw."),
    },
    "Real brokers": {
        "reproduce": ("reproduce:reproduce_command", "Play a counterexample on real brokers."),
        "known": ("known:known_command", "Play the losses that Kafka is known for on real brokers."),
        "compare": ("compare:compare_command", "Show on real brokers where two releases differ."),
        "soak": ("soak:soak_command", "Random runs of the model on real brokers."),
        "cluster": ("cluster:cluster_command", "Start real brokers, and hold, kill and watch them by hand."),
        "record": ("record:record_command", "Record real brokers and clients while things fail."),
    },
    "What was kept": {
        "trace": ("traces:trace_command", "Show a recorded trace in another form."),
        "replay": ("traces:replay_command", "Check a recorded trace step by step."),
        "resume": ("resume:resume_command", "Resume an interrupted search in a store."),
        "graph": ("graph:graph_command", "Show the store of a search on Spark as tables."),
        "schema": ("schema:schema_command", "Show the JSON Schema of what the others write."),
    },
}
"""By topic and name of a command: where it is, as `module:attribute` in `cli/commands`, and what it does, in one line."""


@click.group(
    cls=LazyGroup,
    later=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="neverlost")
def cli() -> None:
    """Can an acknowledged Kafka record be lost, duplicated, reordered, or read and then vanish?

    Explores every state of a replication protocol within bounds, and shows the shortest story of what goes wrong.

    What the verdicts do not mean: docs/explanation/what-holds-means.md

    \b
    To complete words in bash; in zsh and fish, with zsh_source and fish_source:
      eval "$(_NEVERLOST_COMPLETE=bash_source neverlost)"
    """


def main(arguments: list[str] | None = None) -> int:
    """Run the command line: 0 every property holds, 1 one is violated, 2 the input is wrong, 3 undecided.

    Output that cannot be written is no verdict: 2, or 141 if its reader has closed it.
    An internal error is no verdict either: 70, with the end of the traceback.
    """
    if sys.platform == "win32":
        click.echo("neverlost runs on Linux and macOS; on Windows, run it in WSL", err=True)
        return ExitCode.WRONG_INPUT
    # NumPy's matrix library is not needed here, but it reserves memory for each thread, and ends with 1 if there is none.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    closed = closed_stream()
    if closed is not None:
        say(f"error: {closed} is closed; redirect it to a file, or to {os.devnull}")
        return ExitCode.WRONG_INPUT
    hold_closed_input()
    with guarded_streams() as guards:
        failed: StreamError | None = None
        try:
            code = _answered(arguments)
            sys.stdout.flush()
        except StreamError as error:
            failed = error
        failed = failed or next((guard.failed for guard in guards if guard.failed is not None), None)
        if failed is None:
            return code
        if failed.exit_code != ExitCode.READER_HAS_GONE:
            say(f"error: {failed}")
        return failed.exit_code


def _answered(arguments: list[str] | None) -> int:
    """The exit code of the command. An error that ends it is shown, and has its own exit code."""
    if not address_space_suffices():
        from neverlost.reports.quantities import show_bytes

        click.echo(
            f"error: undecided: neverlost needs {show_bytes(LEAST_ADDRESS_SPACE)} of address space, and this process may not use"
            " as much; raise its limit, with ulimit -v",
            err=True,
        )
        return ExitCode.UNDECIDED
    try:
        with named_as_options():
            code = cli.main(arguments, prog_name="neverlost", standalone_mode=False)
        return int(code or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return ExitCode.WRONG_INPUT
    except click.ClickException as error:
        said = StringIO()
        error.show(file=said)
        click.echo(printable(said.getvalue()), err=True, nl=False)
        return ExitCode.WRONG_INPUT
    except (click.Abort, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    except Exception as error:
        if lacks_memory(error):
            click.echo(f"error: undecided, because memory ran out: {error}", err=True)
            return ExitCode.UNDECIDED
        refused = _refused(error)
        if refused is not None:
            click.echo(f"error: {printable(refused)}", err=True)
            return ExitCode.WRONG_INPUT
        return _internal_error(error)
    except StreamError:
        raise
    except BaseException as error:
        # Completion ends with SystemExit. If a profile's own code does so too, its exit code must not look like a verdict.
        if COMPLETION in os.environ:
            raise
        from neverlost.explorer.process.raising import raised, raised_at

        click.echo(f"error: {raised_at(error)}: the profile's own code raised {raised(error)}; correct it", err=True)
        return ExitCode.WRONG_INPUT


def _refused(error: Exception) -> str | None:
    """The error that a user can correct: wrong input, or a package that is not installed. None for an internal error."""
    from neverlost.model.core import NeverlostError

    if isinstance(error, NeverlostError):
        return str(error)
    return missing(error) if isinstance(error, ModuleNotFoundError) else None


def _internal_error(error: Exception) -> int:
    import traceback

    click.echo(traceback.format_exc(limit=-SHOWN_FRAMES), err=True, nl=False)
    click.echo(f"neverlost: internal error, this is a bug: {type(error).__name__}: {printable(str(error))}", err=True)
    return ExitCode.INTERNAL_ERROR
