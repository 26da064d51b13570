"""What brokers were seen to do is less than the model allows, and each verdict of it says so."""

from __future__ import annotations

from random import Random

import pytest
from command_line import Run
from sampling import quick_one_in

from neverlost.conformance.adapter import CannotSchedule
from neverlost.conformance.cluster.planning import plan_of
from neverlost.conformance.cluster.steps import controller, faults, hearing
from neverlost.explorer.search import explore, reached_states
from neverlost.model.core import Model, Refused, Step
from neverlost.spec import profiles
from neverlost.spec.kafka.replication.seen import ASSUMED, NARROWER
from neverlost.spec.kafka.replication.versions import VERSIONS

LOSS = "acked_never_lost"
SMALL = {"replicas": 3, "log_size": 1, "values": 1, "leader_epochs": 3}
FAULTS = {"leader_moves": 1, "crashes": 1, "shutdowns": 1, "acks": 2, "min_isr": 2, "unclean": 0}
RULED_OUT = {controller.UNMOVED, faults.UNFENCED, hearing.STOPPED, hearing.DEAF}


def seen(name: str, **chosen: int) -> Model:
    return profiles()[f"seen/{name}"].bounded(**chosen)


def test_every_version_has_a_profile_of_what_was_seen_and_none_is_listed() -> None:
    assert all(f"seen/{version.name}" in profiles() for version in VERSIONS)
    assert not [name for name in profiles() if name.startswith("seen/")]
    assert "seen/published/kip-320" not in profiles()


@pytest.mark.parametrize("name", quick_one_in(3, ["kafka-2.8.0", "kafka-3.1-kraft", "kafka-3.9"]))
def test_each_of_its_steps_is_one_of_the_version(name: str, thorough: bool) -> None:
    """So a run that it finds is a run of the version, and one that brokers can be made to do is one of the version."""
    narrow, wide = seen(name, **SMALL, **FAULTS), profiles()[name].bounded(**SMALL, **FAULTS)
    states = [tuple(map(int, row)) for block in reached_states(narrow, symmetry=True)[1] for row in block]
    fewer = 0
    for words in Random(1).sample(states, 60 if thorough else 20):
        of_version = {(wide.steps[number].show(wide.bounds), after) for number, after in wide.successors(words)}
        own = {(narrow.steps[number].show(narrow.bounds), after) for number, after in narrow.successors(words)}
        assert own <= of_version
        fewer += own < of_version
    assert fewer > 0
    assert {step.action.name for step in wide.steps} == {step.action.name for step in narrow.steps}
    assert {function.__name__ for function in NARROWER} <= {action.name for action in narrow.profile.actions}


def some_run(model: Model, random: Random) -> list[Step]:
    words, steps = model.initial_states()[0], list[Step]()
    for _ in range(25):
        for step in random.sample(model.steps, len(model.steps)):
            try:
                after = model.apply(words, step)
            except Refused:
                continue
            if after != words:
                words, steps = after, [*steps, step]
                break
    return steps


@pytest.mark.parametrize("name", quick_one_in(3, ["kafka-2.8.0", "kafka-3.1-kraft", "kafka-3.9"]))
def test_what_the_profile_rules_out_stands_in_the_way_of_none_of_its_runs(name: str, thorough: bool) -> None:
    reasons = {narrow: set[str]() for narrow in (True, False)}
    for narrow, found in reasons.items():
        model = profiles()[f"seen/{name}" if narrow else name].bounded(**SMALL, **FAULTS)
        for number in range(25 if thorough else 10):
            try:
                plan_of(model, some_run(model, Random(number)))
            except CannotSchedule as refused:
                found.add(refused.why)
    assert reasons[True] & RULED_OUT == set()
    assert reasons[False] & RULED_OUT


@pytest.mark.parametrize(
    ("name", "faults", "wider", "narrower"),
    [
        pytest.param("kafka-2.0", {"leader_moves": 3}, 10, 11, marks=pytest.mark.thorough),
        ("kafka-2.8.0", {"leader_moves": 3}, 10, 11),
        ("kafka-1.1", {"crashes": 1, "leader_moves": 1}, 11, None),
        ("kafka-3.3", {"power_losses": 1}, 8, None),
        pytest.param("kafka-4.1", {"leader_moves": 3}, 14, 14, marks=pytest.mark.thorough),
    ],
)
def test_a_shortest_loss_is_longer_or_vanishes(
    name: str, faults: dict[str, int], wider: int, narrower: int | None
) -> None:
    """The lengths of the version are those of docs/matrix.md and of the record of claims."""
    for prefix, steps in (("", wider), ("seen/", narrower)):
        model = profiles()[prefix + name].bounded(acks=2, min_isr=2, unclean=0, **faults)
        trace = explore(model, properties=[LOSS], symmetry=True).findings[LOSS].trace
        assert (trace and len(trace.steps)) == steps, prefix


def test_a_verdict_says_what_it_assumes(run: Run) -> None:
    bounds = ("--replicas", "2", "--log-size", "1", "--values", "1", "--leader-epochs", "2")
    code, out, _ = run("check", "seen/kafka-3.9", *bounds, "--quiet")
    assert code == 0
    assert ASSUMED in " ".join(out.split())
