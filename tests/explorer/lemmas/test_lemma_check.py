"""Lemmas on many states at once: compiled code says what the interpreter says of each."""

from __future__ import annotations

import random

import numpy as np
import pytest
from log_lemmas import LOG_LEMMAS, logs_agree, nothing_lies_at_the_end, some_log_has_room, values_lie_below_the_end
from samples import elements, packed_from, reachable

from neverlost.explorer.lemmas.checking import is_true, refutations
from neverlost.explorer.search import ENGINES, explore, reached_states
from neverlost.model.core import Lemma, Model, Packed
from neverlost.spec.published.profiles import REPLICATED_LOG

MODEL = REPLICATED_LOG.bounded(replicas=3, log_size=2, records=2)


def interpreted(model: Model, lemma: Lemma, states: list[Packed]) -> tuple[int, Packed | None, tuple[int, ...] | None]:
    """In how many states a lemma is false, the least of them, and the first instance that is false there."""
    combinations = lemma.combinations(model.bounds)
    false = [words for words in states if not all(is_true(model, lemma, values, words) for values in combinations)]
    least = min(false, default=None)
    first = None if least is None else next(v for v in combinations if not is_true(model, lemma, v, least))
    return len(false), least, first


def random_states(model: Model, count: int) -> list[Packed]:
    generator = random.Random(20)
    ranges = elements(model)
    return [packed_from(model, [generator.randrange(low, low + size) for low, size in ranges]) for _ in range(count)]


@pytest.mark.parametrize("states", [reachable(MODEL), random_states(MODEL, 500)], ids=["reachable", "random"])
def test_compiled_code_counts_the_states_that_refute_a_lemma_as_the_interpreter_does(states: list[Packed]) -> None:
    found = {r.lemma: (r.states, r.least, r.arguments) for r in refutations(MODEL, LOG_LEMMAS, [np.array(states)])}
    for lemma in LOG_LEMMAS:
        assert found.get(lemma, (0, None, None)) == interpreted(MODEL, lemma, states), lemma.name


def test_true_lemmas_are_refuted_nowhere_and_wrong_ones_are() -> None:
    _, blocks = reached_states(MODEL)
    refuted = {r.lemma for r in refutations(MODEL, LOG_LEMMAS, blocks)}
    assert refuted == set(LOG_LEMMAS) - {values_lie_below_the_end, nothing_lies_at_the_end}


def test_what_is_said_of_a_wrong_lemma_is_the_least_state_and_an_instance() -> None:
    (found,) = refutations(MODEL, [some_log_has_room], reached_states(MODEL)[1])
    assert found.arguments == ()
    assert MODEL.state(found.least).values()["log_end"] == [2, 2, 2]
    assert found.states == (2 * 2) ** 3


def test_with_symmetry_one_state_of_each_class_is_enough() -> None:
    result, blocks = reached_states(MODEL, symmetry=True)
    assert sum(map(len, blocks)) == result.distinct < explore(MODEL, properties=[]).distinct
    assert [r.lemma for r in refutations(MODEL, [logs_agree, values_lie_below_the_end], blocks)] == [logs_agree]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_hands_out_all_states_that_it_reached(engine: str) -> None:
    _, blocks = reached_states(MODEL, engine=engine)
    rows = [tuple(map(int, row)) for block in blocks for row in block]
    assert sorted(rows) == sorted(reachable(MODEL, limit=10**6))
