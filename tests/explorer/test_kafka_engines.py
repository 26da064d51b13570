"""The kernel of the full Kafka model is the interpreter, only faster: under every version's settings and any others."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest
from ledgers.known_facts import known_facts
from samples import elements, packed_from, reachable
from sampling import quick_one_in
from step_kernels import compiled_step, interpreted_step

from neverlost.explorer.compile.cache import load_kernel
from neverlost.explorer.compile.emitter.machine import Kernel
from neverlost.explorer.compile.generate import kernel_source, numbered_properties
from neverlost.explorer.search import explore
from neverlost.explorer.symmetry import symmetry_of
from neverlost.model.core import Model, ModelError, Packed, Profile
from neverlost.model.kafka.replication.state import ON_FETCH, Partition
from neverlost.spec.families import known_bugs
from neverlost.spec.kafka.replication.versions import VERSIONS, version_named

EVERY = -1
WALKS_OF_A_VERSION = 3
STEPS_OF_A_WALK = 30
pytestmark = pytest.mark.xdist_group("one kernel for every version of Kafka")
ONE_IN = 10
"""So many of the states along runs are compared without `--thorough`."""

RANDOM_STATES = 400
TINY = {"replicas": 2, "log_size": 1, "values": 1, "leader_epochs": 2}
BUDGETS = (*(fault.name for fault in Partition.faults), "retries")

A_BROKER_COMES_BACK_TO_NO_LEADER = (
    "crash(replica=r2, checkpoint=0)",
    "fence_follower(replica=r2)",
    "crash(replica=r3, checkpoint=0)",
    "fence_follower(replica=r3)",
    "crash(replica=r1, checkpoint=0)",
    "lose_leader(leader=r1)",
    "restart(replica=r2)",
    "elect_unclean(successor=r2)",
)
AN_ISR_IS_REFUSED = (
    "produce(leader=r1, value=0, response=delivered)",
    "shrink_isr(leader=r1, follower=r2)",
    "grant_isr(leader=r1)",
    "learn_isr(leader=r1)",
    "pause(replica=r2)",
    "fence_follower(replica=r2)",
    "expand_isr(leader=r1, follower=r2)",
    "refuse_isr(leader=r1)",
)

Successors = dict[int, Packed]


@cache
def kernel() -> Kernel:
    """The kernel that serves every version, up to renaming of replicas."""
    model = VERSIONS[0].bounded()
    module, _ = load_kernel(kernel_source(model, symmetry_of(model, True, [])))
    return module


def at_large(version: Profile) -> Profile:
    """The version with settings that Kafka does not have: a min ISR above the number of replicas."""
    return replace(version, clash=None)


def with_random_settings(version: Profile, randomness: random.Random) -> Model:
    """The version with every setting chosen at random."""
    chosen = {s.name: randomness.choice(list(s.choices().values())) for s in version.state.settings}
    return at_large(version).bounded(**chosen)


def with_random_faults(version: Profile, randomness: random.Random) -> Model:
    """The version as it is, with fault budgets, acks and a consumer chosen at random."""
    states = {s.name: s for s in version.state.settings}
    names = (*BUDGETS, "acks", "commit", "pipelined")
    return at_large(version).bounded(
        **{name: randomness.choice(list(states[name].choices().values())) for name in names}
    )


def with_readers(version: Profile, randomness: random.Random) -> Model:
    """The version with a consumer that reads from followers, past the high watermark, and what logs expose before they are cut."""
    chosen = {"fetch_from_followers": 1, "exposes_diverging": 1, "reads_past_high_watermark": 1, "leader_moves": 3}
    return at_large(version).bounded(**chosen, commit=randomness.randint(1, 3), truncation=ON_FETCH)


def walks(version: Profile) -> Iterator[tuple[Model, Packed, Successors]]:
    """States along random runs, each with its successors by the number of the step; the rarest action is always taken."""
    randomness, taken = random.Random(f"walks of {version.name}"), Counter[str]()
    for number in range(WALKS_OF_A_VERSION):
        choose = (with_random_settings, with_random_faults, with_readers)[number % 3]
        model = choose(version, randomness)
        words = model.initial_states()[0]
        for _ in range(STEPS_OF_A_WALK):
            after = dict(model.successors(words))
            yield model, words, after
            if not after:
                break
            rarest = min({model.steps[n].action.name for n in after}, key=lambda name: (taken[name], name))
            taken[rarest] += 1
            words = after[randomness.choice([n for n in after if model.steps[n].action.name == rarest])]


def along(model: Model, steps: Sequence[str]) -> Iterator[tuple[Model, Packed, Successors]]:
    """The states of a written run, each with its successors by the number of the step."""
    words = model.initial_states()[0]
    for text in steps:
        yield model, words, dict(model.successors(words))
        words = model.apply(words, model.parse_step(text))
    yield model, words, dict(model.successors(words))


def written_runs() -> Iterator[tuple[Model, Packed, Successors]]:
    """States along a run in which an ISR is refused, and along the recorded traces within the default bounds."""
    model = version_named("kafka-3.1").bounded(pauses=1, isr_without_fenced=1)
    yield from along(model, AN_ISR_IS_REFUSED)
    yield from along(version_named("kafka-4.0").bounded(crashes=3, unclean=1), A_BROKER_COMES_BACK_TO_NO_LEADER)
    searches = [search for fact in known_facts() for search in fact.searches]
    searches += [bug.lost for bug in known_bugs() if bug.lost is not None]
    for search in searches:
        if search.model().bounds == model.bounds:
            yield from along(search.model(), search.steps or ())


def compiled_states_decided(model: Model, words: Packed) -> dict[str, bool] | str:
    """For each property over states, whether this state decides it; "flaw" if one looks outside a domain."""
    properties, _ = numbered_properties(model)
    counts, least = np.zeros(len(properties), np.int64), np.zeros((len(properties), len(words)), np.int64)
    flaw, settings = np.zeros(1, np.int64), model.layout.pack_settings()
    kernel().evaluate(np.array([words], np.int64), 0, 1, counts, least, flaw, *settings, EVERY)
    return "flaw" if flaw[0] else {p.name: bool(n) for p, n in zip(properties, counts, strict=True)}


def interpreted_states_decided(model: Model, words: Packed) -> dict[str, bool] | str:
    properties, state = numbered_properties(model)[0], model.state(words)
    try:
        return {p.name: bool(p.function(state)) == p.seeks for p in properties}
    except ModelError:
        return "flaw"


def compiled_steps_violated(model: Model, words: Packed) -> dict[str, bool]:
    """For each property over steps, whether a step from this state violates it."""
    properties = numbered_properties(model)[1]
    module, rows = kernel(), np.array([words], np.int64)
    out = np.zeros((module.STEPS, len(words)), np.int64)
    generated, flaw = np.zeros(len(model.profile.actions), np.int64), np.zeros(1, np.int64)
    counts, least = np.zeros(len(properties), np.int64), np.zeros((len(properties), len(words)), np.int64)
    sources = np.zeros(len(out), np.uint32)
    module.expand(rows, 0, 1, out, sources, generated, counts, least, flaw, *model.layout.pack_settings(), EVERY)
    return {p.name: bool(n) for p, n in zip(properties, counts, strict=True)}


def interpreted_steps_violated(model: Model, words: Packed, after: Successors) -> dict[str, bool]:
    properties = numbered_properties(model)[1]
    return {p.name: any(not model.holds(p, words, other) for other in set(after.values())) for p in properties}


@pytest.mark.parametrize("version", quick_one_in(8, VERSIONS, lambda version: version.name))
def test_both_engines_agree_along_random_runs(version: Profile, thorough: bool) -> None:
    for state in islice(walks(version), None, None, 1 if thorough else ONE_IN):
        expect_agreement(*state)


@pytest.mark.thorough
def test_both_engines_agree_along_the_recorded_traces(thorough: bool) -> None:
    for state in islice(written_runs(), None, None, 1 if thorough else ONE_IN):
        expect_agreement(*state)


def expect_agreement(model: Model, words: Packed, after: Successors) -> None:
    """The kernel has the successors of a state as the interpreter has them, and decides the same properties."""
    found = {n: compiled_step(model, words, n) for n in range(len(model.steps))}
    assert {n: to for n, to in found.items() if to is not None} == after, model.plain_settings
    assert compiled_states_decided(model, words) == interpreted_states_decided(model, words)
    assert compiled_steps_violated(model, words) == interpreted_steps_violated(model, words, after)


ONLY_AFTER_A_LOST_DECISION = {"end_after_loss"}
"""Within the default bounds the controllers lose none."""


def test_the_runs_that_are_compared_meet_every_action() -> None:
    runs = (*(walks(version) for version in VERSIONS), written_runs())
    met = {model.steps[n].action.name for run in runs for model, _, after in run for n in after}
    within = VERSIONS[0].bounded()
    assert met == {a.name for a in VERSIONS[0].actions if within.has_steps_of(a)} - ONLY_AFTER_A_LOST_DECISION


def test_both_engines_agree_on_random_states_under_random_settings() -> None:
    randomness, happened = random.Random(11), 0
    for _ in range(RANDOM_STATES):
        model = with_random_settings(VERSIONS[0], randomness)
        words = packed_from(model, [randomness.randrange(low, low + size) for low, size in elements(model)])
        for number in randomness.sample(range(len(model.steps)), 5):
            expected = interpreted_step(model, words, number)
            happened += expected is not None
            assert compiled_step(model, words, number) == expected, model.steps[number].show(model.bounds)
        assert compiled_states_decided(model, words) == interpreted_states_decided(model, words)
    assert happened > RANDOM_STATES / 10


def test_the_kernel_chooses_the_same_representatives() -> None:
    model, randomness = VERSIONS[-1].bounded(), random.Random(12)
    symmetry = symmetry_of(model, True, [])
    for _ in range(200):
        words = packed_from(model, [randomness.randrange(low, low + size) for low, size in elements(model)])
        rows = np.array([words], np.int64)
        kernel().canonical(rows, 0, 1)
        assert tuple(map(int, rows[0])) == symmetry.representative(words)


@pytest.mark.parametrize("name", ["kafka-0.8", "kafka-2.7", "kafka-4.1"])
def test_exploring_up_to_renaming_meets_every_class_of_the_reachable_states_once(name: str) -> None:
    model = version_named(name).bounded(**TINY, crashes=1)
    symmetry, everything = symmetry_of(model, True, []), reachable(model, limit=1_000_000)
    whole = explore(model, engine="interpreted", until="all")
    reduced = explore(model, engine="interpreted", until="all", symmetry=True)
    assert whole.distinct == len(everything)
    assert reduced.distinct == len({symmetry.representative(words) for words in everything})
    assert reduced.distinct <= whole.distinct <= 2 * reduced.distinct
    assert {f.property.name: f.verdict for f in reduced.findings.values()} == {
        f.property.name: f.verdict for f in whole.findings.values()
    }
