"""State machines for Hypothesis: a model's actions are rules, its properties invariants, and an implementation goes along."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from neverlost.explorer.search import Limits
from neverlost.explorer.words import counted
from neverlost.model.core import Model, ModelError, Packed, Profile, Property, Step

from ..adapter import Adapter, MakeAdapter
from ..divergence import Divergence, SideBySide, drive
from ..exploring import known_traces, whole_graph
from ..suite.files import SuiteError, SuiteFiles
from ..time_limit import TookTooLongError, within
from .guide import Guide, Situation
from .pytest_file import pytest_file


class Diverged(AssertionError):
    """The implementation differs from the model, or the model violates a property."""


def state_machine(
    model: Model,
    make: MakeAdapter,
    *,
    examples: Iterable[Sequence[Step | str]] = (),
    suite: str | Path | None = None,
    properties: Sequence[str] | None = None,
    guided: bool = True,
    limits: Limits | None = None,
    step_seconds: float | None = 30.0,
) -> type[RuleBasedStateMachine]:
    """A Hypothesis state machine of a model and an implementation, for which `make` gives an adapter.

    A rule for each action that the adapter can do does one of its possible steps in both. In each state that is new in a run, refused
    steps are tried. A guided machine, for which the model is explored once, also has a rule for each action that few states offer,
    or that has some effect in only a few states: it takes the shortest path there, to each once in a run. It also restarts repeatedly
    with a transition drawn from the whole graph, by a shortest path.

    With the folder of a `suite`, a run also starts with, or restarts with, one of the cases that have the bounds and settings of the
    model: so random steps begin where a mistake of the rules shows, without a search.

    Invariants are the properties in `properties`, or else all properties of states that the search found to hold; without a search,
    none. The counterexamples and witnesses that it found, and `examples` (steps, or their texts), run before the first random run of
    the machine's `TestCase`.

    A step, with the refused steps that are tried after it, may take `step_seconds`; a longer one ends the test.

    Raises SuiteError if the suite cannot be read or has no such case, UnfinishedGraphError if the model is too large for the limits,
    UnknownNameError for a property, and ModelError for one that is not about states.
    """
    capabilities = make(model).capabilities
    known: list[Sequence[Step]] = [
        [model.parse_step(step) if isinstance(step, str) else step for step in steps] for steps in examples
    ]
    cases = [] if suite is None else _cases_of(model, Path(suite))
    guide, held = None, list[str]()
    if guided:
        result, graph = whole_graph(model, limits=limits)
        guide = Guide(model, graph, capabilities.actions)
        held = [
            p.name for p in model.profile.properties if p.kind == "always" and result.findings[p.name].trace is None
        ]
        doable = [
            s for s in known_traces(result).values() if all(step.action.name in capabilities.actions for step in s)
        ]
        known = [*doable, *known]
    body: dict[str, Any] = {
        "model": model,
        "make": staticmethod(make),
        "guide": guide,
        "steps": {step.show(model.bounds): step for step in model.steps},
        "examples": known,
        "cases": cases,
        "step_seconds": step_seconds,
    }
    for name in capabilities.actions:
        body[f"do_{name}"] = _rule_of(name)
    for name in held if properties is None else properties:
        body[f"keeps_{name}"] = _invariant_of(_over_states(model, name))
    if guide is not None and guide.transitions:
        rare = _by_action(guide)
        body |= {f"approach_{name}": _approach(name, situations) for name, situations in rare.items()}
        body |= _beginnings(guide, rare)
    if cases:
        body |= _begin_with_cases(len(cases))
    return type("".join(part.title() for part in re.split(r"\W", model.profile.name)), (Beside,), body)


def _cases_of(model: Model, folder: Path) -> list[tuple[Step, ...]]:
    """The steps of the cases of a suite that are runs of a model."""

    def profile_named(name: str) -> Profile:
        if name != model.profile.name:
            raise SuiteError(f"{folder} is a suite of {name}, not of {model.profile.name}")
        return model.profile

    files = SuiteFiles(folder, profile_named)
    chosen = {**model.bounds, **model.settings}
    cases = [
        case.steps
        for case in files.cases()
        if {**files.model.bounds, **files.model.settings, **case.chosen} == chosen and case.steps
    ]
    if not cases:
        raise SuiteError(
            f"{folder} has no case with the bounds and settings of the model; `neverlost suite {model.profile.name}` writes"
            " cases with those that it is given"
        )
    return cases


def _over_states(model: Model, name: str) -> Property:
    prop = model.profile.property_named(name)
    if prop.kind != "always":
        raise ModelError(
            f"{name} is {prop.kind}; only a property that is true in every state (always) is an invariant of a state machine"
        )
    return prop


class Beside(RuleBasedStateMachine):
    """A model in some state, and an implementation that did the same steps."""

    model: Model
    make: Callable[[Model], Adapter]
    guide: Guide | None
    steps: dict[str, Step]
    """Every step of the model, by its text."""

    examples: Sequence[Sequence[Step]]
    cases: Sequence[Sequence[Step]]
    step_seconds: float | None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        setattr(cls, "TestCase", _with_examples(cls, super().TestCase))  # noqa: B010

    def __init__(self) -> None:
        super().__init__()
        self.steps_taken = 0
        self._attempted_in = set[Packed]()
        self._begin()

    def _begin(self) -> None:
        with within(self.step_seconds, "the start"):
            self.run = SideBySide(self.model, self.make(self.model))
            self._possible: dict[str, list[str]] | None = None
            self._approached: set[Situation] = set()
            self._judge(self.run.compare())
            self._attempt_all()

    def teardown(self) -> None:
        """Raises AdapterError if the adapter saw nothing in the whole run."""
        self.run.refuse_blind()

    def possible(self, action: str) -> list[str]:
        """The texts of an action's steps that may happen in the model now."""
        return self._sorted_out().get(action, [])

    def _sorted_out(self) -> dict[str, list[str]]:
        if self._possible is None:
            self._possible = {}
            for text, step in self.steps.items():
                if not self.run.refuses(step):
                    self._possible.setdefault(step.action.name, []).append(text)
        return self._possible

    def nothing_is_possible(self) -> bool:
        """Whether no step may happen in the model."""
        return not any(self.possible(name) for name in self.run.adapter.capabilities.actions)

    def take(self, step: Step) -> None:
        """Do a step in both. Raises Diverged if the implementation differs."""
        if not self.run.advance_model(step):
            raise ModelError(f"{step.show(self.model.bounds)} may not happen in the model now")
        self.steps_taken += 1
        self._possible = None
        with self._errors_with_steps(), within(self.step_seconds, "one step"):
            self._judge(self.run.catch_up())
            self._attempt_all()

    def _attempt_all(self) -> None:
        """Try refused steps in a state that is new in this run."""
        if self.run.words not in self._attempted_in:
            self._attempted_in.add(self.run.words)
            self._judge(self.run.attempt_all())

    @contextmanager
    def _errors_with_steps(self) -> Iterator[None]:
        """Add the steps so far to an error of the adapter, or to one that a step takes too long."""
        try:
            yield
        except Diverged:
            raise
        except (Exception, TookTooLongError) as error:
            error.add_note(f"The run ended with this error.\n\n{pytest_file(self.run.so_far(), self.make)}")
            raise

    def take_text(self, text: str) -> None:
        """Do a step, given as text, in both."""
        self.take(self.steps[text])

    def within_reach(self, situations: Sequence[Situation]) -> list[Situation]:
        """The situations that can still happen, and to which this run was not guided before."""
        assert self.guide is not None
        return self.guide.within_reach(self.run.words, [one for one in situations if one not in self._approached])

    def approach_situation(self, situation: Situation) -> None:
        """Take the shortest path to a situation."""
        assert self.guide is not None
        self._approached.add(situation)
        self._go(self.guide.way(self.run.words, situation))

    def begin_with(self, transition: int) -> None:
        """Restart from the initial state, with the shortest path to a transition."""
        assert self.guide is not None
        self._begin()
        self._go(self.guide.way_to_transition(transition))

    def begin_with_case(self, number: int) -> None:
        """Restart from the initial state, with the steps of a case."""
        self._begin()
        self._go(self.cases[number])

    def _go(self, way: Sequence[Step]) -> None:
        for step in way:
            self.take(step)

    def keep(self, prop: Property) -> None:
        """Raises Diverged if the state does not have a property."""
        if not prop.function(self.run.state):
            steps = "\n".join(f"  {step.show(self.model.bounds)}" for step in self.run.steps)
            raise Diverged(f"{self.model.profile.name} violates {prop.name} ({prop.statement}) after\n{steps}")

    def _judge(self, divergence: Divergence | None) -> None:
        if divergence is not None:
            raise Diverged(_words_of(divergence, self.make))

    @precondition(nothing_is_possible)
    @rule()
    def begin_again(self) -> None:
        """No step may happen any more: both restart from the initial state."""
        self._begin()


