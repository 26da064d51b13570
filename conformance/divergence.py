"""Where an implementation leaves the model: which step, what was expected and seen, by which rule, and how to see it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from neverlost.explorer.trace import Trace
from neverlost.explorer.trace_json import trace_json
from neverlost.model.core import Model, Packed, Step

from .adapter import Adapter, Difference, NotPerformed, differences


@dataclass(frozen=True, kw_only=True)
class Divergence:
    """The first step after which model and implementation differ; `trace` ends with the state that the model expects.

    Without a step they differ from the start. `refusal` says why the implementation did not do the step at all.
    """

    trace: Trace
    differences: tuple[Difference, ...]
    refusal: str = ""

    @property
    def step(self) -> Step | None:
        """The step in question."""
        return self.trace.steps[-1] if self.trace.steps else None

    def write(self, path: Path) -> None:
        """Write the trace, so that `neverlost replay` and `neverlost trace` take it, and a test can drive the adapter along it."""
        path.write_text(trace_json(self.trace), encoding="utf-8")

    def report(self, file: str | None = None) -> str:
        """What a reader needs to see what went wrong."""
        model, step = self.trace.model, self.step
        number = len(self.trace.steps)
        lines = [f"{model.profile.name}: the implementation differs from the model in its initial state."]
        if step is not None:
            lines = [
                f"{model.profile.name}: the implementation differs from the model after step {number},"
                f" {step.show(model.bounds)}.",
                f"Rule {step.action.source}: {step.action.statement}",
            ]
        lines += [f"It did not do the step: {self.refusal}"] if self.refusal else []
        lines += [f"  {difference.show()}" for difference in self.differences]
        lines += ["Steps so far:"]
        lines += [f"{n:4}. {one.show(model.bounds)}" for n, one in enumerate(self.trace.steps, start=1)]
        lines += [f"To see them again: neverlost trace {file}"] if file else []
        return "\n".join(lines)


def compare(adapter: Adapter, model: Model, states: Sequence[Packed], steps: Sequence[Step]) -> Divergence | None:
    """Look at the implementation after the latest step; None if it is as the model says, as far as can be seen."""
    found = differences(model.state(states[-1]), adapter.observe())
    if not found:
        return None
    return Divergence(trace=Trace(model=model, states=tuple(states), steps=tuple(steps)), differences=tuple(found))


def follow(adapter: Adapter, model: Model, states: Sequence[Packed], steps: Sequence[Step]) -> Divergence | None:
    """Perform the latest step, which leads to the latest state, and look; None if model and implementation agree."""
    try:
        adapter.perform(steps[-1])
    except NotPerformed as refusal:
        trace = Trace(model=model, states=tuple(states), steps=tuple(steps))
        return Divergence(trace=trace, differences=(), refusal=str(refusal))
    return compare(adapter, model, states, steps)


def drive(adapter: Adapter, trace: Trace) -> Divergence | None:
    """Perform the steps of a trace from the initial state, looking after each; the first divergence, None if there is none."""
    found = compare(adapter, trace.model, trace.states[:1], ())
    for number in range(1, len(trace.steps) + 1):
        if found is not None:
            return found
        found = follow(adapter, trace.model, trace.states[: number + 1], trace.steps[:number])
    return found
