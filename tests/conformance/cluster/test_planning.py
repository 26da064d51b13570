"""What real brokers can be made to do is known before the first step; what they cannot is refused with the step and the reason."""

from __future__ import annotations

from random import Random

import pytest

from neverlost.conformance.adapter import CannotSchedule
from neverlost.conformance.cluster import planning
from neverlost.conformance.cluster.leaderless import hear_of_no_leader, with_leaderless_news
from neverlost.conformance.cluster.planning import plan_of
from neverlost.conformance.cluster.releases import release_named, runnable_releases
from neverlost.conformance.cluster.soaking import Kind, random_run, run_number
from neverlost.conformance.cluster.steps import controller, fetching, hearing, high_watermarks, isr, producing
from neverlost.explorer.traces.trace import trace_along
from neverlost.model.core import NONE, Model
from neverlost.model.kafka.replication.state import ACKS_ALL
from neverlost.spec import profiles
from neverlost.spec.kafka.releases import RELEASES
from neverlost.spec.kafka.replication.differences import TIME_LINE

LONG = Kind(longest=120)
WITH_CLIENTS = Kind(longest=120, clients=True)


def kafka(version: str = "kafka-4.1", **words: int) -> Model:
    bounds = {"replicas": 3, "log_size": 2, "values": 2, "leader_epochs": 4}
    return profiles()[version].bounded(**(bounds | words))


def refusal(model: Model, *steps: str) -> CannotSchedule:
    with pytest.raises(CannotSchedule) as caught:
        plan_of(model, [model.parse_step(step) for step in steps])
    return caught.value


def test_the_order_of_replicas_makes_the_controller_elect_as_the_run_says() -> None:
    model = kafka(crashes=1)
    steps = ["crash(replica=r1, checkpoint=0)", "fail_over(leader=r1, successor=r3)"]
    assert plan_of(model, [model.parse_step(step) for step in steps]).order == (0, 2, 1)


def test_the_leader_of_the_start_stays_first() -> None:
    model = kafka(leader_moves=1)
    assert plan_of(model, [model.parse_step("move_leader(successor=r3)")]).order[0] == 0


def test_a_broker_reads_two_decisions_at_once_if_both_were_made_before() -> None:
    refused = refusal(
        kafka(leader_moves=3),
        "move_leader(successor=r2)",
        "move_leader(successor=r1)",
        "move_leader(successor=r2)",
        "become_follower(replica=r3, leader=r2, epoch=1)",
        "become_follower(replica=r3, leader=r1, epoch=2)",
    )
    assert (refused.number, refused.why) == (5, hearing.UNREAD)


def test_a_broker_that_hears_of_each_decision_as_it_is_made_is_scheduled() -> None:
    model = kafka(leader_moves=2)
    steps = [
        "move_leader(successor=r2)",
        "become_follower(replica=r3, leader=r2, epoch=1)",
        "move_leader(successor=r1)",
        "become_follower(replica=r3, leader=r1, epoch=2)",
    ]
    assert list(plan_of(model, [model.parse_step(step) for step in steps]).heard[2]) == [1, 2]


def test_before_3_3_a_broker_that_is_shutting_down_reads_no_more_metadata() -> None:
    steps = ["hand_over(leader=r1, successor=r2)", "become_follower(replica=r1, leader=r2, epoch=1)"]
    refused = refusal(kafka("kafka-3.1-kraft", shutdowns=1), *steps)
    assert (refused.number, refused.why) == (2, hearing.DEAF)
    newer = kafka("kafka-3.3", shutdowns=1)
    assert list(plan_of(newer, [newer.parse_step(step) for step in steps]).heard[0]) == [1]


def test_before_3_3_no_broker_hears_that_nobody_leads() -> None:
    faults = {"crashes": 2, "power_losses": 0, "min_isr": 1}
    steps = [
        "crash(replica=r2, checkpoint=0)",
        "fence_follower(replica=r2)",
        "crash(replica=r1, checkpoint=0)",
        "fail_over(leader=r1, successor=r3)",
        "lose_leader(leader=r3)",
        "hear_of_no_leader(replica=r3, epoch=3)",
    ]
    model = with_leaderless_news(kafka("kafka-3.1-kraft", pauses=1, **faults))
    steps[4:4] = ["pause(replica=r3)"]
    refused = refusal(model, *steps)
    assert (refused.number, refused.why) == (7, hearing.HEARS_NO_LEADER)


