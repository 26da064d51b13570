"""Where an implementation leaves the model: the step, what was expected and seen, the rule, and how to see it again."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType
from typing import Any

from neverlost.explorer.traces.commands import trace_words
from neverlost.explorer.traces.trace import Trace, trace_along
from neverlost.explorer.traces.trace_json import trace_json
from neverlost.model.core import Model, NeverlostError, Refused, Step
from neverlost.model.core.influence import fields_of

from .adapter import (
    Adapter,
    AdapterError,
    NotPerformed,
    StateDifference,
    differences,
    refuse_left_out,
    refuse_unknown,
    seen_fields,
)


@dataclass(frozen=True, kw_only=True)
class Divergence:
    """The first step after which model and implementation differ; `trace` ends with the state that the model expects.

    Without a step they differ from the start. `refusal` says why the implementation did not do the step, or what it raised;
    `attempted` is a step that the model refuses there, by the guard `refused_by`, but that has an effect in the implementation;
    `attempts_after` says after how many steps all refused steps were tried.
    """

    trace: Trace
    differences: tuple[StateDifference, ...]
    refusal: str = ""
    attempted: Step | None = None
    refused_by: str = ""
    attempts_after: tuple[int, ...] = ()

    @property
    def step(self) -> Step | None:
        """The step in question."""
        if self.attempted is not None:
            return self.attempted
        return self.trace.steps[-1] if self.trace.steps else None

    @property
    def kind(self) -> str:
        """In words the action, and the fields that differ."""
        action = "the start" if self.step is None else self.step.action.name
        if self.attempted is not None:
            what = "raises an error" if self.refusal else "has an effect"
            return f"{action}: {what}, though the model refuses it"
        if self.refusal:
            return f"{action}: not done"
        fields = dict.fromkeys(difference.place.split("[")[0] for difference in self.differences)
        return f"{action}: {', '.join(fields)}"

    def write(self, path: Path) -> None:
        """Write the trace for `neverlost replay`, `neverlost trace`, and tests that drive the adapter along it."""
        path.write_text(trace_json(self.trace), encoding="utf-8")

    def report(self, file: str | None = None) -> str:
        """The report for a reader: what went wrong."""
        model, step = self.trace.model, self.step
        number = len(self.trace.steps)
        where = "in its initial state." if step is None else f"after step {number}, {step.show(model.bounds)}."
        if self.attempted is not None:
            tried = self.attempted.show(model.bounds)
            what = "raises an error" if self.refusal else "has an effect"
            where = f"after step {number}: {tried} {what}, which the model refuses by {self.refused_by}."
        lines = [f"{model.profile.name}: the implementation differs from the model {where}"]
        lines += [] if step is None else [f"Rule {step.action.source}: {step.action.statement}"]
        lines += [f"It did not do the step: {self.refusal}"] if self.refusal else []
        lines += [f"  {difference.show()}" for difference in self.differences]
        lines += ["Steps so far:"]
        lines += [f"{n:4}. {one.show(model.bounds)}" for n, one in enumerate(self.trace.steps, start=1)]
        lines += [f"To see them again: {trace_words(model, file)}"] if file else []
        return "\n".join(lines)


class SideBySide:
    """A model and an implementation that do the same steps from the initial state."""

    def __init__(self, model: Model, adapter: Adapter) -> None:
        self.model, self.adapter = model, adapter
        refuse_unknown(adapter.capabilities, model)
        self.words = model.initial_states()[0]
        """The state, packed."""
        self.state = model.state(self.words)
        self.steps: list[Step] = []
        self.attempts = 0
        self.attempted_after: list[int] = []
        """The numbers of steps after which all refused steps were tried."""
        tries = {*adapter.capabilities.attempts, *adapter.capabilities.messages}
        self.triable = [step for step in model.steps if step.action.name in tries]
        self.tried: Step | None = None
        """The refused step that is tried now."""
        self.compared: set[str] = set()
        """The fields of which the adapter has ever shown a value."""

    @property
    def where(self) -> str:
        """Where the run is, for people: `at step 3, fetch(...)`, or while which refused step was tried after it."""
        bounds, number = self.model.bounds, len(self.steps)
        if self.tried is not None:
            return f"after step {number}, when {self.tried.show(bounds)} was tried"
        return f"at step {number}, {self.steps[-1].show(bounds)}" if self.steps else "at the start"

    def refuse_blind(self) -> None:
        """Raises AdapterError if the adapter has shown nothing that could be compared: then no difference would be found."""
        if not self.compared:
            raise AdapterError(
                "the adapter saw nothing: observe() returned no value of any field, so no difference can be found"
            )

    def advance_model(self, step: Step, *, idle_too: bool = True) -> bool:
        """Do the step only in the model; False if it may not happen there, or if it changes nothing and idle steps are not wanted.

        Raises ModelError if the step leaves a domain.
        """
        try:
            step.action.function(self.state, *step.arguments)
        except Refused:
            self.state.undo()
            return False
        if not idle_too and not self._changed():
            self.state.undo()
            return False
        self.words = self.model.layout.pack_changes(self.words, self.state)
        self.state.journal.clear()
        self.steps.append(step)
        return True

    def refuses(self, step: Step) -> bool:
        """Whether the step may not happen in the model now. Nothing changes."""
        try:
            step.action.function(self.state, *step.arguments)
        except Refused:
            return True
        finally:
            self.state.undo()
        return False

    def _changed(self) -> bool:
        """Whether the latest step has changed anything."""
        first: dict[tuple[int, Any], tuple[Any, int]] = {}
        for row, position, old in self.state.journal:
            first.setdefault((id(row), position), (row, old))
        for (_, position), (row, old) in first.items():
            now = getattr(row, position) if row is self.state else row[position]
            if now != old:
                return True
        return False

    def catch_up(self) -> Divergence | None:
        """Do the latest step in the implementation too, and compare; None if it agrees with the model, as far as can be seen."""
        try:
            self.adapter.perform(self.steps[-1])
        except NotPerformed as refusal:
            return self._divergence((), str(refusal))
        except Exception as error:
            return self._divergence((), self._raised(error))
        return self.compare()

    def _raised(self, error: Exception) -> str:
        return raised_by_system(error, files_of(type(self.adapter)))

    def attempt(self, step: Step) -> Divergence | None:
        """Try a step that the model refuses in the implementation, which must not change; None if it does not.

        A step is not tried that the model refuses because its budget is used up.
        """
        if self._is_used_up(step):
            return None
        self.tried, raised = step, ""
        try:
            tried = self.adapter.attempt(step)
        except NotPerformed:
            tried = True
        except Exception as error:
            tried, raised = True, self._raised(error)
        if tried is not True and tried is not False:
            raise AdapterError(
                f"attempt() returned {tried!r}; True says that the step was tried, False that it makes no sense now"
            )
        if not tried:
            self.tried = None
            return None
        self.attempts += 1
        divergence = self._divergence((), raised) if raised else self.compare()
        self.tried = None
        if divergence is None:
            return None
        guard = self.model.refusal(divergence.trace.states[-1], step)
        return replace(divergence, attempted=step, refused_by=str(guard))

    def attempt_all(self) -> Divergence | None:
        """Try all steps that the model refuses now, as far as the adapter can. Returns the first that has an effect."""
        self.attempted_after.append(len(self.steps))
        for step in self.triable:
            if self.refuses(step) and (divergence := self.attempt(step)) is not None:
                return divergence
        return None

    def follow(self, steps: Iterable[Step], attempts_after: Collection[int] = ()) -> Divergence | None:
        """Do steps of the model from the current state, and compare after each. Returns the first divergence, or None.

        After the numbers of steps in `attempts_after`, refused steps are tried too. Raises AdapterError for a step that may
        not happen in the model.
        """
        found = self._then_attempt(self.compare(), 0 in attempts_after)
        for number, step in enumerate(steps, start=1):
            if found is not None:
                return found
            if not self.advance_model(step):
                raise AdapterError(
                    f"step {number}, {step.show(self.model.bounds)}, may not happen in the model; replay the trace first"
                )
            found = self._then_attempt(self.catch_up(), number in attempts_after)
        return found

    def _then_attempt(self, found: Divergence | None, wanted: bool) -> Divergence | None:
        return self.attempt_all() if found is None and wanted else found

    def compare(self) -> Divergence | None:
        """Compare the implementation; None if it agrees with the model, as far as can be seen."""
        seen = self.adapter.observe()
        refuse_left_out(seen, self.adapter.capabilities)
        self.compared |= seen_fields(seen)
        found = differences(self.state, seen)
        return self._divergence(tuple(found)) if found else None

    def _divergence(self, found: tuple[StateDifference, ...], refusal: str = "") -> Divergence:
        return replace(self.so_far(), differences=found, refusal=refusal)

    def _is_used_up(self, step: Step) -> bool:
        """Is a step refused because it has happened as often as the bounds allow? A real system may do it again.

        A guard that reads a budget that is not used up refuses for another reason.
        """
        counters = self.model.profile.counters
        if not counters & fields_of(step.action.function).read:
            return False
        guard = self.model.refusal(self.words, step)
        return guard is not None and any(getattr(self.state, name) == 0 for name in counters & guard.reads)

    def so_far(self) -> Divergence:
        """A divergence at the current state, with all steps so far; the caller adds what differs."""
        return Divergence(trace=self.trace(), differences=(), attempts_after=tuple(self.attempted_after))

    def trace(self) -> Trace:
        """The steps so far, with the model's states."""
        return trace_along(self.model, self.steps)


