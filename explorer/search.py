"""The search: breadth first, level by level, the same for every engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from neverlost.model.core import (
    BoundsError,
    Model,
    ModelError,
    Packed,
    Profile,
    Property,
    Step,
    SymmetryError,
    UnknownNameError,
    check_equivariance,
)
from neverlost.model.core.closed import doubt

from .engines.engine import Engine, FlawError, LeavesOut, Stopped, Tally
from .engines.hashing import digest_text
from .process.memory import peak_bytes, resident_bytes
from .process.watch import UNWATCHED, Watch
from .result import DecidedProperty, LeftOut, Result
from .symmetry import Symmetry, symmetry_of
from .traces.trace import ReplayError, Trace, replay, way_on
from .verdict import Verdict

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .engines.graph import StateGraph
    from .liveness.deciding import Lasso

ENGINES = ("compiled", "interpreted")
UNTIL = ("first", "each", "all")

LEFT_OUT_FROM = 500_000
"""With fewer distinct states, to prove that some are harmless would be more than 3% of the search."""

EngineMaker = Callable[[Model, Sequence[Property], Symmetry], Engine]
"""Makes an engine for a model, the properties to decide, and the symmetry to use."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits at which a search ends undecided: `states` (distinct), `depth` (levels), `memory_bytes` of the process, `seconds`.

    Raises BoundsError for a limit that is no number, and UnknownNameError for another name.
    """

    states: int | None = None
    depth: int | None = None
    memory_bytes: int | None = None
    seconds: float | None = None

    def __new__(cls, **given: object) -> Limits:
        """A new one. Python's own error for a name that it does not take says no other."""
        for name in given:
            if name not in cls.__dataclass_fields__:
                raise UnknownNameError("limit", name, cls.__dataclass_fields__)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
                raise BoundsError(f"the limit {name} is {value!r}; write a number")


@dataclass(frozen=True, kw_only=True)
class Progress:
    """The progress of a search: `expanded` of `frontier` states of the level at `depth` are done."""

    depth: int
    frontier: int
    expanded: int
    distinct: int
    seconds: float
    memory_bytes: int


@dataclass
class _Course:
    """What the search has seen so far, for the limits and the result."""

    limits: Limits
    watch: Watch[Progress]
    started: float = field(default_factory=time.perf_counter)
    levels: list[int] = field(default_factory=list)
    whole_levels: list[int | None] = field(default_factory=list)
    digest: int = 0
    generated: list[int] = field(default_factory=list)
    """Of the complete levels."""

    def tick(self, expanded: int, distinct: int, allocating: int) -> None:
        seconds, memory = time.perf_counter() - self.started, resident_bytes()
        self.watch.progress(
            Progress(
                depth=len(self.levels),
                frontier=self.levels[-1],
                expanded=expanded,
                distinct=distinct,
                seconds=seconds,
                memory_bytes=memory,
            )
        )
        if self.watch.interrupted():
            raise Stopped("interrupt")
        if self.limits.states is not None and distinct > self.limits.states:
            raise Stopped("states")
        if self.limits.seconds is not None and seconds >= self.limits.seconds:
            raise Stopped("time")
        if self.limits.memory_bytes is not None and memory + allocating > self.limits.memory_bytes:
            raise Stopped("memory")


def explore(
    model: Model,
    *,
    engine: str | EngineMaker = "compiled",
    workers: int | Callable[[], int] = 1,
    properties: Sequence[str] | None = None,
    report_only: Sequence[str] = (),
    until: str = "first",
    without_harmless: bool = False,
    symmetry: bool | Sequence[str] = False,
    limits: Limits | None = None,
    watch: Watch[Progress] = UNWATCHED,
) -> Result:
    """Explore every state of `model`, breadth first, and decide its properties.

    `properties` names what to assert; by default all that the profile asserts, and its probes are reported. The property `report_only`
    is decided and reported, but not asserted. `until` is "first" (stop after the level on which an asserted property is
    violated, or when all are decided), "each" (stop when all are decided) or "all". `symmetry` explores one state of each class of
    states that differ only by renaming: True for every symmetric domain, or the names of some.
    `without_harmless` does not expand the harmless states of a property that is asserted alone, from the level on at which there are
    LEFT_OUT_FROM states, if they are proven harmless: the verdict and the trace stay the same. A search until "all", or by an
    engine without a name, expands every state.
    `workers` is a number of threads, or a function that says how many there may be now: a large search takes on more as it goes.
    `engine` is a name, or a function that makes an engine. The search calls `watch` between batches.

    `eventually` properties are decided once every state was explored.

    Raises UnknownNameError for an unknown property, engine or domain, BoundsError for less than one worker, SymmetryError if
    the profile is not symmetric or an `eventually` is to be decided with symmetry, and ModelError if an action leaves a domain.
    """
    if until not in UNTIL:
        raise UnknownNameError("way to end a search", until, UNTIL)
    if isinstance(workers, int) and workers < 1:
        raise BoundsError(f"workers is {workers}; it must be at least 1")
    asserted, decided = decided_properties(model.profile, properties)
    decided += [prop for name in report_only if (prop := model.profile.property_named(name)) not in decided]
    chosen = symmetry_of(model, symmetry, decided)
    alone = len(asserted) == 1 and not report_only and until != "all"
    if not isinstance(engine, str):
        made, able = engine(model, decided, chosen), None
    else:
        made = able = _engine(engine, model, decided, chosen, workers)
    run = _Run(model, made, chosen, asserted, decided, until, limits or Limits())
    if without_harmless and alone and able is not None and asserted[0].harmless is not None:
        run.leaving_out = able, asserted[0]
    return run.result(watch)


