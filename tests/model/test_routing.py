"""The three ways to route records without a key."""

from __future__ import annotations

import pytest

from neverlost.explorer.search import explore
from neverlost.model.core import Model
from neverlost.model.kafka.routing import ROUND_ROBIN, STICKY_PER_BATCH, STICKY_UNTIL_REFRESH
from neverlost.spec.kafka.routing.properties import ROUTING


def run(model: Model, *steps: str) -> tuple[int, ...]:
    words = model.initial_states()[0]
    for step in steps:
        words = model.apply(words, model.parse_step(step))
    return words


def choices(model: Model, words: tuple[int, ...]) -> list[str]:
    shown = [model.steps[number].show(model.bounds) for number, _ in model.successors(words)]
    return [step.removeprefix("send_without_key(partition=").removesuffix(")") for step in shown if "send" in step]


def test_the_producer_of_0_8_keeps_to_a_partition_even_without_leader_until_it_refreshes() -> None:
    model = ROUTING.bounded(strategy=STICKY_UNTIL_REFRESH)
    first = run(model, "send_without_key(partition=p1)", "lose_leader(partition=p1)")
    assert choices(model, first) == ["p1"]
    lost = ("send_without_key(partition=p1)", "lose_leader(partition=p1)", "send_without_key(partition=p1)")
    assert choices(model, run(model, *lost)) == []
    assert choices(model, run(model, *lost, "refresh_metadata()")) == ["p0", "p2"]


def test_round_robin_takes_the_next_partition_with_a_leader() -> None:
    model = ROUTING.bounded(strategy=ROUND_ROBIN)
    assert choices(model, run(model)) == ["p0"]
    assert choices(model, run(model, "send_without_key(partition=p0)")) == ["p1"]
    skipped = ("lose_leader(partition=p1)", "refresh_metadata()", "send_without_key(partition=p0)")
    assert choices(model, run(model, *skipped)) == ["p2"]


def test_a_sticky_partition_is_chosen_anew_for_every_batch() -> None:
    model = ROUTING.bounded(strategy=STICKY_PER_BATCH)
    assert choices(model, run(model, "send_without_key(partition=p1)")) == ["p1"]
    assert choices(model, run(model, "send_without_key(partition=p1)", "complete_batch()")) == ["p0", "p1", "p2"]


@pytest.mark.parametrize("strategy", [STICKY_UNTIL_REFRESH, ROUND_ROBIN, STICKY_PER_BATCH])
def test_both_engines_agree_on_routing(strategy: int) -> None:
    model = ROUTING.bounded(strategy=strategy)
    compiled, interpreted = (explore(model, engine=name, until="all") for name in ("compiled", "interpreted"))
    assert (compiled.distinct, compiled.digest) == (interpreted.distinct, interpreted.digest)
    assert {n: f.verdict for n, f in compiled.findings.items()} == {
        n: f.verdict for n, f in interpreted.findings.items()
    }
