"""A trace as a Mermaid sequence diagram."""

from __future__ import annotations

from neverlost.model.core import Index, Step

from .changes import Change, by_owner, changes, owner_index
from .render_text import loop_lines, sentence
from .trace import Trace


def trace_mermaid(trace: Trace) -> str:
    """A participant for each owner; an arrow where a step joins two of them, and notes with what it changed.

    A box holds what a lasso repeats.
    """
    owners = _participants(trace)
    states = trace.unpacked()
    lines = ["sequenceDiagram", f"    %% {sentence(trace)}", *(f"    participant {owner}" for owner in owners)]
    for number, step in enumerate(trace.steps, start=1):
        lines += ["    loop forever"] if number - 1 == trace.loop_start else []
        grouped = by_owner(changes(states[number - 1], states[number]))
        title = f"{number}. {_escaped(step.show(trace.model.bounds))}"
        named = [shown for shown in _arguments(step, trace) if shown in owners]
        if len(dict.fromkeys(named)) == 2:
            lines.append(f"    {_arrow(named, grouped)}: {title}")
            title = ""
        lines += _notes(owners, grouped, named, title)
    if trace.loop_start is not None:
        repeats = trace.loop_start < len(trace.steps)
        lines += ["    end"] if repeats else [f"    Note over {_span(owners)}: {_escaped(loop_lines(trace)[0])}"]
    ending = _escaped(sentence(trace))
    lines.append(f"    Note over {_span(owners)}: {ending}")
    return "\n".join(lines) + "\n"


def _participants(trace: Trace) -> list[str]:
    state, bounds = trace.model.profile.state, trace.model.bounds
    indexes: dict[type[Index], None] = {}
    for declared in state.fields:
        if (index := owner_index(declared)) is not None:
            indexes[index] = None
    members = [index.show(m, bounds) for index in indexes for m in range(index.size(bounds))]
    return [*state.owners, *members] or ["state"]


def _arguments(step: Step, trace: Trace) -> list[str]:
    bounds = trace.model.bounds
    return [i.show(v, bounds) for (_, i), v in zip(step.action.parameters, step.arguments, strict=True)]


def _arrow(named: list[str], grouped: dict[str, list[Change]]) -> str:
    """From the owner that is read to the owner that changes; if that is not clear, from the first to the second."""
    source, target = named
    if source in grouped and target not in grouped:
        source, target = target, source
    return f"{source}->>{target}"


def _notes(owners: list[str], grouped: dict[str, list[Change]], named: list[str], title: str) -> list[str]:
    lines = []
    for owner, owned in grouped.items():
        texts = [_escaped(change.show()) for change in owned]
        span = owner if owner in owners else _span(owners)
        lines.append(f"    Note over {span}: {'<br/>'.join([title, *texts] if title else texts)}")
        title = ""
    if title:
        lines.append(f"    Note over {named[0] if named else _span(owners)}: {title}")
    return lines


def _span(owners: list[str]) -> str:
    return owners[0] if len(owners) == 1 else f"{owners[0]},{owners[-1]}"


def _escaped(text: str) -> str:
    """Mermaid ends a statement at a semicolon, and begins an entity with a hash: both are written as entities."""
    return "".join({"#": "#35;", ";": "#59;"}.get(character, character) for character in text)
