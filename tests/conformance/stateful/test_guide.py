"""Ways to rare situations: they lead there, and none is shorter."""

from __future__ import annotations

from collections import deque

import pytest
from careless_kafka import CARELESS
from sampling import quick_one_in

from neverlost.conformance.exploring import whole_graph
from neverlost.conformance.stateful.guide import Guide, Situation
from neverlost.model.core import Model, Packed, Step
from neverlost.spec import profiles

PURGATORY = profiles()["kafka-purgatory"].bounded()


@pytest.fixture(scope="module", params=quick_one_in(2, [PURGATORY, CARELESS], lambda model: model.profile.name))
def model(request: pytest.FixtureRequest) -> Model:
    return request.param


@pytest.fixture(scope="module")
def guide(model: Model) -> Guide:
    return Guide(model, whole_graph(model)[1])


def situation_of(model: Model, before: Packed, step: Step, after: Packed) -> Situation:
    earlier, later = model.state(before), model.state(after)
    raised, lowered = [], []
    for field in earlier.fields:
        moves = [
            later.element(field, position) - earlier.element(field, position)
            for position in field.positions(model.bounds)
        ]
        raised += [field.name] if any(move > 0 for move in moves) else []
        lowered += [field.name] if any(move < 0 for move in moves) else []
    return Situation(step.action.name, tuple(raised), tuple(lowered))


def nearest(model: Model, wanted: set[Situation]) -> dict[Situation, int]:
    """How many steps after the start each situation can first come about: a search by the interpreter."""
    (start,) = model.initial_states()
    found, seen, waiting = dict[Situation, int](), {start}, deque([(start, 1)])
    while waiting and set(found) != wanted:
        words, depth = waiting.popleft()
        for number, after in model.successors(words):
            if after != words:
                situation = situation_of(model, words, model.steps[number], after)
                if situation in wanted:
                    found.setdefault(situation, depth)
            if after not in seen:
                seen.add(after)
                waiting.append((after, depth + 1))
    return found


def test_every_way_ends_with_its_situation_and_is_as_short_as_can_be(model: Model, guide: Guide) -> None:
    assert guide.weights
    lengths = nearest(model, set(guide.weights))
    for situation in guide.weights:
        words = before = model.initial_states()[0]
        way = guide.way(words, situation)
        for step in way:
            before, words = words, model.apply(words, step)
        assert situation_of(model, before, way[-1], words) == situation
        assert len(way) == lengths[situation]


def test_cut_logs_and_unclean_elections_are_rare() -> None:
    situations = Guide(CARELESS, whole_graph(CARELESS)[1]).weights
    assert any(situation.action == "fetch" and "log_end" in situation.lowers for situation in situations)
    assert any(situation.action == "fail_over_unclean" for situation in situations)


def test_what_cannot_come_about_any_more_has_no_way(model: Model, guide: Guide) -> None:
    words, seen = model.initial_states()[0], 0
    while True:
        moves = [after for _, after in model.successors(words) if after != words]
        if not moves or seen > 200:
            break
        words, seen = moves[-1], seen + 1
    ways = [guide.way(words, situation) for situation in guide.weights]
    assert [] in ways
