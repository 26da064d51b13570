"""Actions that are tried on states together lead where they lead from each state by itself."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from random_models import programs
from samples import elements, packed_from
from sampling import quick_one_in
from written_models import imported

from neverlost.explorer.compile import generate
from neverlost.explorer.compile.cache import BASELINE, loaded_kernel
from neverlost.explorer.compile.emitter.machine import Kernel
from neverlost.explorer.compile.generate import SearchKernel
from neverlost.explorer.engines.successors import out_arrays
from neverlost.explorer.symmetry import Symmetry, symmetry_of
from neverlost.model.core import Model, ModelError, Packed, Profile
from neverlost.spec.kafka.replication.versions import version_named
from neverlost.spec.published.profiles import KIP_320

RANDOM_PROGRAMS = range(300, 312)
ONE_IN = 3
EVERY = -1
STATES = 700
DRAWS = 4_000
"""So many states are drawn at most: of some models nearly every state has a step that leaves a domain."""

Steps = Counter[tuple[int, Packed]]


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Profile]:
    module = imported(tmp_path_factory.mktemp("together"), programs(RANDOM_PROGRAMS))
    return {number: getattr(module, f"PROFILE_{number}") for number in RANDOM_PROGRAMS}


def kernel(
    monkeypatch: pytest.MonkeyPatch, model: Model, largest: float, symmetry: Symmetry | None = None, begins: str = ""
) -> Kernel:
    """The kernel of a model whose actions are tried on states together up to a size. `begins` may say that it is not optimised."""
    monkeypatch.setattr(generate, "LARGEST", largest)
    return loaded_kernel(begins + SearchKernel(model, symmetry or Symmetry(model)).text())[0]


def steps(module: Kernel, model: Model, states: Sequence[Packed]) -> tuple[Steps, list[int], bool]:
    """Each step by the number of the state and its successor, how many steps each action has, and whether there is a flaw."""
    rows = np.array(states, np.int64)
    out, sources = out_arrays(module)
    generated, flaw = np.zeros(len(model.profile.actions), np.int64), np.zeros(1, np.int64)
    counts, least = np.zeros(64, np.int64), np.zeros((64, len(states[0])), np.int64)
    begin, found = 0, Steps()
    while begin < len(rows):
        begin, count = module.expand(
            rows, begin, len(rows), out, sources, generated, counts, least, flaw, *model.layout.pack_settings(), EVERY
        )
        found.update((int(s), tuple(map(int, row))) for s, row in zip(sources[:count], out[:count], strict=True))
    return found, generated.tolist(), bool(flaw[0])


def reached(model: Model) -> list[Packed]:
    """The first states that are reached."""
    found = dict.fromkeys(model.initial_states())
    for words in (frontier := list(found)):
        for _, after in model.successors(words):
            if after not in found:
                found[after] = None
                frontier.append(after)
        if len(found) >= STATES:
            break
    return list(found)


@pytest.mark.parametrize("number", quick_one_in(ONE_IN, RANDOM_PROGRAMS))
def test_the_actions_of_random_models_lead_to_the_same_states(
    number: int, profiles: dict[int, Profile], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, randomness = profiles[number].bounded(), random.Random(number)
    states, expected = [], Steps()
    for _ in range(DRAWS):
        if len(states) == STATES:
            break
        words = packed_from(model, [randomness.randrange(low, low + size) for low, size in elements(model)])
        try:
            after = [found for _, found in model.successors(words)]
        except ModelError:
            continue
        expected.update((len(states), found) for found in after)
        states.append(words)
    if not states:
        pytest.skip("a step of this model leaves a domain in every state that was tried")
    for largest in (-1, float("inf")):
        found, generated, flaw = steps(kernel(monkeypatch, model, largest), model, states)
        assert (found, sum(generated), flaw) == (expected, expected.total(), False)


FAR = """
from neverlost.model.core import *

BIG = 2**56 - 1

class Level(Index, bound="levels"):
    pass

class Two(State):
    x = up_to(Level)
    y = up_to(Level)

def initial(s: Two) -> None:
    '''All is 0.'''

@action("test")
def low(s: Two) -> None:
    require(s.y == 0)
    require(s.x + s.y + BIG > 0)
    s.y = 1

PROFILE = Profile(name="test/far", statement="Anything.", state=Two, initial=initial, actions=(low,), properties=(),
    default_bounds={"levels": 3})
"""


@pytest.mark.parametrize("largest", [-1, float("inf")])
def test_a_sum_in_a_guard_that_grows_too_large_is_noted_and_nothing_else_is_written(
    largest: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile: Profile = imported(tmp_path, FAR).PROFILE
    model = profile.bounded()
    module = kernel(monkeypatch, model, largest)
    for x, flawed in ((0, False), (1, False), (2, True)):
        states = [packed_from(model, [0, 0]), packed_from(model, [x, 0]), packed_from(model, [3, 1])]
        out, sources = out_arrays(module)
        generated, memory = np.zeros(1, np.int64), np.full(16, -1)
        memory[4] = 0
        spare = (np.zeros(1, np.int64), np.zeros((1, len(states[0])), np.int64))
        module.expand(np.array(states), 0, 3, out, sources, generated, *spare, memory[4:5], 0, 0, EVERY)
        assert bool(memory[4]) == flawed
        assert (np.delete(memory, 4) == -1).all()
        assert flawed or generated[0] == 2


def test_a_kernel_without_room_for_one_state_returns_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = KIP_320.bounded()
    module = kernel(monkeypatch, model, float("inf"))
    out, sources = (array[: module.STEPS - 1] for array in out_arrays(module))
    spare = [np.zeros(64, np.int64), np.zeros((64, module.WORDS), np.int64), np.zeros(1, np.int64)]
    rows, generated = np.array(model.initial_states()), np.zeros(len(model.profile.actions), np.int64)
    assert module.expand(rows, 0, 1, out, sources, generated, *spare, 0, 0, EVERY) == (0, 0)


def test_a_flaw_of_one_state_is_noted_among_many(profiles: dict[int, Profile], monkeypatch: pytest.MonkeyPatch) -> None:
    noted = 0
    for number, profile in profiles.items():
        model, randomness = profile.bounded(), random.Random(number)
        good, bad = [], []
        for _ in range(300):
            words = packed_from(model, [randomness.randrange(low, low + size) for low, size in elements(model)])
            try:
                list(model.successors(words))
                good.append(words)
            except ModelError:
                bad.append(words)
        module = kernel(monkeypatch, model, float("inf"))
        for words in bad[:20] if good else []:
            place = randomness.randrange(len(good))
            assert steps(module, model, [*good[:place], words, *good[place:]])[2]
            noted += 1
    assert noted > 10


@pytest.mark.parametrize("symmetric", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_the_actions_of_kafka_and_of_kip_320_lead_to_the_same_states(
    symmetric: bool, monkeypatch: pytest.MonkeyPatch, thorough: bool
) -> None:
    for model, begins in (
        (KIP_320.bounded(replicas=3), ""),
        (version_named("kafka-2.7").bounded(values=1, log_size=1, leader_moves=1), "" if thorough else BASELINE),
    ):
        symmetry = symmetry_of(model, symmetric, ())
        states = reached(model)
        expected = Steps()
        for row, words in enumerate(states):
            expected.update((row, symmetry.representative(after)) for _, after in model.successors(words))
        for largest in (-1, float("inf")):
            assert steps(kernel(monkeypatch, model, largest, symmetry, begins), model, states)[0] == expected
