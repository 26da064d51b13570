"""Facts that are suggested as lemmas: true in every state that is reached, false in the counterexample, and enough for a proof."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from samples import reachable

import neverlost
from neverlost.explorer.lemmas.checking import is_true
from neverlost.explorer.loading import profile_from_file
from neverlost.explorer.symbolic import suggesting
from neverlost.explorer.symbolic.proof import Proof, prove
from neverlost.explorer.symbolic.suggesting import suggestions
from neverlost.model.core import Lemma, Model, Packed

EXAMPLES = Path(__file__).parents[3] / "examples"
TWO_PHASE_COMMIT = profile_from_file(f"{EXAMPLES / 'two_phase_commit.py'}:TWO_PHASE_COMMIT")
JOB_QUEUE = profile_from_file(f"{EXAMPLES / 'job_queue.py'}:JOB_QUEUE")


def holds(model: Model, lemma: Lemma, words: Packed) -> bool:
    return all(is_true(model, lemma, values, words) for values in lemma.combinations(model.bounds))


def excluded(proof: Proof) -> Packed:
    pair = proof.broken[0].pair
    assert pair is not None
    return pair.before


def adopting_the_first(model: Model, name: str, most: int) -> tuple[Proof, list[str]]:
    """The last proof of a user who pastes the first suggestion each time, and what was pasted."""
    lemmas: list[Lemma] = []
    conditions = []
    for _ in range(most):
        suggested = suggestions(prove(model, name, lemmas=lemmas, until="all"))
        assert suggested is not None
        lemmas.append(suggested.found[0].lemma)
        conditions.append(suggested.found[0].condition)
    return prove(model, name, lemmas=lemmas, until="all"), conditions


@pytest.mark.parametrize("crashes", [0, 1])
def test_a_suggestion_is_true_in_every_state_and_false_in_the_counterexample(crashes: int) -> None:
    model = TWO_PHASE_COMMIT.bounded(participants=3, coordinator_crashes=crashes)
    proof = prove(model, "all_agree", lemmas=[], until="all")
    suggested = suggestions(proof)
    assert suggested is not None
    assert (suggested.complete, len(suggested.found)) == (True, 3)
    for written in suggested.found:
        assert not holds(model, written.lemma, excluded(proof))
        assert all(holds(model, written.lemma, words) for words in reachable(model))


def test_whoever_adds_the_first_suggestion_each_time_ends_with_a_proof_of_two_phase_commit() -> None:
    proof, conditions = adopting_the_first(TWO_PHASE_COMMIT.bounded(participants=3), "all_agree", 10)
    assert proof.verdict == "proven"
    assert [lemma.name for lemma in proof.lemmas] == [f"suggested_{number}" for number in range(1, 11)]
    assert "is_subset(s.promised, s.sent_prepared)" in conditions


def test_and_with_one_of_the_job_queue_where_suggestions_have_other_forms() -> None:
    proof, conditions = adopting_the_first(JOB_QUEUE.bounded(), "within_the_limit", 7)
    assert proof.verdict == "proven"
    assert any(condition.startswith("job == other_job or ") for condition in conditions)


def test_nothing_is_suggested_where_a_lemma_is_false_or_all_is_proven() -> None:
    model = TWO_PHASE_COMMIT.bounded(participants=2)
    assert suggestions(prove(model, "all_agree")) is None
    hasty = TWO_PHASE_COMMIT.bounded(participants=2, waits_for_all=0)
    assert suggestions(prove(hasty, "all_agree", until="all")) is None


def test_a_fact_that_needs_more_comparisons_is_not_suggested(monkeypatch: pytest.MonkeyPatch) -> None:
    model = TWO_PHASE_COMMIT.bounded(participants=3)
    lemmas = [lemma for lemma in model.profile.lemmas if lemma.name != "aborted_after_abort"]
    proof = prove(model, "all_agree", lemmas=lemmas, until="all")
    monkeypatch.setattr(suggesting, "LITERALS", (1,))
    found = suggestions(proof)
    assert found is not None
    assert (found.tried, found.found) == (True, ())


def test_a_grammar_that_would_take_minutes_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    proof = prove(TWO_PHASE_COMMIT.bounded(participants=2), "all_agree", lemmas=[], until="all")
    monkeypatch.setattr(suggesting, "MOST_ATOMS", 10)
    found = suggestions(proof)
    assert found is not None
    assert (found.tried, found.found) == (False, ())


def test_a_model_whose_file_was_loaded_again_has_suggestions_too() -> None:
    first, _ = (profile_from_file(f"{EXAMPLES / 'two_phase_commit.py'}:TWO_PHASE_COMMIT") for _ in range(2))
    suggested = suggestions(prove(first.bounded(participants=2), "all_agree", lemmas=[], until="all"))
    assert suggested is not None
    proof = prove(first.bounded(participants=2), "all_agree", lemmas=[suggested.found[0].lemma], until="all")
    assert [query.text for query in proof.failing]


def test_the_python_api_gives_the_texts() -> None:
    profile = replace(TWO_PHASE_COMMIT, lemmas=())
    texts = neverlost.prove(profile.model(participants=3), "all_agree").suggestions()
    assert len(texts) == 3
    assert all(
        text.startswith('@lemma("Suggested, not proven: true in all states reached (participants 3).")')
        for text in texts
    )
