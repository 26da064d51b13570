"""What a step must leave as it is: mistakes that no line of a model can have, as a model says only what changes.

Such a mistake sets a field back to what it is at the start. A run shows it whose last step leaves the field as it was, if that is
something else than at the start.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Action, Model, Profile, Step
from neverlost.model.core.state import Field

from .ground import MOST_TRIES, Ground, KillingRun
from .mutant import KEPT, Mutant
from .pairs import BOTH, Rows


@dataclass(frozen=True)
class Kept:
    """A field that an action must leave as it is where one of its parameters says.

    Where a field says for each member whom it takes for the leader, those who take themselves for it have their own mistakes.
    """

    action: Action
    field: Field
    parameter: int
    leader: Field | None = None
    leads: bool = False

    @property
    def mutant(self) -> Mutant:
        """The mistake that a step of the action sets the field back."""
        name = self.action.parameters[self.parameter][0]
        place = f"{self.field.name}[{name}]"
        who = "" if self.leader is None else f":{self.leader.name}" if self.leads else f":no-{self.leader.name}"
        return Mutant(
            name=f"{KEPT}.{self.action.name}:{place}{who}",
            kind=KEPT,
            written=place,
            instead=self.action.name,
            place=self.action.name,
            rules=self.action.source,
            actions=frozenset((self.action.name,)),
        )


def kept_by(profile: Profile, fields: Collection[str]) -> list[Kept]:
    """What each action must leave as it is, of these fields."""
    leaders = {one.indexes: one for one in profile.state.fields if one.indexes == (one.domain.index,)}
    return [
        Kept(action, field, number, leaders.get((index,)), leads)
        for action in profile.actions
        for field in profile.state.fields
        if field.name in fields
        for number, (_, index) in enumerate(action.parameters)
        if field.indexes[:1] == (index,)
        for leads in ((False, True) if (index,) in leaders else (False,))
    ]


def kill_kept(kept: Sequence[Kept], grounds: Sequence[Ground], said: Collection[KillingRun]) -> dict[str, KillingRun]:
    """Runs that show what steps must leave as it is, by the names of the mistakes: those in `killed`, then as few more as can be.

    A longer run shows more, so what takes the longest is looked for first.
    """
    by_model = {_chosen(ground.own): _Bits(ground, kept) for ground in grounds}
    found: dict[str, KillingRun] = {}
    for run in said:
        by_model[_chosen(run.model)].mark(run, found)
    for bits in by_model.values():
        firsts = bits.firsts({number for number, one in enumerate(kept) if one.mutant.name not in found})
        for number in sorted(firsts, key=lambda number: -firsts[number][0][0]):
            for source, step in firsts[number]:
                if kept[number].mutant.name in found:
                    break
                run = bits.run(number, source, step)
                if bits.ground.possible(run):
                    bits.mark(run, found)
    return found


def _chosen(model: Model) -> tuple[tuple[str, int], ...]:
    return (*model.bounds.items(), *model.settings.items())


class _Bits:
    """Where in the packed states of a ground the fields are that its steps must leave as they are."""

    def __init__(self, ground: Ground, kept: Sequence[Kept]) -> None:
        self.ground, self.kept = ground, kept
        self.start = np.array(ground.model.initial_states()[0], np.int64)
        self.of: dict[str, list[int]] = {}
        for number, one in enumerate(kept):
            self.of.setdefault(one.action.name, []).append(number)

    def mask(self, number: int, step: Step) -> npt.NDArray[np.int64]:
        """The bits of the field that the step must leave as it is."""
        one, layout = self.kept[number], self.ground.model.layout
        mask = np.zeros(layout.words, np.int64)
        positions = one.field.positions(self.ground.model.bounds)
        for slot, position in zip(layout.slots[one.field.name], positions, strict=True):
            if position[0] == step.arguments[one.parameter]:
                mask[slot.word] |= slot.mask << slot.shift
        return mask

    def shows(self, number: int, step: Step, before: Rows, after: Rows) -> npt.NDArray[np.bool_]:
        """Do steps from these states to those show a mistake?"""
        one, mask = self.kept[number], self.mask(number, step)
        shows: npt.NDArray[np.bool_] = ((before ^ after) & mask == 0).all(axis=1) & (
            (after ^ self.start) & mask != 0
        ).any(axis=1)
        if one.leader is None:
            return shows
        member = step.arguments[one.parameter]
        slot = self.ground.model.layout.slots[one.leader.name][member]
        leads: npt.NDArray[np.bool_] = (before[:, slot.word] >> slot.shift) & slot.mask == member - slot.low
        return shows & (leads if one.leads else ~leads)

    def run(self, number: int, source: int, step: int) -> KillingRun:
        """The shortest run to a state, and a step from there that shows a mistake."""
        steps = self.ground.own.steps
        run = (*(steps[k] for k in self.ground.reached.run(source)), steps[step])
        return KillingRun(model=self.ground.own, mutant=self.kept[number].mutant, steps=run)

    def mark(self, run: KillingRun, found: dict[str, KillingRun]) -> None:
        """Add what the steps of a run show that is not found yet, each with the steps until it shows."""
        model = self.ground.own
        before = model.initial_states()[0]
        for length, step in enumerate(run.steps, start=1):
            after = model.apply(before, step)
            for number in self.of.get(step.action.name, ()):
                mutant = self.kept[number].mutant
                rows = np.array([before], np.int64), np.array([after], np.int64)
                if mutant.name not in found and self.shows(number, step, *rows)[0]:
                    found[mutant.name] = KillingRun(model=model, mutant=mutant, steps=run.steps[:length])
            before = after

    def firsts(self, wanted: Collection[int]) -> Mapping[int, list[tuple[int, int]]]:
        """The nearest steps that show these mistakes: the row of the state before, and the number of the step."""
        ground, firsts = self.ground, dict[int, list[tuple[int, int]]]()
        actions = {self.kept[number].action.name for number in wanted}
        states = ground.reached.states
        for part in ground.pairs.together(
            states, states, ground.settings, ground.settings, wanted=ground.pairs.mask(actions), every=True
        ):
            for step in np.unique(part.steps):
                rows = np.flatnonzero((part.steps == step) & (part.kinds == BOTH))
                before, after = states[part.sources[rows]], part.left[rows]
                name = ground.model.steps[step].action.name
                for number in (k for k in self.of[name] if k in wanted and len(firsts.get(k, ())) < MOST_TRIES):
                    shows = rows[self.shows(number, ground.model.steps[step], before, after)]
                    firsts.setdefault(number, []).extend(
                        (int(part.sources[row]), int(step)) for row in shows[:MOST_TRIES]
                    )
        return {number: sorted(rows)[:MOST_TRIES] for number, rows in firsts.items() if rows}
