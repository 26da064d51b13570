"""Traces: the shortest runs that decide properties."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from neverlost.explorer.files.whole_file import write_whole
from neverlost.explorer.no_return import with_no_return
from neverlost.explorer.traces.sentence import no_return_words, sentence
from neverlost.explorer.traces.trace import Trace as FoundTrace
from neverlost.explorer.traces.trace import replay
from neverlost.explorer.traces.trace_json import TraceFileError, read_trace, trace_json
from neverlost.explorer.words import counted
from neverlost.model.core import Model
from neverlost.reports.trace.formats import render

from .arguments import path_of
from .models import profile_of_data
from .shown import Shown


@dataclass(frozen=True, repr=False)
class Trace(Shown):
    """States joined by steps, from the start to the state that decides a property.

    >>> import neverlost as nl
    >>> model = nl.profile("kafka-3.7").model(acks="1", leader_moves=1)
    >>> trace = nl.check(model, ["acked_never_lost"])["acked_never_lost"].trace
    >>> len(trace.steps), len(trace.states)
    (3, 4)
    >>> trace.states[-1]["delivery"]
    ['acknowledged', 'unsent']
    >>> trace.no_return
    3
    """

    found: FoundTrace

    def __repr__(self) -> str:
        return f"<Trace of {self.model.profile.name}: {counted(len(self), 'step')}>"

    def _repr_html_(self) -> str:
        # As an image, so that the picture's style stays in it.
        picture = b64encode(render(self.found, "svg").encode()).decode()
        return f'<img alt="{escape(self.sentence)}" src="data:image/svg+xml;base64,{picture}">'

    @property
    def model(self) -> Model:
        """The model of the trace."""
        return self.found.model

    @property
    def steps(self) -> list[str]:
        """The steps as text: `produce(leader=r1, value=0, response=delivered)`."""
        return [step.show(self.model.bounds) for step in self.found.steps]

    @property
    def states(self) -> list[dict[str, Any]]:
        """The states as plain values by field, the initial one first: one more than there are steps."""
        return [state.readable() for state in self.found.unpacked()]

    @property
    def sentence(self) -> str:
        """What happens, in one sentence."""
        return sentence(self.found)

    @property
    def no_return(self) -> int | None:
        """The number of the step of no return of a violation; None if there is none, or if it is undecided. It takes a search."""
        found = self._whole.no_return
        return None if found is None else found.step

    @property
    def no_return_words(self) -> str:
        """What the step of no return is, and what could be done before it, or why there is none; empty for no violation."""
        return no_return_words(self._whole)

    @cached_property
    def _whole(self) -> FoundTrace:
        return with_no_return(self.found)

    def text(self) -> str:
        """The story step by step, as on the command line."""
        return render(self._whole, "text")

    def show(self, format_name: str) -> str:
        """The trace as `text`, `json`, `itf`, `mermaid`, `pytest`, `html` or `svg`. Raises UnknownNameError."""
        return render(self._whole, format_name)

    def save(self, path: str | Path) -> None:
        """Write the trace as JSON, which `neverlost trace`, `neverlost replay` and `load_trace` read."""
        write_whole(Path(path), trace_json(self._whole).encode())

    def replay(self) -> None:
        """Apply every step with the interpreter. Raises ReplayError at the first one that fails."""
        replay(self.found)

    def __len__(self) -> int:
        """The number of steps."""
        return len(self.found.steps)


def load_trace(path: str | Path, profile_reference: str | None = None) -> Trace:
    """The trace in a file of JSON. A trace of a profile of your own needs its reference: a file is run only if you name it.

    Raises TraceFileError for a file that is not a trace, LoadingError for a profile in a file that you did not name, and OSError.

    >>> import neverlost as nl
    >>> model = nl.profile("kafka-3.7").model(acks="1", leader_moves=1)
    >>> nl.check(model, ["acked_never_lost"])["acked_never_lost"].trace.save("loss.json")
    >>> len(nl.load_trace("loss.json"))
    3
    """
    try:
        text = path_of(path, "path").read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise TraceFileError(f"{path} is not a trace: it is not UTF-8") from error
    return Trace(
        read_trace(text, str(path), lambda name: profile_of_data(name, profile_reference, f"{path} is a trace"))
    )