def find_state(
    model: Model,
    target: Packed,
    *,
    engine: str = "compiled",
    symmetry: bool | Sequence[str] = False,
    limits: Limits | None = None,
    watch: Watch[Progress] = UNWATCHED,
) -> tuple[Trace | None, bool]:
    """A shortest path from the start to a state (under a symmetry: to a renaming of it), and whether the search was complete.

    Raises as `explore` does.
    """
    chosen = symmetry_of(model, symmetry, [])
    run = _Run(model, _engine(engine, model, [], chosen, 1), chosen, [], [], "all", limits or Limits())
    return run.way_to(chosen.representative(target), watch)


def reached_states(
    model: Model,
    *,
    engine: str = "compiled",
    symmetry: bool | Sequence[str] = False,
    limits: Limits | None = None,
    watch: Watch[Progress] = UNWATCHED,
) -> tuple[Result, list[npt.NDArray[np.int64]]]:
    """Every state within limits (under a symmetry: one of each class), in arrays with a packed state in each row.

    Raises as `explore` does.
    """
    chosen = symmetry_of(model, symmetry, [])
    run = _Run(model, _engine(engine, model, [], chosen, 1), chosen, [], [], "all", limits or Limits())
    return run.result(watch), run.engine.states()


def reached_graph(
    model: Model,
    *,
    engine: str = "compiled",
    properties: Sequence[str] = (),
    limits: Limits | None = None,
    watch: Watch[Progress] = UNWATCHED,
) -> tuple[Result, StateGraph | None]:
    """The graph of all states, with the findings on some properties; None if the search was interrupted. Raises as `explore` does."""
    chosen, decided = symmetry_of(model, False, []), [model.profile.property_named(name) for name in properties]
    run = _Run(model, _engine(engine, model, decided, chosen, 1), chosen, [], decided, "all", limits or Limits())
    result = run.result(watch)
    return result, run.engine.graph() if result.complete else None


def decided_properties(profile: Profile, names: Sequence[str] | None) -> tuple[list[Property], list[Property]]:
    """The properties to assert, and all to decide: the named ones, or else the profile's own and its probes; and those about bounds."""
    named = list(profile.properties) if names is None else [profile.property_named(n) for n in dict.fromkeys(names)]
    decided = [*named, *(profile.probes if names is None else ()), *profile.about_bounds]
    return named, list({prop.name: prop for prop in decided}.values())


def _left_out(model: Model, symmetry: Symmetry, engine: LeavesOut, prop: Property) -> LeftOut:
    """Have an engine expand no harmless states of a property, if they are proven harmless."""
    assert prop.harmless is not None
    asymmetric = None
    try:
        check_equivariance(model, symmetry.domains, [replace(prop, function=prop.harmless.function)])
    except SymmetryError as error:
        asymmetric = str(error)
    doubtful = asymmetric or doubt(model, prop)
    if doubtful is None:
        engine.leave_out(prop)
    return LeftOut(states=0, because=prop.harmless.statement, doubt=doubtful)


def _engine(
    name: str, model: Model, properties: Sequence[Property], symmetry: Symmetry, workers: int | Callable[[], int]
) -> LeavesOut:
    if name == "interpreted":
        from .engines.interpreted import InterpretedEngine

        return InterpretedEngine(model, properties, symmetry)
    if name == "compiled":
        from .engines.compiled import CompiledEngine

        return CompiledEngine(model, properties, symmetry, workers)
    raise UnknownNameError("engine", name, ENGINES)


