"""A trace as text: what happened in one sentence, then each step with only what changed, then what the words mean."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping

from neverlost.model.core import Model, Property, Setting

from ..process.raising import told_by
from .changes import Change, by_owner, changes
from .trace import Trace, wait_start

WIDTH = 100


def trace_text(trace: Trace) -> str:
    """The whole story of a trace, to be read without having read anything else."""
    parts = [wrapped(sentence(trace)), steps_text(trace), words_text(trace), command_text(trace)]
    return "\n\n".join(part for part in parts if part) + "\n"


def sentence(trace: Trace) -> str:
    """What the trace shows, in one sentence: the property's own story, or its statement and the verdict."""
    prop = deciding_property(trace)
    if prop is None:
        return f"{len(trace.steps)} steps of {trace.model.profile.name}."
    return _story(prop, trace) or f"{prop.name} {_verdict(prop, trace)}: {prop.statement}"


def _story(prop: Property, trace: Trace) -> str:
    """The property's own story; empty if it has none. Raises ModelError, with file and line, if the story returns no text."""
    return "" if prop.story is None else told_by(f"the story of {prop.name}", prop.story, trace.unpacked())


def deciding_property(trace: Trace) -> Property | None:
    """The property that the trace decides."""
    return None if trace.property is None else trace.model.profile.property_named(trace.property)


def _verdict(prop: Property, trace: Trace) -> str:
    steps = len(trace.steps)
    if prop.over_runs:
        begun = wait_start(trace, prop)
        since = f"since step {begun}" if begun else "from the start"
        return f"is violated, awaited {since} while {_for_ever(trace)}"
    verb = "is witnessed" if prop.seeks else "is violated"
    return f"{verb} after {counted(steps, 'step')}" if steps else f"{verb} in the initial state"


def _for_ever(trace: Trace) -> str:
    """What a lasso repeats: `steps 5-7 repeat forever`."""
    first, last = (trace.loop_start or 0) + 1, len(trace.steps)
    if first > last:
        return f"nothing more happens after step {last}" if last else "nothing ever happens"
    return f"step {first} repeats forever" if first == last else f"steps {first}-{last} repeat forever"


def loop_lines(trace: Trace) -> list[str]:
    """What a lasso does from its last step on, and which fairness allows it; nothing for other traces."""
    if trace.loop_start is None:
        return []
    prop = deciding_property(trace)
    fair = "" if prop is None else fairness_text(prop)
    return [f"From here on, {_for_ever(trace)}.", *([f"That is fair. {fair}"] if fair else [])]


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


def definitions(entries: Mapping[str, str]) -> str:
    """Names with their meanings: one line each where it fits, the meaning below the name where it does not."""
    lines = []
    for name, meaning in entries.items():
        lines += [f"  {name}", wrapped(f"      {meaning}", "      ")] if meaning else [f"  {name}"]
    return "\n".join(lines)


def command_text(trace: Trace) -> str:
    """The command that finds this trace again."""
    return "To see this again\n" + shell_lines(check_command(trace))


def check_command(trace: Trace) -> list[str]:
    """The words of the command that finds this trace again."""
    return search_command(trace.model, trace.property, trace.symmetry)


def check_words(model: Model, name: str) -> str:
    """The command that asserts a property of a model, on one line."""
    return " ".join(search_command(model, name))


def search_command(model: Model, name: str | None, symmetry: Iterable[str] = ()) -> list[str]:
    """The words of the command that searches a model for a property, an option with its value in one."""
    chosen = [f"--property {name}"] if name is not None else []
    symmetric = [f"--symmetric {domain}" for domain in symmetry]
    return ["neverlost check", model.profile.name, *model_options(model), *chosen, *symmetric]


def model_options(model: Model) -> list[str]:
    """The bounds that are not 0 as options, and the settings that differ from the profile's own: `--log-size 2 --acks all --clean`."""
    words = [f"{option_name(name)} {value}" for name, value in model.bounds.items() if value]
    usual = model.profile.default_settings
    return words + [
        setting_option(s, value)
        for s in model.profile.state.settings
        if (value := model.settings[s.name]) != usual[s.name]
    ]


def setting_option(chosen: Setting, value: int) -> str:
    """A setting as an option: `--acks all`, `--unclean`; `--clean` for a yes-or-no that is off."""
    if chosen.domain.index is not None:
        return f"{option_name(chosen.name)} {chosen.show(value)}"
    return option_name(chosen.name) if value else off_option(chosen)


def off_option(chosen: Setting) -> str:
    """The option that turns a yes-or-no off: the name that it declares for this, or `--no-NAME`."""
    return option_name(chosen.off or f"no_{chosen.name}")


def option_name(name: str) -> str:
    """`log_size` as `--log-size`."""
    return "--" + name.replace("_", "-")


def shell_lines(words: Iterable[str], indent: str = "  ") -> str:
    """A command on lines no wider than a page, each but the last continued by a backslash."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + len(word) + 3 <= WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append((indent if not lines else f"{indent}    ") + word)
    return " \\\n".join(lines)


def counted(number: int, noun: str) -> str:
    """`1 step`, `1,234 steps`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def first_line(docstring: str | None) -> str:
    """The first line of a docstring: the rule that it states."""
    return (docstring or "").strip().split("\n")[0]


def wrapped(text: str, indent: str = "") -> str:
    """The text on lines no wider than a page, those after the first indented."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
