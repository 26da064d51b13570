"""The story of a trace as a page, or as a part of one: a row for each step, and for each step all that is known of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from neverlost.explorer.traces.changes import owner_lines
from neverlost.explorer.traces.choices import judgements
from neverlost.explorer.traces.commands import check_command
from neverlost.explorer.traces.sentence import deciding_property, no_return_words, sentence
from neverlost.explorer.traces.trace import Trace
from neverlost.model.core import Model, Note, Packed, Property, State

from ..layout import first_line, shell_lines
from ..pages.page import embedded, filled, picture_style, whole_page
from ..printable import printable
from .as_text import loop_lines, trace_text
from .beyond import beyond
from .drawing import Drawing, drawing, figure, head
from .watched import watched

START = "Start"


@dataclass(frozen=True, kw_only=True)
class StoryRow:
    """One step of a story, or its start: its picture, and what is shown when it is opened."""

    number: int
    action: str
    parameters: str
    notes: tuple[Note, ...]
    height: int
    svg: Markup
    words: str
    rule: str
    source: str
    changed: tuple[str, ...]
    violated: tuple[str, ...]
    broken: tuple[str, ...]
    met: str
    no_return: bool
    held: str
    fields: str


def symbols(*models: Model) -> list[str]:
    """What the marks in pictures of these models mean, each sentence once."""
    pictures = (model.profile.picture for model in models)
    return list(dict.fromkeys(line for picture in pictures if picture is not None for line in picture.legend))


def trace_html(trace: Trace) -> str:
    """The page of a trace: one file that needs no other."""
    body = filled(
        "trace/trace.html.j2",
        **head_values(trace),
        conditions=conditions(trace.model),
        command=shell_lines(check_command(trace), ""),
        text=trace_text(trace),
    )
    return whole_page(sentence(trace), body, scripts=["trace/story.js"])


def head_values(trace: Trace) -> dict[str, Any]:
    """What every page of one run begins with, for `trace/head.html.j2`: what happened, where it goes wrong, and the story."""
    prop = deciding_property(trace)
    return {
        "sentence": sentence(trace),
        "symbols": symbols(trace.model),
        "property": None if prop is None else prop.name,
        "statement": None if prop is None else prop.statement,
        "turns": turns(trace),
        "no_return": no_return_words(trace),
        "deciding": None if prop is None or prop.seeks else len(trace.steps),
        "story": story_section(trace, "step", with_beyond=True),
    }


def turns(trace: Trace) -> list[tuple[int, str]]:
    """The steps that must not be overlooked, by number, each with what is bad about it; if there are any, the violation too."""
    happened = list(enumerate(drawing(trace).happenings, start=1))
    said = {number: text for number, found in happened if (text := " ".join(n.text for n in found.notes if n.bad))}
    prop = deciding_property(trace)
    if said and prop is not None and not prop.seeks:
        last, found = happened[-1]
        said.setdefault(last, " ".join(n.text for n in found.notes))
    return list(said.items())


def trace_svg(trace: Trace) -> str:
    """The picture of a trace as one SVG, for a document: what it shows, each step with its title, and what must not be overlooked."""
    titles, prop, said = (
        [title_of(trace, n) for n in range(len(trace.steps))],
        deciding_property(trace),
        sentence(trace),
    )
    statement = "" if prop is None or prop.statement in said else f"{prop.name}: {prop.statement}"
    return printable(figure(drawing(trace), titles, picture_style(), said, statement, loop_lines(trace)))


def story_section(trace: Trace, prefix: str, *, with_beyond: bool = False, with_fields: bool = True) -> Markup:
    """The story to put into a page. `prefix` begins its ids: the step 8 is `prefix-8`.

    `with_beyond` embeds what else could happen in each state, and why the rest could not; the page needs `story.js` to show it. Without
    `with_fields`, what a step changed is shown, but not every field, for pages with many stories.
    """
    drawn = drawing(trace)
    return filled(
        "trace/story.html.j2",
        prefix=prefix,
        most=drawn.most_width,
        least=drawn.least_width,
        head=head(drawn.lanes),
        rows=list(story_rows(trace, drawn)),
        loop_from=None if trace.loop_start is None else trace.loop_start + 1,
        loop=loop_lines(trace),
        beyond=embedded(beyond(trace)) if with_beyond else None,
        with_fields=with_fields,
    )


def later_rows(trace: Trace, first: int, lanes: Sequence[str]) -> Markup:
    """The rows of a run from the one with number `first` on, with these lanes: what a page that grows adds to its story."""
    begin = max(first - 1, 0)
    rest = replace(trace, states=trace.states[begin:], steps=trace.steps[begin:], property=None, loop_start=None)
    rows = [row for row in story_rows(rest, drawing(rest, lanes), begin) if row.number >= first]
    return filled("trace/rows.html.j2", prefix="step", rows=rows, loop_from=None, beyond=None, with_fields=True)


def conditions(model: Model) -> list[str]:
    """The version, what is set otherwise than by default, and the bounds: `kafka-4.1`, `acks all`, `replicas 3`.

    A bound of nought is left out: it bounds what cannot happen here.
    """
    chosen = model.profile.not_its_own(model.settings)
    settings = [f"{spaced(s.name)} {s.show(value)}" for s, value in chosen]
    return [model.profile.name, *settings, *(f"{spaced(name)} {n}" for name, n in model.bounds.items() if n)]


def spaced(name: str) -> str:
    """Names of settings and bounds in words, with Kafka's abbreviations as Kafka writes them."""
    return re.sub(r"\b(isr|elr)\b", lambda found: found[0].upper(), name.replace("_", " "))


