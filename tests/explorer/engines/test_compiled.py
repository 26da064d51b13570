"""The compiled engine is the interpreter, only faster: same successors, same properties, same errors, for any number of workers."""

from __future__ import annotations

import gc
import math
import random
import weakref
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import unsound_models
from engine_traps import ALIKE, BASE, FLAWED
from hypothesis import given
from hypothesis import strategies as st
from same_results import differing
from samples import SMALL_MODELS, elements, packed_from, reachable
from sampling import quick_one_in
from step_kernels import compiled_step, interpreted_step
from unsound_models import AWKWARD, BROKEN, LEAKING, PEEKING, WIDE

from neverlost.explorer.compile.cache import BASELINE, load_kernel
from neverlost.explorer.compile.canonical import keys_of, swap_walk, tied_walk
from neverlost.explorer.compile.emitter.machine import Kernel
from neverlost.explorer.compile.generate import kernel_source
from neverlost.explorer.compile.slot_format import last_bits
from neverlost.explorer.engines.compiled import CompiledEngine
from neverlost.explorer.engines.hashing import MASK, state_hash
from neverlost.explorer.engines.visited_set import Hands, VisitedSet
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.result import Result
from neverlost.explorer.search import UNTIL, Limits, Progress, explore
from neverlost.explorer.symmetry import Symmetry, symmetric_domains, symmetry_of
from neverlost.model.core import Model, ModelError, Packed, Profile, Property
from neverlost.spec import profiles
from neverlost.spec.published.profiles import KIP_320, REPLICATED_LOG, TRUNCATE_TO_HIGH_WATERMARK

RANDOM_STATES, RANDOM_STATES_BY_DEFAULT = 10_000, 500


EVERY = -1
"""Every property: all bits of the word that tells which are wanted."""


def name_of(model: Model) -> str:
    return f"{model.profile.name.split('/')[-1]}-{model.bounds['replicas']}"


@dataclass(frozen=True, kw_only=True)
class OnOneState:
    """A kernel, called on one state at a time."""

    model: Model
    module: Kernel
    properties: tuple[Property, ...]

    @property
    def settings(self) -> Packed:
        return self.model.layout.pack_settings()

    def successors(self, words: Packed) -> list[Packed]:
        """The successors of a state, in ascending order, each as often as a step leads to it."""
        out = np.zeros((self.module.STEPS, len(words)), np.int64)
        generated = np.zeros(len(self.model.profile.actions), np.int64)
        spare = (np.zeros(1, np.int64), np.zeros((1, len(words)), np.int64), np.zeros(1, np.int64))
        rows, sources = np.array([words], np.int64), np.zeros(len(out), np.uint32)
        _, count = self.module.expand(rows, 0, 1, out, sources, generated, *spare, *self.settings, EVERY)
        assert generated.sum() == count
        return sorted(tuple(map(int, row)) for row in out[:count])

    def decided(self, words: Packed) -> list[bool]:
        """For each property, whether this state decides it."""
        counts = np.zeros(len(self.properties), np.int64)
        least = np.zeros((len(self.properties), len(words)), np.int64)
        self.module.evaluate(
            np.array([words], np.int64), 0, 1, counts, least, np.zeros(1, np.int64), *self.settings, EVERY
        )
        return [bool(n) for n in counts]


@pytest.fixture(scope="module", params=SMALL_MODELS, ids=lambda model: model.profile.name.split("/")[1])
def kernel(request: pytest.FixtureRequest, most: float) -> OnOneState:
    model: Model = request.param
    properties = model.profile.all_properties
    return OnOneState(model=model, module=load(model, Symmetry(model), most), properties=properties)


OPTIMISED_SOON = 30_000
"""Longer texts are optimised with `--thorough`, and for one test: that takes longer than the tests."""


@pytest.fixture(scope="module")
def most(thorough: bool) -> float:
    """How long a text that is optimised may be."""
    return math.inf if thorough else OPTIMISED_SOON


def load(model: Model, symmetry: Symmetry, most: float = math.inf) -> Kernel:
    """The kernel of a model, optimised up to so many characters."""
    text = kernel_source(model, symmetry)
    module, _ = load_kernel(text if len(text) <= most else BASELINE + text)
    return module


def random_state(model: Model, randomness: random.Random) -> Packed:
    return packed_from(model, [randomness.randrange(low, low + size) for low, size in elements(model)])


TINY_MODELS = [
    m.profile.bounded(replicas=2, log_size=2, records=2, leader_epochs=2) if "leader_epochs" in m.bounds else m
    for m in SMALL_MODELS
]


ALIKE_PROTOCOLS = (
    "published/truncate-to-high-watermark",
    "published/kip-101",
    "published/kip-279",
    "published/kip-320-first-try",
)
"""These share nearly all actions with KIP-320."""


