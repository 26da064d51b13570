"""The text of a kernel: the model's functions over packed words, and the loops over states around them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from neverlost.model.core import Action, Model, Property

from ..symmetry import Symmetry
from . import kernel_base, model_base, visited
from .canonical import canonical_source
from .loops import argument_names, loops
from .translate import Translator

PREDECESSOR = '''@entry(rows_type, number, number, rows_type, rows_type, vector, vector, rows_type, vector, rows_type, vector)
def predecessor(states, begin, end, target, out, generated, step_counts, step_least, counts, least, flaw):
    """Tally the states in states[begin:end] that have a step to target[0]."""
    for row in range(begin, end):
        _, count = expand(states, row, row + 1, out, generated, step_counts, step_least, flaw)
        if leads_to(out, count, target):
            tally(states, row, 0, counts, least)'''


def _text(module: ModuleType) -> str:
    """The text of a module as a part of a kernel: without what it says of itself, what it imports of ours, and WORDS."""
    assert module.__file__ is not None
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    return "\n\n".join(ast.unparse(node) for node in tree.body if not _left_out(node))


def _left_out(node: ast.stmt) -> bool:
    match node:
        case ast.Expr() | ast.Assign(targets=[ast.Name(id="WORDS")]):
            return True
        case ast.ImportFrom(level=level):
            return level > 0
    return False


def _kernel(title: str, words: int, *parts: str) -> str:
    """The text of a kernel: what every kernel begins with, then its own parts."""
    head = f'"""The kernel of {title}. Generated."""\n\nWORDS = {words}'
    return "\n\n\n".join(part.strip("\n") for part in (head, _text(kernel_base), *parts) if part) + "\n"


def visited_source(words: int) -> str:
    """The Python text of the kernel of the visited set, for states of so many words."""
    return _kernel(f"the visited set for {words} words", words, _text(visited))


def kernel_source(model: Model, properties: Sequence[Property], symmetry: Symmetry) -> str:
    """The Python text of the kernel for a model, the properties it is asked about, and a symmetry."""
    return _Generator(model, properties, symmetry).text()


class _Generator:
    def __init__(self, model: Model, properties: Sequence[Property], symmetry: Symmetry) -> None:
        self.model, self.symmetry = model, symmetry
        self.state_properties = [p for p in properties if p.over_states]
        self.step_properties = [p for p in properties if p.over_steps]
        self.run_properties = [p for p in properties if p.over_runs]
        functions = [a.function for a in model.profile.actions] + [f for p in properties for f in p.functions]
        self.translator = Translator(model, functions)
        self.words = self.translator.words("s")
        self.width = model.layout.words

    def text(self) -> str:
        return _kernel(
            f"{self.model.profile.name} with {self.model.bounds}",
            self.width,
            f"STEPS = {len(self.model.steps)}",
            _text(model_base),
            *self.translator.segmented(),
            *self.translator.definitions,
            canonical_source(self.model, self.symmetry) if self.symmetry.renamings else "",
            self._expand(),
            self._evaluate(),
            PREDECESSOR,
            self._apply(),
            *self._of_runs(),
        )

    def _load(self, prefix: str, array: str, row: str, pad: str) -> str:
        return "".join(f"{pad}{prefix}_{k} = {array}[{row}, {k}]\n" for k in range(self.width))

    def _counted(self, number: int, action: Action) -> str:
        """Lines that append the successors by one action to `out`, and count them."""
        return f"        before = count\n{self._tries(action)}\n        generated[{number}] += count - before"

    def _tries(self, action: Action, condition: str = "enabled", *notes: str) -> str:
        """Lines that append the successors by one action to `out` under a condition, with what else is to be noted of each."""
        lines, depth = loops(self.translator, action)
        pad = "    " * depth
        arguments = "".join(f", {name}" for name in argument_names(action))
        call = f"{self.translator.names[action.function]}({self.words}{arguments}, flaw)"
        lines.append(f"{pad}enabled, {self.translator.words('t')} = {call}")
        lines.append(f"{pad}if {condition}:")
        lines += [f"{pad}    {note}" for note in notes]
        lines += [f"{pad}    out[count, {k}] = t_{k}" for k in range(self.width)]
        lines.append(f"{pad}    count += 1")
        return "\n".join("    " + line for line in lines)

    def _expand(self) -> str:
        lines = [self._counted(number, action) for number, action in enumerate(self.model.profile.actions)]
        for number, prop in enumerate(self.step_properties):
            call = f"{self.translator.names[prop.function]}({self.words}, {self.translator.words('t')}, flaw)"
            lines.append("        violated = False\n        for row in range(first, count):")
            lines.append(f"{self._load('t', 'out', 'row', ' ' * 12)}            if not {call}:")
            lines.append("                violated = True\n        if violated:")
            lines.append(f"            tally(states, begin, {number}, counts, least)")
        if self.symmetry.renamings:
            lines.append("        for row in range(first, count):\n            canonical(out, row)")
        return (
            "@entry(rows_type, number, number, rows_type, vector, vector, rows_type, vector)\n"
            "def expand(states, begin, end, out, generated, counts, least, flaw):\n"
            '    """Write the successors of states[begin:end] to `out` while there is room.\n\n'
            '    Returns the state to go on with, and how many successors there are.\n    """\n'
            "    count = 0\n"
            "    while begin < end and count + STEPS <= len(out):\n"
            "        first = count\n"
            f"{self._load('s', 'states', 'begin', ' ' * 8)}" + "\n".join(lines) + "\n"
            "        begin += 1\n"
            "    return begin, count"
        )

    def _evaluate(self) -> str:
        tests = ""
        for number, prop in enumerate(self.state_properties):
            condition = f"{self.translator.names[prop.function]}({self.words}, flaw)"
            condition = condition if prop.seeks else f"not {condition}"
            tests += f"        if {condition}:\n            tally(states, row, {number}, counts, least)\n"
        return (
            "@entry(rows_type, number, number, vector, rows_type, vector)\n"
            "def evaluate(states, begin, end, counts, least, flaw):\n"
            '    """Evaluate the state properties on states[begin:end]."""\n'
            "    for row in range(begin, end):\n"
            f"{self._load('s', 'states', 'row', ' ' * 8)}{tests or '        pass'}"
        )

    def _of_runs(self) -> list[str]:
        """What deciding `eventually` properties needs; nothing where there are none."""
        return [self._edges(), self._judge()] if self.run_properties else []

    def _edges(self) -> str:
        changed = " or ".join(f"t_{k} != s_{k}" for k in range(self.width))
        lines, first = [], 0
        for action in self.model.profile.actions:
            place = "0"
            for name, (_, index) in zip(argument_names(action), action.parameters, strict=True):
                place = f"({place}) * {index.size(self.model.bounds)} + {name}"
            notes = (f"steps[count] = {first} + {place}", "sources[count] = row")
            lines.append(self._tries(action, f"enabled and ({changed})", *notes))
            first += len(action.combinations(self.model.bounds))
        return (
            "@entry(rows_type, vector, number, number, rows_type, vector, vector, vector)\n"
            "def edges(states, rows, begin, end, out, sources, steps, flaw):\n"
            '    """Write the steps from the states at rows[begin:end] that change something while there is room.\n\n'
            '    Returns the position in rows to go on with, and how many steps there are.\n    """\n'
            "    count = 0\n"
            "    while begin < end and count + STEPS <= len(out):\n"
            "        row = rows[begin]\n"
            f"{self._load('s', 'states', 'row', ' ' * 8)}" + "\n".join(lines) + "\n"
            "        begin += 1\n"
            "    return begin, count"
        )

    def _judge(self) -> str:
        tests = ""
        for number, prop in enumerate(self.run_properties):
            settled, begins = (
                "False" if f is None else f"{self.translator.names[f]}({self.words}, flaw)"
                for f in (prop.function, prop.after)
            )
            tests += (
                f"        if prop == {number}:\n            judged[row] = 0 if {settled} else 2 if {begins} else 1\n"
            )
        return (
            "@entry(rows_type, number, number, number, judged_type, vector)\n"
            "def judge(states, begin, end, prop, judged, flaw):\n"
            '    """What one `eventually` says of states[begin:end]: 0 settled, 1 open, 2 begins to wait."""\n'
            "    for row in range(begin, end):\n"
            f"{self._load('s', 'states', 'row', ' ' * 8)}{tests}"
        )

    def _apply(self) -> str:
        lines = ["@plain", "def apply(states, row, action, arguments, out, flaw):"]
        lines.append(
            '    """Write the state after one step to out[0]; whether the step is enabled. For comparison with the interpreter."""'
        )
        lines.append(self._load("s", "states", "row", "    ") + "    enabled = False")
        for number, action in enumerate(self.model.profile.actions):
            arguments = "".join(f", arguments[{k}]" for k in range(len(action.parameters)))
            call = f"{self.translator.names[action.function]}({self.words}{arguments}, flaw)"
            lines.append(
                f"    {'elif' if number else 'if'} action == {number}:\n        enabled, {self.words} = {call}"
            )
        return "\n".join([*lines, *(f"    out[0, {k}] = s_{k}" for k in range(self.width)), "    return enabled"])
