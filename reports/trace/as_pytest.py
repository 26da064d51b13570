"""A trace as a pytest file, which takes the same steps and checks every change."""

from __future__ import annotations

import json
import re
from pathlib import Path

from neverlost.explorer.loading import in_file
from neverlost.explorer.traces.changes import field_changes
from neverlost.explorer.traces.sentence import deciding_property, sentence
from neverlost.explorer.traces.trace import Trace, wait_start
from neverlost.model.core import Property

from ..layout import wrapped
from .as_text import command_text, loop_lines

IMPORTS = ("from neverlost.explorer.traces.changes import field_changes", "from neverlost.model.core import Packed")

TEMPLATE = '''"""{sentence}

{command}
{needs}"""

from __future__ import annotations

{imports}

MODEL = {find}.bounded({bounds})


def take(words: Packed, step: str, expected: dict[str, str]) -> Packed:
    """Take a step, and check that it changes what is expected and nothing else."""
    after = MODEL.apply(words, MODEL.parse_step(step))
    changed = field_changes(MODEL.state(words), MODEL.state(after))
    assert {{place: f"{{old}} -> {{new}}" for place, (old, new) in changed.items()}} == expected
    return after


def test_{name}() -> None:
    words = MODEL.initial_states()[{initial}]
{steps}{ending}'''


def trace_pytest(trace: Trace) -> str:
    """A test file that stands alone: it needs neverlost and pytest, and no other file but the profile's own, if it has one."""
    profile, needs = trace.model.profile.name, ""
    if in_file(profile):
        path, _, name = profile.rpartition(":")
        find_import = "from neverlost.explorer.loading import profile_from_file"
        find = f"profile_from_file({json.dumps(f'{Path(path).resolve()}:{name}')})"
        needs = "\nThis needs the model, which `profile_from_file` finds below: change its path if the model moves.\n"
    else:
        find_import, find = "from neverlost.spec import profiles", f"profiles()[{json.dumps(profile)}]"
    ending, steps = _ending(trace), "".join(_step_lines(trace))
    return TEMPLATE.format(
        sentence=_docstring(wrapped(sentence(trace))),
        command=_docstring(command_text(trace)),
        needs=needs,
        imports="\n".join(sorted([*IMPORTS, find_import])),
        find=find,
        bounds=", ".join(f"{name}={value}" for name, value in trace.model.layout.bounds.items()),
        name=re.sub(r"\W+", "_", f"{profile.split(':')[-1].split('/')[-1]}_{trace.property or 'trace'}").lower(),
        initial=trace.model.initial_states().index(trace.states[0]),
        steps=steps,
        ending=ending,
    )


def _docstring(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def _step_lines(trace: Trace) -> list[str]:
    prop, states = deciding_property(trace), trace.unpacked()
    lines = _lasso_lines(trace, 0)
    for number, step in enumerate(trace.steps, start=1):
        last_of_two = prop is not None and prop.over_steps and number == len(trace.steps)
        changed = field_changes(states[number - 1], states[number])
        entries = "".join(f'            "{place}": "{old} -> {new}",\n' for place, (old, new) in changed.items())
        expected = f"{{\n{entries}        }}" if entries else "{}"
        target = "after" if last_of_two else "words"
        lines.append(
            f'    {target} = take(\n        words,\n        "{step.show(trace.model.bounds)}",\n        {expected},\n    )\n'
        )
        lines += _lasso_lines(trace, number)
    return lines


def _lasso_lines(trace: Trace, number: int) -> list[str]:
    """The lines for state `number` of a lasso: the wait for its property, and the start of its loop."""
    prop = deciding_property(trace)
    waits_from = wait_start(trace, prop) if prop is not None and prop.over_runs else None
    awaited = prop is not None and waits_from is not None and number >= waits_from
    lines = [f"    assert not MODEL.holds({_found(prop)}, words)\n"] if awaited and prop is not None else []
    return lines + (["    start = words\n"] if number == trace.loop_start else [])


def _ending(trace: Trace) -> str:
    prop = deciding_property(trace)
    if trace.loop_start is not None:
        return "".join(f"    # {line}\n" for line in loop_lines(trace)) + "    assert words == start\n"
    if prop is None:
        return ""
    arguments = "words, after" if prop.over_steps else "words"
    return f"    assert {'' if prop.seeks else 'not '}MODEL.holds({_found(prop)}, {arguments})\n"


def _found(prop: Property) -> str:
    return f'MODEL.profile.property_named("{prop.name}")'
