"""Adapters of the in-process brokers that make one mistake each."""

from __future__ import annotations

from typing import Any

from neverlost.conformance.replication.adapter import InProcessAdapter
from neverlost.conformance.replication.clients import PARTITION


class Forgetful(InProcessAdapter):
    """Says that every high watermark is 0."""

    def observe(self) -> Any:
        return {**super().observe(), "high_watermark": [0] * self.count}


class Leaderless(InProcessAdapter):
    """Cannot see who leads."""

    def observe(self) -> Any:
        return {**super().observe(), "leader": None}


class Yielding(InProcessAdapter):
    """Lets the controller begin another epoch when something is tried that the model refuses."""

    def attempt(self, step: Any) -> bool:
        tried = super().attempt(step)
        if tried:
            self.cluster.controller.records[PARTITION].leader_epoch += 1
        return tried


def partless(model: Any) -> InProcessAdapter:
    """Names no parts of the brokers."""
    return InProcessAdapter(model)