def test_a_consumer_fetches_from_real_brokers_and_what_it_does_with_a_record_is_not_on_them() -> None:
    steps = ["produce(leader=r1, value=0, response=delivered)", "poll(leader=r1, offset=0)"]
    model = kafka(commit=2, acks=1)
    for follower in ("r2", "r3"):
        steps[1:1] = [f"fetch(follower={follower}, leader=r1, response=delivered)"] * 2
    plan_of(model, [model.parse_step(step) for step in steps])
    refused = refusal(model, *steps, "process(offset=0, value=0)")
    assert (refused.number, refused.why) == (7, planning.NOT_SCHEDULED["process"])


def test_before_0_11_nothing_that_an_idempotent_producer_sends_again_is_recognised() -> None:
    steps = ["produce(leader=r1, value=0, response=delivered)", "time_out(value=0)"]
    again = "retry(leader=r1, value=0, response=delivered)"
    refused = refusal(kafka("kafka-0.9", idempotence=1, acks=2, retries=1), *steps, again)
    assert (refused.number, refused.why) == (3, producing.WITHOUT_NUMBERS)
    newer = kafka("kafka-0.11", idempotence=1, acks=2, retries=1)
    plan_of(newer, [newer.parse_step(step) for step in (*steps, again)])


def test_every_release_that_runs_is_one_that_a_version_speaks_for() -> None:
    for version, modes in runnable_releases().items():
        assert version in RELEASES
        for mode in modes:
            assert TIME_LINE.version_name(version, mode) in profiles()


@pytest.mark.parametrize("version", ["0.10.2.2", "2.0.1", "3.9.1", "4.1.1"])
def test_random_runs_are_runs_of_the_model_that_can_be_scheduled(version: str) -> None:
    release = release_named(version)
    for number in range(1, 4):
        model, steps = run_number(release, number)
        assert steps, number
        plan_of(model, steps)
        assert run_number(release, number)[1] == steps


@pytest.mark.parametrize(
    ("version", "mode"),
    [
        pytest.param("2.0.1", None, marks=pytest.mark.thorough),
        pytest.param("3.9.2", "zookeeper", marks=pytest.mark.thorough),
        ("4.1.1", None),
    ],
)
def test_a_longer_random_run_can_be_scheduled_too_and_is_another_run(version: str, mode: str | None) -> None:
    release = release_named(version, mode)
    for number in range(1, 4):
        model, steps = run_number(release, number, LONG)
        plan_of(model, steps)
        assert len(steps) <= 120
        assert model.bounds["values"] == 2 * run_number(release, number)[0].bounds["values"]
        assert run_number(release, number, LONG)[1] == steps != run_number(release, number)[1]


def test_longer_random_runs_have_unclean_elections_and_producers_that_send_again() -> None:
    release = release_named("3.9.2", "kraft")
    actions = {step.action.name for number in range(1, 7) for step in run_number(release, number, LONG)[1]}
    assert {"elect_unclean", "retry"} <= actions


@pytest.mark.parametrize(
    ("version", "idempotence"),
    [("0.10.2.2", {0}), pytest.param("2.5.1", {0, 1}, marks=pytest.mark.thorough), ("4.1.1", {0, 1})],
)
def test_random_runs_with_clients_number_what_they_send_if_there_are_numbers_and_consume(
    version: str, idempotence: set[int]
) -> None:
    release = release_named(version)
    seen, numbered = set[str](), set[int]()
    for number in range(1, 5):
        model, steps = run_number(release, number, WITH_CLIENTS)
        plan_of(model, steps)
        seen |= {step.action.name for step in steps}
        numbered.add(model.settings["idempotence"])
        assert not model.settings["idempotence"] or model.settings["acks"] == ACKS_ALL
    assert {"poll", "retry"} <= seen
    assert not {"process", "commit_offset"} & seen
    assert numbered <= idempotence


