"""Formulas for any bounds mean what the interpreter does, the lemmas do not contradict each other, and mistakes are not proven."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from finite_states import FiniteState, Stepping, named
from mutants import kip_320_mutants as mutants
from samples import elements, packed_from
from sampling import quick_one_in
from symbolic_steps import interpreted

from neverlost.explorer.symbolic.any_bounds.instances import Instances
from neverlost.explorer.symbolic.any_bounds.obligations import Obligations
from neverlost.explorer.symbolic.any_bounds.proof import answered, prove_for_any_bounds
from neverlost.explorer.symbolic.any_bounds.translation import AnyTranslation
from neverlost.explorer.symbolic.clauses import as_lemma, as_term
from neverlost.explorer.symbolic.induction import CONSECUTION, Effort, Query, is_true
from neverlost.explorer.symbolic.solving import QueryResult
from neverlost.explorer.symbolic.terms import UntranslatableError
from neverlost.model.core import Action, Model, Packed, Profile, Unbounded
from neverlost.spec.published.any_bounds import KIP_320_ANY_BOUNDS, REPLICATED_LOG_ANY_BOUNDS
from neverlost.spec.published.profiles import ASYNC_ISR

TRACED = KIP_320_ANY_BOUNDS.traced
MODELS = {
    "published/kip-320": TRACED.bounded(replicas=3, log_size=2, records=3, leader_epochs=3),
    "published/replicated-log": REPLICATED_LOG_ANY_BOUNDS.traced.bounded(replicas=2, log_size=3, records=2),
}
EITHER = pytest.mark.parametrize(
    "unbounded",
    quick_one_in(2, [REPLICATED_LOG_ANY_BOUNDS, KIP_320_ANY_BOUNDS], lambda u: u.profile.name.split("/")[1]),
)
PATIENT = Effort(rounds=(1.0, 8.0, 30.0), workers=2)
WALKS, STEPS = 5, 16


def walked(model: Model, randomness: random.Random, walks: int = WALKS) -> Iterator[tuple[Packed, int]]:
    """Reached states on random walks, each with the number of a step that can be taken there."""
    for _ in range(walks):
        words = model.initial_states()[0]
        for _ in range(STEPS):
            following = list(model.successors(words))
            if not following:
                break
            number, after = randomness.choice(following)
            yield words, number
            words = after


def perturbed(model: Model, words: Packed, randomness: random.Random) -> Packed:
    state = model.state(words)
    values = [state.element(f, p) for f in model.profile.state.fields for p in f.positions(model.bounds)]
    for _ in range(3):
        number = randomness.randrange(len(values))
        low, size = elements(model)[number]
        values[number] = randomness.randrange(low, low + size)
    return packed_from(model, values)


@EITHER
def test_a_step_as_formulas_is_the_step_of_the_interpreter(unbounded: Unbounded) -> None:
    model, translation = MODELS[unbounded.profile.name], AnyTranslation(unbounded, {})
    actions = {
        action.name: Stepping(translation, translation.symbolic_step(action)) for action in unbounded.traced.actions
    }
    randomness, outcomes = random.Random(3), []
    for reached, number in walked(model, randomness):
        for words, chosen in (
            (reached, number),
            (perturbed(model, reached, randomness), number),
            (perturbed(model, reached, randomness), randomness.randrange(len(model.steps))),
        ):
            step = model.steps[chosen]
            found = actions[step.action.name].taken(model, words, step)
            assert found == interpreted(model, words, chosen), step.show(model.bounds)
            outcomes.append((step.action.name, "taken" if isinstance(found, tuple) else str(found)))
    assert {name for name, outcome in outcomes if outcome == "taken"} == {a.name for a in unbounded.traced.actions}
    assert "None" in {outcome for _, outcome in outcomes}


@EITHER
def test_lemmas_and_properties_as_formulas_have_the_values_of_the_interpreter(unbounded: Unbounded) -> None:
    model, translation = MODELS[unbounded.profile.name], AnyTranslation(unbounded, {})
    properties = [unbounded.profile.property_named(n) for n in PROPERTIES[unbounded.profile.name]]
    said = []
    for lemma in (*unbounded.traced.lemmas, *map(as_lemma, properties)):
        variables = translation.variables(lemma.parameters)
        said.append((lemma, variables, *translation.says(lemma.function, variables, translation.before)))
    randomness, values = random.Random(4), []
    for reached, _ in walked(model, randomness):
        for words in (reached, perturbed(model, reached, randomness)):
            lemma, variables, truth, flaw = said[len(values) % len(said)]
            arguments = randomness.choice(lemma.combinations(model.bounds))
            state = FiniteState(translation.vocabulary, model, words, named(variables, arguments))
            holds = bool(state.value(as_term(truth)) and not state.value(as_term(flaw)))
            assert holds == is_true(model, lemma, arguments, words), lemma.show(arguments, model.bounds)
            values.append(holds)
    assert set(values) == {True, False}


PROPERTIES = {"published/kip-320": ("strong_isr", "weak_isr"), "published/replicated-log": ("type_ok",)}


def test_all_that_is_assumed_of_a_state_holds_where_records_are_committed() -> None:
    model = MODELS["published/kip-320"]
    obligations = Obligations(KIP_320_ANY_BOUNDS, TRACED.property_named("strong_isr"), TRACED.lemmas, {})
    translation = obligations.translation
    lemmas = [closed(translation, each.truth, each.variables) for each in obligations.lemmas]
    facts = [as_term(fact) for fact in (*translation.domain, *lemmas)]
    committed = 0
    for words, _ in walked(model, random.Random(8), walks=8):
        state = FiniteState(translation.vocabulary, model, words, {})
        if max(model.state(words).high_watermark) > 1 and committed < 4:
            committed += 1
            assert all(state.value(fact) for fact in facts)
    assert committed


def closed(translation: AnyTranslation, truth: Any, variables: Sequence[Any]) -> Any:
    for variable in reversed(variables):
        truth = translation.vocabulary.every(variable, truth)
    return truth


def asked(unbounded: Unbounded, action: str, lemma: str, rounds: Sequence[float]) -> Iterator[Query]:
    """The questions about one action and one lemma."""
    prop = unbounded.profile.property_named("strong_isr")
    obligations = Obligations(unbounded, prop, unbounded.traced.lemmas, {})
    instances = Instances(obligations.translation.space)
    for each in obligations.induction(with_property=False):
        if each.kind == CONSECUTION and each.action == action and each.lemma == lemma:
            yield answered(each, instances, obligations.translation.before, rounds)


def mutated(profile: Profile, **actions: Action) -> Unbounded:
    return replace(KIP_320_ANY_BOUNDS, profile=profile, traced=TRACED.replacing("mutant", "A mutant.", **actions))


def test_a_step_that_keeps_a_lemma_is_proven_to() -> None:
    found = asked(KIP_320_ANY_BOUNDS, "become_leader", "leader_has_every_record_of_its_epoch", (1.0, 8.0))
    assert {query.result for query in found} == {QueryResult.HOLDS}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("mutant", "action", "lemma"),
    [
        pytest.param(
            mutated(
                mutants.EXPANSION_UNGUARDED,
                fenced_leader_expand_isr=mutants.expand_isr_before_the_epoch_is_reached,
            ),
            "expand_isr_before_the_epoch_is_reached",
            "exposed_record_was_committed_in_its_commit_epoch",
            id="expansion unguarded",
        ),
        pytest.param(
            mutated(
                mutants.LEADER_NOT_IN_EPOCH,
                fenced_become_follower_and_truncate=mutants.become_follower_before_the_leader,
            ),
            "become_follower_before_the_leader",
            "leader_enters_its_epoch_first",
            id="leader not in epoch",
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_a_mistake_in_the_protocol_is_not_proven(mutant: Unbounded, action: str, lemma: str) -> None:
    assert any(query.result != QueryResult.HOLDS for query in asked(mutant, action, lemma, (0.2,)))


def test_a_wrong_property_is_not_proven() -> None:
    proof = prove_for_any_bounds(
        KIP_320_ANY_BOUNDS, "leader_in_isr_as_published", lemmas=(), effort=Effort(rounds=(0.2,))
    )
    assert (proof.verdict, proof.exit_code) == ("undecided", 3)
    assert proof.failing or proof.unknown


def test_a_profile_without_ghosts_and_lemmas_is_proven_by_itself() -> None:
    proof = prove_for_any_bounds(REPLICATED_LOG_ANY_BOUNDS, "type_ok")
    assert (proof.verdict, proof.failing, proof.unknown) == ("proven", (), ())
    assert {q.kind for q in proof.queries} == {"sufficiency", "domain", "initiation", "consecution"}


@pytest.mark.thorough
def test_what_is_committed_stays_within_any_bounds() -> None:
    proof = prove_for_any_bounds(KIP_320_ANY_BOUNDS, "strong_isr", effort=PATIENT, until="all")
    assert [q.text for q in (*proof.failing, *proof.unknown)] == []
    assert proof.verdict == "proven"
    assert {q.kind for q in proof.queries} == {
        "sufficiency",
        "meaning",
        "domain",
        "initiation",
        "consecution",
        "simulation",
    }
    assert {q.action for q in proof.queries if q.action} == {a.name for a in TRACED.actions}
    assert {q.lemma for q in proof.queries if q.kind == CONSECUTION} == {lemma.name for lemma in TRACED.lemmas}


def test_the_same_lemmas_imply_that_a_presumed_leaders_own_isr_has_what_is_committed() -> None:
    obligations = Obligations(KIP_320_ANY_BOUNDS, TRACED.property_named("weak_isr"), TRACED.lemmas, {})
    instances, before = Instances(obligations.translation.space), obligations.translation.before
    found = [answered(each, instances, before, PATIENT.rounds) for each in obligations.sufficiency()]
    assert found
    assert {query.result for query in found} == {QueryResult.HOLDS}


@pytest.mark.parametrize(
    ("unbounded", "name", "said"),
    [
        (
            KIP_320_ANY_BOUNDS,
            "type_ok",
            r"partition.py:\d+: type_ok has no form for any bounds: .* is used as a number",
        ),
        (
            replace(KIP_320_ANY_BOUNDS, meanings=()),
            "strong_isr",
            r"base.py:\d+: first_mismatch .* its loop carries end",
        ),
        (Unbounded(profile=ASYNC_ISR, traced=ASYNC_ISR), "type_ok", "async_isr.py"),
    ],
)
def test_what_has_no_form_without_bounds_is_refused_with_its_place(unbounded: Unbounded, name: str, said: str) -> None:
    with pytest.raises(UntranslatableError, match=said):
        prove_for_any_bounds(unbounded, name)
