"""An implementation of two-phase commit, and its adapter."""

from __future__ import annotations

from two_phase.model import ABORT, ABORTED, COMMIT, COMMITTED, NO_DECISION, PREPARED

from neverlost.conformance.adapter import Capabilities, How, Partial
from neverlost.model.core import Model, Step

NAMES = ("prepare", "decide_commit", "decide_abort", "hear", "crash_coordinator")


class TwoPhaseAdapter:
    """Two partitions, and a coordinator with a disk."""

    def __init__(self, model: Model) -> None:
        self.has_disk = bool(model.settings["writes_first"])
        self.phases, self.memory, self.disk = [0, 0], NO_DECISION, NO_DECISION
        self.capabilities = Capabilities(actions=dict.fromkeys(NAMES, How.FORCED), fields=("phase", "decision"))

    def perform(self, step: Step) -> None:
        match step.action.name:
            case "prepare":
                self.phases[step.picks()["part"]] = PREPARED
            case "decide_commit":
                self._decide(COMMIT)
            case "decide_abort":
                self._decide(ABORT)
            case "hear":
                self.phases[step.picks()["part"]] = COMMITTED if self.memory == COMMIT else ABORTED
            case "crash_coordinator":
                self.memory = self.disk

    def _decide(self, decision: int) -> None:
        self.disk = decision if self.has_disk else NO_DECISION
        self.memory = decision

    def attempt(self, step: Step) -> bool:
        return False

    def observe(self) -> Partial:
        return {"phase": self.phases, "decision": self.memory}
