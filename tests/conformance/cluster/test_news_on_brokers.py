"""A broker in KRaft mode that comes back while the partition has no leader hears so, and answers the producer that waits there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from neverlost.conformance.cluster.clusters import Clusters
from neverlost.conformance.cluster.kafka_adapter import KafkaAdapter
from neverlost.conformance.cluster.leaderless import hear_of_no_leader, with_leaderless_news
from neverlost.conformance.cluster.releases import RunnableRelease
from neverlost.conformance.judging import judged_run
from neverlost.model.kafka.replication.state import ACKS_ALL, UNKNOWN

STEPS = (
    "pause(replica=r1)",
    "produce(leader=r1, value=0, response=delivered)",
    "pause(replica=r3)",
    "fence_follower(replica=r3)",
    "leave_isr(replica=r2)",
    "hear_of_isr(leader=r1)",
    "lose_leader(leader=r1)",
    "unfence(replica=r3)",
    "unfence(replica=r1)",
    "elect(successor=r1)",
    "become_leader(replica=r1, epoch=2)",
)
NEWS = ("hear_of_no_leader(replica=r3, epoch=1)", "hear_of_no_leader(replica=r1, epoch=1)")


@pytest.mark.brokers
@pytest.mark.xdist_group("brokers")
@pytest.mark.parametrize("said", [False, True], ids=["by itself", "as a step of the run"])
def test_a_paused_leader_that_comes_back_to_no_leader_steps_down_before_it_leads_again(
    said: bool, runnable: Callable[..., RunnableRelease]
) -> None:
    release = runnable("3.9.1", "kraft")
    model = release.profile.bounded(
        replicas=3, log_size=2, values=2, leader_epochs=4, acks=ACKS_ALL, min_isr=2, unclean=0, pauses=2, shutdowns=1
    )
    texts = (*STEPS[:7], NEWS[0], STEPS[7], NEWS[1], *STEPS[8:]) if said else STEPS
    model = with_leaderless_news(model) if said else model
    with Clusters(release) as clusters:
        adapter = KafkaAdapter(model, clusters)
        judged = judged_run(model, [model.parse_step(text) for text in texts], adapter)
        seen = adapter.observe()
    assert all(step.as_the_model for step in judged), [(step.refusal, step.differences) for step in judged]
    assert seen["leader"][0] == 0
    assert seen["delivery"][0] == UNKNOWN
    (back,) = [step for step in judged if step.step == model.parse_step("unfence(replica=r1)")]
    assert (hear_of_no_leader in [step.action for step in back.hidden]) is not said