@pytest.mark.parametrize(
    "model",
    [pytest.param(m, marks=[pytest.mark.thorough] if m.profile.name in ALIKE_PROTOCOLS else []) for m in TINY_MODELS],
    ids=lambda model: model.profile.name.split("/")[1],
)
def test_both_engines_agree_on_every_step_from_every_reachable_state(model: Model) -> None:
    properties = model.profile.all_properties
    kernel = OnOneState(model=model, module=load(model, Symmetry(model)), properties=properties)
    everything = reachable(model, limit=1_000_000)
    assert len(everything) == explore(model, engine="interpreted", until="all").distinct
    for words in everything:
        for number in range(len(model.steps)):
            assert compiled_step(model, words, number) == interpreted_step(model, words, number)
        assert kernel.successors(words) == sorted(after for _, after in model.successors(words))
        state = model.state(words)
        assert kernel.decided(words) == [p.function(state) == p.seeks for p in properties]


def test_both_engines_agree_on_random_states_within_the_domains(
    kernel: OnOneState, pytestconfig: pytest.Config
) -> None:
    model, randomness = kernel.model, random.Random(model_seed(kernel.model))
    for _ in range(RANDOM_STATES if pytestconfig.getoption("--thorough") else RANDOM_STATES_BY_DEFAULT):
        words = random_state(model, randomness)
        number = randomness.randrange(len(model.steps))
        assert compiled_step(model, words, number) == interpreted_step(model, words, number), model.steps[number].show(
            model.bounds
        )
        try:
            expected = sorted(after for _, after in model.successors(words))
        except ModelError:
            continue
        assert kernel.successors(words) == expected
        state = model.state(words)
        assert kernel.decided(words) == [p.function(state) == p.seeks for p in kernel.properties]


def model_seed(model: Model) -> int:
    return sum(map(ord, model.profile.name))


@given(st.data())
def test_the_hash_of_the_kernel_is_that_of_the_package(data: st.DataObject) -> None:
    model = SMALL_MODELS[0]
    words = data.draw(st.sampled_from(reachable(model)))
    visited, fresh = VisitedSet(model.layout.words, last_bits(model), workers=1), np.zeros((300, len(words)), np.int64)
    _, count, digest, _ = visited.insert(np.array([words, words], np.int64), 0, 2, fresh, 0, 300, Hands())
    assert (count, digest & MASK) == (1, state_hash(words))


@pytest.mark.parametrize("size", range(1, 7))
def test_a_walk_of_swaps_meets_every_order_once(size: int) -> None:
    order = list(range(size))
    seen = {tuple(order)}
    for swap in swap_walk(size):
        order[swap], order[swap + 1] = order[swap + 1], order[swap]
        seen.add(tuple(order))
    factorial = 1
    for n in range(2, size + 1):
        factorial *= n
    assert len(seen) == factorial == len(swap_walk(size)) + 1


SYMMETRIC = [
    *(m for m in SMALL_MODELS if symmetric_domains(m)),
    KIP_320.bounded(replicas=4, log_size=1, records=1, leader_epochs=2),
    KIP_320.bounded(replicas=5, log_size=2, records=2, leader_epochs=2),
    REPLICATED_LOG.bounded(replicas=4, log_size=2, records=3),
]


@pytest.mark.parametrize("model", quick_one_in(2, SYMMETRIC, name_of))
def test_the_kernel_chooses_the_same_representatives(model: Model, most: float) -> None:
    symmetry, randomness = symmetry_of(model, True, []), random.Random(5)
    module = load(model, symmetry, most)
    for _ in range(200 if model.bounds["replicas"] < 5 else 20):
        words = random_state(model, randomness)
        rows = np.array([words], np.int64)
        module.canonical(rows, 0, 1)
        assert tuple(map(int, rows[0])) == symmetry.representative(words)


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_a_tied_walk_meets_every_order_of_the_groups_once(size: int) -> None:
    for ties in range(1 << size - 1):
        groups = [0]
        for k in range(size - 1):
            groups.append(groups[-1] + 1 - (ties >> k & 1))
        order = list(range(size))
        seen = {tuple(order)}
        walk = tied_walk(size, ties)
        for swap in walk:
            order[swap], order[swap + 1] = order[swap + 1], order[swap]
            seen.add(tuple(order))
        expected = {p for p in permutations(range(size)) if [groups[member] for member in p] == groups}
        assert (seen, len(walk) + 1) == (expected, len(expected))


WALKED = [
    *SYMMETRIC,
    profiles()["kafka-4.1"].model(replicas=5, log_size=2, values=2, crashes=1, leader_moves=1),
    profiles()["kafka-0.8"].model(replicas=4, log_size=1, values=1, crashes=1),
    REPLICATED_LOG.bounded(replicas=5, log_size=2, records=2),
    KIP_320.bounded(replicas=6, log_size=1, records=1, leader_epochs=2),
]


