"""What induction proves, what it leaves undecided and why, on a lamp and on published protocols."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from inductive_models import LAMP, always_off, always_on, never_hot, switched_less
from random_models import programs
from subtle_models import FULL, LEAVING, VIOLATED
from written_models import imported

from neverlost.explorer.lemmas.checking import is_true
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.search import Limits, explore
from neverlost.explorer.symbolic.clauses import as_lemma
from neverlost.explorer.symbolic.conditions import prove_for_all
from neverlost.explorer.symbolic.induction import Effort, Induction, Query
from neverlost.explorer.symbolic.orbits import provable_symmetry, searched_symmetry
from neverlost.explorer.symbolic.proof import UnprovableError, prove, prove_within
from neverlost.explorer.symbolic.solving import Configuration
from neverlost.explorer.symbolic.terms import UntranslatableError
from neverlost.explorer.traces.trace import replay
from neverlost.model.core import Lemma, Model, ModelError, Packed, Profile, Refused, State, UnknownNameError
from neverlost.spec.kafka.replication.versions import KAFKA_4_1
from neverlost.spec.published.profiles import KIP_320, REPLICATED_LOG

MODEL = LAMP.bounded()
RANDOM_PROGRAMS, RANDOM_PROGRAMS_BY_DEFAULT = range(400, 460), range(400, 460, 3)


def test_a_property_that_a_step_could_end_is_undecided_and_the_pair_of_states_is_shown() -> None:
    proof = prove(MODEL, "never_burnt")
    assert (proof.verdict, proof.exit_code, proof.method) == ("undecided", 3, "induction")
    (query,) = proof.failing
    assert (query.text, query.action) == ("never_burnt() after burn()", "burn")
    assert query.pair is not None
    assert MODEL.state(query.pair.before).values()["mode"] == 2
    assert MODEL.state(query.pair.after).values()["mode"] == 3
    assert proof.reach is not None
    assert proof.reach.text == "unreachable"


def test_with_a_lemma_it_is_proven() -> None:
    proof = prove(MODEL, "never_burnt", lemmas=[never_hot])
    assert (proof.verdict, proof.exit_code, proof.unknown) == ("proven", 0, ())
    assert [lemma.name for lemma in proof.lemmas] == ["never_hot"]
    assert {q.kind for q in proof.queries} == {"sufficiency", "initiation", "consecution", "domain"}


def test_lemmas_of_one_name_are_refused_and_one_with_the_name_of_the_property() -> None:
    named_alike = [never_hot, replace(always_off, name="never_hot")]
    with pytest.raises(ModelError, match="2 lemmas to prove never_burnt from are named 'never_hot'; give each a name"):
        prove(MODEL, "never_burnt", lemmas=named_alike)
    with pytest.raises(ModelError, match="a lemma to prove never_burnt from has the same name; give it a name of its"):
        prove_for_all(MODEL, "never_burnt", [], lemmas=[replace(never_hot, name="never_burnt")])


def test_two_states_in_a_row_prove_it_without_a_lemma() -> None:
    proof = prove(MODEL, "never_burnt", k=2)
    assert (proof.verdict, proof.k) == ("proven", 2)
    assert "never_burnt 1 step from the start" in [q.text for q in proof.queries]


def test_a_violated_property_is_violated_by_its_shortest_trace() -> None:
    proof = prove(MODEL, "switched_once")
    assert (proof.verdict, proof.exit_code, proof.method) == ("violated", 1, "bounded")
    assert proof.trace is not None
    replay(proof.trace)
    assert [step.action.name for step in proof.trace.steps] == ["switch", "switch"]


def test_more_states_in_a_row_find_what_is_false_soon_after_the_start() -> None:
    proof = prove(MODEL, "never_burnt", lemmas=[never_hot, always_off], k=2)
    assert [q.text for q in proof.failing] == ["always_off 1 step from the start"]


def test_a_false_lemma_is_shown_by_the_reachable_state_that_a_step_ends_it_from() -> None:
    proof = prove(MODEL, "never_burnt", lemmas=[never_hot, always_off])
    assert [q.text for q in proof.failing] == ["always_off() after switch()"]
    assert proof.reach is not None
    assert proof.reach.text == "reachable"


def test_every_lemma_that_fails_is_shown_once_and_the_nearest_to_the_start_first() -> None:
    proof = prove(MODEL, "never_burnt", lemmas=[switched_less, always_on], until="all")
    assert [q.text for q in proof.failing] == [
        "always_on() at the start",
        "switched_less() after switch()",
        "always_on() after switch()",
    ]
    assert [q.text for q in proof.broken] == ["always_on() at the start", "switched_less() after switch()"]
    without = prove(MODEL, "never_burnt", lemmas=[always_off, switched_less], until="all")
    assert [q.text for q in without.broken] == ["always_off() after switch()", "switched_less() after switch()"]


@pytest.mark.parametrize("dropped", range(4))
def test_no_element_of_a_counterexample_could_be_as_at_the_start(dropped: int) -> None:
    model = KIP_320.bounded(replicas=2, log_size=1, records=1, leader_epochs=2)
    lemmas = [lemma for k, lemma in enumerate(KIP_320.lemmas) if k % 4 != dropped]
    proof = prove(model, "strong_isr", lemmas=lemmas, until="all", limits=Limits(states=10))
    claim = as_lemma(model.profile.property_named("strong_isr"))
    assumed, start = [*lemmas, claim], model.state(model.initial_states()[0])
    implied = next(q for q in proof.queries if q.kind == "sufficiency").result == "holds"

    def breaks(state: State, query: Query) -> bool:
        step = model.steps[query.pair.step]  # type: ignore[union-attr, index]
        before = model.layout.pack(state)
        if not all(each_holds(lemma, before) for lemma in (lemmas if implied else assumed)):
            return False
        with suppress(Refused, ModelError):
            (broken,) = [lemma for lemma in assumed if lemma.name == query.lemma]
            return not is_true(model, broken, query.arguments, model.apply(before, step))
        return False

    def each_holds(lemma: Lemma, words: Packed) -> bool:
        return all(is_true(model, lemma, values, words) for values in lemma.combinations(model.bounds))

    assert {q.lemma for q in proof.broken} == {q.lemma for q in proof.failing}
    assert proof.broken
    for query in proof.broken:
        state = model.state(query.pair.before)  # type: ignore[union-attr]
        assert breaks(state, query)
        for field in state.fields:
            for position in field.positions(model.bounds):
                kept, first = state.element(field, position), start.element(field, position)
                state.put(field, position, first)
                assert kept == first or not breaks(state, query)
                state.put(field, position, kept)


def test_only_what_is_always_true_can_be_proven() -> None:
    with pytest.raises(UnprovableError, match=r"on is sometimes: a proof is about .* such as never_burnt"):
        prove(MODEL, "on")


def test_over_a_step_induction_takes_one_state_before_it_and_bounded_checking_does_not_decide() -> None:
    for attempt in (lambda: prove(MODEL, "changes", k=2), lambda: prove_within(MODEL, "changes", 3)):
        with pytest.raises(UnprovableError, match=r"changes is step_always: this is about .* such as never_burnt"):
            attempt()


def test_a_property_of_steps_is_proven_by_itself_from_a_lemma_or_violated() -> None:
    by_itself = prove(MODEL, "changes")
    assert (by_itself.verdict, {q.kind for q in by_itself.queries}) == ("proven", {"domain", "transition"})
    assert prove(MODEL, "stays_whole", lemmas=[never_hot]).verdict == "proven"
    violated = prove(MODEL, "counts")
    assert violated.verdict == "violated"
    assert violated.trace is not None
    assert [step.action.name for step in violated.trace.steps] == ["switch"] * 3


def test_a_property_of_steps_that_needs_a_lemma_is_undecided_without_and_the_step_is_shown() -> None:
    proof = prove(MODEL, "stays_whole")
    (query,) = proof.broken
    assert (proof.verdict, query.text) == ("undecided", "stays_whole() of burn()")
    assert query.pair is not None
    assert MODEL.state(query.pair.before).values() == {"mode": 2, "switched": 0}
    assert proof.reach is not None
    assert proof.reach.text == "unreachable"


def test_a_property_of_steps_is_not_proven_from_a_lemma_that_a_step_breaks() -> None:
    proof = prove(MODEL, "counts", lemmas=[switched_less], limits=Limits(states=2), until="all")
    assert (proof.verdict, [q.text for q in proof.failing]) == ("undecided", ["switched_less() after switch()"])


def test_an_unknown_property_is_named() -> None:
    with pytest.raises(UnknownNameError, match="never_brunt"):
        prove(MODEL, "never_brunt")


def queries(workers: int) -> list[tuple[str, str]]:
    model = KIP_320.bounded(replicas=2, log_size=2, records=2, leader_epochs=2)
    induction = Induction(model, KIP_320.property_named("strong_isr"), KIP_320.lemmas, Effort(workers=workers))
    return sorted((q.text, q.result) for q in induction.queries())


def test_the_queries_are_the_same_for_any_number_of_processes() -> None:
    assert queries(workers=1) == queries(workers=2)


def test_renamings_of_a_question_are_asked_once() -> None:
    model = KIP_320.bounded(replicas=3, log_size=1, records=1, leader_epochs=2)
    induction = Induction(model, KIP_320.property_named("strong_isr"), KIP_320.lemmas, Effort())
    asked: list[Query] = [q for q in induction.queries() if q.kind == "consecution"]
    elected = {q.step for q in asked if q.action == "controller_elect_leader"}
    assert elected == {"controller_elect_leader(replica=r1)"}
    assert {q.step for q in asked if q.action == "fenced_follower_fetch"} == {
        "fenced_follower_fetch(follower=r1, leader=r1)",
        "fenced_follower_fetch(follower=r1, leader=r2)",
    }


def test_without_lemmas_or_symmetry_a_simple_protocol_is_proven_by_itself() -> None:
    proof = prove(REPLICATED_LOG.bounded(replicas=3, log_size=3, records=2), "type_ok")
    assert proof.verdict == "proven"
    assert proof.symmetric == ("replica", "value")


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("profile", VIOLATED, ids=lambda p: p.name)
def test_what_a_search_refutes_is_never_proven(profile: Profile, k: int) -> None:
    model = profile.bounded()
    proof = prove(model, "never_bad", k=k)
    assert proof.verdict == explore(model).verdict == "violated"


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("profile", LEAVING, ids=lambda p: p.name)
def test_a_step_that_leaves_a_domain_is_an_error_also_if_only_the_first_one_does(profile: Profile, k: int) -> None:
    with pytest.raises(ModelError, match=r"outside its domain|was used"):
        prove(profile.bounded(), "never_bad", k=k)


def test_numbers_that_just_fit_their_bits_are_within_their_domains() -> None:
    assert prove(FULL.bounded(), "never_bad", effort=Effort(bits=4)).verdict == "violated"
    assert prove_within(FULL.bounded(), "never_bad", 2, effort=Effort(bits=4)).verdict == "violated"


def test_a_query_that_no_solver_answers_leaves_it_undecided() -> None:
    impatient = Configuration("impatient", options=(("rlimit", 1),))
    proof = prove(MODEL, "never_burnt", lemmas=[never_hot], effort=Effort(portfolio=(impatient,)))
    assert [q for q in proof.unknown if q.kind == "consecution"]
    assert not proof.failing
    assert proof.verdict == "undecided"


def test_an_interrupted_proof_is_undecided() -> None:
    proof = prove(MODEL, "never_burnt", lemmas=[never_hot], watch=Watch(interrupted=lambda: True))
    assert proof.verdict == "undecided"


def test_a_search_that_would_compare_too_many_renamings_does_without() -> None:
    bounds = {"log_size": 1, "records": 1, "leader_epochs": 1}
    few, many = (KIP_320.bounded(replicas=n, **bounds) for n in (7, 8))
    domains, _ = provable_symmetry(many, [], [])
    assert searched_symmetry(few, domains) == ["replica"]
    assert searched_symmetry(many, domains) == []


def searched(model: Model) -> str:
    try:
        return explore(model, engine="interpreted", limits=Limits(states=300)).verdict
    except ModelError:
        return "leaves a domain"


def test_no_random_program_is_proven_that_a_search_refutes(tmp_path: Path, thorough: bool) -> None:
    numbers = RANDOM_PROGRAMS if thorough else RANDOM_PROGRAMS_BY_DEFAULT
    module = imported(tmp_path, programs(numbers))
    seen = Counter[tuple[str, bool]]()
    for number in numbers:
        model = getattr(module, f"PROFILE_{number}").bounded(nodes=2, levels=2)
        found = searched(model)
        for k in (1, 2):
            try:
                induction = Induction(model, model.profile.properties[0], (), Effort(bits=12), k=k)
                seen[found, induction.proven(list(induction.queries()))] += 1
            except UntranslatableError:
                continue
    assert not seen["violated", True] + seen["leaves a domain", True]
    assert min(seen["violated", False], seen["leaves a domain", False], seen["holds", True]) > 0


ASCENDS = """
@step_always("The total never falls while the chief stays.")
def ascends(before: Cluster, after: Cluster) -> bool:
    return after.total >= before.total or after.chief != before.chief
