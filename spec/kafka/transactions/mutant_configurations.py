"""The configurations in which mutants are looked for: small ones, so that each rule is reached in a short run."""

from __future__ import annotations

from collections.abc import Mapping

from neverlost.model.kafka.transactions.state import Unanswered
from neverlost.spec.mutant_configurations import Configuration

ONE = {"producers": 2, "transactions": 2, "partitions": 1, "epochs": 8}
TWO = {**ONE, "partitions": 2}
ALONE = {**ONE, "producers": 1}
"""A producer that no other fences, so that two of its requests may be held up."""


def _of(bounds: Mapping[str, int], *settings: Mapping[str, int]) -> tuple[Configuration, ...]:
    return tuple(Configuration(bounds, chosen) for chosen in settings)


CONFIGURATIONS = (
    *_of(
        ONE,
        {},
        {"late_markers": 1, "coordinator_moves": 1},
        {"delays": 1, "timeouts": 1},
        {"delays": 1, "expirations": 1},
        {"delays": 1, "late_markers": 1},
        {"delays": 1, "unanswered": Unanswered.NEW_EPOCH},
        {"delays": 1, "unanswered": Unanswered.CLOSES},
        {"delays": 1, "expirations": 1, "verification": 0},
        {"delays": 1, "coordinator_moves": 1},
        {"lost_markers": 1},
        {"coordinator_moves": 2},
        {"early_reads": 1},
    ),
    *_of(ALONE, {"delays": 2}),
    *_of(TWO, {}, {"timeouts": 1, "coordinator_moves": 1}),
)
