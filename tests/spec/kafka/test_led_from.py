"""A leader that is back in its own epoch takes in only who has all of its log: without power losses KRaft loses no more by it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from neverlost.explorer.search import explore
from neverlost.model.core import Profile
from neverlost.model.kafka.replication.state import ACKS_ALL
from neverlost.spec.kafka.replication.versions import version_named

PROPERTY = "acked_never_lost"
SMALL = {"log_size": 1, "values": 1}
BACK_IN_TIME = [version_named(name) for name in ("kafka-3.6", "kafka-3.7", "kafka-3.9.0", "kafka-3.9")]
EARLIER = [version_named(name) for name in ("kafka-3.1-kraft", "kafka-3.3", "kafka-3.4.1-kraft", "kafka-3.5")]


def steps_to_a_loss(version: Profile, **bounds: int) -> int | None:
    result = explore(
        version.bounded(acks=ACKS_ALL, min_isr=2, **bounds), properties=[PROPERTY], symmetry=True, workers=2
    )
    trace = result.findings[PROPERTY].trace
    return None if trace is None else len(trace.steps)


@pytest.mark.parametrize("faults", [{"crashes": 1, "leader_moves": 1}, {"crashes": 2}], ids=str)
@pytest.mark.parametrize("version", BACK_IN_TIME, ids=lambda version: version.name)
def test_neither_two_crashes_nor_one_and_a_leader_move_lose_a_record(
    version: Profile, faults: Mapping[str, int]
) -> None:
    assert steps_to_a_loss(version, **SMALL, **faults) is None


@pytest.mark.thorough
@pytest.mark.parametrize("faults", [{"crashes": 1, "leader_moves": 1}, {"crashes": 2}], ids=str)
@pytest.mark.parametrize("version", [*EARLIER, *BACK_IN_TIME], ids=lambda version: version.name)
def test_nor_do_they_with_two_records(version: Profile, faults: Mapping[str, int]) -> None:
    assert steps_to_a_loss(version, **faults) is None


@pytest.mark.parametrize(
    ("faults", "steps"), [({"power_losses": 1}, 8), ({"crashes": 2, "leader_moves": 1}, 13)], ids=str
)
def test_what_the_log_itself_has_lost_and_what_another_epoch_loses_stays_lost(
    faults: Mapping[str, int], steps: int
) -> None:
    assert steps_to_a_loss(version_named("kafka-3.9"), **SMALL, **faults) == steps
