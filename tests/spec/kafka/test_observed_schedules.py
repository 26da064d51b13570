"""A schedule that was run on real brokers ends in the model as it ended there, version by version.

KIP-101's second scenario: both replicas have m1 and m2; r2 loses power, and with it m2; r1 crashes; r2 returns first, leads, and
takes m3; r1 returns. On 0.10.2.2 the leader had m1, m3 and the follower m1, m2, both in sync; on 0.11.0.3 and 4.1.1 they were equal.
"""

from __future__ import annotations

import pytest

from neverlost.explorer.traces.trace import trace_along
from neverlost.model.core import Model, Packed
from neverlost.model.kafka.replication.state import ACKS_ALL, Partition
from neverlost.spec.kafka.replication.versions import version_named

M1, M2, M3 = 0, 1, 2
R1, R2 = 0, 1
BOTH = 0b11
SCHEDULE = """
produce(leader=r1, value=0, response=delivered)
fetch(follower=r2, leader=r1, response=delivered)
fetch(follower=r2, leader=r1, response=delivered)
produce(leader=r1, value=1, response=delivered)
fetch(follower=r2, leader=r1, response=delivered)
fetch(follower=r2, leader=r1, response=delivered)
power_loss(replica=r2, kept=1)
crash(replica=r1, checkpoint=2)
fail_over(leader=r1, successor=r2)
lose_leader(leader=r2)
restart(replica=r2)
elect(successor=r2)
become_leader(replica=r2, epoch=3)
produce(leader=r2, value=2, response=delivered)
restart(replica=r1)
become_follower(replica=r1, leader=r2, epoch=3)
fetch(follower=r1, leader=r2, response=delivered)
""".strip().splitlines()


def of_version(name: str) -> Model:
    return version_named(name).bounded(
        replicas=2, log_size=3, values=3, leader_epochs=5, acks=ACKS_ALL, unclean=0, crashes=1, power_losses=1
    )


def after(model: Model, steps: list[str]) -> Packed:
    return trace_along(model, [model.parse_step(text) for text in steps]).states[-1]


def logs(model: Model, words: Packed) -> list[list[int]]:
    """The values in each replica's log."""
    state = model.state(words)
    assert isinstance(state, Partition)
    return [[value for value in log if value >= 0] for log in state.values()["record_value"]]


def test_before_kip_101_the_logs_part_while_both_replicas_are_in_sync() -> None:
    model = of_version("kafka-0.8")
    words = after(model, [*SCHEDULE, "expand_isr(leader=r2, follower=r1)"])
    found = logs(model, words)
    assert (found[R2], found[R1]) == ([M1, M3], [M1, M2])
    assert model.state(words).values()["controller_isr"] == BOTH


@pytest.mark.parametrize("name", ["kafka-0.11", "kafka-2.0", "kafka-2.1"])
def test_from_kip_101_on_the_follower_ends_with_the_log_of_the_leader(name: str) -> None:
    model = of_version(name)
    found = logs(model, after(model, SCHEDULE))
    assert found[R1] == found[R2] == [M1, M3]