"""


def test_no_property_of_the_steps_of_a_random_program_is_proven_that_a_search_refutes(
    tmp_path: Path, thorough: bool
) -> None:
    numbers = RANDOM_PROGRAMS if thorough else RANDOM_PROGRAMS_BY_DEFAULT
    module = imported(tmp_path, programs(numbers) + ASCENDS)
    seen = Counter[tuple[str, bool]]()
    for number in numbers:
        profile = replace(getattr(module, f"PROFILE_{number}"), properties=(module.ascends,))
        model = profile.bounded(nodes=2, levels=2)
        try:
            induction = Induction(model, module.ascends, (), Effort(bits=12))
            seen[searched(model), induction.proven(list(induction.queries()))] += 1
        except UntranslatableError:
            continue
    assert not seen["violated", True] + seen["leaves a domain", True]
    assert min(seen["violated", False], seen["leaves a domain", False], seen["holds", True]) > 0


@pytest.mark.thorough
def test_within_one_leadership_of_kafka_the_high_watermark_never_goes_back_is_proven() -> None:
    bounds = {"replicas": 2, "log_size": 1, "values": 1, "leader_epochs": 2}
    model = KAFKA_4_1.bounded(**bounds, keeps_known_ends=False)
    assert prove(model, "high_watermark_monotonic").verdict == "proven"