def story_rows(trace: Trace, drawn: Drawing, begin: int = 0) -> Iterator[StoryRow]:
    """A row for the first state, and one for each step. The first state has the number `begin`."""
    states, props, before = trace.unpacked(), watched(trace), set[str]()
    sought = deciding_property(trace) if any(prop.seeks for prop in props) else None
    opening = first_line(trace.model.profile.initial.__doc__) or "The initial state."
    for number, row in enumerate((drawn.start, *drawn.rows)):
        step = trace.steps[number - 1] if number else None
        violated = violated_names(
            trace.model, trace.states[number - 1] if number else None, trace.states[number], props
        )
        found = drawn.happenings[number - 1] if number else None
        yield StoryRow(
            number=begin + number,
            action=START if step is None else step.action.name,
            parameters="" if step is None else _parameters(trace, number - 1),
            notes=() if found is None else found.notes,
            height=row.height,
            svg=row.svg,
            words=row.words,
            rule=opening if step is None else step.action.statement,
            source="" if step is None else step.action.source,
            changed=tuple(owner_lines(states[number - 1], states[number]) or ["nothing"]) if number else (),
            violated=tuple(violated),
            broken=tuple(name for name in violated if name not in before),
            met=sought.name if sought is not None and number == len(trace.steps) else "",
            no_return=trace.no_return is not None and trace.no_return.step == begin + number,
            held=f"{len(props) - len(violated)} of {len(props)} properties are as they should be",
            fields=all_fields(states[number]),
        )
        before = set(violated)


def violated_names(model: Model, before: Packed | None, words: Packed, props: list[Property]) -> list[str]:
    """The names of the properties that are violated in a state, or by the step that led to it."""
    return [j.property.name for j in judgements(model, before, words, props) if j.holds is False]


def all_fields(state: State) -> str:
    """Every field of a state with all its elements, a line for each field."""
    lines = []
    for declared in state.fields:
        shown = [
            declared.domain.show(state.element(declared, position), state.bounds)
            for position in declared.positions(state.bounds)
        ]
        lines.append(f"{declared.name}: {', '.join(shown)}")
    return "\n".join(lines)


def _parameters(trace: Trace, number: int) -> str:
    step, bounds = trace.steps[number], trace.model.bounds
    pairs = zip(step.action.parameters, step.arguments, strict=True)
    return ", ".join(f"{name} {index.show(value, bounds)}" for (name, index), value in pairs)


def title_of(trace: Trace, number: int) -> str:
    """A step on one line, for a picture: `fetch r2, r1, delivered`."""
    step, bounds = trace.steps[number], trace.model.bounds
    shown = [
        index.show(value, bounds) for (_, index), value in zip(step.action.parameters, step.arguments, strict=True)
    ]
    return f"{step.action.name} {', '.join(shown)}".strip()
