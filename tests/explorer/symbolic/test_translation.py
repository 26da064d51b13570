"""The terms that proofs are made of mean what the interpreter does: same steps, same properties, same errors."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from engine_traps import BASE, FLAWED
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import programs
from samples import SMALL_MODELS, elements, packed_from, states
from subtle_models import LEAVING, VIOLATED
from symbolic_steps import Evaluated, interpreted
from unsound_models import AWKWARD, LEAKING, PEEKING
from written_models import imported

from neverlost.explorer.symbolic.clauses import Translation, as_lemma
from neverlost.explorer.symbolic.induction import is_true
from neverlost.explorer.symbolic.terms import UntranslatableError, WidthError
from neverlost.model.core import Model, Packed, Profile
from neverlost.spec.kafka.replication.versions import KAFKA_0_8, KAFKA_2_1, KAFKA_4_1

FAULTS = {"crashes": 1, "retries": 1, "lost_responses": 1}
KAFKA = [v.bounded(log_size=1, values=1, leader_epochs=2, **FAULTS) for v in (KAFKA_0_8, KAFKA_2_1, KAFKA_4_1)]
RANDOM_PROGRAMS, RANDOM_PROGRAMS_BY_DEFAULT = range(60), range(24)


def random_state(model: Model, randomness: random.Random) -> Packed:
    return packed_from(model, [randomness.randrange(low, low + size) for low, size in elements(model)])


def compare(translation: Translation, words: Packed, number: int) -> None:
    assert Evaluated(translation, words).step(number) == interpreted(translation.model, words, number)


@pytest.fixture(scope="module", params=[*SMALL_MODELS, *KAFKA], ids=lambda model: model.profile.name.split("/")[-1])
def translation(request: pytest.FixtureRequest) -> Translation:
    return Translation(request.param)


@settings(max_examples=15)
@given(st.data())
def test_a_step_as_terms_is_the_step_of_the_interpreter(translation: Translation, data: st.DataObject) -> None:
    words = data.draw(states(translation.model))
    number = data.draw(st.integers(0, len(translation.model.steps) - 1))
    compare(translation, words, number)


@settings(max_examples=4)
@given(st.data())
def test_properties_and_lemmas_as_terms_have_the_values_of_the_interpreter(
    translation: Translation, data: st.DataObject
) -> None:
    model = translation.model
    words = data.draw(states(model))
    evaluated = Evaluated(translation, words)
    said = [as_lemma(p) for p in model.profile.all_properties if p.over_states]
    for lemma in (one for one in (*said, *model.profile.lemmas) if not one.is_empty(model.bounds)):
        arguments = data.draw(st.sampled_from(lemma.combinations(model.bounds)))
        truth = translation.says(lemma, arguments, translation.before)
        assert evaluated.is_true(truth) == is_true(model, lemma, arguments, words), lemma.show(arguments, model.bounds)


@pytest.mark.parametrize("profile", [AWKWARD, LEAKING, PEEKING, *VIOLATED, *LEAVING], ids=lambda p: p.name)
def test_flows_that_invite_mistakes_and_steps_that_leave_a_domain(profile: Profile) -> None:
    model = profile.bounded(**({"rungs": 3} if "rungs" in profile.bound_names else {}))
    translation, randomness = Translation(model), random.Random(5)
    for _ in range(20):
        words = random_state(model, randomness)
        for number in range(len(model.steps)):
            compare(translation, words, number)


@pytest.mark.parametrize("profile", [BASE, *FLAWED], ids=lambda p: p.name)
def test_a_set_that_may_also_be_nothing_is_refused_with_its_field(profile: Profile) -> None:
    with pytest.raises(UntranslatableError, match="marked is a set of Box or none"):
        Translation(profile.bounded(boxes=3))


def test_random_programs_mean_the_same_or_are_refused(tmp_path: Path, thorough: bool) -> None:
    numbers = RANDOM_PROGRAMS if thorough else RANDOM_PROGRAMS_BY_DEFAULT
    module = imported(tmp_path, programs(numbers))
    compared = refused = 0
    randomness = random.Random(11)
    for number in numbers:
        model = getattr(module, f"PROFILE_{number}").bounded(nodes=2, levels=2)
        translation = Translation(model, bits=12)
        try:
            for step in range(len(model.steps)):
                for _ in range(3):
                    compare(translation, random_state(model, randomness), step)
                    compared += 1
        except UntranslatableError:
            refused += 1
    assert compared > 16 * len(numbers)
    assert refused < len(numbers) // 4


def test_bounds_too_large_for_the_bits_are_refused() -> None:
    with pytest.raises(
        WidthError, match="bit-vectors of 3 bits hold only -4 to 3; take lower bounds, or at least 4 bits"
    ):
        Translation(KAFKA[0].profile.bounded(leader_epochs=7), bits=3)
