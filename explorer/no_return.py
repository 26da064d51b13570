"""The step of no return of a violation: the last step before which the property could still be made safe.

A state is safe if no run from it violates the property without another fault. docs/decisions/0052-the-step-of-no-return.md says
why it is asked in this way, and where the question has no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from neverlost.model.core import Model, ModelError, Packed, Property, SymmetryError
from neverlost.model.core.reading import trees_of
from neverlost.model.core.tree import Comparison, Size, Total, walk

from .engines.engine import FlawFound
from .result import Result
from .symmetry import Symmetry, symmetry_of
from .traces.no_return import StepOfNoReturn
from .traces.sentence import deciding_property
from .traces.trace import Trace, way_on
from .words import counted

MOST_STATES = 200_000
"""A search for the step that goes beyond so many states ends undecided: it takes some seconds."""

INTERPRETED = 128
"""So many states are interpreted sooner than a kernel is compiled for them."""

TOGETHER = 64
"""States that are expanded together."""


if TYPE_CHECKING:
    from .engines.successors import CompiledSteps

Said = TypeVar("Said")


class _Ended(Exception):
    """The search ended before it was complete; the text says why."""


def with_no_return(trace: Trace, interrupted: Callable[[], bool] = lambda: False) -> Trace:
    """The trace with its step of no return, or why there is none. A trace that shows no violation stays as it is."""
    prop = deciding_property(trace)
    if prop is None or prop.seeks or prop.runs_out is not None or not trace.steps:
        return trace
    stopped_by = None if trace.model.profile.about_bounds else _stopped_by_a_bound(trace.model)
    if stopped_by is not None:
        why = f"a bound may stop a run (`{stopped_by}`), and no `suffices` says where"
        return replace(trace, no_return=StepOfNoReturn(undecided=why))
    return replace(trace, no_return=_Search(trace, prop, interrupted).found())


def with_no_return_shown(
    result: Result, every: bool = False, interrupted: Callable[[], bool] = lambda: False
) -> Result:
    """The result with the step of no return in the trace that is shown, or in those of every asserted property."""
    shown = [f for f in result.findings.values() if f.asserted and f.trace is not None and (every or f is result.shown)]
    asked = {
        f.property.name: replace(f, trace=with_no_return(f.trace, interrupted)) for f in shown if f.trace is not None
    }
    return replace(result, findings={**result.findings, **asked})


def _stopped_by_a_bound(model: Model) -> str | None:
    """A condition in an action that is false once something has come as far as a bound; None if there is none.

    A state may be safe for no other reason. A sum over members that reaches their number is not stopped by it.
    """
    for tree in trees_of([action.function for action in model.profile.actions]):
        for part in tree.parts:
            for left, operator, right in part.pairs if isinstance(part, Comparison) else ():
                low, high = (right, left) if operator in (">", ">=") else (left, right)
                limits = [p for p in walk(high) if isinstance(p, Size) and p.domain.base().bound]
                if (
                    operator in ("<", "<=", ">", ">=", "!=")
                    and limits
                    and not any(isinstance(p, Total) for p in walk(low))
                ):
                    return part.text
    return None


@dataclass
class _Reached:
    """What runs without another fault reach: states by number, with their successors as far as they matter.

    A state in `over` ends what is asked: the property is violated there, or, if it is awaited, has come true. From one in `wrong` a
    step violates the property, or it is violated there. In one in `hidden` the bounds ran out of something.
    """

    model: Model
    prop: Property
    symmetry: Symmetry
    interrupted: Callable[[], bool]
    numbers: dict[Packed, int] = field(default_factory=dict)
    states: list[Packed] = field(default_factory=list)
    after: list[list[int]] = field(default_factory=list)
    before: list[list[int]] = field(default_factory=list)
    over: set[int] = field(default_factory=set)
    wrong: set[int] = field(default_factory=set)
    hidden: dict[int, str] = field(default_factory=dict)

    @cached_property
    def compiled(self) -> CompiledSteps:
        from .engines.successors import CompiledSteps

        return CompiledSteps(self.model, self.symmetry)

    def reach(self, start: Packed) -> int:
        """Add a state, and all that runs reach from it. Returns its number. Raises _Ended."""
        number = self._number(start)
        while len(self.after) < len(self.states):
            if self.interrupted():
                raise _Ended("it was interrupted")
            if len(self.states) > MOST_STATES:
                raise _Ended(f"the search for it ended after {counted(MOST_STATES, 'state')}")
            chosen = range(len(self.after), min(len(self.states), len(self.after) + TOGETHER))
            try:
                self._expand(chosen)
            except ModelError as error:
                raise _Ended(f"the model has a mistake: {error}") from error
        return number

    def _number(self, words: Packed) -> int:
        number = self.numbers.setdefault(words, len(self.states))
        if number == len(self.states):
            self.states.append(words)
            self.before.append([])
        return number

    def _expand(self, chosen: range) -> None:
        if not self.prop.over_steps:
            self.over.update(self._where(chosen, self.prop, self.prop.over_runs))
        for prop in self.model.profile.about_bounds:
            self.hidden |= dict.fromkeys(self._where(chosen, prop, False), prop.runs_out or "")
        going_on = [number for number in chosen if number not in self.over]
        self.wrong.update(number for number in chosen if number in self.over)
        found = dict(zip(going_on, self._successors(going_on), strict=True))
        for number in chosen:
            self.after.append([self._number(words) for words in found.get(number, ())])
            for later in self.after[-1]:
                self.before[later].append(number)

    def _where(self, chosen: range, prop: Property, value: bool) -> Iterable[int]:
        """The states in which a predicate has a value."""
        if chosen.start >= INTERPRETED and not prop.over_runs:
            count = self._by_kernel(lambda: self.compiled.deciding(self._rows(chosen), prop), chosen)
            if count in (0, len(chosen)):
                return chosen if count else ()
        return [number for number in chosen if self.model.holds(prop, self.states[number]) == value]

    def _successors(self, chosen: Sequence[int]) -> list[Iterable[Packed]]:
        """The states one step later, but for steps that violate the property."""
        if chosen and chosen[0] >= INTERPRETED:
            asked = self.prop if self.prop.over_steps else None
            found, violated = self._by_kernel(lambda: self.compiled.after(self._rows(chosen), asked), chosen)
            if not violated:
                return [dict.fromkeys(words) for words in found]
        return [self._interpreted(number) for number in chosen]

    def _interpreted(self, number: int) -> Iterable[Packed]:
        here = self.states[number]
        found = dict.fromkeys(words for _, words in self.model.successors(here))
        if self.prop.over_steps:
            kept = [words for words in found if self.model.holds(self.prop, here, words)]
            if len(kept) < len(found):
                self.wrong.add(number)
            return kept
        return dict.fromkeys(map(self.symmetry.representative, found))

    def _rows(self, chosen: Iterable[int]) -> list[Packed]:
        return [self.states[number] for number in chosen]

    def _by_kernel(self, ask: Callable[[], Said], chosen: Iterable[int]) -> Said:
        """What the kernel says. Raises the interpreter's error if the model leaves a domain."""
        try:
            return ask()
        except FlawFound:
            for number in chosen:
                self.model.successors(self.states[number])
                for prop in (self.prop, *self.model.profile.about_bounds):
                    if not prop.over_steps:
                        self.model.holds(prop, self.states[number])
            raise ModelError("a sum grows beyond what the compiled engine holds") from None


