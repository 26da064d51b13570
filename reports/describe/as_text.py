"""A model within bounds, for people: its state, its actions with their rules and guards, its properties, its size."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence

from neverlost.explorer.symmetry import symmetric_domains
from neverlost.explorer.traces.commands import model_options, option_name, setting_option
from neverlost.explorer.words import counted
from neverlost.model.core import Action, Model, Property, Setting
from neverlost.model.core.reading import tree_of, trees_of
from neverlost.model.core.tree import Do, If, Loop, Require, Statement

from ..layout import definitions, first_line, shell_lines, wrapped
from ..trace.as_text import fairness_text


def described(model: Model, *, with_code: bool, taken: Mapping[str, Sequence[str]] | None = None) -> str:
    """Everything about a model; `with_code` adds the source of every action, property and lemma.

    `taken` has the options of bounds and settings that commands use for something else, each with these commands.
    """
    parts = [
        _title(model),
        _size(model, taken or {}),
        *_settings(model),
        _state(model),
        _actions(model),
        _properties(model),
        *_lemmas(model),
        _notes(model),
    ]
    if with_code:
        parts.append(_code(model))
    return "\n\n".join(parts)


def _title(model: Model) -> str:
    return f"{model.profile.name}\n  {model.profile.statement}"


def _size(model: Model, taken: Mapping[str, Sequence[str]]) -> str:
    symmetric = ", ".join(symmetric_domains(model)) or "none"
    return (
        "Bounds and size\n"
        f"{shell_lines(['neverlost check', model.profile.name, *model_options(model)])}\n"
        f"  a state takes {counted(model.layout.bits, 'bit')} in {counted(model.layout.words, 'word')};"
        f" {counted(len(model.steps), 'step')} to try in each\n"
        f"  symmetric domains: {symmetric}"
        + "".join(f"\n{_refused(option, commands)}" for option, commands in taken.items())
    )


def _refused(option: str, commands: Sequence[str]) -> str:
    """That commands refuse a model with such a bound or setting, and what helps."""
    refuse = "refuses" if len(commands) == 1 else "refuse"
    return wrapped(
        f"  {', '.join(commands)} {refuse} this model: {option} means something else there. Give the bound or setting"
        " another name",
        "    ",
    )


def _settings(model: Model) -> Iterator[str]:
    """The settings, each with its choices as options and its value."""
    meanings, entries = model.profile.state.meanings(), {}
    for chosen in model.profile.state.settings:
        value = model.settings[chosen.name]
        choices = " | ".join(dict.fromkeys(setting_option(chosen, v) for v in chosen.choices().values()))
        if chosen.domain.index is not None:
            choices = f"{option_name(chosen.name)} {'|'.join(chosen.choices())}"
        entries[f"{choices} (now {_now(chosen, value)})"] = meanings.get(chosen.name, "")
    if entries:
        yield f"Settings\n{definitions(entries)}"


def _now(chosen: Setting, value: int) -> str:
    return setting_option(chosen, value) if chosen.domain.index is None else chosen.show(value)


def _state(model: Model) -> str:
    meanings = model.profile.state.meanings()
    entries = {}
    for declared in model.profile.state.fields:
        indexes = "".join(f"[{index.__name__}]" for index in declared.indexes)
        width = model.layout.places[declared.name].width * len(model.layout.slots[declared.name])
        title = f"{declared.name}{indexes}: {declared.domain.describe(model.bounds)} ({counted(width, 'bit')})"
        entries[title] = meanings.get(declared.name, "")
    opening = first_line(model.profile.initial.__doc__)
    return f"State\n{definitions(entries)}" + (f"\n\nStart\n  {opening}" if opening else "")


def _actions(model: Model) -> str:
    return "Actions\n" + "\n".join(line for action in model.profile.actions for line in _action(action, model))


def _action(action: Action, model: Model) -> Iterator[str]:
    parameters = ", ".join(f"{name}: {index.__name__}" for name, index in action.parameters)
    steps = counted(len(action.combinations(model.bounds)), "step")
    yield definitions({f"{action.name}({parameters})": action.statement})
    yield f"      source: {action.source}; {steps}"
    for guard in guards(tree_of(action.function).body):
        yield f"      {guard}"


def guards(body: Sequence[Statement]) -> Iterator[str]:
    """Every `require` in some statements and in the functions that they call, in order, inside its calls, loops and branches."""
    for part in body:
        match part:
            case Require():
                yield part.text
            case Do(call=call):
                yield from _within(f"{call.text}:", guards(tree_of(call.function).body))
            case Loop(body=inner):
                yield from _within(f"for {part.name} in {part.over.text}:", guards(inner))
            case If(test=test, body=inner, orelse=other):
                yield from _within(f"if {test.text}:", guards(inner))
                yield from _within("else:", guards(other))


def _within(title: str, lines: Iterator[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield title
        yield from (f"    {line}" for line in found)


def _properties(model: Model) -> str:
    profile = model.profile
    asserted = {f"{p.name} ({p.kind})": _stated(p) for p in profile.properties}
    probes = {f"{p.name} ({p.kind}, reported, not asserted)": _stated(p) for p in profile.probes}
    on_request = {f"{p.name} ({p.kind}, decided only if named)": _stated(p) for p in profile.on_request}
    return f"Properties\n{definitions(asserted | probes | on_request)}"


def _stated(prop: Property) -> str:
    """The statement, and the fairness that it assumes."""
    return f"{prop.statement} {fairness_text(prop)}".rstrip()


def _lemmas(model: Model) -> Iterator[str]:
    """What proofs of the properties rest on, each with the reason why it is true."""
    entries = {}
    for lemma in model.profile.lemmas:
        parameters = ", ".join(f"{name}: {index.__name__}" for name, index in lemma.parameters)
        entries[f"{lemma.name}({parameters})"] = lemma.reason
    if entries:
        yield f"Lemmas, true for all values of their parameters\n{definitions(entries)}"


def _notes(model: Model) -> str:
    """What is modelled and what is not: the profile's notes, and the docstrings of its actions' modules."""
    functions = [model.profile.initial, *(action.function for action in model.profile.actions)]
    modules = dict.fromkeys(inspect.getmodule(function) for function in functions)
    texts = [model.profile.notes.strip(), *((inspect.getdoc(module) or "") for module in modules)]
    lines = [line for text in texts if text for line in ["", *text.splitlines()]]
    return "Notes\n" + "\n".join(wrapped(f"  {line}", "    ") if line else "" for line in lines[1:])


def _code(model: Model) -> str:
    functions: list[Callable[..., object]] = [model.profile.initial, *(a.function for a in model.profile.actions)]
    functions += [f for p in model.profile.all_properties for f in p.functions]
    functions += [lemma.function for lemma in model.profile.lemmas]
    sources = [f"# {s.module}\n{inspect.getsource(s.function).rstrip()}" for s in trees_of(functions)]
    return "Source\n" + textwrap.indent("\n\n".join(sources), "  ")
