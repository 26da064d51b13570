"""Kafka's harmless states: searches that leave them out answer as those that expand every state, and Z3 proves the same of them.

By default each version is searched under a few settings, up to 60,000 states, and one mutant in eight. `--thorough` searches up to
three million states, under more settings, with every mutant, and proves larger bounds.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from mutants.kafka_mutants import kafka_mutants
from sampling import quick_one_in

from neverlost.explorer import Result, search
from neverlost.explorer.search import Limits, explore, reached_states
from neverlost.explorer.symbolic.clauses import Translation, as_lemma
from neverlost.explorer.symbolic.solving import QueryResult, SolverSession
from neverlost.explorer.symbolic.terms import negation
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Model, ModelError, Profile, Property
from neverlost.model.core.closed import doubt
from neverlost.spec.kafka.replication.versions import KAFKA_2_1, KAFKA_4_1, PROTOCOL, VERSIONS

CALLING = [prop for prop in PROTOCOL.all_properties if prop.harmless is not None]
SMALL = {"values": 1, "log_size": 1, "leader_epochs": 3}
LOSS = "acked_never_lost"
DURABLE = {"acks": 2, "min_isr": 2}
ASKED = [
    (LOSS, DURABLE),
    (LOSS, {**DURABLE, "crashes": 1}),
    (LOSS, {**DURABLE, "unclean": 1, "crashes": 1}),
    (LOSS, {"acks": 1, "leader_moves": 1}),
    ("consumed_never_skipped", {"acks": 1, "commit": 2, "leader_moves": 1}),
]
ASKED_THOROUGHLY = [
    *ASKED,
    (LOSS, {"acks": 0, "crashes": 1}),
    (LOSS, {**DURABLE, "power_losses": 1}),
    (LOSS, {**DURABLE, "pauses": 1, "crashes": 1}),
    (LOSS, {**DURABLE, "retries": 1, "leader_moves": 1}),
    (LOSS, {**DURABLE, "shutdowns": 1}),
    (LOSS, {"acks": 1, "lost_responses": 1, "retries": 1, "crashes": 1}),
    *((name, {**DURABLE, "commit": commit, "consumer_crashes": 1, "crashes": 1})
      for name in ("consumed_never_skipped", "consumer_at_least_once") for commit in (1, 2, 3)),
]  # fmt: skip


@pytest.fixture(autouse=True)
def small_searches_leave_out_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "LEFT_OUT_FROM", 0)


def both(model: Model, name: str, **asked: object) -> tuple[Result, Result]:
    """The search of every state, and the one that leaves out the harmless ones."""
    whole, less = (
        explore(model, properties=[name], symmetry=True, without_harmless=left_out, **asked)  # type: ignore[arg-type]
        for left_out in (False, True)
    )
    return whole, less


def differences(whole: Result, less: Result, name: str) -> list[str]:
    """In what an answer differs although it must not."""
    one, other = whole.findings[name], less.findings[name]
    found = [part for part in ("verdict", "trace", "violating_states") if getattr(one, part) != getattr(other, part)]
    # A harmless state may be reached later than by a way through others, so only what is reached up to a level can be compared.
    depths = range(1, max(whole.depth, less.depth) + 1)
    if any(sum(less.levels[:depth]) > sum(whole.levels[:depth]) for depth in depths):
        found.append("levels")
    return found


@pytest.mark.parametrize("version", quick_one_in(6, VERSIONS, lambda version: version.name))
def test_the_verdict_and_the_trace_are_the_same(version: Profile, pytestconfig: pytest.Config) -> None:
    thorough = pytestconfig.getoption("--thorough")
    limits, compared, fewer = Limits(states=3_000_000 if thorough else 60_000), 0, 0
    for name, settings in ASKED_THOROUGHLY if thorough else ASKED:
        whole, less = both(version.bounded(**settings), name, limits=limits)
        if whole.stopped_by is None:
            assert differences(whole, less, name) == [], (settings, name)
            assert less.left_out is not None
            assert less.left_out.doubt is None
            compared += 1
            fewer += less.distinct < whole.distinct
    assert compared > 1
    assert fewer > 0


@pytest.mark.parametrize("prop", quick_one_in(3, CALLING, lambda prop: prop.name))
def test_what_follows_a_harmless_state_is_harmless_and_not_a_violation(prop: Property) -> None:
    """Seen by the interpreter in states that a search reaches, whatever the proof says."""
    assert prop.harmless is not None
    for version in (KAFKA_2_1, KAFKA_4_1):
        model = version.bounded(**SMALL, **DURABLE, commit=2, consumer_crashes=1, leader_moves=1)
        _, states = reached_states(model, symmetry=True, limits=Limits(states=60_000))
        reached = map(tuple, np.concatenate(states).tolist())
        harmless = [words for words in reached if prop.harmless.function(model.passing(words))]
        assert len(harmless) > 60
        for words in random.Random(1).sample(harmless, 60):
            assert model.holds(prop, words)
            assert all(prop.harmless.function(model.passing(after)) for _, after in model.successors(words))


@pytest.mark.thorough
@pytest.mark.parametrize("prop", quick_one_in(3, CALLING, lambda prop: prop.name))
def test_z3_proves_the_same_for_all_settings(prop: Property, pytestconfig: pytest.Config) -> None:
    """All versions have the same actions, so with every setting left open one proof is for all of them."""
    assert prop.harmless is not None
    larger = {"values": 3, "log_size": 3, "leader_epochs": 5, "delays": 2}
    for bounds in ({}, larger) if pytestconfig.getoption("--thorough") else ({**SMALL, "replicas": 2, "delays": 1},):
        model = KAFKA_4_1.bounded(**bounds)
        translation = Translation(model, free_settings=[setting.name for setting in model.profile.state.settings])
        (harmless,) = translation.clauses([replace(as_lemma(prop), function=prop.harmless.function)])
        (holds,) = translation.clauses([as_lemma(prop)])
        here = [*translation.domain, harmless.truth]
        assert SolverSession(here).always(holds.truth).result == QueryResult.HOLDS
        for step in model.steps:
            symbolic = translation.symbolic_step(step)
            happens = SolverSession([*here, symbolic.enabled, negation(symbolic.flaw)])
            found = happens.always(translation.later(symbolic, harmless)).result
            assert found == QueryResult.HOLDS, step.show(model.bounds)


def with_harmless(profile: Profile) -> Profile:
    """A profile with mutants calls the same states harmless as the model does."""

    def called(properties: Sequence[Property]) -> tuple[Property, ...]:
        return tuple(replace(prop, harmless=PROTOCOL.property_named(prop.name).harmless) for prop in properties)

    return replace(profile, properties=called(profile.properties), probes=called(profile.probes))


@pytest.mark.thorough
@pytest.mark.parametrize("settings", [{"leader_moves": 1, "retries": 1}, {"crashes": 1, "pauses": 1}], ids=str)
def test_what_a_mutant_violates_is_found_as_without(settings: dict[str, int], pytestconfig: pytest.Config) -> None:
    """Each mutant changes functions, so what is harmless is proven anew for each. With some it is not, and nothing is left out."""
    mutants = kafka_mutants()
    profile = with_harmless(mutants.versions["kafka-2.1"])
    violated = doubted = 0
    for number in range(1, len(mutants.mutants) + 1):
        model = profile.bounded(**SMALL, **DURABLE, **settings, mutant=number)
        doubtful = doubt(model, profile.property_named(LOSS))
        if doubtful is None and number % 16 and not pytestconfig.getoption("--thorough"):
            continue
        try:
            whole, less = both(model, LOSS, limits=Limits(states=5_000_000))
        except ModelError:
            continue
        assert whole.stopped_by is None, mutants.mutants[number - 1]
        assert less.left_out is not None
        assert differences(whole, less, LOSS) == [], mutants.mutants[number - 1]
        assert less.left_out.doubt == doubtful
        violated += whole.verdict == Verdict.VIOLATED
        if doubtful is not None:
            doubted += 1
            assert (less.left_out.states, less.levels) == (0, whole.levels)
    assert violated > 0
    assert doubted > 0
