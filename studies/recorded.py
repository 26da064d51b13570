"""Shows recorded searches of the files of facts and bugs, without searching again."""

from __future__ import annotations

from neverlost.explorer.symmetry import symmetric_domains
from neverlost.explorer.traces.commands import search_command
from neverlost.explorer.traces.trace import Trace, deciding_trace
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.spec.recorded_search import RecordedSearch


def recorded_trace(search: RecordedSearch) -> Trace:
    """The recorded trace of a search, its states made by the interpreter. Raises ReplayError if it does not decide its property."""
    return deciding_trace(search.model(), search.steps or (), search.property)


def command_of(search: RecordedSearch) -> list[str]:
    """The words of the command that makes the search, an option with its value in one."""
    model = search.model()
    return search_command(model, search.property, symmetric_domains(model))


def answer(search: RecordedSearch) -> str:
    """`violated after 12 steps`, `holds in all 46,114 states`."""
    if search.steps is None:
        states = f"in all {counted(search.distinct, 'state')}"
        return f"holds {states}" if search.verdict == Verdict.HOLDS else f"never {states}"
    decided = "happens" if search.verdict == Verdict.HOLDS else "violated"
    return f"{decided} after {counted(len(search.steps), 'step')}"
