"""The lemmas of KIP-320 prove what they are for; each is true, each is needed, and mistakes in the protocol break the right one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from lemma_properties import PREFIX, deciding_lemmas
from mutants import kip_320_mutants as mutants
from sampling import quick_one_in

from neverlost.explorer.search import explore
from neverlost.explorer.symbolic.induction import Effort, Induction, Query, is_true
from neverlost.explorer.symbolic.proof import prove
from neverlost.explorer.symbolic.solving import QueryResult, SolverSession
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Lemma, Model, Profile
from neverlost.spec.published.lemmas import LEMMAS
from neverlost.spec.published.profiles import KIP_320

Searched = tuple[tuple[int, int, int, int], Sequence[str]]
"""Bounds, engine and symmetry of a search."""

NAMES = [lemma.name for lemma in LEMMAS]


def bounded(profile: Profile, replicas: int, log_size: int, records: int, leader_epochs: int) -> Model:
    return profile.bounded(replicas=replicas, log_size=log_size, records=records, leader_epochs=leader_epochs)


TELLING = (3, 2, 2, 2)
"""Bounds within which every lemma is needed."""

PROVEN_WITHIN = ((3, 2, 2, 3), (4, 2, 2, 2), (5, 2, 2, 2))
PROVEN_WITHIN_LARGE = ((3, 3, 3, 5), (4, 3, 3, 5), (5, 3, 3, 5))

TRUE_WITHIN = ((2, 3, 3, 3), (3, 2, 2, 2))
"""Bounds with 21,493 and 39,619 states, of which a search with symmetry sees half and a sixth."""

TRUE_WITHIN_LARGE = ((3, 2, 2, 3), (3, 3, 3, 3))
"""Bounds with 737,794 and 4,093,531 states."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    everything = metafunc.config.getoption("--thorough")
    if "proven_within" in metafunc.fixturenames:
        within = PROVEN_WITHIN + PROVEN_WITHIN_LARGE if everything else PROVEN_WITHIN[:1]
        metafunc.parametrize("proven_within", within, ids=str)
    if "searched" in metafunc.fixturenames:
        searches: list[Searched] = [(bounds, ["replica"]) for bounds in TRUE_WITHIN]
        if everything:
            searches += [(bounds, []) for bounds in TRUE_WITHIN_LARGE]
        metafunc.parametrize("searched", searches, ids=lambda row: str(row[0]))


@pytest.mark.parametrize("name", quick_one_in(2, ["strong_isr", "weak_isr"]))
def test_what_is_committed_stays_after_any_number_of_steps(name: str, proven_within: tuple[int, int, int, int]) -> None:
    proof = prove(bounded(KIP_320, *proven_within), name, until="all")
    assert proof.verdict == Verdict.PROVEN
    assert not proof.unknown
    assert proof.symmetric == ("replica",)
    assert {q.action for q in proof.queries if q.action} == {a.name for a in KIP_320.actions}
    assert {q.lemma for q in proof.queries if q.lemma} == {*NAMES, name}


def test_each_lemma_is_true_in_every_reachable_state(searched: Searched, tmp_path: Path) -> None:
    bounds, symmetry = searched
    model = bounded(deciding_lemmas(KIP_320, tmp_path), *bounds)
    result = explore(model, symmetry=symmetry, until="all")
    assert result.complete
    assert {name: found.verdict for name, found in result.findings.items()} == {PREFIX + n: "holds" for n in NAMES}


def failing(model: Model, lemmas: Sequence[Lemma]) -> list[Query]:
    """The questions whose answer is a counterexample: a state in which all lemmas hold, and a step that breaks one."""
    induction = Induction(model, model.profile.property_named("strong_isr"), lemmas, Effort())
    found = []
    for query in induction.queries():
        assert query.result in (QueryResult.HOLDS, QueryResult.FAILS), query.text
        if query.pair is not None:
            found.append(query)
    return found