def way_through(model: Model, symmetry: Symmetry, path: Sequence[Packed]) -> tuple[list[Packed], list[Step]]:
    """States of the interpreter with these representatives, and the steps between them."""
    start = next(w for w in model.initial_states() if symmetry.representative(w) == path[0])
    return way_on(model, symmetry, start, path[1:])


class _Run:
    def __init__(
        self,
        model: Model,
        engine: Engine,
        symmetry: Symmetry,
        asserted: Sequence[Property],
        decided: Sequence[Property],
        until: str,
        limits: Limits,
    ) -> None:
        self.model, self.engine, self.symmetry, self.until, self.limits = model, engine, symmetry, until, limits
        self.leaving_out: tuple[LeavesOut, Property] | None = None
        """What can leave out states, and of which property, once the search is large."""
        self.left_out: LeftOut | None = None
        self.asserted = {p.name for p in asserted}
        self.decided = list(decided)
        self.state_properties = [p for p in decided if p.over_states]
        self.step_properties = [p for p in decided if p.over_steps]
        self.counts = {p.name: 0 for p in decided}
        self.targets: dict[str, tuple[int, Packed]] = {}
        self.lassos: dict[str, Lasso | None] = {}

    def result(self, watch: Watch[Progress]) -> Result:
        """Search. Raises ModelError with the way to the state, if a step or a property leaves a domain there."""
        try:
            return self._searched(watch)
        except FlawError as flaw:
            _, steps = self._path(flaw.depth, flaw.words)
            way = "".join(f"\n  {k}. {step.show(self.model.bounds)}" for k, step in enumerate(steps, start=1))
            raise ModelError(f"{flaw}" + (f"\nThe way there:{way}" if way else "")) from flaw

    def _begun(self, watch: Watch[Progress]) -> _Course:
        """The course of a search that has only the initial states."""
        course = _Course(self.limits, watch)
        initial = sorted({self.symmetry.representative(words) for words in self.model.initial_states()})
        course.levels.append(self.engine.start(initial))
        return course

    def _searched(self, watch: Watch[Progress]) -> Result:
        engine, course = self.engine, self._begun(watch)
        course.whole_levels.append(engine.whole(0))
        self._note_states(0)
        course.digest, course.generated = engine.digest, list(engine.generated)
        complete, stopped = False, None
        try:
            complete = self._all_levels(course)
            if complete:
                self._decide_runs(course)
        except Stopped as stop:
            stopped = stop.reason
        return Result(
            model=self.model,
            symmetry=self.symmetry.names,
            engine=engine.name,
            workers=engine.workers,
            complete=complete,
            stopped_by=stopped,
            levels=tuple(course.levels),
            whole_levels=tuple(n for n in course.whole_levels if n is not None),
            generated_by_action={
                action.name: count
                for action, count in zip(self.model.profile.actions, course.generated, strict=True)
                if self.model.has_steps_of(action)
            },
            initial_states=course.levels[0],
            digest=digest_text(course.digest),
            seconds=time.perf_counter() - course.started,
            compile_seconds=engine.compile_seconds,
            peak_memory_bytes=peak_bytes(),
            findings={p.name: self._finding(p, complete) for p in self.decided},
            left_out=self.left_out,
        )

    def _all_levels(self, course: _Course) -> bool:
        """Expand level by level, until enough is known. Returns whether no level is left; raises Stopped."""
        engine = self.engine
        while not self._enough():
            level = len(course.levels)
            if self.limits.depth is not None and level >= self.limits.depth:
                raise Stopped("depth")
            if self.leaving_out is not None and self.left_out is None and sum(course.levels) >= LEFT_OUT_FROM:
                self.left_out = _left_out(self.model, self.symmetry, *self.leaving_out)
            try:
                new = engine.expand(course.tick)
                if new:
                    course.tick(course.levels[-1], sum(course.levels) + new, 0)
            except Stopped as stop:
                # There, how far a level got depends on the engine; elsewhere it depends on the clock.
                if stop.reason != "states":
                    self._note_states(level)
                    self._note_steps(level - 1)
                raise
            self._note_steps(level - 1)
            course.digest, course.generated = engine.digest, list(engine.generated)
            if self.leaving_out is not None and self.left_out is not None:
                self.left_out = replace(self.left_out, states=self.leaving_out[0].left_out)
            if new == 0:
                return True
            course.levels.append(new)
            course.whole_levels.append(engine.whole(level))
            self._note_states(level)
        return False

    def way_to(self, target: Packed, watch: Watch[Progress]) -> tuple[Trace | None, bool]:
        """A shortest trace to a representative; and, if there is none, whether all states were seen."""
        engine, course = self.engine, self._begun(watch)
        while course.levels[-1]:
            if engine.has(len(course.levels) - 1, target):
                states, steps = self._path(len(course.levels) - 1, target)
                return Trace(
                    model=self.model, states=tuple(states), steps=tuple(steps), symmetry=self.symmetry.names
                ), False
            if self.limits.depth is not None and len(course.levels) >= self.limits.depth:
                return None, False
            try:
                course.levels.append(engine.expand(course.tick))
            except Stopped:
                return None, False
        return None, True

    def _decide_runs(self, course: _Course) -> None:
        over_runs = [p for p in self.decided if p.over_runs]
        if not over_runs:
            return
        from .liveness.deciding import find_lasso

        graph = self.engine.graph()
        for prop in over_runs:
            self.lassos[prop.name] = find_lasso(
                graph, self.model, prop, lambda room: course.tick(course.levels[-1], sum(course.levels), room)
            )

    def _note_states(self, level: int) -> None:
        for prop, tally in zip(self.state_properties, self.engine.evaluate(level), strict=True):
            self._note(prop, level, tally)

    def _note_steps(self, level: int) -> None:
        for prop, tally in zip(self.step_properties, self.engine.step_tallies, strict=True):
            self._note(prop, level, tally)

    def _note(self, prop: Property, level: int, tally: Tally) -> None:
        self.counts[prop.name] += tally.count
        if tally.least is not None and prop.name not in self.targets:
            self.targets[prop.name] = (level, tally.least)

    def _enough(self) -> bool:
        if self.until == "all":
            return False
        decided = bool(self.asserted) and all(name in self.targets for name in self.asserted)
        if self.until == "each":
            return decided
        return decided or any(p.name in self.targets and not p.seeks for p in self.decided if p.name in self.asserted)

    def _finding(self, prop: Property, complete: bool) -> DecidedProperty:
        if prop.over_runs:
            return self._finding_over_runs(prop)
        found = prop.name in self.targets
        # What was left out says nothing about other properties, as those about bounds.
        all_matter = prop.name in self.asserted or self.left_out is None or self.left_out.states == 0
        if found:
            verdict = Verdict.HOLDS if prop.seeks else Verdict.VIOLATED
        elif complete and all_matter:
            verdict = Verdict.VIOLATED if prop.seeks else Verdict.HOLDS
        else:
            verdict = Verdict.UNDECIDED
        return DecidedProperty(
            property=prop,
            asserted=prop.name in self.asserted,
            verdict=verdict,
            violating_states=self.counts[prop.name] if complete and not prop.seeks else None,
            trace=self._trace(prop, *self.targets[prop.name]) if found else None,
        )

    def _finding_over_runs(self, prop: Property) -> DecidedProperty:
        lasso = self.lassos.get(prop.name)
        refuted = Verdict.VIOLATED if lasso else Verdict.HOLDS
        return DecidedProperty(
            property=prop,
            asserted=prop.name in self.asserted,
            verdict=refuted if prop.name in self.lassos else Verdict.UNDECIDED,
            violating_states=None,
            trace=self._lasso_trace(prop, lasso) if lasso else None,
        )

    def _lasso_trace(self, prop: Property, lasso: Lasso) -> Trace:
        states, steps = self._path(lasso.level, lasso.states[0])
        trace = Trace(
            model=self.model,
            states=(*states, *lasso.states[1:]),
            steps=(*steps, *(self.model.steps[number] for number in lasso.steps)),
            property=prop.name,
            loop_start=len(steps) + lasso.loop_start,
        )
        try:
            replay(trace)
        except ReplayError as error:
            raise AssertionError(f"the interpreter does not confirm the finding on {prop.name}: {error}") from error
        return trace

    def _path(self, level: int, target: Packed) -> tuple[list[Packed], list[Step]]:
        """The states and steps of a shortest path to `target`, found backwards through the levels."""
        path = [target]
        for earlier in range(level - 1, -1, -1):
            path.insert(0, self.engine.predecessor(earlier, path[0]))
        return way_through(self.model, self.symmetry, path)

    def _trace(self, prop: Property, level: int, target: Packed) -> Trace:
        """A shortest trace to `target`, replayed by the interpreter."""
        states, steps = self._path(level, target)
        if prop.over_steps:
            number, after = next(
                (n, w) for n, w in self.model.successors(states[-1]) if not self.model.holds(prop, states[-1], w)
            )
            steps.append(self.model.steps[number])
            states.append(after)
        elif self.model.holds(prop, states[-1]) != prop.seeks:
            raise AssertionError(
                f"the interpreter does not confirm the {self.engine.name} engine's finding on {prop.name}"
            )
        return Trace(
            model=self.model, states=tuple(states), steps=tuple(steps), property=prop.name, symmetry=self.symmetry.names
        )