@pytest.mark.parametrize("model", quick_one_in(2, WALKED, name_of))
def test_all_renamings_of_a_state_that_is_reached_have_the_least_as_representative(model: Model, most: float) -> None:
    """Such states have members that are much alike, unlike random ones."""
    symmetry, randomness = symmetry_of(model, [next(iter(symmetric_domains(model)))], []), random.Random(6)
    assert keys_of(model, symmetry) is not None
    module = load(model, symmetry, most)
    words = next(iter(model.initial_states()))
    for _ in range(60):
        renamed = model.layout.moved(words, model.layout.moves(randomness.choice(symmetry.renamings)))
        rows = np.array([renamed], np.int64)
        module.canonical(rows, 0, 1)
        assert tuple(map(int, rows[0])) == symmetry.representative(words)
        following = [after for _, after in model.successors(words)]
        words = randomness.choice(following or list(model.initial_states()))


ONE_PROCESS_EACH = [
    pytest.param(symmetry, marks=pytest.mark.xdist_group(f"symmetry {symmetry}")) for symmetry in (False, True)
]


SMALL = TRUNCATE_TO_HIGH_WATERMARK.bounded(replicas=2, log_size=2, records=2, leader_epochs=2)


@cache
def by_the_interpreter(until: str, symmetry: bool) -> Result:
    return explore(SMALL, engine="interpreted", until=until, symmetry=symmetry)


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("symmetry", ONE_PROCESS_EACH)
def test_results_are_equal_for_every_engine_and_number_of_workers(workers: int, symmetry: bool) -> None:
    for until in UNTIL:
        expected = by_the_interpreter(until, symmetry)
        found = explore(SMALL, workers=workers, until=until, symmetry=symmetry)
        for field in ("complete", "stopped_by", "levels", "generated_by_action", "digest", "initial_states"):
            assert getattr(found, field) == getattr(expected, field), field
        for name, finding in expected.findings.items():
            other = found.findings[name]
            assert (other.verdict, other.violating_states) == (finding.verdict, finding.violating_states)
            assert (other.trace and other.trace.states) == (finding.trace and finding.trace.states)
            assert (other.trace and other.trace.steps) == (finding.trace and finding.trace.steps)


@pytest.mark.parametrize("symmetry", quick_one_in(2, [True, False]))
def test_results_are_equal_for_states_of_a_thousand_bits(symmetry: bool) -> None:
    model = KIP_320.bounded(replicas=4, log_size=48, records=2, leader_epochs=3)
    assert model.layout.words == 15
    cut = Limits(depth=6)
    expected = explore(model, engine="interpreted", until="all", symmetry=symmetry, limits=cut)
    for workers in (1, 2):
        assert differing(explore(model, until="all", symmetry=symmetry, workers=workers, limits=cut), expected) == []
    assert expected.distinct > 200


def test_names_and_flows_that_invite_mistakes_mean_the_same_to_both_engines() -> None:
    model = AWKWARD.bounded(rungs=4)
    kernel = OnOneState(model=model, module=load(model, Symmetry(model)), properties=())
    randomness = random.Random(3)
    for _ in range(2_000):
        words = random_state(model, randomness)
        for number in range(len(model.steps)):
            assert compiled_step(model, words, number) == interpreted_step(model, words, number)
        assert kernel.successors(words) == sorted(after for _, after in model.successors(words))


def answers(profile: Profile, engine: str, symmetry: bool) -> object:
    """What an engine answers, or the error that it raises."""
    try:
        result = explore(profile.bounded(boxes=3), engine=engine, until="all", symmetry=symmetry)
    except ModelError as error:
        return str(error)
    findings = {
        name: (f.verdict, f.violating_states, f.trace and f.trace.states) for name, f in result.findings.items()
    }
    return result.levels, result.digest, result.generated_by_action, findings


@pytest.mark.parametrize(
    ("profile", "symmetry"),
    [pytest.param(BASE, False, marks=pytest.mark.thorough), (ALIKE, True)],
    ids=["plain", "symmetric"],
)
def test_what_could_lead_a_kernel_astray_does_not(profile: Profile, symmetry: bool) -> None:
    expected = answers(profile, "interpreted", symmetry)
    assert not isinstance(expected, str)
    assert answers(profile, "compiled", symmetry) == expected