def test_a_random_run_may_have_five_brokers() -> None:
    release = release_named("4.1.1")
    model, steps = run_number(release, 1, Kind(brokers=5))
    plan_of(model, steps)
    assert model.bounds["replicas"] == 5
    assert steps != run_number(release, 1)[1]


def test_in_a_random_run_a_broker_hears_that_nobody_leads_before_it_comes_back() -> None:
    release = release_named("3.9.2", "kraft")
    heard = 0
    for number in range(1, 8):
        model, steps = run_number(release, number)
        states = trace_along(model, steps).states
        for before, words, step in zip([None, *steps], states, steps, strict=False):
            state, replica = model.state(words).values(), step.picks().get("replica")
            if step.action.name != "unfence" or state["controller_leader"] != NONE:
                continue
            assert state["epoch"][replica] == state["newest_epoch"]
            heard += before is not None and before.action is hear_of_no_leader
    assert heard >= 2


def test_a_random_run_has_no_action_that_is_left_out() -> None:
    steps = random_run(kafka(leader_moves=2, crashes=1), Random(1), 20, without=("crash",))
    assert "crash" not in {step.action.name for step in steps}


REFUSED_WITH_ZOOKEEPER = {
    fetching.EXPANDS: [
        "crash(replica=r3, checkpoint=0)",
        "fence_follower(replica=r3)",
        "become_leader(replica=r1, epoch=1)",
        "produce(leader=r1, value=0, response=delivered)",
        "restart(replica=r3)",
        "become_follower(replica=r3, leader=r1, epoch=1)",
        "fetch(follower=r3, leader=r1, response=delivered)",
    ],
    hearing.MISSED: [
        "pause(replica=r1)",
        "fail_over(leader=r1, successor=r2)",
        "become_leader(replica=r2, epoch=1)",
        "pause(replica=r2)",
        "fail_over(leader=r2, successor=r3)",
        "unfence(replica=r1)",
        "become_follower(replica=r1, leader=r2, epoch=1)",
    ],
    high_watermarks.COUNTS: [
        "produce(leader=r1, value=0, response=delivered)",
        "crash(replica=r3, checkpoint=0)",
        "fetch(follower=r2, leader=r1, response=delivered)",
        "fetch(follower=r2, leader=r1, response=delivered)",
        "fence_follower(replica=r3)",
        "become_leader(replica=r1, epoch=1)",
    ],
    controller.BY_ITSELF: [
        "produce(leader=r1, value=0, response=delivered)",
        "shrink_isr(leader=r1, follower=r2)",
        "shrink_isr(leader=r1, follower=r3)",
        "crash(replica=r1, checkpoint=1)",
        "lose_leader(leader=r1)",
        "restart(replica=r1)",
        "leave_isr(replica=r1)",
    ],
    controller.UNMOVED: [
        "crash(replica=r2, checkpoint=0)",
        "move_leader(successor=r3)",
    ],
    isr.DROPS: [
        "move_leader(successor=r2)",
        "become_leader(replica=r2, epoch=1)",
        "become_follower(replica=r3, leader=r2, epoch=1)",
        "shrink_isr(leader=r2, follower=r3)",
    ],
    isr.REENTERS: [
        "leave_isr(replica=r3)",
        "become_leader(replica=r1, epoch=1)",
        "expand_isr(leader=r1, follower=r3)",
    ],
}


@pytest.mark.parametrize("why", REFUSED_WITH_ZOOKEEPER)
def test_what_brokers_on_zookeeper_do_otherwise_is_refused_at_its_step(why: str) -> None:
    steps = REFUSED_WITH_ZOOKEEPER[why]
    model = profiles()["kafka-2.0"].bounded(
        crashes=1, pauses=2, shutdowns=1, leader_moves=1, acks=2, min_isr=1, unclean=0
    )
    refused = refusal(model, *steps)
    assert (refused.number, refused.why) == (len(steps), why)
    plan_of(model, [model.parse_step(step) for step in steps[:-1]])


