"""Terms computed for many states at once: for every operation and state, what Z3 itself says."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import z3
from samples import SMALL_MODELS, elements, packed_from, reachable

from neverlost.explorer.engines.columns import packed, perturbed, random_columns, sampled, unpacked
from neverlost.explorer.symbolic.clauses import Translation
from neverlost.explorer.symbolic.evaluate import BATCH, Evaluator
from neverlost.explorer.symbolic.terms import UntranslatableError
from neverlost.model.core import Model, Packed
from neverlost.spec.published.profiles import ASYNC_ISR, KIP_320

MODEL = KIP_320.bounded(replicas=2, log_size=1, records=1, leader_epochs=2)


def numbers(translation: Translation) -> list[Any]:
    return [v for v in translation.space.atoms(translation.before) if z3.is_bv(v)]


def truths(translation: Translation) -> list[Any]:
    return [v for v in translation.space.atoms(translation.before) if z3.is_bool(v)]


def random_term(generator: random.Random, translation: Translation, depth: int, boolean: bool) -> Any:
    """A term of every operation that is evaluated."""

    def number() -> Any:
        return random_term(generator, translation, depth - 1, boolean=False)

    def truth() -> Any:
        return random_term(generator, translation, depth - 1, boolean=True)

    if depth == 0:
        if boolean:
            return generator.choice([*truths(translation), z3.BoolVal(True), z3.BoolVal(False)])
        width = translation.terms.width
        constant = z3.BitVecVal(generator.randrange(1 << width), width)
        return generator.choice([*numbers(translation), constant])
    if not boolean:
        return generator.choice(
            [lambda: number() + number(), lambda: number() - number(), lambda: -number(), lambda: number() * number()]
            + [lambda: z3.If(truth(), number(), number())] * 2
        )()
    of_truths = (z3.And, z3.Or, z3.Xor, z3.Implies, lambda one, other: one == other)
    of_numbers = (lambda a, b: a == b, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a >= b)
    makers = [lambda make=make: make(truth(), truth()) for make in of_truths]
    makers += [lambda make=make: make(number(), number()) for make in (*of_numbers, z3.Distinct)]
    makers += [
        lambda: z3.Not(truth()),
        lambda: z3.If(truth(), truth(), truth()),
        lambda: z3.And(truth(), truth(), truth()),
    ]
    return generator.choice(makers)()


def asked_of_z3(translation: Translation, terms: list[Any], words: Packed) -> list[int | bool]:
    solver = z3.Solver()
    solver.add(translation.space.pinned(translation.before, words))
    assert solver.check() == z3.sat
    values = [solver.model().eval(term, model_completion=True) for term in terms]
    return [z3.is_true(value) if z3.is_bool(value) else value.as_signed_long() for value in values]


@pytest.mark.parametrize("bits", [None, 8, 9, 33])
def test_every_operation_gives_what_z3_gives(bits: int | None) -> None:
    translation, generator = Translation(MODEL, bits), random.Random(3)
    columns = random_columns(MODEL, 3, np.random.default_rng(4))
    terms = [random_term(generator, translation, 1 + k % 4, boolean=k % 2 == 0) for k in range(60)]
    terms += [z3.simplify(term) for term in terms]
    table = [row.tolist() for row in Evaluator(translation.before, terms, translation.terms.width).table(columns)]
    for at, words in enumerate(packed(MODEL, columns).tolist()):
        assert [row[at] for row in table] == asked_of_z3(translation, terms, tuple(words))


def test_what_is_known_is_the_same_in_every_state_and_in_every_batch() -> None:
    translation = Translation(MODEL)
    columns = random_columns(MODEL, BATCH + 5, np.random.default_rng(5))
    known, unknown = Evaluator(translation.before, [True, numbers(translation)[0]], 8).table(columns)
    assert known.tolist() == [True] * (BATCH + 5)
    assert unknown.tolist() == columns["log_end"][0].tolist()


def test_an_operation_that_no_translation_makes_is_refused() -> None:
    translation = Translation(MODEL)
    with pytest.raises(UntranslatableError, match="bvurem"):
        Evaluator(translation.before, [z3.URem(*numbers(translation)[:2])], translation.terms.width)


@pytest.mark.parametrize("model", SMALL_MODELS, ids=lambda model: model.profile.name.split("/")[1])
def test_states_are_unpacked_and_packed_as_the_interpreter_does(model: Model) -> None:
    generator, ranges = random.Random(6), elements(model)
    values = [[generator.randrange(low, low + size) for low, size in ranges] for _ in range(20)]
    states = [packed_from(model, each) for each in values]
    columns = unpacked(model, np.array(states, np.int64))
    assert np.concatenate(list(columns.values())).T.tolist() == values
    assert packed(model, columns).tolist() == [list(state) for state in states]


def test_drawn_states_lie_within_their_domains_and_differ_in_few_elements_where_that_is_asked_for() -> None:
    model, generator = ASYNC_ISR.bounded(), np.random.default_rng(7)
    rows = sampled([np.array(reachable(model)[:100]), np.array(reachable(model)[100:])], 1000, generator)
    assert {tuple(row) for row in rows.tolist()} <= set(reachable(model))
    before = unpacked(model, rows)
    after = perturbed(model, before, 2, generator)
    changed = sum((after[name] != before[name]).sum(axis=0) for name in before)
    assert set(changed.tolist()) == {0, 1, 2}
    for columns in (after, random_columns(model, 1000, generator)):
        for values, (low, size) in zip(np.concatenate(list(columns.values())), elements(model), strict=True):
            assert low <= values.min() <= values.max() < low + size
