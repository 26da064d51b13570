"""Two choices of a model's settings, step by step together: a compiled kernel that says which steps part them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from neverlost.explorer.compile.cache import loaded_kernel
from neverlost.explorer.compile.generate import ModelKernel
from neverlost.explorer.compile.loops import argument_names
from neverlost.explorer.compile.translate import DECLARED, OUTSIDE, SETTINGS
from neverlost.model.core import Model, Packed

Rows = npt.NDArray[np.int64]

LEFT, RIGHT, BOTH = 1, 2, 3
"""Who does a step: only the one, only the other, or both."""
ROOM = 1 << 15
OTHERS = SETTINGS.replace("settings", "others")
"""The words of the settings of the other side."""


class PairKernel(ModelKernel):
    """What two states have as successors, side by side."""

    def __init__(self, model: Model) -> None:
        super().__init__(model, [action.function for action in model.profile.actions])

    def text(self) -> str:
        """The text of the kernel."""
        return self.assembled(
            "@entry\n"
            "def together(left: rows, right: rows, begin, end, after_left: rows, after_right: rows, sources: vector,\n"
            f"             steps: vector, kinds: vector, {DECLARED}, {OTHERS}, wanted, every):\n"
            '    """Write the steps of the wanted actions from pairs[begin:end] that either side does, while there is room.\n\n'
            "    Without `every`, only the steps that part the two sides. Steps that leave a domain are left out.\n"
            '    """\n'
            "    count = 0\n"
            "    while begin < end and count + STEPS <= len(after_left):\n"
            f"{self.load('s', 'left', 'begin', ' ' * 8)}{self.load('r', 'right', 'begin', ' ' * 8)}"
            + self._actions()
            + "\n"
            "        begin += 1\n"
            "    return begin, count"
        )

    def _actions(self) -> str:
        words, others = self.translator.words("t"), self.translator.words("u")
        parted = " or ".join(f"t_{k} != u_{k}" for k in range(self.width))
        lines, first = [], 0
        for number, action in enumerate(self.model.profile.actions):
            lines.append(f"        if wanted >> {number} & 1 == 1:")
            depth, place = 3, "0"
            for name, (_, index) in zip(argument_names(action), action.parameters, strict=True):
                lines.append(f"{'    ' * depth}for {name} in range({index.size(self.model.bounds)}):")
                place = f"({place}) * {index.size(self.model.bounds)} + {name}"
                depth += 1
            pad, name = "    " * depth, self.translator.names[action.function]
            arguments = "".join(f", {name}" for name in argument_names(action))
            lines += [
                f"{pad}flaw[0] = 0",
                f"{pad}enabled, {words} = {name}({self.words}{arguments}, {OUTSIDE})",
                f"{pad}also, {others} = {name}({self.translator.words('r')}{arguments}, flaw, {OTHERS})",
                f"{pad}kind = number(enabled) + 2 * number(also)",
                f"{pad}if flaw[0] == 0 and kind > 0 and (every == 1 or kind < 3 or {parted}):",
                f"{pad}    sources[count] = begin",
                f"{pad}    steps[count] = {first} + {place}",
                f"{pad}    kinds[count] = kind",
                *(f"{pad}    after_left[count, {k}] = t_{k}" for k in range(self.width)),
                *(f"{pad}    after_right[count, {k}] = u_{k}" for k in range(self.width)),
                f"{pad}    count += 1",
            ]
            first += len(action.combinations(self.model.bounds))
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class Steps:
    """Steps of pairs: the row of the pair, the number of the step, who does it, and the states after it."""

    sources: Rows
    steps: Rows
    kinds: Rows
    left: Rows
    right: Rows


class Pairs:
    """A model under two choices of settings at a time."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.kernel, self.seconds = loaded_kernel(PairKernel(model).text())

    @cached_property
    def room(self) -> tuple[Rows, Rows, Rows, Rows, Rows]:
        """Arrays for the steps of a call."""
        size, words = ROOM + len(self.model.steps), self.model.layout.words
        rows = np.empty((size, words), np.int64), np.empty((size, words), np.int64)
        return (*rows, np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64))

    def together(
        self, left: Rows, right: Rows, settings: Packed, others: Packed, *, wanted: int, every: bool
    ) -> Iterator[Steps]:
        """The steps from pairs of states, those of earlier pairs first."""
        after_left, after_right, sources, steps, kinds = self.room
        flaw, begin = np.zeros(1, np.int64), 0
        while begin < len(left):
            begin, count = self.kernel.together(
                *(left, right, begin, len(left), after_left, after_right, sources, steps, kinds, flaw),
                *(*settings, *others, wanted, int(every)),
            )
            yield Steps(
                sources=sources[:count].copy(),
                steps=steps[:count].copy(),
                kinds=kinds[:count].copy(),
                left=after_left[:count].copy(),
                right=after_right[:count].copy(),
            )

    def mask(self, actions: Iterable[str]) -> int:
        """The actions of these names, as the kernel takes them."""
        names = [action.name for action in self.model.profile.actions]
        return sum(1 << names.index(name) for name in set(actions))


@dataclass(frozen=True, kw_only=True)
class Reached:
    """The states of a model within some steps, nearest first, and how each was reached: the row it came from, and the step."""

    model: Model
    states: Rows
    parents: Rows
    steps: Rows
    complete: bool

    def run(self, row: int) -> list[int]:
        """The numbers of the steps of a shortest run to a state."""
        found = []
        while self.parents[row] >= 0:
            found.append(int(self.steps[row]))
            row = int(self.parents[row])
        return found[::-1]


def reached(pairs: Pairs, model: Model, most: int) -> Reached:
    """The states of a model, level by level, until there are at least so many."""
    settings, everything = model.layout.pack_settings(), (1 << len(model.profile.actions)) - 1
    states = [np.array(model.initial_states(), np.int64)]
    parents, steps = [np.full(1, -1, np.int64)], [np.full(1, -1, np.int64)]
    seen = {states[0][0].tobytes()}
    first = 0
    while len(states[-1]) and len(seen) < most:
        level = states[-1]
        found: tuple[list[Rows], list[int], list[int]] = [], [], []
        for part in pairs.together(level, level, settings, settings, wanted=everything, every=True):
            for row in range(len(part.steps)):
                key = part.left[row].tobytes()
                if key not in seen:
                    seen.add(key)
                    found[0].append(part.left[row])
                    found[1].append(first + int(part.sources[row]))
                    found[2].append(int(part.steps[row]))
        first += len(level)
        states.append(np.array(found[0], np.int64).reshape(-1, model.layout.words))
        parents.append(np.array(found[1], np.int64))
        steps.append(np.array(found[2], np.int64))
    return Reached(
        model=model,
        states=np.concatenate(states),
        parents=np.concatenate(parents),
        steps=np.concatenate(steps),
        complete=not len(states[-1]),
    )
