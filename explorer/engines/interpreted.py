"""The interpreted engine: CPython runs the model's functions. It is slow, and it is the reference for all other engines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Harmless, Model, ModelError, Packed, Property

from ..symmetry import Symmetry
from .engine import Tally, Tick, at_depth
from .graph import Edges, Numbers, judged
from .hashing import state_hash

BATCH = 256


class InterpretedEngine:
    """Explores with plain sets of packed states."""

    name = "interpreted"
    workers = 1
    compile_seconds = 0.0

    def __init__(self, model: Model, properties: Sequence[Property], symmetry: Symmetry) -> None:
        self.model, self.symmetry = model, symmetry
        self.harmless: Harmless | None = None
        self.state_properties = [p for p in properties if p.over_states]
        self.step_properties = [p for p in properties if p.over_steps]
        self.action_of_step = [model.profile.actions.index(step.action) for step in model.steps]
        self.seen: set[Packed] = set()
        self.levels: list[list[Packed]] = []
        self.digest = 0
        self.generated = [0] * len(model.profile.actions)
        self.left_out = 0
        self.step_tallies = [Tally() for _ in self.step_properties]

    def leave_out(self, prop: Property) -> None:
        self.harmless = prop.harmless

    def start(self, initial: Sequence[Packed]) -> int:
        self.levels.append([])
        for words in initial:
            self._insert(words)
        return len(self.levels[0])

    def expand(self, tick: Tick) -> int:
        frontier = self.levels[-1]
        self.levels.append([])
        self.step_tallies = [Tally() for _ in self.step_properties]
        for done, words in enumerate(frontier):
            if done % BATCH == 0:
                tick(done, len(self.seen), 0)
            with at_depth(len(self.levels) - 2, words):
                self._expand(words)
        return len(self.levels[-1])

    def _expand(self, words: Packed) -> None:
        if self.harmless is not None and self.harmless.function(self.model.passing(words)):
            self.left_out += 1
            return
        successors = self.model.successors(words)
        for number, after in successors:
            self.generated[self.action_of_step[number]] += 1
            self._insert(self.symmetry.representative(after))
        if self.step_properties:
            self._decide_steps(words, dict.fromkeys(after for _, after in successors))

    def _decide_steps(self, words: Packed, successors: Iterable[Packed]) -> None:
        before, violated = self.model.passing(words), set()
        for after in (self.model.passing(packed, other=True) for packed in successors):
            violated |= {k for k, prop in enumerate(self.step_properties) if not prop.function(before, after)}
        for k in violated:
            self.step_tallies[k].add(1, words)

    def _insert(self, words: Packed) -> None:
        if words not in self.seen:
            self.seen.add(words)
            self.levels[-1].append(words)
            self.digest += state_hash(words)

    def evaluate(self, level: int) -> list[Tally]:
        tallies = [Tally() for _ in self.state_properties]
        for words in self.levels[level]:
            state = self.model.passing(words)
            for prop, tally in zip(self.state_properties, tallies, strict=True):
                with at_depth(level, words):
                    try:
                        decided = bool(prop.function(state)) == prop.seeks
                    except ModelError:
                        decided = self.model.holds(prop, words) == prop.seeks  # its error names the property
                if decided:
                    tally.add(1, words)
        return tallies

    def whole(self, level: int) -> int | None:
        return (
            sum(len(self.symmetry.members(words)) for words in self.levels[level])
            if self.symmetry.keeps_start
            else None
        )

    def has(self, level: int, target: Packed) -> bool:
        return target in self.levels[level]

    def predecessor(self, level: int, target: Packed) -> Packed:
        alike = self.symmetry.members(target)
        return min(
            words for words in self.levels[level] if any(after in alike for _, after in self.model.successors(words))
        )

    def states(self) -> list[npt.NDArray[np.int64]]:
        return [np.array(level, np.int64).reshape(-1, self.model.layout.words) for level in self.levels]

    def graph(self) -> InterpretedGraph:
        return InterpretedGraph(self.model, self.levels)


class InterpretedGraph:
    """The graph of all states, numbered in the order of discovery."""

    def __init__(self, model: Model, levels: Sequence[Sequence[Packed]]) -> None:
        self.model = model
        self.states = [words for level in levels for words in level]
        self.level_of = np.repeat(np.arange(len(levels)), [len(level) for level in levels])
        self.number_of = {words: number for number, words in enumerate(self.states)}
        self.count = len(self.states)

    def judge(self, prop: Property) -> npt.NDArray[np.uint8]:
        found = np.empty(self.count, np.uint8)
        for number, words in enumerate(self.states):
            with at_depth(int(self.level_of[number]), words):
                found[number] = judged(self.model, prop, words)
        return found

    def levels(self, numbers: Numbers) -> Numbers:
        return self.level_of[numbers]

    def edges(self, numbers: Numbers) -> Edges:
        found = [
            (int(source), step, self.number_of[after])
            for source in numbers
            for step, after in self.model.successors(self.states[source])
            if after != self.states[source]
        ]
        sources, steps, targets = np.array(found, np.int64).reshape(-1, 3).T
        return Edges(sources=sources, steps=steps, targets=targets)

    def packed(self, numbers: Numbers) -> npt.NDArray[np.int64]:
        return np.array([self.states[number] for number in numbers], np.int64).reshape(
            len(numbers), self.model.layout.words
        )