def by_lemma(queries: Sequence[Query]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for query in queries:
        found.setdefault(query.lemma, set()).add(query.action)
    return found


BROKEN_WITHOUT: Mapping[str, Mapping[str, set[str]]] = {
    "no_request_for_an_epoch_not_issued": {
        "replica_obeys_the_request_of_its_epoch": {"controller_elect_leader", "controller_shrink_isr"},
        "true_leader_has_the_controllers_isr": {"controller_elect_leader", "controller_shrink_isr"},
        "awaited_leader_covers_later_requests_or_is_fenced": {"controller_elect_leader"},
        "leader_reached_the_epoch_of_each_record": {"controller_elect_leader", "controller_shrink_isr"},
        "exposed_record_was_committed_in_some_epoch": {
            "controller_shrink_isr",
            "fenced_leader_expand_isr",
            "fenced_leader_advance_high_watermark",
        },
        "isr_stays_as_requested_until_the_leader_is_in_its_epoch": {
            "become_leader",
            "fenced_become_follower_and_truncate",
        },
        "presumed_leader_covers_later_requests_or_is_fenced": {"fenced_leader_shrink_isr"},
    },
    "controller_is_in_the_last_epoch_issued": {
        "presumed_leader_covers_later_requests_or_is_fenced": {
            "controller_elect_leader",
            "controller_shrink_isr",
            "fenced_leader_shrink_isr",
        },
        "awaited_leader_covers_later_requests_or_is_fenced": {"controller_elect_leader", "controller_shrink_isr"},
        "isr_stays_as_requested_until_the_leader_is_in_its_epoch": {
            "become_leader",
            "fenced_become_follower_and_truncate",
        },
        "exposed_record_was_committed_in_some_epoch": {
            "fenced_leader_expand_isr",
            "fenced_leader_advance_high_watermark",
        },
    },
    "last_request_names_the_controllers_leader": {
        "presumed_leader_covers_later_requests_or_is_fenced": {"controller_elect_leader", "controller_shrink_isr"},
        "requested_leader_is_in_the_requested_isr": {"controller_shrink_isr"},
        "exposed_record_was_committed_in_some_epoch": {"fenced_leader_advance_high_watermark"},
    },
    "requested_leader_is_in_the_requested_isr": {
        "believed_leader_is_in_the_isr": {"become_leader", "fenced_become_follower_and_truncate"},
        "exposed_record_was_committed_in_some_epoch": {"fenced_leader_advance_high_watermark"},
    },
    "isr_stays_as_requested_until_the_leader_is_in_its_epoch": {
        "awaited_leader_covers_later_requests_or_is_fenced": {"controller_elect_leader", "controller_shrink_isr"},
        "requested_leader_is_in_the_requested_isr": {"controller_shrink_isr"},
        "true_leader_has_the_controllers_isr": {"become_leader"},
        "exposed_record_was_committed_in_some_epoch": {"fenced_leader_advance_high_watermark"},
    },
    "replica_without_epoch_is_blank": {
        "presumed_leader_covers_later_requests_or_is_fenced": {"controller_elect_leader", "controller_shrink_isr"},
        "leader_has_every_record_of_its_epoch": {"leader_write"},
        "exposed_record_was_committed_in_some_epoch": {"fenced_leader_advance_high_watermark"},
    },
    "replica_obeys_the_request_of_its_epoch": {
        "true_leader_has_the_controllers_isr": {"controller_elect_leader", "controller_shrink_isr"},
        "presumed_leader_covers_later_requests_or_is_fenced": {"controller_elect_leader", "controller_shrink_isr"},
        "requested_leader_is_in_the_requested_isr": {"controller_shrink_isr"},
        "leader_reached_the_epoch_of_each_record": {"leader_write"},
        "leader_has_every_record_of_its_epoch": {"leader_write"},
        "exposed_record_was_committed_in_some_epoch": {
            "fenced_leader_expand_isr",
            "fenced_leader_advance_high_watermark",
        },
    },
    "leader_enters_its_epoch_first": {
        "follower_has_a_prefix_of_its_leaders_log": {"become_leader"},
    },
    "true_leader_has_the_controllers_isr": {
        "presumed_leader_covers_later_requests_or_is_fenced": {"controller_elect_leader", "controller_shrink_isr"},
        "requested_leader_is_in_the_requested_isr": {"controller_shrink_isr"},
        "exposed_record_was_committed_in_some_epoch": {"fenced_leader_advance_high_watermark"},
    },
    "believed_leader_is_in_the_isr": {
        "requested_leader_is_in_the_requested_isr": {"controller_shrink_isr"},
        "follower_exposes_records_of_its_epoch_after_the_leader": {"fenced_leader_advance_high_watermark"},
        "exposed_record_was_committed_in_some_epoch": {"fenced_leader_advance_high_watermark"},
    },
    "presumed_leader_covers_later_requests_or_is_fenced": {
        "exposed_record_was_committed_in_some_epoch": {"fenced_leader_advance_high_watermark"},
    },
    "awaited_leader_covers_later_requests_or_is_fenced": {
        "presumed_leader_covers_later_requests_or_is_fenced": {"become_leader"},
    },
    "leader_reached_the_epoch_of_each_record": {
        "leader_has_every_record_of_its_epoch": {"become_leader"},
        "exposed_record_was_committed_in_some_epoch": {"fenced_leader_advance_high_watermark"},
    },
    "leader_has_every_record_of_its_epoch": {
        "logs_match": {"leader_write"},
    },
    "logs_match": {
        "follower_has_a_prefix_of_its_leaders_log": {"fenced_become_follower_and_truncate"},
    },
    "follower_has_a_prefix_of_its_leaders_log": {
        "exposed_record_was_committed_in_some_epoch": {
            "fenced_leader_expand_isr",
            "fenced_leader_advance_high_watermark",
            "fenced_follower_fetch",
        },
        "logs_match": {"fenced_follower_fetch"},
    },
    "follower_exposes_records_of_its_epoch_after_the_leader": {
        "exposed_record_was_committed_in_some_epoch": {"fenced_leader_expand_isr"},
    },
    "exposed_record_was_committed_in_some_epoch": {
        "strong_isr": {"become_leader", "fenced_leader_expand_isr"},
        "follower_exposes_records_of_its_epoch_after_the_leader": {"fenced_become_follower_and_truncate"},
    },
}
"""For each lemma, what is no longer proven without it: what breaks, and the actions that break it."""


def test_every_lemma_is_listed_as_needed() -> None:
    assert list(BROKEN_WITHOUT) == NAMES
    assert all(BROKEN_WITHOUT.values())


@pytest.mark.parametrize("name", quick_one_in(12, NAMES))
def test_without_a_lemma_the_proof_breaks_where_it_was_needed(name: str) -> None:
    found = failing(bounded(KIP_320, *TELLING), [lemma for lemma in LEMMAS if lemma.name != name])
    assert by_lemma(found) == BROKEN_WITHOUT[name]


def test_a_failing_question_is_shown_with_the_instance_and_the_step() -> None:
    model = bounded(KIP_320, *TELLING)
    query = failing(model, [lemma for lemma in LEMMAS if lemma.name != "leader_enters_its_epoch_first"])[0]
    assert query.text.startswith("follower_has_a_prefix_of_its_leaders_log(leader=r1, follower=r")
    assert " after become_leader(replica=r1, epoch=" in query.text


COMMITMENT = "exposed_record_was_committed_in_some_epoch"
MISTAKES = (
    (mutants.EXPANSION_UNGUARDED, COMMITMENT, "expand_isr_before_the_epoch_is_reached", (3, 1, 1, 2)),
    (mutants.EPOCHS_NOT_COMPARED, COMMITMENT, "advance_high_watermark_whatever_the_epochs", (3, 1, 1, 3)),
    (mutants.LENGTHS_NOT_COMPARED, COMMITMENT, "advance_high_watermark_whatever_the_lengths", (2, 1, 1, 2)),
    (
        mutants.LEADER_NOT_IN_EPOCH,
        "leader_enters_its_epoch_first",
        "become_follower_before_the_leader",
        (2, 1, 1, 2),
    ),
)
"""A mistake, the lemma that it makes false, the action that does it, and bounds within which a search comes upon that."""


@pytest.mark.parametrize(("profile", "lemma", "action", "within"), MISTAKES, ids=[row[0].name for row in MISTAKES])
@pytest.mark.thorough
def test_a_mistake_in_the_protocol_breaks_one_lemma_and_that_one_is_false(
    profile: Profile, lemma: str, action: str, within: tuple[int, int, int, int], tmp_path: Path
) -> None:
    assert by_lemma(failing(bounded(profile, 3, 2, 2, 3), LEMMAS)) == {lemma: {action}}

    model = bounded(deciding_lemmas(profile, tmp_path), *within)
    result = explore(model, symmetry=["replica"], properties=[PREFIX + lemma])
    trace = result.findings[PREFIX + lemma].trace
    assert trace is not None
    assert trace.steps[-1].action.name == action


def test_the_lemmas_hold_at_the_start() -> None:
    model = bounded(KIP_320, *TELLING)
    (start,) = model.initial_states()
    for lemma in LEMMAS:
        assert all(is_true(model, lemma, values, start) for values in lemma.combinations(model.bounds)), lemma.name


def test_states_in_which_the_lemmas_hold_are_many_and_let_every_action_happen() -> None:
    model = bounded(KIP_320, *TELLING)
    induction = Induction(model, model.profile.property_named("strong_isr"), LEMMAS, Effort())
    translation = induction.translation
    session = SolverSession([*translation.domain, *(clause.truth for clause in induction.lemma_clauses)])
    for witness in ("a_record_is_committed", "a_deposed_leader_goes_on"):
        predicate = model.profile.property_named(witness).function
        holds = translation.executor.run(predicate, [translation.before], []).result
        assert session.always(False, where=[holds]).result == QueryResult.FAILS, witness
    happening = {
        step.action.name
        for step in induction.steps
        if session.always(False, where=[translation.symbolic_step(step).enabled]).result == QueryResult.FAILS
    }
    assert happening == {action.name for action in KIP_320.actions}