@pytest.mark.parametrize("profile", FLAWED, ids=lambda p: p.name)
def test_a_flaw_of_the_model_is_the_same_error_on_both_engines(profile: Profile) -> None:
    expected = answers(profile, "interpreted", symmetry=False)
    assert isinstance(expected, str)
    assert "from the start: " in expected
    assert answers(profile, "compiled", symmetry=False) == expected


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_an_action_that_writes_outside_a_domain_is_named(engine: str) -> None:
    with pytest.raises(ModelError, match=r"2 steps from the start: climb\(\): height was set to 3, outside .* 0\.\.2"):
        explore(LEAKING.bounded(rungs=2), engine=engine)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_an_error_of_the_model_says_which_lines_write_the_field_and_the_way_to_the_state(engine: str) -> None:
    with pytest.raises(ModelError) as error:
        explore(LEAKING.bounded(rungs=2), engine=engine)
    line = next(n for n, text in enumerate(Path(unsound_models.__file__).read_text().splitlines(), 1) if "+= 1" in text)
    first, *way = str(error.value).splitlines()
    assert first.endswith(f"unsound_models.py:{line})")
    assert way == ["The way there:", "  1. climb()", "  2. climb()"]


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_an_index_outside_its_domain_is_named(engine: str) -> None:
    with pytest.raises(ModelError, match=r"1 step from the start: peek\(\): taken\[2\] was used, but Rung is 0\.\.1"):
        explore(PEEKING.bounded(rungs=2), engine=engine)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_property_that_looks_outside_a_domain_is_named(engine: str) -> None:
    with pytest.raises(ModelError, match=r"2 steps .*: next_untouched: taken\[2\] was .* \(.*unsound_models.py:\d+\)"):
        explore(BROKEN.bounded(rungs=2), engine=engine)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_step_property_is_refuted_by_its_shortest_trace(engine: str) -> None:
    result = explore(WIDE.bounded(rungs=5), engine=engine, until="all", workers=2 if engine == "compiled" else 1)
    finding = result.findings["never_falls_far"]
    assert finding.verdict == "violated"
    assert finding.trace is not None
    assert [step.action.name for step in finding.trace.steps] == ["climb_to_the_top", "climb_to_the_top", "fall"]
    heights, far = 6, 4  # a fall from height 2 or more is far; the rungs that were touched multiply both
    assert finding.violating_states == result.distinct * far // heights


def test_a_field_wider_than_a_word_lies_in_several() -> None:
    model = REPLICATED_LOG.bounded(replicas=5, log_size=5, records=7)
    assert len(model.layout.places["value"].segments) == 2
    randomness = random.Random(11)
    for _ in range(1_000):
        words = random_state(model, randomness)
        number = randomness.randrange(len(model.steps))
        assert compiled_step(model, words, number) == interpreted_step(model, words, number)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(states=500), "states"),
        (Limits(depth=9), "depth"),
        (Limits(memory_bytes=1), "memory"),
        (Limits(seconds=0.0), "time"),
    ],
)
def test_a_search_that_reaches_a_limit_is_undecided_and_says_which(engine: str, limits: Limits, reason: str) -> None:
    model = KIP_320.bounded(replicas=2, log_size=2, records=2, leader_epochs=2)
    whole = explore(model, engine="interpreted")
    cut = explore(model, engine=engine, limits=limits)
    assert (cut.complete, cut.stopped_by, cut.verdict, cut.exit_code) == (False, reason, "undecided", 3)
    assert cut.levels == whole.levels[: cut.depth]
    if reason == "states":
        assert sum(whole.levels[: cut.depth]) <= 500 < sum(whole.levels[: cut.depth + 1])
    if reason == "depth":
        assert cut.depth == 9


def interrupting_at(depth: int) -> Watch[Progress]:
    """Interrupts a search at a level."""
    seen: list[int] = []
    return Watch(
        progress=lambda progress: seen.append(progress.depth), interrupted=lambda: bool(seen) and seen[-1] >= depth
    )


def test_an_interrupted_search_keeps_what_it_found() -> None:
    model = TRUNCATE_TO_HIGH_WATERMARK.bounded(replicas=3, log_size=2, records=2, leader_epochs=2)
    result = explore(model, until="all", watch=interrupting_at(12))
    assert (result.stopped_by, result.complete, result.depth) == ("interrupt", False, 12)
    assert result.findings["strong_isr"].verdict == "violated"
    assert result.findings["type_ok"].verdict == "undecided"
    assert result.exit_code == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_a_search_that_is_cut_short_gives_its_memory_back_at_once(
    workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines: list[weakref.ref[CompiledEngine]] = []
    make = CompiledEngine.__init__

    def made(engine: CompiledEngine, *arguments: Any, **options: Any) -> None:
        make(engine, *arguments, **options)
        engines.append(weakref.ref(engine))

    monkeypatch.setattr(CompiledEngine, "__init__", made)
    model = KIP_320.bounded(replicas=3, log_size=2, records=2, leader_epochs=3)
    gc.disable()
    try:
        result = explore(model, workers=workers, watch=interrupting_at(12))
        assert (result.stopped_by, engines[0]()) == ("interrupt", None)
    finally:
        gc.enable()