class _Search:
    """Asks of one state of a trace after the other, the last one first, whether the property could still be made safe there."""

    def __init__(self, trace: Trace, prop: Property, interrupted: Callable[[], bool]) -> None:
        self.trace, self.prop = trace, prop
        model = _without_faults(trace.model, prop)
        self.reached = _Reached(model, prop, _symmetry(model, trace.symmetry, prop), interrupted)
        self.risky, self.doubtful, self.safe, self.savable, self.perhaps = (set[int]() for _ in range(5))

    def found(self) -> StepOfNoReturn:
        """The step, or why there is none."""
        steps = latest = len(self.trace.steps)
        try:
            for at in range(steps if self.prop.over_runs else steps - 1, -1, -1):
                number = self._settled(self._start(at))
                if number in self.savable:
                    return StepOfNoReturn(always_possible=True) if at == steps else self._before(at, number)
                if number in self.perhaps:
                    raise _Ended(f"{' and '.join(sorted({*self.reached.hidden.values()}))} ran out")
                latest = at
        except _Ended as ended:
            return StepOfNoReturn(undecided=str(ended), at_latest=latest if latest < steps else None)
        return StepOfNoReturn()

    def _start(self, at: int) -> Packed:
        """A state of the trace, with no fault left to come."""
        state = self.trace.model.state(self.trace.states[at])
        for fault in state.faults:
            setattr(state, fault.counter, 0)
        return self.trace.model.layout.pack(state)

    def _settled(self, start: Packed) -> int:
        """Add a state and all that it reaches, and find out which of these are safe, and which can be made so. Raises _Ended."""
        reached, first = self.reached, len(self.reached.states)
        number = reached.reach(self.reached.symmetry.representative(start))
        if self.prop.over_runs:
            self.safe |= {n for n in reached.over if n >= first}
            hoped = self.safe | {*reached.hidden}
        else:
            self._spread(self.risky, first, reached.wrong)
            self._spread(self.doubtful, first, reached.wrong | {*reached.hidden})
            new = range(first, len(reached.states))
            self.safe |= {n for n in new if n not in self.doubtful}
            hoped = {n for n in new if n not in reached.over and (n not in self.risky or n in reached.hidden)}
        self._spread(self.savable, first, self.safe)
        self._spread(self.perhaps, first, hoped)
        return number

    def _spread(self, found: set[int], first: int, given: Collection[int]) -> None:
        """Add the given states from number `first` on, and those that lead to one that was found; the earlier ones are settled."""
        after, before = self.reached.after, self.reached.before
        waiting = [n for n in range(first, len(after)) if n in given or not found.isdisjoint(after[n])]
        found.update(waiting)
        while waiting:
            new = [n for n in before[waiting.pop()] if n >= first and n not in found]
            found.update(new)
            waiting += new

    def _before(self, at: int, number: int) -> StepOfNoReturn:
        """The step after a state is that of no return: with the fewest steps that make the property safe from the state itself."""
        reached, level, distance = self.reached, {number}, {number: 0}
        while level.isdisjoint(self.safe):
            level = {later for n in level for later in reached.after[n] if later not in distance}
            distance |= dict.fromkeys(level, max(distance.values()) + 1)
        least = reached.states.__getitem__
        path = [min(level & self.safe, key=least)]
        while path[0] != number:
            path.insert(
                0, min((n for n in reached.before[path[0]] if distance.get(n) == distance[path[0]] - 1), key=least)
            )
        _, steps = way_on(reached.model, reached.symmetry, self._start(at), [reached.states[n] for n in path[1:]])
        return StepOfNoReturn(step=at + 1, rescue=tuple(steps))


def _without_faults(model: Model, prop: Property) -> Model:
    """The model without the actions that are faults by themselves; a fault with a counter cannot happen once that is 0."""
    happen = [a for a in model.profile.actions if not any(i.whose and i.size(model.bounds) for _, i in a.parameters)]
    if len(happen) == len(model.profile.actions):
        return model
    about = tuple(p for p in model.profile.about_bounds if p is not prop)
    asked = replace(prop, weak=(), strong=())
    kept = replace(
        model.profile,
        actions=tuple(happen),
        properties=(asked,),
        probes=about,
        on_request=(),
        lemmas=(),
        assumptions=(),
    )
    return Model(kept, model.bounds, model.settings)


def _symmetry(model: Model, names: Sequence[str], prop: Property) -> Symmetry:
    """The symmetry of the search that found the trace, if it lets the property be asked about classes of states."""
    if prop.over_steps:
        return Symmetry(model)
    try:
        return symmetry_of(model, names, [prop, *model.profile.about_bounds])
    except SymmetryError:
        return Symmetry(model)
