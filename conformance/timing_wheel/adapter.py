"""The adapter of the in-process timer: one task in timing wheels, driven by the steps of their model."""

from __future__ import annotations

from neverlost.model.core import NONE, Model, Step
from neverlost.model.kafka.timing_wheel import CANCELLED, CHOOSING, FIRED, WAITING, Slot, Wheels

from ..adapter import AdapterError, Capabilities, How, NotPerformed, Partial
from ..inprocess.timer import Timer
from ..inprocess.timing_wheel import TimerTask


class TimingWheelAdapter:
    """A timer that starts at the time of the insertion, with the model's task in it. Raises AdapterError for another model."""

    def __init__(self, model: Model) -> None:
        if model.profile.state is not Wheels:
            raise AdapterError(f"{model.profile.name} is not a model of timing wheels; choose kafka-timing-wheel")
        self.slots = Slot.size(model.bounds)
        self.clock = self.delay = 0
        self.timer: Timer | None = None
        self.task: TimerTask | None = None
        self.done = False
        names = ("lengthen", "pass_time", "insert", "expire", "cancel")
        self.capabilities = Capabilities(
            actions=dict.fromkeys(names, How.FORCED), fields=("phase", "clock", "level", "expiration")
        )

    def perform(self, step: Step) -> None:
        """Do the step. Raises NotPerformed if no bucket can expire, AdapterError for an unknown action."""
        match step.action.name:
            case "lengthen":
                self.delay += self.slots ** step.picks()["level"]
            case "pass_time":
                self.clock += 1
            case "insert":
                self.timer = Timer(start=self.clock, wheel_size=self.slots)
                self.task = self.timer.add(self.clock + self.delay, self._fire)
            case "expire":
                self._expire()
            case "cancel" if self.task is not None:
                self.task.cancel()
            case other:
                raise AdapterError(
                    f"the timer's adapter cannot do {other}; it can do {', '.join(self.capabilities.actions)}"
                )

    def _fire(self) -> None:
        if self.done:
            raise NotPerformed("the task was done twice")
        self.done = True

    def _expire(self) -> None:
        expiration = None if self.timer is None else self.timer.next_expiration()
        if self.timer is None or expiration is None:
            raise NotPerformed("no bucket waits to expire")
        self.clock = expiration
        self.timer.advance(expiration)

    def attempt(self, step: Step) -> bool:
        """Nothing can be tried that the model refuses."""
        return False

    def observe(self) -> Partial:
        """The outcome of the task, and the bucket in which it waits."""
        bucket = None if self.task is None else self.task.bucket
        level = None if self.timer is None or self.task is None else self.timer.waits_in_level(self.task)
        return {
            "phase": self._phase(),
            "clock": self.clock,
            "level": NONE if level is None else level - 1,
            "expiration": 0 if bucket is None else bucket.expiration,
        }

    def _phase(self) -> int:
        if self.task is None:
            return CHOOSING
        if self.done:
            return FIRED
        return CANCELLED if self.task.cancelled else WAITING
