"""Event logs written by a random walk through a model: what a system that follows it to the letter would report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from neverlost.conformance.replication.adapter import InProcessAdapter
from neverlost.conformance.validation import log_header, step_line
from neverlost.conformance.validation.following import Interpreter
from neverlost.model.core import Model, Packed, Profile, Step
from neverlost.model.kafka.replication.state import Partition

RARE = (
    "produce", "refuse_as_not_leader", "retry", "time_out", "move_leader",
    "crash", "power_loss", "disk_loss", "pause", "hand_over", "leave_isr", "shut_down",
)  # fmt: skip
"""What uses up a bound, or begins what does."""
CONSUMER = ("poll", "process", "commit_offset", "crash_consumer")
ENDLESS = ("retries", *(fault.name for fault in Partition.faults))
SEEN = ("log_end", "high_watermark")


@dataclass(frozen=True, kw_only=True)
class Walk:
    """A run: `states[i + 1]` is what `steps[i]` makes of `states[i]`."""

    model: Model
    states: tuple[Packed, ...]
    steps: tuple[Step, ...]

    def lines(self, seen: Sequence[str] = SEEN, hidden: Sequence[str] = ()) -> list[str]:
        """The log of the run: a header, then a line for each step that is not hidden."""
        said, state = [log_header(self.model, hidden, endless=ENDLESS)], self.model.layout.blank()
        for step, after in zip(self.steps, self.states[1:], strict=True):
            if step.action.name not in hidden:
                self.model.layout.unpack(after, state)
                said.append(step_line(self.model, step, {name: getattr(state, name) for name in seen}))
        return said


def lines_of_brokers(run: Walk) -> list[str]:
    """The log that in-process brokers write when they do the steps of a run: what is seen of them, not what the model says."""
    adapter = InProcessAdapter(run.model)
    said = [log_header(run.model, endless=ENDLESS)]
    for step in run.steps:
        adapter.perform(step)
        said.append(step_line(run.model, step, adapter.observe()))
    return said


def walk(profile: Profile, *, steps: int, seed: int, rare: float, **bounds: int) -> Walk:
    """A random run of so many steps without a consumer; what uses up a bound (a record, an epoch) comes as rarely as `rare` says."""
    model = profile.bounded_to_follow(**bounds, **dict.fromkeys(ENDLESS, 3))
    random, interpreter = Random(seed), Interpreter(model, ENDLESS)
    often = [
        [step for step in model.steps if step.action.name == action.name]
        for action in profile.actions
        if action.name not in (*RARE, *CONSUMER)
    ]
    rarely = [[step for step in model.steps if step.action.name == name] for name in RARE]
    states, taken = list(model.initial_states()), list[Step]()
    while len(taken) < steps:
        group = rarely if random.random() < rare else often
        found = _one_of(group, states[-1], random, interpreter)
        if found is None and group is often:
            raise ValueError(f"after {len(taken)} steps only rare ones may happen: take larger bounds")
        if found is not None:
            taken.append(found[0])
            states.append(found[1])
    return Walk(model=model, states=tuple(states), steps=tuple(taken))


def _one_of(
    group: Sequence[Sequence[Step]], before: Packed, random: Random, interpreter: Interpreter
) -> tuple[Step, Packed] | None:
    """A step that may happen, each action as likely as any other, with the state after it; None if there is none."""
    for steps in random.sample(group, len(group)):
        for step in random.sample(steps, len(steps)):
            after = interpreter.after(before, step)
            if after is not None:
                return step, after
    return None
