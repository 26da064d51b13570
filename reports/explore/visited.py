"""The part of the state graph that a person has walked through, for programs that draw graphs."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock
from xml.sax.saxutils import escape, quoteattr

from neverlost.explorer.traces.trace import Trace
from neverlost.model.core import Packed

MOST_EDGES = 100_000


class Visited:
    """States in the order of their first visit, and the steps that were taken between them."""

    def __init__(self) -> None:
        self.numbers: dict[Packed, int] = {}
        self.edges: dict[tuple[int, int, str], None] = {}
        self.lock = Lock()

    def add(self, trace: Trace) -> None:
        """Add every state and step of a walk. Beyond a limit of edges nothing is added."""
        if len(self.edges) > MOST_EDGES:
            return
        with self.lock:
            numbers = [self.numbers.setdefault(words, len(self.numbers)) for words in trace.states]
            for step, source, target in zip(trace.steps, numbers, numbers[1:], strict=False):
                self.edges[source, target, step.show(trace.model.bounds)] = None

    def dot(self) -> str:
        """The graph for Graphviz."""
        with self.lock:
            numbers, edges = list(self.numbers.values()), list(self.edges)
        lines = [f"  {source} -> {target} [label={_quoted(step)}];" for source, target, step in edges]
        return "\n".join(["digraph walk {", *(f"  {number};" for number in numbers), *lines, "}"]) + "\n"

    def graphml(self) -> str:
        """The graph as GraphML."""
        with self.lock:
            return "\n".join(self._graphml()) + "\n"

    def _graphml(self) -> Iterator[str]:
        yield '<?xml version="1.0" encoding="UTF-8"?>'
        yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        yield '<key id="step" for="edge" attr.name="step" attr.type="string"/>'
        yield '<graph id="walk" edgedefault="directed">'
        for number in self.numbers.values():
            yield f"<node id={quoteattr(f'n{number}')}/>"
        for source, target, step in self.edges:
            yield f'<edge source="n{source}" target="n{target}"><data key="step">{escape(step)}</data></edge>'
        yield "</graph>"
        yield "</graphml>"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