def test_a_leader_that_has_not_read_of_the_newest_decision_is_not_asked_to_expand() -> None:
    steps = [
        "crash(replica=r3, checkpoint=0)",
        "fence_follower(replica=r3)",
        "hear_of_isr(leader=r1)",
        "restart(replica=r3)",
        "become_follower(replica=r3, leader=r1, epoch=0)",
        "move_leader(successor=r2)",
        "expand_isr(leader=r1, follower=r3)",
    ]
    refused = refusal(profiles()["kafka-4.1"].bounded(crashes=1, leader_moves=1), *steps)
    assert (refused.number, refused.why) == (7, isr.OLD_NEWS)


NOT_IN_KRAFT = {
    high_watermarks.COUNTS: [
        "move_leader(successor=r2)",
        "become_leader(replica=r2, epoch=1)",
        "crash(replica=r1, checkpoint=0)",
        "fence_follower(replica=r1)",
        "hear_of_isr(leader=r2)",
        "restart(replica=r1)",
        "become_follower(replica=r1, leader=r2, epoch=1)",
        "expand_isr(leader=r2, follower=r1)",
        "pause(replica=r1)",
        "fence_follower(replica=r1)",
        "refuse_isr(leader=r2)",
        "produce(leader=r2, value=0, response=delivered)",
    ],
    isr.TOO_LATE: [
        "produce(leader=r1, value=0, response=delivered)",
        "shrink_isr(leader=r1, follower=r3)",
        "grant_isr(leader=r1)",
        "learn_isr(leader=r1)",
        "expand_isr(leader=r1, follower=r3)",
        "grant_isr(leader=r1)",
        "pause(replica=r3)",
        "fence_follower(replica=r3)",
        "shrink_isr(leader=r1, follower=r2)",
    ],
}


CAME_BACK_WITHOUT_A_LEADER = [
    "pause(replica=r1)",
    "produce(leader=r1, value=0, response=delivered)",
    "pause(replica=r3)",
    "fence_follower(replica=r3)",
    "leave_isr(replica=r2)",
    "hear_of_isr(leader=r1)",
    "lose_leader(leader=r1)",
    "unfence(replica=r3)",
    "unfence(replica=r1)",
]


@pytest.mark.parametrize(
    "step",
    [
        "time_out(value=0)",
        "produce(leader=r1, value=1, response=delivered)",
        "fetch(follower=r3, leader=r1, response=delivered)",
    ],
)
def test_a_broker_that_comes_back_while_nobody_leads_is_not_asked_to_go_on_in_its_old_epoch(step: str) -> None:
    model = kafka("kafka-3.9", pauses=2, shutdowns=1, acks=2, min_isr=2, unclean=0, pipelined=1)
    refused = refusal(model, *CAME_BACK_WITHOUT_A_LEADER, step)
    assert (refused.number, refused.why) == (len(CAME_BACK_WITHOUT_A_LEADER) + 1, hearing.STEPS_DOWN)
    goes_on = [
        *CAME_BACK_WITHOUT_A_LEADER,
        "elect(successor=r1)",
        "become_leader(replica=r1, epoch=2)",
        "time_out(value=0)",
    ]
    plan_of(model, [model.parse_step(text) for text in goes_on])


@pytest.mark.parametrize("why", NOT_IN_KRAFT)
def test_what_brokers_with_kraft_do_otherwise_is_refused_at_its_step(why: str) -> None:
    """A leader waits for who has caught up, also from outside the ISR; and it asks for no ISR while it waits for an answer."""
    steps = NOT_IN_KRAFT[why]
    replicas = 2 if why == high_watermarks.COUNTS else 3
    model = profiles()["kafka-4.1"].bounded(
        replicas=replicas, crashes=1, pauses=1, leader_moves=1, acks=1, min_isr=1, unclean=0
    )
    refused = refusal(model, *steps)
    assert (refused.number, refused.why) == (len(steps), why)
    plan_of(model, [model.parse_step(step) for step in steps[:-1]])


