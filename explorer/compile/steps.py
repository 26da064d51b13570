"""The text that tries an action: on one state after the other, or on some states together.

One state after the other, each guard decides at once whether the next is looked at. Together, each guard is decided for all states of a
frame, without jumps, and those for which it holds become the next frame. That is faster while functions are small: a processor
cannot foresee how guards end, but without jumps it computes both sides of every decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from neverlost.model.core import Action

from .frames import array, frame
from .loops import argument_names, levels, never_happens
from .translate import DECLARED, OUTSIDE, SETTINGS, Code, Translator

LARGEST = 500
"""How many operations the largest action may have where actions are tried on states together."""


def one_by_one(translator: Translator, action: Action, condition: str, *notes: str) -> list[str]:
    """Lines that append the successors of a state, s_0, s_1, ..., to `out` under a condition, and note more about each."""
    lines: list[str] = []
    pad = ""
    if never_happens(translator, action):
        return lines
    for level in levels(translator, action):
        for bound in level.bound:
            if bound.value is None:
                lines.append(f"{pad}for {bound.name} in range({bound.size}):")
            else:
                lines += [f"{pad}{bound.name} = {bound.value}", f"{pad}if 0 <= {bound.name} < {bound.size}:"]
            pad += "    "
        for guard in level.conditions:
            lines.append(f"{pad}if {guard}:")
            pad += "    "
    lines += [f"{pad}{_call(translator, action)}", f"{pad}if {condition}:"]
    appended = [f"out[count, {word}] = t_{word}" for word in range(translator.layout.words)]
    return lines + [f"{pad}    {text}" for text in (*notes, *appended, "count += 1")]


def _call(translator: Translator, action: Action) -> str:
    arguments = [translator.words("s"), *argument_names(action), OUTSIDE]
    return f"enabled, {translator.words('t')} = {translator.names[action.function]}({', '.join(arguments)})"


class Together(NamedTuple):
    """The text that tries an action on some states together."""

    functions: list[str]
    lines: list[str]
    """Lines that append the successors of the states in the frame `all` to `out`."""
    frames: int
    """How many frames they need."""


def together(translator: Translator, number: int, action: Action) -> Together:
    """The text that tries an action, whose number is part of the names of its functions."""
    if never_happens(translator, action):
        return Together([], [], 0)
    return _Attempts(translator, number).of(action)


def made_frames(count: int, words: int) -> str:
    """Lines that make the frames and arrays that attempts together need."""
    names = ["all", "after", *(f"in_{number}" for number in range(count))]
    made = [*(frame(name, range(words)) for name in names), *map(array, ("chosen", "flaws"))]
    return f"{''.join(made)}    number_rows(all)\n"


class _Attempts:
    def __init__(self, translator: Translator, number: int) -> None:
        self.translator, self.number = translator, number
        self.functions: list[str] = []
        self.lines: list[str] = []
        self.pad = ""
        self.frame, self.size = "all", "size"
        self.frames = 0
        self.looped: list[str] = []  # the parameters that loops bind
        self.fixed: dict[str, Code] = {}  # those that the state fixes, and what they equal

    def of(self, action: Action) -> Together:
        for level in levels(self.translator, action):
            conditions = list(level.conditions)
            for bound in level.bound:
                if bound.value is None:
                    self.looped.append(bound.name)
                    self._open(f"for {bound.name} in range({bound.size}):")
                else:
                    self.fixed[bound.name] = bound.value
                    conditions.insert(0, Code(f"0 <= {bound.name} < {bound.size}", frozenset({bound.name})))
            self._filter(conditions)
        self._attempt(action)
        return Together(self.functions, self.lines, self.frames)

    def _line(self, text: str) -> None:
        self.lines.append(f"{self.pad}{text}")

    def _open(self, text: str) -> None:
        self._line(text)
        self.pad += "    "

    def _filter(self, conditions: Sequence[Code]) -> None:
        """Go on where all conditions hold. What needs no state comes first, and last what calls a function: that takes long."""
        of_states = {*self.translator.named_words("s"), *self.fixed}
        functions = {*self.translator.names.values()}
        always = [one for one in conditions if not one.names & of_states]
        if always:
            self._open(f"if {' and '.join(map(str, always))}:")
        for calls in (False, True):
            stage = [one for one in conditions if one not in always and bool(one.names & functions) == calls]
            if stage:
                self._guard(stage)

    def _guard(self, conditions: Sequence[Code]) -> None:
        guard, inner, left = f"guard_{self.number}_{self.frames}", f"in_{self.frames}", f"left_{self.frames}"
        self._function(guard, f"if {' and '.join(map(str, conditions))}:", "    return 1", "return 0")
        self._line(f"{left} = 0")
        self._line(f"for k in abreast({self.size}):")
        self._line(f"    found = {guard}({self._given()})")
        self._line(f"    {left} += keep(chosen, {left}, k, found)")
        self._open(f"if {left} > 0:")
        self._line(f"pick({inner}, {self.frame}, chosen, {left})")
        self.frame, self.size = inner, left
        self.frames += 1

    def _attempt(self, action: Action) -> None:
        attempt, words = f"attempt_{self.number}", range(self.translator.layout.words)
        self._function(attempt, _call(self.translator, action), f"return enabled, {self.translator.words('t')}")
        after = ", ".join(f"after_{word}[k]" for word in words)
        self._line("more = 0")
        self._line(f"for k in abreast({self.size}):")
        self._line(f"    found, {after} = {attempt}({self._given()})")
        self._line("    more += keep(chosen, more, k, found)")
        self._line(f"append(out, count, sources, begin, after, chosen, {self.frame}, more)")
        self._line("count += more")

    def _function(self, name: str, *body: str) -> None:
        """A function of one state, and of the parameters that loops bind."""
        head = f"def {name}({', '.join([self.translator.words('s'), *self.looped])}, {DECLARED}):"
        fixed = [f"{parameter} = {value}" for parameter, value in self.fixed.items()]
        self.functions.append("\n".join([head, *(f"    {text}" for text in (*fixed, *body))]))

    def _given(self) -> str:
        """The arguments of such a function for the state at k of the frame."""
        words = (f"{self.frame}_{word}[k]" for word in range(self.translator.layout.words))
        return ", ".join([*words, *self.looped, "flaws", SETTINGS])