def _words_of(divergence: Divergence, make: MakeAdapter) -> str:
    return f"{divergence.report()}\n\n{pytest_file(divergence, make)}"


def _rule_of(action: str) -> Any:
    possible = st.runner().flatmap(lambda machine: st.sampled_from(machine.possible(action)))

    def act(self: Beside, step: str) -> None:
        self.take_text(step)

    act.__name__ = f"do_{action}"
    return precondition(lambda machine: bool(machine.possible(action)))(rule(step=possible)(act))


def _by_action(guide: Guide) -> dict[str, list[Situation]]:
    """The rare situations of each action, each as often as its weight."""
    found: dict[str, list[Situation]] = {}
    for situation, weight in guide.weights.items():
        found.setdefault(situation.action, []).extend([situation] * weight)
    return found


def _beginnings(guide: Guide, rare: Mapping[str, Sequence[Situation]]) -> dict[str, Any]:
    """A run starts with a path to a rare situation, or to any transition, or with none; it may restart with another transition."""
    transition = st.integers(0, guide.transitions - 1)
    situation = st.sampled_from(list(rare)).flatmap(lambda action: st.sampled_from(rare[action])) if rare else st.none()

    def set_out(self: Beside, goal: Situation | int | None) -> None:
        if isinstance(goal, int):
            self.begin_with(goal)
        elif goal is not None:
            self.approach_situation(goal)

    def begin_with(self: Beside, transition: int) -> None:
        self.begin_with(transition)

    return {
        "set_out": initialize(goal=st.none() | situation | transition)(set_out),
        "begin_elsewhere": rule(transition=transition)(begin_with),
    }


