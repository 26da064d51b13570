"""Random model functions, good and bad, mean the same to a kernel as to the interpreter: steps, properties, flaws."""

from __future__ import annotations

import random

import numpy as np
import pytest
from random_models import programs
from samples import elements, packed_from
from sampling import quick_one_in
from step_kernels import compiled_step, interpreted_step
from written_models import imported

from neverlost.explorer.compile.cache import loaded_kernel
from neverlost.explorer.compile.generate import kernel_source
from neverlost.explorer.symmetry import Symmetry
from neverlost.model.core import Model, ModelError, Packed, Profile

RANDOM_PROGRAMS = range(200, 260)
STATES = 25
EVERY = -1


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Profile]:
    module = imported(tmp_path_factory.mktemp("random"), programs(RANDOM_PROGRAMS))
    return {number: getattr(module, f"PROFILE_{number}") for number in RANDOM_PROGRAMS}


def decided(model: Model, words: Packed) -> bool | str:
    """Whether the kernel finds the property of a random model false in a state; "flaw" if it leaves a domain."""
    kernel, _ = loaded_kernel(kernel_source(model, Symmetry(model)))
    counts, least, flaw = np.zeros(1, np.int64), np.zeros((1, len(words)), np.int64), np.zeros(1, np.int64)
    settings = model.layout.pack_settings()
    kernel.evaluate(np.array([words], np.int64), 0, 1, counts, least, flaw, *settings, EVERY)
    return "flaw" if flaw[0] else bool(counts[0])


def said(model: Model, words: Packed) -> bool | str:
    """The same by the interpreter."""
    try:
        return not model.profile.properties[0].function(model.state(words))
    except ModelError:
        return "flaw"


def successors(model: Model, words: Packed) -> list[Packed]:
    """The successors that the kernel makes of a state, in ascending order."""
    kernel, _ = loaded_kernel(kernel_source(model, Symmetry(model)))
    out, generated, flaw = (
        np.zeros((kernel.STEPS, len(words)), np.int64),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
    )
    spare, settings = (np.zeros(1, np.int64), np.zeros((1, len(words)), np.int64)), model.layout.pack_settings()
    sources = np.zeros(kernel.STEPS, np.uint32)
    _, count = kernel.expand(np.array([words], np.int64), 0, 1, out, sources, generated, *spare, flaw, *settings, EVERY)
    assert generated[0] == count
    return sorted(tuple(map(int, row)) for row in out[:count])


@pytest.mark.parametrize("number", quick_one_in(2, RANDOM_PROGRAMS))
def test_a_random_model_means_the_same_to_a_kernel(number: int, profiles: dict[int, Profile]) -> None:
    model, randomness = profiles[number].bounded(), random.Random(number)
    for _ in range(STATES):
        words = packed_from(model, [randomness.randrange(low, low + size) for low, size in elements(model)])
        for step in randomness.sample(range(len(model.steps)), min(5, len(model.steps))):
            assert compiled_step(model, words, step) == interpreted_step(model, words, step)
        assert decided(model, words) == said(model, words)
        try:
            expected = sorted(after for _, after in model.successors(words))
        except ModelError:
            continue
        assert successors(model, words) == expected


def test_the_random_models_are_of_every_sort(profiles: dict[int, Profile]) -> None:
    found = set[object]()
    for number, profile in profiles.items():
        model, randomness = profile.bounded(), random.Random(number)
        words = packed_from(model, [randomness.randrange(low, low + size) for low, size in elements(model)])
        found |= {type(interpreted_step(model, words, step)) for step in range(len(model.steps))}
        found.add(said(model, words))
    assert found >= {tuple, str, type(None), True, False, "flaw"}
