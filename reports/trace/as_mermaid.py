"""A trace as a Mermaid sequence diagram."""

from __future__ import annotations

from neverlost.explorer.traces.changes import Change, by_owner, changes
from neverlost.explorer.traces.sentence import sentence
from neverlost.explorer.traces.trace import Trace

from .as_text import loop_lines
from .lanes import happening, lane_names


def trace_mermaid(trace: Trace) -> str:
    """A participant for each lane, an arrow for each message that a step sends, and notes with what it changed.

    A box holds what a lasso repeats.
    """
    model, states = trace.model, trace.unpacked()
    lanes = lane_names(model)
    lines = ["sequenceDiagram", f"    %% {sentence(trace)}", *(f"    participant {lane}" for lane in lanes)]
    for number, step in enumerate(trace.steps, start=1):
        before, after = states[number - 1], states[number]
        found = happening(model, step, before, after)
        lines += ["    loop forever"] if number - 1 == trace.loop_start else []
        title = f"{number}. {_escaped(step.show(model.bounds))}" + (f" {found.fault}" if found.fault else "")
        lines += [
            f"    {m.sender}{'-x' if m.lost else '->>'}{m.receiver}: {number}. {_escaped(m.carries)}"
            for m in found.sent
        ]
        lines += _notes(lanes, by_owner(changes(before, after)), list(found.at), title)
        lines += [f"    Note over {_span(lanes)}: {_escaped(note.text)}" for note in found.notes]
    if trace.loop_start is not None:
        repeats = trace.loop_start < len(trace.steps)
        lines += ["    end"] if repeats else [f"    Note over {_span(lanes)}: {_escaped(loop_lines(trace)[0])}"]
    lines.append(f"    Note over {_span(lanes)}: {_escaped(sentence(trace))}")
    return "\n".join(lines) + "\n"


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