def _begin_with_cases(count: int) -> dict[str, Any]:
    """A run starts with a case, or with none; it may restart with another one."""
    number = st.integers(0, count - 1)

    def set_out(self: Beside, case: int | None) -> None:
        if case is not None:
            self.begin_with_case(case)

    def begin_with_case(self: Beside, case: int) -> None:
        self.begin_with_case(case)

    return {
        "set_out_with_case": initialize(case=st.none() | number)(set_out),
        "begin_as_case": rule(case=number)(begin_with_case),
    }


def _approach(action: str, situations: Sequence[Situation]) -> Any:
    drawn = st.runner().flatmap(lambda machine: st.sampled_from(machine.within_reach(situations)))

    def approach(self: Beside, situation: Situation) -> None:
        self.approach_situation(situation)

    approach.__name__ = f"approach_{action}"
    return precondition(lambda machine: bool(machine.within_reach(situations)))(rule(situation=drawn)(approach))


def _invariant_of(prop: Property) -> Any:
    def keeps(self: Beside) -> None:
        self.keep(prop)

    keeps.__name__ = f"keeps_{prop.name}"
    return invariant()(keeps)


def _with_examples(machine: type[Beside], usual: Any) -> type:
    class TestCase(usual):  # type: ignore[misc]
        """The machine as a test, which runs the known examples before random ones."""

        def setUp(self) -> None:
            """Raises Diverged if the implementation differs in a known example."""
            limit = machine.step_seconds
            for steps in machine.examples:
                with within(limit and limit * (len(steps) + 1), f"a known run of {counted(len(steps), 'step')}"):
                    divergence = drive(machine.make(machine.model), machine.model, steps)
                if divergence is not None:
                    raise Diverged(_words_of(divergence, machine.make))

    return TestCase