def raised_by_system(error: Exception, files: Collection[str]) -> str:
    """What a system raised, and where. Raises the error again if it comes from a line in one of these files, the adapter's.

    Such an error says nothing about the system. Nor does one that an adapter raises on purpose, or one of a call that never began,
    because the adapter has no such method or it takes other arguments.
    """
    raised = traceback.extract_tb(error.__traceback__)
    if isinstance(error, NeverlostError) or len(raised) == 1 or raised[-1].filename in files:
        raise error
    return f"it raised {type(error).__name__}: {error} ({Path(raised[-1].filename).name}:{raised[-1].lineno}, in {raised[-1].name})"


def files_of(adapter: Callable[..., Any]) -> set[str]:
    """The files in which the functions of an adapter and of the classes that it extends stand; of a function its own file."""
    kinds = adapter.__mro__ if isinstance(adapter, type) else ()
    functions = [one for kind in kinds for one in vars(kind).values() if isinstance(one, FunctionType)]
    functions += [adapter] if isinstance(adapter, FunctionType) else []
    return {function.__code__.co_filename for function in functions}


def drive(
    adapter: Adapter, model: Model, steps: Iterable[Step], *, attempts_after: Collection[int] = ()
) -> Divergence | None:
    """Do steps of the model from the initial state, and compare after each. Returns the first divergence, or None.

    After the numbers of steps in `attempts_after`, all refused steps are tried too. Raises AdapterError for a step that may
    not happen in the model.
    """
    return SideBySide(model, adapter).follow(steps, attempts_after)