def test_an_unclean_election_is_not_asked_for_where_the_controller_elects_the_last_known_leader() -> None:
    steps = [
        "disk_loss(replica=r1)",
        "fail_over(leader=r1, successor=r2)",
        "power_loss(replica=r2, kept=0)",
        "lose_leader(leader=r2)",
        "restart(replica=r2)",
        "elect_unclean(successor=r2)",
    ]
    model = profiles()["kafka-4.1"].bounded(
        replicas=2, power_losses=1, disk_losses=1, acks=1, min_isr=1, unclean=1, log_size=1, values=1
    )
    refused = refusal(model, *steps)
    assert (refused.number, refused.why) == (6, controller.BY_ITSELF)
    plan_of(model, [model.parse_step(step) for step in steps[:-1]])


def test_a_follower_that_lags_is_dropped_with_the_other_where_the_leader_writes_the_isr() -> None:
    steps = ["produce(leader=r1, value=0, response=delivered)", "shrink_isr(leader=r1, follower=r2)"]
    refused = refusal(profiles()["kafka-2.0"].bounded(acks=2, min_isr=2, unclean=0), *steps)
    assert (refused.number, refused.why) == (2, isr.DROPS)


def test_a_high_watermark_that_rises_as_a_follower_is_dropped_is_not_kept_from_the_others() -> None:
    steps = [
        "produce(leader=r1, value=0, response=delivered)",
        "fetch(follower=r2, leader=r1, response=delivered)",
        "fetch(follower=r3, leader=r1, response=delivered)",
        "fetch(follower=r3, leader=r1, response=delivered)",
        "shrink_isr(leader=r1, follower=r2)",
    ]
    refused = refusal(profiles()["kafka-2.0"].bounded(acks=2, min_isr=2, unclean=0), *steps)
    assert (refused.number, refused.why) == (5, isr.RAISED)


def test_after_an_unclean_election_on_zookeeper_no_leader_is_lost_again() -> None:
    steps = [
        "produce(leader=r1, value=0, response=delivered)",
        "shrink_isr(leader=r1, follower=r2)",
        "crash(replica=r1, checkpoint=1)",
        "fail_over_unclean(leader=r1, successor=r2)",
        "crash(replica=r2, checkpoint=0)",
        "lose_leader(leader=r2)",
    ]
    model = profiles()["kafka-2.0"].bounded(replicas=2, log_size=1, values=1, crashes=2, acks=1, min_isr=2, unclean=1)
    refused = refusal(model, *steps)
    assert (refused.number, refused.why) == (6, controller.UNCLEAN_AGAIN)


def test_what_only_brokers_of_0_11_do_is_refused_at_its_step() -> None:
    model = profiles()["kafka-0.11"].bounded(
        replicas=2, log_size=1, values=1, acks=2, min_isr=2, unclean=0, power_losses=1
    )
    lost = [
        "produce(leader=r1, value=0, response=delivered)",
        "fetch(follower=r2, leader=r1, response=delivered)",
        "shrink_isr(leader=r1, follower=r2)",
        "power_loss(replica=r1, kept=0)",
        "lose_leader(leader=r1)",
        "restart(replica=r1)",
        "elect(successor=r1)",
        "become_leader(replica=r1, epoch=2)",
        "become_follower(replica=r2, leader=r1, epoch=2)",
    ]
    refused = refusal(model, *lost)
    assert (refused.number, refused.why) == (9, hearing.HALTS)
    careless = profiles()["kafka-0.11"].bounded(
        replicas=2, log_size=1, values=1, crashes=1, acks=1, min_isr=2, unclean=1
    )
    cut = [
        "produce(leader=r1, value=0, response=delivered)",
        "shrink_isr(leader=r1, follower=r2)",
        "crash(replica=r1, checkpoint=1)",
        "fail_over_unclean(leader=r1, successor=r2)",
        "become_leader(replica=r2, epoch=1)",
        "restart(replica=r1)",
        "become_follower(replica=r1, leader=r2, epoch=1)",
        "fetch(follower=r1, leader=r2, response=delivered)",
    ]
    refused = refusal(careless, *cut)
    assert (refused.number, refused.why) == (8, high_watermarks.KEEPS)
