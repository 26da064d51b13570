"""The text of a kernel: the model's functions over packed words, and the loops over states around them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from typing import Any

from neverlost.model.core import Action, Model, Property

from ..symmetry import Symmetry
from .canonical import canonical_source, keeping_source
from .loops import argument_names, loops
from .slot_format import SlotFormat
from .translate import OUTSIDE, Translator

PREDECESSOR = '''@entry
def predecessor(
    states: rows, begin, end, target: rows, out: rows, generated: vector, step_counts: vector, step_least: rows,
    counts: vector, least: rows, flaw: vector, settings,
):
    """Tally the states in states[begin:end] that have a step to target[0]."""
    for row in range(begin, end):
        following, count = expand(states, row, row + 1, out, generated, step_counts, step_least, flaw, settings, 0)
        if leads_to(out, count, target):
            tally(states, row, 0, counts, least)'''

EXPAND_FROM = '''@entry
def expand_from(
    states: rows, begin, end, out: rows, sources: vector, generated: vector, counts: vector, least: rows,
    flaw: vector, settings, wanted,
):
    """As `expand`, and sources[k] becomes the row of the state that leads to successor k."""
    count = 0
    while begin < end and count + STEPS <= len(out):
        room = out[count:count + STEPS]
        following, more = expand(states, begin, begin + 1, room, generated, counts, least, flaw, settings, wanted)
        for row in range(count, count + more):
            sources[row] = begin
        count += more
        begin += 1
    return begin, count'''


GIVEN = ("WORDS", *(declared.name.upper() for declared in fields(SlotFormat)))
"""The constants of the texts that each kernel sets itself."""


@cache
def _text(name: str) -> str:
    """A file of `texts` as a part of a kernel: without its docstring, its imports, and what the kernel sets itself."""
    tree = ast.parse((Path(__file__).parent / "texts" / f"{name}.py").read_text(encoding="utf-8"))
    return "\n\n".join(ast.unparse(node) for node in tree.body if not _left_out(node))


def _left_out(node: ast.stmt) -> bool:
    match node:
        case ast.Expr() | ast.ImportFrom():
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name in GIVEN
    return False


def _kernel(title: str, words: int, *parts: str) -> str:
    """The text of a kernel: the common beginning, then its own parts."""
    head = f'"""The kernel of {title}. Generated."""\n\nWORDS = {words}'
    return "\n\n\n".join(part.strip("\n") for part in (head, _text("kernel_base"), *parts) if part) + "\n"


@cache
def visited_source(words: int, slots: SlotFormat) -> str:
    """The text of the kernel of the visited set, for states of so many words and slots of a format."""
    constants = "\n".join(f"{name.upper()} = {value}" for name, value in asdict(slots).items())
    return _kernel(f"the visited set for {words} words", words, constants, _text("visited"))


@cache
def positions_source(words: int) -> str:
    """The text of the kernel that finds the positions of states, of so many words, in an array."""
    return _kernel(f"the positions of states of {words} words", words, _text("positions"))


@cache
def candidates_source(words: int) -> str:
    """The text of the kernel of a sharded search, for states of so many words."""
    return _kernel(f"a sharded search for {words} words", words, _text("positions"), _text("candidates"))


@cache
def components_source() -> str:
    """The text of the kernel that finds strongly connected components."""
    return _kernel("strongly connected components", 1, _text("components"))


def kernel_source(model: Model, symmetry: Symmetry) -> str:
    """The text of the kernel for a model and a symmetry. It serves every question about the model, under any settings."""
    over_states, over_steps = numbered_properties(model)
    key = (model.profile.state, model.profile.actions, *over_states, *over_steps, *model.bounds.items(), symmetry.names)
    if key not in _TEXTS:
        _TEXTS[key] = SearchKernel(model, symmetry).text()
    return _TEXTS[key]


_TEXTS: dict[tuple[Any, ...], str] = {}
"""The texts made so far, by everything that they depend on."""


def numbered_properties(model: Model) -> tuple[list[Property], list[Property]]:
    """The properties over states, and over steps, in the order of their numbers in a kernel."""
    properties = model.profile.all_properties
    return [p for p in properties if p.over_states], [p for p in properties if p.over_steps]


class ModelKernel:
    """The text of a kernel of a model: some of its functions over words, and entries that call them.

    The entries bind the parameters of the functions in `bound` to members of their domains.
    """

    def __init__(
        self, model: Model, bound: Sequence[Callable[..., Any]], predicates: Sequence[Callable[..., bool]] = ()
    ) -> None:
        self.model = model
        self.translator = Translator(model, [*bound, *predicates], bound)
        self.words = self.translator.words("s")
        self.width = model.layout.words

    def assembled(self, *entries: str) -> str:
        """The whole text, with these entries after the functions."""
        return _kernel(
            f"{self.model.profile.state.__name__} with {self.model.bounds}",
            self.width,
            f"STEPS = {len(self.model.steps)}",
            _text("model_base"),
            *self.translator.segmented(),
            *self.translator.definitions,
            *entries,
        )

    def load(self, prefix: str, array: str, row: str, pad: str) -> str:
        return "".join(f"{pad}{prefix}_{k} = {array}[{row}, {k}]\n" for k in range(self.width))

    def tries(self, action: Action, condition: str = "enabled", *notes: str) -> str:
        """Lines that append the successors by one action to `out` under a condition, and note more about each."""
        lines, depth = loops(self.translator, action)
        pad = "    " * depth
        arguments = "".join(f", {name}" for name in argument_names(action))
        call = f"{self.translator.names[action.function]}({self.words}{arguments}, {OUTSIDE})"
        lines.append(f"{pad}enabled, {self.translator.words('t')} = {call}")
        lines.append(f"{pad}if {condition}:")
        lines += [f"{pad}    {note}" for note in notes]
        lines += [f"{pad}    out[count, {k}] = t_{k}" for k in range(self.width)]
        lines.append(f"{pad}    count += 1")
        return "\n".join("    " + line for line in lines)


class SearchKernel(ModelKernel):
    """What a search calls: successors, properties, predecessors."""

    def __init__(self, model: Model, symmetry: Symmetry) -> None:
        self.symmetry = symmetry
        self.state_properties, self.step_properties = numbered_properties(model)
        predicates = [p.function for p in (*self.state_properties, *self.step_properties)]
        super().__init__(model, [a.function for a in model.profile.actions], predicates)

    def text(self) -> str:
        """The text of the kernel."""
        canonical = canonical_source(self.model, self.symmetry) if self.symmetry.renamings else ""
        keeping = keeping_source(self.model, self.symmetry) if canonical and self.symmetry.keeps_start else ""
        return self.assembled(canonical, keeping, self._expand(), self._evaluate(), PREDECESSOR, EXPAND_FROM)

    def _counted(self, number: int, action: Action) -> str:
        """Lines that append the successors by one action to `out`, and count them."""
        return f"        before = count\n{self.tries(action)}\n        generated[{number}] += count - before"

    def _expand(self) -> str:
        lines = [self._counted(number, action) for number, action in enumerate(self.model.profile.actions)]
        for number, prop in enumerate(self.step_properties):
            call = f"{self.translator.names[prop.function]}({self.words}, {self.translator.words('t')}, {OUTSIDE})"
            lines.append("        violated = False\n        for row in range(first, count):")
            lines.append(f"            if wanted >> {number} & 1 == 0:\n                break")
            lines.append(f"{self.load('t', 'out', 'row', ' ' * 12)}            if not {call}:")
            lines.append("                violated = True\n        if violated:")
            lines.append(f"            tally(states, begin, {number}, counts, least)")
        if self.symmetry.renamings:
            lines.append("        for row in range(first, count):\n            canonical(out, row)")
        return (
            "@entry\n"
            "def expand(states: rows, begin, end, out: rows, generated: vector, counts: vector, least: rows,\n"
            "           flaw: vector, settings, wanted):\n"
            '    """Write the successors of states[begin:end] to `out` while there is room; evaluate the `wanted` properties.\n\n'
            '    Returns the state to go on with, and how many successors there are.\n    """\n'
            "    count = 0\n"
            "    while begin < end and count + STEPS <= len(out):\n"
            "        first = count\n"
            f"{self.load('s', 'states', 'begin', ' ' * 8)}" + "\n".join(lines) + "\n"
            "        begin += 1\n"
            "    return begin, count"
        )

    def _evaluate(self) -> str:
        tests = ""
        for number, prop in enumerate(self.state_properties):
            condition = f"{self.translator.names[prop.function]}({self.words}, {OUTSIDE})"
            condition = condition if prop.seeks else f"not {condition}"
            tests += f"        if wanted >> {number} & 1 == 1 and {condition}:\n"
            tests += f"            tally(states, row, {number}, counts, least)\n"
        return (
            "@entry\n"
            "def evaluate(states: rows, begin, end, counts: vector, least: rows, flaw: vector, settings, wanted):\n"
            '    """Evaluate the state properties in `wanted` on states[begin:end]."""\n'
            "    for row in range(begin, end):\n"
            f"{self.load('s', 'states', 'row', ' ' * 8)}{tests or '        pass'}"
        )
