"""The interpreted engine: CPython runs the model's functions. Slow, and the reference for every other engine."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.model.core import Model, Packed, Property

from .engine import Tally, Tick, at_depth
from .hashing import state_hash
from .symmetry import Symmetry

BATCH = 256


class InterpretedEngine:
    """Explores with plain sets of packed states."""

    name = "interpreted"
    workers = 1
    compile_seconds = 0.0

    def __init__(self, model: Model, properties: Sequence[Property], symmetry: Symmetry) -> None:
        self.model, self.symmetry = model, symmetry
        self.state_properties = [p for p in properties if not p.over_steps]
        self.step_properties = [p for p in properties if p.over_steps]
        self.action_of_step = [model.profile.actions.index(step.action) for step in model.steps]
        self.seen: set[Packed] = set()
        self.levels: list[list[Packed]] = []
        self.digest = 0
        self.generated = [0] * len(model.profile.actions)
        self.step_tallies = [Tally() for _ in self.step_properties]

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
            with at_depth(len(self.levels) - 2):
                self._expand(words)
        return len(self.levels[-1])

    def _expand(self, words: Packed) -> None:
        violated = set()
        for number, after in self.model.successors(words):
            self.generated[self.action_of_step[number]] += 1
            for k, prop in enumerate(self.step_properties):
                if not self.model.holds(prop, words, after):
                    violated.add(k)
            self._insert(self.symmetry.representative(after))
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
            state = self.model.state(words)
            for prop, tally in zip(self.state_properties, tallies, strict=True):
                with at_depth(level):
                    decided = bool(prop.function(state)) == prop.seeks
                if decided:
                    tally.add(1, words)
        return tallies

    def predecessor(self, level: int, target: Packed) -> Packed:
        return min(
            words
            for words in self.levels[level]
            if any(self.symmetry.representative(after) == target for _, after in self.model.successors(words))
        )
