"""The ledger of bugs, for people: a line for each loss that Kafka had, or one of them in full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neverlost.explorer.traces.commands import check_command
from neverlost.explorer.traces.sentence import sentence
from neverlost.explorer.words import counted
from neverlost.spec.bugs import Bug
from neverlost.studies.recorded import answer, command_of, recorded_trace

from ..layout import shell_lines, wrapped
from ..trace.as_text import steps_text

NAME, FOUND = 24, 36
"""Width of the first two columns."""


def bugs_text(bugs: Sequence[Bug]) -> str:
    """A line for each bug."""
    return "\n".join(_table(bugs))


def bug_text(bug: Bug) -> str:
    """A bug in full: its story, or the reason why no search finds it."""
    return "\n\n".join(_in_full(bug))


def _table(bugs: Sequence[Bug]) -> Iterator[str]:
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
