"""The text of a kernel: the model's functions over packed words, and the loops over states around them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from typing import Any

from neverlost.model.core import Model, Property
from neverlost.model.core.parsing import parsed

from ..symmetry import Symmetry
from .canonical import canonical_source, keeping_source
from .emitter.unbranched import computations
from .frames import array
from .slot_format import SlotFormat
from .steps import LARGEST, made_frames, one_by_one, together
from .translate import DECLARED, OUTSIDE, Translator
from .untouched import may_lead_source

PREDECESSOR = f'''@entry
def predecessor(
    states: rows, begin, end, target: rows, near: rows, out: rows, sources: entries, generated: vector, step_counts: vector,
    step_least: rows, counts: vector, least: rows, {DECLARED},
):
    """Keep the least of the states in states[begin:end] that have a step to target[0]; those that may have one go to `near` first."""
    while begin < end:
        size = 0
        while begin < end and size < len(near):
            if may_lead(states, begin, target):
                for word in range(WORDS):
                    near[size, word] = states[begin, word]
                size += 1
            begin += 1
        first = 0
        while first < size:
            first, count = expand(near, first, size, out, sources, generated, step_counts, step_least, {OUTSIDE}, 0)
            for row in range(count):
                if equal(out, row, target, 0):
                    tally(near, number(sources[row]), 0, counts, least)'''


GIVEN = ("WORDS", *(declared.name.upper() for declared in fields(SlotFormat)))
"""The constants of the texts that each kernel sets itself."""


@cache
def _text(name: str) -> str:
    """A file of `texts` as a part of a kernel: without its docstring, its imports, and what the kernel sets itself."""
    tree = parsed((Path(__file__).parent / "texts" / f"{name}.py").read_text(encoding="utf-8"))
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
            *self.translator.definitions.values(),
            *entries,
        )

    def load(self, prefix: str, array: str, row: str, pad: str) -> str:
        return "".join(f"{pad}{prefix}_{k} = {array}[{row}, {k}]\n" for k in range(self.width))


class SearchKernel(ModelKernel):
    """What a search calls: successors, properties, predecessors."""

    def __init__(self, model: Model, symmetry: Symmetry) -> None:
        self.symmetry = symmetry
        self.state_properties, self.step_properties = numbered_properties(model)
        predicates = [p.function for p in (*self.state_properties, *self.step_properties)]
        predicates += [p.harmless.function for p in self.state_properties if p.harmless is not None]
        super().__init__(model, [a.function for a in model.profile.actions], predicates)

    def text(self) -> str:
        """The text of the kernel."""
        canonical = canonical_source(self.model, self.symmetry) if self.symmetry.renamings else ""
        keeping = keeping_source(self.model, self.symmetry) if canonical and self.symmetry.keeps_start else ""
        expanding, expand = self._expand()
        may_lead = may_lead_source(self.model, self.symmetry)
        entries = (expand, self._evaluate(), self._expandable(), may_lead, PREDECESSOR)
        return self.assembled(canonical, keeping, *expanding, *entries)

    def _expand(self) -> tuple[list[str], str]:
        """The functions that try actions, and the text of `expand`."""
        functions, lines, frames = self._attempts() if self._small() else self._rows()
        for number, prop in enumerate(self.step_properties):
            functions.append(self._step(number, prop))
            lines += [
                f"if wanted >> {number} & 1 == 1:",
                "    clear(flags)",
                "    for k in range(first, count):",
                "        row = number(sources[k])",
                f"        if step_{number}(states, row, out, k, {OUTSIDE}) == 0:",
                "            flags[row - begin] = 1",
                f"    tally_flagged(states, begin, size, flags, {number}, counts, least)",
            ]
        if self.symmetry.renamings:
            lines.append("canonical(out, first, count)")
        return functions, (
            "@entry\n"
            "def expand(states: rows, begin, end, out: rows, sources: entries, generated: vector, counts: vector,\n"
            f"           least: rows, {DECLARED}, wanted):\n"
            '    """Write the successors of states[begin:end] to `out` while there is room; evaluate the `wanted` properties.\n\n'
            "    sources[k] becomes the row of the state that leads to successor k.\n"
            '    Returns the state to go on with, and how many successors there are.\n    """\n'
            f"{frames}{array('flags') if self.step_properties else ''}"
            "    count = 0\n"
            "    while begin < end and count + (1 if count == 0 else min(FRAME_ROWS, end - begin)) * STEPS <= len(out):\n"
            "        size = min(FRAME_ROWS, end - begin, number(u64(len(out) - count) // u64(max(1, STEPS))))\n"
            "        first = count\n" + "".join(f"        {line}\n" for line in lines) + "        begin += size\n"
            f"{'    note(flaws, flaw)' if frames else ''}\n    return begin, count"
        )

    def _small(self) -> bool:
        """Whether all actions are small enough to be tried on some states together."""
        names = self.translator.names
        size = computations(self.translator.definitions)
        return all(size(names[action.function]) <= LARGEST for action in self.model.profile.actions)

    def _attempts(self) -> tuple[list[str], list[str], str]:
        """Functions, lines that try all actions on some states together, and lines that make what they need."""
        tried = [together(self.translator, number, action) for number, action in enumerate(self.model.profile.actions)]
        lines = ["fill(all, states, begin, size)"]
        for number, attempt in enumerate(tried):
            lines += ["before = count", *attempt.lines, f"generated[{number}] += count - before"]
        frames = made_frames(max((attempt.frames for attempt in tried), default=0), self.width)
        return [text for attempt in tried for text in attempt.functions], lines, frames

    def _rows(self) -> tuple[list[str], list[str], str]:
        """As `_attempts`, but on one state after the other."""
        lines: list[str] = [f"s_{k} = states[row, {k}]" for k in range(self.width)]
        for number, action in enumerate(self.model.profile.actions):
            notes = ("sources[count] = u32(row)", f"generated[{number}] += 1")
            lines += one_by_one(self.translator, action, "enabled", *notes)
        return [], ["for row in range(begin, begin + size):", *(f"    {line}" for line in lines)], ""

    def _step(self, number: int, prop: Property) -> str:
        """A function that decides a property of the step from a state to a successor."""
        call = f"{self.translator.names[prop.function]}({self.words}, {self.translator.words('t')}, {OUTSIDE})"
        return (
            f"def step_{number}(states: rows, row, out: rows, after, {DECLARED}):\n"
            f"{self.load('s', 'states', 'row', '    ')}{self.load('t', 'out', 'after', '    ')}    return {call}"
        )

    def _expandable(self) -> str:
        tests = ""
        for number, prop in enumerate(self.state_properties):
            if prop.harmless is not None:
                condition = f"{self.translator.names[prop.harmless.function]}({self.words}, {OUTSIDE})"
                tests += f"        if prop == {number} and {condition}:\n            harmless = 1\n"
        if not tests:
            return ""
        kept = "".join(f"            out[count, {k}] = s_{k}\n" for k in range(self.width))
        return (
            "@entry\n"
            f"def expandable(states: rows, begin, end, prop, out: rows, {DECLARED}):\n"
            '    """Copy those of states[begin:end] to `out` that are not harmless for a property. Returns how many these are."""\n'
            "    count = 0\n"
            "    for row in range(begin, end):\n"
            f"{self.load('s', 'states', 'row', ' ' * 8)}        harmless = 0\n{tests}"
            f"        if harmless == 0:\n{kept}            count += 1\n"
            "    return count"
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
            f"def evaluate(states: rows, begin, end, counts: vector, least: rows, {DECLARED}, wanted):\n"
            '    """Evaluate the state properties in `wanted` on states[begin:end]."""\n'
            "    for row in range(begin, end):\n"
            f"{self.load('s', 'states', 'row', ' ' * 8)}{tests or '        pass'}"
        )
