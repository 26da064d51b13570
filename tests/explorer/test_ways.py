"""The runs to a violation that are little longer than the shortest are all there, and no others."""

from __future__ import annotations

from collections import defaultdict

import pytest

from neverlost.explorer.engines.engine import Stopped
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.ways import WaysToViolation
from neverlost.model.core import Model, Packed
from neverlost.spec import profiles

LOSS = "acked_never_lost"
Edge = tuple[Packed, int, Packed]


def lossy() -> Model:
    bounds = {"replicas": 2, "log_size": 1, "values": 1, "leader_epochs": 3}
    return profiles()["kafka-3.6"].bounded(**bounds, acks=2, min_isr=1, power_losses=1)


def edges_of_runs(model: Model, most: int) -> tuple[set[Edge], dict[Packed, int]]:
    """By the interpreter alone: the steps on runs of at most so many steps to a loss, and how far a loss is from each state."""
    prop = model.profile.property_named(LOSS)
    depth, level, edges = {model.initial_states()[0]: 0}, [model.initial_states()[0]], list[Edge]()
    for steps in range(1, most + 1):
        found = [
            (words, number, after) for words in level for number, after in model.successors(words) if after != words
        ]
        edges += found
        level = list(dict.fromkeys(after for *_, after in found if after not in depth))
        depth |= dict.fromkeys(level, steps)
    before = defaultdict[Packed, list[Packed]](list)
    for words, _, after in edges:
        before[after].append(words)
    level = [words for words in depth if not model.holds(prop, words)]
    far = dict.fromkeys(level, 0)
    while level:
        level = list(dict.fromkeys(one for words in level for one in before[words] if one not in far))
        far |= {
            words: min(far[after] for one, _, after in edges if one == words and after in far) + 1 for words in level
        }
    return {edge for edge in edges if edge[2] in far and depth[edge[0]] + 1 + far[edge[2]] <= most}, far


@pytest.mark.parametrize("most", [6, 8])
def test_the_steps_on_short_runs_to_a_violation_are_those_that_the_interpreter_finds(most: int) -> None:
    model = lossy()
    searched = WaysToViolation(model, model.profile.property_named(LOSS), most_states=100_000)
    while searched.length < most:
        assert searched.deepen()
    ways = searched.ways()
    assert ways is not None
    expected, far = edges_of_runs(model, most)
    found = {
        (ways.states[source], number, ways.states[target]): left
        for source, steps in ways.onwards.items()
        for number, target, left in steps
    }
    assert found.keys() == expected
    assert all(far[after] == left for (*_, after), left in found.items())
    assert ways.states[ways.start] == model.initial_states()[0]


def test_without_a_violation_there_are_no_ways() -> None:
    model = lossy()
    searched = WaysToViolation(model, model.profile.property_named(LOSS), most_states=100_000)
    for _ in range(5):
        assert searched.ways() is None
        searched.deepen()


def deepen_often(searched: WaysToViolation) -> None:
    for _ in range(20):
        searched.deepen()


def test_a_search_of_too_many_states_stops_and_one_that_is_interrupted_ends() -> None:
    model = lossy()
    prop = model.profile.property_named(LOSS)
    few = WaysToViolation(model, prop, most_states=1)
    with pytest.raises(Stopped):
        deepen_often(few)
    with pytest.raises(KeyboardInterrupt):
        WaysToViolation(model, prop, most_states=1000, watch=Watch(interrupted=lambda: True)).deepen()
