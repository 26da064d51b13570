"""The result of a search, the same for every engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from neverlost.model.core import Model, Property
from neverlost.model.core.specialised import switched_off

from .process.exit_code import ExitCode
from .traces.trace import Trace
from .verdict import Verdict


def dead_actions(model: Model, generated: Mapping[str, int]) -> tuple[str, ...]:
    """The actions of which no step was generated, but for those that cannot happen as the settings and bounds are."""
    off = switched_off(model)
    return tuple(name for name, count in generated.items() if count == 0 and name not in off)


@dataclass(frozen=True, kw_only=True)
class DecidedProperty:
    """A property with its verdict, and the trace that decides it if one does.

    `violating_states` counts the distinct states (of a `step_always`: those before the step) that refute the property; None
    unless the search is complete, and for a `sometimes`. An asserted property decides the exit code, a probe does not.
    """

    property: Property
    asserted: bool
    verdict: Verdict
    violating_states: int | None
    trace: Trace | None


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """The states that were reached and not expanded, as no run from them violates the property: how many, and why, as a clause.

    `doubt` says why they were expanded all the same: it is not proven that they are harmless.
    """

    states: int
    because: str
    doubt: str | None = None


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a search found. It is equal for every engine and number of workers, except engine, workers, seconds and memory.

    `whole_levels` counts the states of the levels without the symmetry; it is empty if the initial states distinguish members.
    `generated` counts one per initial state and one per step that may happen; `levels` the states by distance from the start.
    An interrupted search reports only its complete levels, and findings beyond them. `left_out` is None unless the search was for one
    property with harmless states. What only they lead to was not reached: it is not in the counts, and an action may happen there.
    """

    model: Model
    symmetry: tuple[str, ...]
    engine: str
    workers: int
    complete: bool
    stopped_by: str | None
    levels: tuple[int, ...]
    whole_levels: tuple[int, ...]
    generated_by_action: Mapping[str, int]
    initial_states: int
    digest: str
    seconds: float
    compile_seconds: float
    peak_memory_bytes: int
    findings: Mapping[str, DecidedProperty]
    left_out: LeftOut | None = None

    @property
    def distinct(self) -> int:
        return sum(self.levels)

    @property
    def leaves_out(self) -> bool:
        """Whether states that were reached were not expanded, because they are harmless."""
        return self.left_out is not None and self.left_out.states > 0

    @property
    def distinct_without_symmetry(self) -> int | None:
        """How many states a search without symmetry finds in these levels: the sum of the classes' sizes. None if it is not known."""
        return sum(self.whole_levels) if self.whole_levels else None

    @property
    def depth(self) -> int:
        return len(self.levels)

    @property
    def generated(self) -> int:
        return self.initial_states + sum(self.generated_by_action.values())

    @property
    def dead_actions(self) -> tuple[str, ...]:
        """The actions that could happen, and never did; so far, if the search is not complete, and in the states that it expanded."""
        return dead_actions(self.model, self.generated_by_action)

    @cached_property
    def switched_off_actions(self) -> tuple[str, ...]:
        """The actions that cannot happen as the settings and bounds are."""
        return tuple(name for name in switched_off(self.model) if name in self.generated_by_action)

    @property
    def ran_out(self) -> Mapping[str, int]:
        """What the bounds left too little of, and in how many states: what follows these was not searched."""
        return {
            f.property.runs_out: f.violating_states
            for f in self.findings.values()
            if f.property.runs_out is not None and f.violating_states
        }

    @property
    def verdict(self) -> Verdict:
        """The verdict of all asserted properties together; undecided if none is asserted."""
        verdicts = [f.verdict for f in self.findings.values() if f.asserted]
        if Verdict.VIOLATED in verdicts:
            return Verdict.VIOLATED
        return Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts or not verdicts else Verdict.HOLDS

    @property
    def shown(self) -> DecidedProperty | None:
        """The finding to show in full: the asserted property with the shortest violation.

        If only `sometimes` properties are asserted and none is violated, the one with the shortest witness.
        """
        asserted = [f for f in self.findings.values() if f.asserted]
        decided = [f for f in asserted if f.trace is not None]
        shown = [f for f in decided if f.verdict == Verdict.VIOLATED]
        if not shown and all(f.property.seeks for f in asserted):
            shown = decided
        return min(shown, key=lambda f: len(f.trace or ()), default=None)

    @property
    def exit_code(self) -> ExitCode:
        """0 every asserted property holds, 1 one is violated, 3 undecided."""
        return ExitCode.of(self.verdict)
