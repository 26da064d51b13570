"""A trace as text: what happened in one sentence, then each step with only what changed, then what the words mean."""

from __future__ import annotations

from neverlost.explorer.loading import in_file
from neverlost.explorer.traces.changes import Change, by_owner, changes
from neverlost.explorer.traces.commands import call_words, check_command
from neverlost.explorer.traces.sentence import deciding_property, for_ever, no_return_words, sentence
from neverlost.explorer.traces.trace import Trace
from neverlost.model.core import Property

from ..layout import definitions, first_line, shell_lines, wrapped


def trace_text(trace: Trace) -> str:
    """The whole story of a trace, to be read without having read anything else."""
    return _joined(*_story(trace), words_text(trace), command_text(trace))


def story_text(trace: Trace) -> str:
    """The story of a trace without the meanings of its words."""
    return _joined(*_story(trace), command_text(trace))


def _story(trace: Trace) -> tuple[str, ...]:
    return wrapped(sentence(trace)), steps_text(trace), wrapped(no_return_words(trace))


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def loop_lines(trace: Trace) -> list[str]:
    """What a lasso does from its last step on, and which fairness allows it; nothing for other traces."""
    if trace.loop_start is None:
        return []
    prop = deciding_property(trace)
    fair = "" if prop is None else fairness_text(prop)
    return [f"From here on, {for_ever(trace)}.", *([f"That is fair. {fair}"] if fair else [])]


def fairness_text(prop: Property) -> str:
    """The fairness that an `eventually` assumes: `Weakly fair: fetch.`; nothing for other properties."""
    if not prop.over_runs:
        return ""
    named = {"Weakly fair": prop.weak, "Strongly fair": prop.strong}
    return (
        " ".join(f"{how}: {', '.join(names)}." for how, names in named.items() if names)
        or "No step ever has to happen."
    )


def steps_text(trace: Trace) -> str:
    """The start, then every step with what it changed, by owner."""
    opening = first_line(trace.model.profile.initial.__doc__) or "The initial state."
    lines = [wrapped(f"  Start: {opening}", "         ")]
    states = trace.unpacked()
    for number, step in enumerate(trace.steps, start=1):
        lines.append(f"{number:3}. {step.show(trace.model.bounds)}")
        lines += change_lines(changes(states[number - 1], states[number]))
    lines += [wrapped(f"  {line}", "    ") for line in loop_lines(trace)]
    return "\n".join(lines)


def change_lines(found: list[Change]) -> list[str]:
    """One line per owner: `r1: high_watermark 0 -> 1`."""
    if not found:
        return ["       nothing changes"]
    lines = []
    for owner, owned in by_owner(found).items():
        start = f"       {owner}: " if owner else "       "
        lines.append(wrapped(start + "; ".join(change.show() for change in owned), " " * len(start)))
    return lines


def words_text(trace: Trace) -> str:
    """What each action and each field that occurs in the trace means."""
    states = trace.unpacked()
    actions = {step.action.name: step.action.statement for step in trace.steps}
    meanings = trace.model.profile.state.meanings()
    seen = {c.name: c.words for n in range(len(trace.steps)) for c in changes(states[n], states[n + 1])}
    fields = {seen[name]: meaning for name, meaning in meanings.items() if name in seen}
    return "\n\n".join(
        f"{title}\n{definitions(entries)}"
        for title, entries in (("What the steps mean", actions), ("What the words mean", fields))
        if entries
    )


def command_text(trace: Trace) -> str:
    """The command that finds this trace again, or the call if the profile was made in Python, where no command finds it."""
    profile = trace.model.profile
    if in_file(profile.name) or profile.family:
        return "To see this again\n" + shell_lines(check_command(trace))
    return f"To see this again, with the profile {profile.name}\n  {call_words(trace, 'PROFILE')}"
