"""The page on known losses, made from the recorded traces of spec/ledgers/facts.json: nothing is searched for."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ledgers.known_facts import Fact
from neverlost.explorer.traces.commands import check_command
from neverlost.explorer.traces.sentence import sentence
from neverlost.reports.layout import shell_lines, wrapped
from neverlost.reports.trace.as_text import steps_text
from neverlost.spec.recorded_search import RecordedSearch
from neverlost.studies.recorded import answer, command_of, recorded_trace

WIDTH = 130
OPENING = """\
# Known losses, and what fixes them

<!-- Made by machine from spec/ledgers/facts.json: NEVERLOST_REWRITE=1 pytest tests/docs/test_known_losses.py -->

What is known of Kafka's replication, each as searches of the model: the shortest story of how it goes wrong, and the same
configuration with what fixes it, in which it holds in every state. "Holds" means within the bounds that the command names ([what it
does not mean](what-holds-means.md)); states that differ only by the names of replicas are counted once. "Seen" is what real brokers
did, where that was tried.
"""


def page(facts: tuple[Fact, ...]) -> str:
    """The whole page."""
    return "\n".join([OPENING, *(f"- [{fact.title}](#{fact.name})" for fact in facts), "", *map(section, facts)])


def section(fact: Fact) -> str:
    """The section about one fact: the statement, what was seen, the first story, then the other searches."""
    parts = [f'<a id="{fact.name}"></a>\n\n## {fact.title}', paragraph(f"{fact.statement} ({', '.join(fact.rules)})")]
    parts += [paragraph(f"**Seen:** {fact.seen}")] if fact.seen else []
    said = next((search for search in fact.searches if search.steps is not None), None)
    if said is not None:
        parts.append(story(said))
    parts += [paragraph(f"**What fixes it:** {fact.fix}")] if fact.fix else []
    return "\n\n".join([*parts, "\n".join(rows(fact))]) + "\n"


def paragraph(text: str) -> str:
    """The text on lines of the page."""
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def story(search: RecordedSearch) -> str:
    """The shortest trace as text, and the command that finds it."""
    trace = recorded_trace(search)
    return f"```\n{wrapped(sentence(trace))}\n\n{steps_text(trace)}\n\n{shell_lines(check_command(trace))}\n```"


def rows(fact: Fact) -> Iterator[str]:
    """A table of every search of a fact."""
    yield "| what is searched for | answer |\n|---|---|"
    for search in fact.searches:
        yield f"| `{' '.join(command_of(search))}` | {answer(search)} |"
