"""What follows from the state of a member, and is kept beside it: a cache, what is known of producers, a file that is written again.

No field of a model says it, so no line of it can be wrong. A mistake lies in a step that changes what it follows from, and leaves or
loses it; it shows at a later step of the same member. So there is a mistake for each two such steps, by what both do. A run that ends
with the second is made for it. Whether a system with the mistake differs then depends on what it keeps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Step
from neverlost.model.core.influence import fields_of
from neverlost.spec.derived_state import Derived, Made

from .ground import MOST_TRIES, Ground, KillingRun
from .mutant import DERIVED, Mutant
from .pairs import BOTH, Rows

Truths = npt.NDArray[np.bool_]
CHANGES = {1: "more", -1: "less", 0: "same"}


@dataclass(frozen=True)
class Succession:
    """Two steps of a member: the first changes what something follows from, the second is the next that depends on it.

    `left` is how much there is of the first field after the first step: 0, 1, or 2 for more. `part` is the parameter of the second that
    is the member. `does` says what the first does to the first field, and the second to that of each member that it names; `beside`
    how what the second writes compares with what stood there before the first, or, in what is written at an end, with what that wrote.
    """

    derived: str
    first: str
    left: int
    second: str
    part: str
    does: tuple[int, ...]
    beside: tuple[int, ...]
    rules: str

    @property
    def mutant(self) -> Mutant:
        """The mistake that the first step leaves, or loses, what the second needs."""
        effects = ",".join(CHANGES[change] for change in (*self.does, *self.beside))
        return Mutant(
            name=f"{DERIVED}.{self.first}:{self.derived}:{self.left}:{self.second}[{self.part}]:{effects}",
            kind=DERIVED,
            written=self.derived,
            instead=self.first,
            place=self.first,
            rules=self.rules,
            actions=frozenset((self.first, self.second)),
        )


def kill_derived(derived: Sequence[Derived], grounds: Sequence[Ground]) -> dict[Mutant, KillingRun]:
    """A shortest run for each succession, from the first configuration that has one that is possible."""
    found: dict[Mutant, KillingRun] = {}
    for ground in grounds:
        for one in derived:
            for succession, firsts in _firsts(ground, one):
                mutant = succession.mutant
                if mutant in found:
                    continue
                runs = (_run(ground, mutant, source, step) for source, step in firsts)
                possible = next((run for run in runs if ground.possible(run)), None)
                if possible is not None:
                    found[mutant] = possible
    return found


def _run(ground: Ground, mutant: Mutant, source: int, step: int) -> KillingRun:
    steps = ground.own.steps
    run = (*(steps[k] for k in ground.reached.run(source)), steps[step])
    return KillingRun(model=ground.own, mutant=mutant, steps=run)


def _firsts(ground: Ground, derived: Derived) -> Iterator[tuple[Succession, list[tuple[int, int]]]]:
    """Each succession in the searched states, with the nearest steps that end one: the row of the state before, and the step."""
    members = [_Member(ground, derived, number) for number in range(derived.member.size(ground.model.bounds))]
    found: dict[Succession, list[tuple[int, int]]] = {}
    states = ground.reached.states
    for part in ground.pairs.together(
        states, states, ground.settings, ground.settings, wanted=ground.pairs.mask(_uses(ground, derived)), every=True
    ):
        for number in map(int, np.unique(part.steps)):
            rows = np.flatnonzero((part.steps == number) & (part.kinds == BOTH))
            sources, after = part.sources[rows], part.left[rows]
            for succession, at in _successions(ground, derived, members, ground.model.steps[number], sources, after):
                firsts = found.setdefault(succession, [])
                firsts += [(int(sources[row]), number) for row in at[: MOST_TRIES - len(firsts)]]
    for succession, firsts in found.items():
        yield succession, sorted(firsts)


def _uses(ground: Ground, derived: Derived) -> Collection[str]:
    """The actions of a member that depend on the fields, or that end it if what follows from them is made then."""
    fields = {derived.runs} if derived.made is Made.ENDED else set(derived.fields)
    return [
        action.name
        for action in ground.model.profile.actions
        if any(index is derived.member for _, index in action.parameters)
        and (fields & (fields_of(action.function).read | fields_of(action.function).written))
    ]


def _successions(
    ground: Ground,
    derived: Derived,
    members: Sequence[_Member],
    step: Step,
    sources: Rows,
    after: Rows,
) -> Iterator[tuple[Succession, Rows]]:
    """The successions that end with a step from some states, each with the positions of the first few of these."""
    before, reached = ground.reached.states[sources], ground.reached
    named = zip(step.action.parameters, step.arguments, strict=True)
    parts = [(name, members[value]) for (name, index), value in named if index is derived.member]
    seen = ((before ^ after) & ground.mask).any(axis=1)
    for name, member in parts:
        last = member.last[sources]
        ends = seen & (last > 0) & member.depends(before, after)
        at = np.flatnonzero(ends)
        if not len(at):
            continue
        first, earlier = last[at], reached.parents[last[at]]
        does = [member.moved(reached.states[earlier], reached.states[first])]
        does += [other.moved(before[at], after[at]) for _, other in parts]
        stood = reached.states[first if derived.made is Made.ENDED else earlier]
        beside = member.beside(stood, before[at], after[at])
        table = np.stack([reached.steps[first], member.left(reached.states[first]), *does, *beside], axis=1)
        for row in np.unique(table, axis=0, return_index=True)[1]:
            same = at[(table == table[row]).all(axis=1)]
            opening = ground.model.steps[int(table[row][0])].action
            succession = Succession(
                derived=derived.name,
                first=opening.name,
                left=int(table[row][1]),
                second=step.action.name,
                part=name,
                does=tuple(map(int, table[row][2 : 2 + len(does)])),
                beside=tuple(map(int, table[row][2 + len(does) :])),
                rules=", ".join(dict.fromkeys((opening.source, step.action.source))),
            )
            yield succession, same[:MOST_TRIES]


class _Member:
    """One member in the states of a ground: its fields, and where on the way to each state they were last changed."""

    def __init__(self, ground: Ground, derived: Derived, number: int) -> None:
        self.ground, self.derived = ground, derived
        model = ground.model
        fields = {one.name: one for one in model.profile.state.fields}
        self.slots = {
            name: [
                slot
                for slot, position in zip(model.layout.slots[name], fields[name].positions(model.bounds), strict=True)
                if position[0] == number
            ]
            for name in (*derived.fields, derived.runs)
        }

    @cached_property
    def last(self) -> Rows:
        """The state after the last change on the way to each state; 0 if there was none."""
        states, parents = self.ground.reached.states, np.maximum(self.ground.reached.parents, 0)
        changed = self.makes(states[parents], states)
        last = np.where(changed, np.arange(len(states)), 0)
        begin, end = 0, 1
        while end < len(states):
            # The parents of a level are the level before it, and come in order.
            begin, end = end, int(np.searchsorted(parents, end))
            rows = np.flatnonzero(~changed[begin:end]) + begin
            last[rows] = last[parents[rows]]
        return last

    def makes(self, before: Rows, after: Rows) -> Truths:
        """Which steps are to make anew what follows from the fields."""
        match self.derived.made:
            case Made.CHANGED:
                found: Truths = np.zeros(len(before), np.bool_)
                for slot in (slot for name in self.derived.fields for slot in self.slots[name]):
                    found |= (before[:, slot.word] ^ after[:, slot.word]) >> slot.shift & slot.mask != 0
                return found
            case Made.STARTED:
                return self._running(before) < self._running(after)
            case Made.ENDED:
                return self._running(before) > self._running(after)

    def depends(self, before: Rows, after: Rows) -> Truths:
        """Which steps depend on what follows from the fields: those of a running member, or those that are to make it again."""
        if self.derived.made is Made.ENDED:
            return self.makes(before, after)
        lives: Truths = (self._running(before) & self._running(after)) != 0
        return lives

    def _running(self, states: Rows) -> Rows:
        return self._value(self.derived.runs, states)

    def _value(self, name: str, states: Rows) -> Rows:
        (slot,) = self.slots[name]
        value: Rows = (states[:, slot.word] >> slot.shift & slot.mask) + slot.low
        return value

    def left(self, states: Rows) -> Rows:
        """How much there is of the first field: 0, 1, or 2 for more."""
        left: Rows = np.minimum(self._value(self.derived.fields[0], states), 2)
        return left

    def moved(self, before: Rows, after: Rows) -> Rows:
        """How the first field changes: 1 if it grows, -1 if it shrinks, else 0."""
        name = self.derived.fields[0]
        moved: Rows = np.sign(self._value(name, after) - self._value(name, before))
        return moved

    def beside(self, stood: Rows, before: Rows, after: Rows) -> list[Rows]:
        """Of each field, whether what a step writes is more, 1, or less, -1, than what stood there; else 0."""
        found = []
        for name in self.derived.fields:
            total = np.zeros(len(before), np.int64)
            for slot in self.slots[name]:
                was, now, other = (rows[:, slot.word] >> slot.shift & slot.mask for rows in (before, after, stood))
                writes = np.full(len(before), True) if self.derived.made is Made.ENDED else was != now
                total += np.where(writes, np.sign(now - other), 0)
            found.append(np.sign(total))
        return found
