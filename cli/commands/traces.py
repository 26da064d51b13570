"""`neverlost trace` and `neverlost replay`: show a recorded trace in another form, and check it step by step."""

from __future__ import annotations

from pathlib import Path

import click

from neverlost.explorer.loading import LoadingError, files_of
from neverlost.explorer.no_return import with_no_return
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.traces.sentence import sentence
from neverlost.explorer.traces.trace import ReplayError, Trace, replay
from neverlost.explorer.traces.trace_json import TraceFileError, read_trace
from neverlost.explorer.words import counted
from neverlost.model.core import NeverlostError, Profile, UnknownNameError
from neverlost.reports.printable import printable
from neverlost.reports.trace.formats import FORMATS, render

from ..bounds import named_profile
from ..completion import one_of, trace_formats
from ..output import STANDARD_OUTPUT, Output
from ..progress import interruptible
from ..waiting import waiting_for

PROFILE_OPTION = click.option(
    "--profile", metavar="PROFILE", help="The profile to replay it on, instead of the one named in the file."
)


@click.command("trace")
@click.argument("file")
@click.option(
    "--format",
    "format_name",
    shell_complete=one_of(trace_formats),
    default="text",
    metavar="|".join(FORMATS),
    help="The form to show it in; text if not given.",
)
@click.option("--out", metavar="FILE", default=STANDARD_OUTPUT, help="Where to write it; standard output if not given.")
@PROFILE_OPTION
def trace_command(file: str, format_name: str, out: str, profile: str | None) -> int:
    """Show the trace in FILE, written by `check --trace-out`, as text, JSON, ITF, a Mermaid diagram or a pytest file.

    The trace is replayed first; a trace that does not replay is refused.
    """
    if format_name not in FORMATS:
        raise UnknownNameError("format", format_name, FORMATS)
    output = Output({"--out": out}, inputs=[file, *files_of(profile)])
    trace = load(file, profile)
    try:
        replay(trace)
    except ReplayError as error:
        raise TraceFileError(f"{file} does not replay, so it is not shown: {error}") from error
    with interruptible() as interrupted:
        shown = with_no_return(trace, interrupted)
    output.write("--out", lambda: render(shown, format_name))
    return ExitCode.HOLDS


@click.command("replay")
@click.argument("file")
@PROFILE_OPTION
def replay_command(file: str, profile: str | None) -> int:
    """Run every step of the trace in FILE in the interpreter; say at which step it fails, and why.

    Exit codes: 0 the trace replays and decides its property, 1 it does not, 2 the input is wrong.
    """
    trace = load(file, profile)
    try:
        replay(trace)
    except ReplayError as error:
        click.echo(printable(f"{file} fails at step {error.step} of {len(trace.steps)}.\n{error}"))
        return ExitCode.VIOLATED
    click.echo(
        f"{file} replays on {trace.model.profile.name}: {counted(len(trace.steps), 'step')}, every state as recorded."
    )
    click.echo(sentence(trace))
    return ExitCode.HOLDS


def load(file: str, profile: str | None) -> Trace:
    """The trace in a file, on the profile that it names or on another. Raises NeverlostError."""
    try:
        with waiting_for(file):
            text = Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise TraceFileError(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise TraceFileError(
            f"{file} is not a trace: it is not text in UTF-8 ({error.reason} at byte {error.start})"
        ) from error

    def profile_named(recorded: str) -> Profile:
        try:
            return named_profile(recorded, profile, f"{file} is a trace")
        except LoadingError:
            raise
        except NeverlostError as error:
            raise TraceFileError(f"{file}: profile: {error}" if profile is None else str(error)) from error

    return read_trace(text, file, profile_named)
