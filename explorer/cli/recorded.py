"""What the files of facts and bugs record of searches, told without searching again."""

from __future__ import annotations

from neverlost.spec.kafka.facts import Search

from ..render_text import check_words, counted
from ..result import HOLDS
from ..symmetry import symmetric_domains
from ..trace import Trace


def recorded_trace(search: Search) -> Trace:
    """The recorded trace of a search, its states made by the interpreter. Raises ModelError if a step cannot happen."""
    model = search.model()
    steps = [model.parse_step(text) for text in search.steps or ()]
    states = model.initial_states()[:1]
    for step in steps:
        states.append(model.apply(states[-1], step))
    return Trace(
        model=model,
        states=tuple(states),
        steps=tuple(steps),
        property=search.property,
        symmetry=tuple(symmetric_domains(model)),
    )


def search_words(search: Search) -> str:
    """The command that makes the search, on one line."""
    model = search.model()
    symmetric = "".join(f" --symmetric {name}" for name in symmetric_domains(model))
    return check_words(model, search.property) + symmetric


def answer(search: Search) -> str:
    """`violated after 12 steps`, `holds in all 46,114 states`."""
    if search.steps is None:
        states = f"in all {counted(search.distinct, 'state')}"
        return f"holds {states}" if search.verdict == HOLDS else f"never {states}"
    decided = "happens" if search.verdict == HOLDS else "violated"
    return f"{decided} after {counted(len(search.steps), 'step')}"
