"""Lemmas that are searched for: candidates are what the grammar says, wrong ones go, and what is left is proven as it is printed."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from inductive_models import LAMP
from log_lemmas import ends_are_numbers, logs_agree, nothing_lies_at_the_end, values_lie_below_the_end
from samples import SMALL_MODELS, reachable
from two_phase.versions import VERSIONS

from neverlost.cli.main import main
from neverlost.explorer.lemmas.checking import is_true
from neverlost.explorer.lemmas.grammar import Context, clause_text, clause_variables, contexts, parameter_name
from neverlost.explorer.lemmas.mining import Miner
from neverlost.explorer.lemmas.text import lemma_functions, lemma_text, loaded_lemmas, module_text
from neverlost.explorer.loading import profile_from_file
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.symbolic.clauses import Translation
from neverlost.explorer.symbolic.discovery import Ambition, Discovery, discover
from neverlost.explorer.symbolic.ground import Ground
from neverlost.explorer.symbolic.houdini import Candidate, CandidateFilter, Houdini
from neverlost.explorer.symbolic.orbits import least_steps, provable_symmetry
from neverlost.explorer.symbolic.proof import prove
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Index, Model, Profile, State, any_of
from neverlost.model.core.language import check_function
from neverlost.spec.published.profiles import KIP_320, REPLICATED_LOG

ROOT = Path(__file__).resolve().parents[3]
JUGS = ROOT / "examples" / "water_jugs.py"
TWO_PHASE = VERSIONS[1]
LOGS = REPLICATED_LOG.bounded(replicas=2, log_size=2, records=2)


def texts(context: Context) -> list[str]:
    return [atom.yes for atom in context.atoms]


@pytest.mark.parametrize("model", SMALL_MODELS[4:], ids=lambda model: model.profile.name.split("/")[1])
def test_every_atom_is_model_python_and_is_true_and_false_as_its_negation_is_false_and_true(model: Model) -> None:
    for context in contexts(model):
        pairs = [(clause_variables(context, (2 * k,)), k) for k in range(len(context.atoms))]
        yes = lemma_functions(model, [(variables, context.atoms[k].yes) for variables, k in pairs])
        no = lemma_functions(model, [(variables, context.atoms[k].no) for variables, k in pairs])
        for one, other in zip(yes, no, strict=True):
            check_function(one.function, model.profile.state, "value")
            values = one.combinations(model.bounds)[-1]
            for words in reachable(model)[::100]:
                assert is_true(model, one, values, words) != is_true(model, other, values, words)


def test_fields_of_one_domain_are_compared_and_others_are_not() -> None:
    first = texts(contexts(KIP_320.bounded())[0])
    assert "s.log_end[replica] < s.high_watermark[replica]" in first
    assert "s.controller_epoch < s.next_epoch" in first
    assert "contains(s.isr[replica], other_replica)" in first
    assert "(s.leader[replica] >= 0 and contains(s.isr[replica], s.leader[replica]))" in first
    assert not [text for text in first if "next_epoch" in text and "next_record" in text]
    assert not [text for text in first if "leader[" in text and " < s." in text and "epoch" not in text]


def test_swapping_the_two_parameters_of_a_domain_twice_gives_the_same_atom() -> None:
    context = contexts(KIP_320.bounded())[0]
    assert context.twins == ("replica", "other_replica")
    for number in range(len(context.atoms)):
        assert context.swapped(context.swapped(number)) == number


def test_a_clause_about_two_members_is_about_different_ones() -> None:
    context = contexts(LOGS)[0]
    number = texts(context).index("s.value[replica][offset] == s.value[other_replica][offset]")
    assert clause_text(context, (2 * number + 1,)) == (
        "replica == other_replica or s.value[replica][offset] != s.value[other_replica][offset]"
    )


def test_the_shortest_clauses_that_samples_leave_are_found_all_of_them() -> None:
    generator = np.random.default_rng(8)
    reached, drawn = generator.random((60, 5)) < 0.7, generator.random((500, 5)) < 0.5
    found = {clause for clause, _ in Miner(reached, drawn, 3).clauses(lambda: False)}
    literals = [reached[:, k // 2] ^ bool(k % 2) for k in range(10)]
    true = {
        clause
        for length in (1, 2, 3)
        for clause in combinations(range(10), length)
        if len({k // 2 for k in clause}) == length and np.logical_or.reduce([literals[k] for k in clause]).all()
    }
    shortest = {c for c in true if not any(set(other) < set(c) for other in true)}
    assert shortest
    assert found == shortest


def found_in(model: Model, **options: object) -> Discovery:
    properties = [p for p in model.profile.properties if p.kind == "always"]
    return discover(model, properties=properties, **options)  # type: ignore[arg-type]


def test_what_bare_logs_are_is_found_and_proves_their_type() -> None:
    found = found_in(LOGS)
    assert [each.condition for each in found.found] == [
        "s.value[replica][offset] < 0 or offset < s.log_end[replica]",
        "s.value[replica][offset] >= 0 or offset >= s.log_end[replica]",
    ]
    assert found.confirmed
    assert [proof.verdict for proof in found.proofs] == [Verdict.PROVEN]


def test_the_invariant_of_the_water_jugs_is_found_and_the_puzzle_still_has_its_solution() -> None:
    found = found_in(profile_from_file(f"{JUGS}:WATER_JUGS").bounded())
    assert [each.condition for each in found.found] == [
        "s.small == 0 or s.small == s.size(SmallLitre) or s.large == 0 or s.large == s.size(LargeLitre)"
    ]
    assert [proof.verdict for proof in found.proofs] == [Verdict.VIOLATED]


@pytest.mark.thorough
def test_what_is_found_proves_simple_properties_of_kip_320_by_itself() -> None:
    model = KIP_320.bounded(replicas=2, log_size=1, records=1, leader_epochs=1)
    found = found_in(model, ambition=Ambition(literals=2, candidates=300))
    assert found.confirmed
    assert {p.claim.name for p in found.proofs if p.verdict == Verdict.PROVEN} >= {"type_ok", "leader_in_isr"}


def test_members_with_names_are_compared_with_each_so_two_phase_commit_proves_itself_and_its_module_reads_well() -> (
    None
):
    found = found_in(TWO_PHASE.bounded(coordinator_crashes=3))
    assert [each.condition for each in found.found] == [
        "s.phase[part] != Phase.ASKED or s.decision != Decision.COMMIT",
        "s.phase[part] != Phase.ABORTED or s.decision == Decision.ABORT",
        "s.phase[part] != Phase.COMMITTED or s.decision == Decision.COMMIT",
    ]
    assert found.confirmed
    assert [(proof.claim.name, proof.verdict) for proof in found.proofs] == [("committed_on_both", Verdict.PROVEN)]
    assert "from two_phase.model import Decision, Part, Phase, TwoPhaseCommit" in found.module


class Light(Index, names=("off", "on")):
    """Two members."""


class Acks(Index, names=("0", "1", "all")):
    """Two of the names are numbers."""


class Panel(State):
    """A field of each."""

    light = any_of(Light)
    acks = any_of(Acks)


def dark(s: Panel) -> None:
    """Off, and no acks."""


def test_a_name_of_two_is_compared_with_one_and_a_name_that_is_none_in_python_is_a_number() -> None:
    atoms = texts(contexts(replace(LAMP, state=Panel, initial=dark, actions=(), properties=(), probes=()).bounded())[0])
    assert atoms == ["s.light == Light.OFF", "s.acks == 0", "s.acks == 1", "s.acks == Acks.ALL"]


def test_with_lemmas_that_say_it_all_nothing_more_is_found() -> None:
    found = found_in(LOGS, given=[values_lie_below_the_end])
    assert (found.found, found.given) == ((), (values_lie_below_the_end,))
    assert [proof.verdict for proof in found.proofs] == [Verdict.PROVEN]


def test_an_interrupted_search_ends_with_what_it_has() -> None:
    found = found_in(LOGS, watch=Watch(interrupted=lambda: True))
    assert found.interrupted
    assert found.found == ()


def planted(model: Model, *conditions: str) -> tuple[Ground, list[Candidate], Houdini]:
    domains, _ = provable_symmetry(model, [], [])
    context = contexts(model)[0]
    ground = Ground(Translation(model), [context], domains)
    clauses = [
        tuple(
            2 * k + sign
            for part in condition.split(" or ")
            for k, atom in enumerate(context.atoms)
            for sign, text in enumerate((atom.yes, atom.no))
            if text == part
        )
        for condition in conditions
    ]
    candidates = [Candidate(context, c, 0.5, tuple(ground.instances(context, c))) for c in clauses]
    steps = least_steps(model, domains)
    return ground, candidates, Houdini(ground, steps, domains, candidates, [], seconds=5.0)


BELOW = "s.value[replica][offset] < 0 or offset < s.log_end[replica]"
AT_THE_END = "s.value[replica][offset] < 0 or offset != s.log_end[replica]"
AGREE = "s.value[replica][offset] == s.value[other_replica][offset]"


def test_a_wrong_candidate_is_thrown_out_and_one_that_needs_another_stays_only_beside_it() -> None:
    for conditions, left in (((BELOW, AT_THE_END, AGREE), [BELOW, AT_THE_END]), ((AT_THE_END, AGREE), [])):
        _, _, houdini = planted(LOGS, *conditions)
        assert [candidate.text for candidate in houdini.run()] == left


def test_reached_states_throw_out_wrong_candidates_alone() -> None:
    _, _, houdini = planted(LOGS, BELOW, AT_THE_END, AGREE)
    houdini.try_on(np.array(reachable(LOGS), np.int64))
    assert houdini.active.tolist() == [True, True, False]


def test_what_follows_from_other_candidates_is_left_out() -> None:
    ground, candidates, _ = planted(LOGS, BELOW, AT_THE_END, AGREE)
    candidate_filter = CandidateFilter(ground, frozenset(), [], 5.0)
    assert candidate_filter.new(candidates, 3, True, lambda: False) == [candidates[0], candidates[2]]


def test_a_printed_lemma_is_read_back_the_same() -> None:
    context = contexts(LOGS)[0]
    text = lemma_text(LOGS, "found_1", "Why.", context.variables[:2], BELOW)
    (read,) = loaded_lemmas(LOGS, [text])
    assert (read.name, read.reason) == ("found_1", "Why.")
    assert read.combinations(LOGS.bounds) == [(r, o) for r in range(2) for o in range(2)]
    assert "from neverlost.model.published.replicated_log import Logs, Offset, Replica" in module_text(LOGS, [text])


def with_lemmas(*lemmas: object) -> Profile:
    return replace(REPLICATED_LOG, lemmas=lemmas)  # type: ignore[arg-type]


def test_a_false_lemma_fails_a_proof_with_a_state_that_is_reached() -> None:
    proof = prove(with_lemmas(values_lie_below_the_end, logs_agree).bounded(), "type_ok")
    assert proof.verdict == Verdict.UNDECIDED
    assert proof.failing[0].lemma == "logs_agree"
    assert proof.reach is not None
    assert proof.reach.text == "reachable"
    assert proof.failing[0].pair is not None
    assert is_true(proof.model, logs_agree, (0, 1, 0), proof.failing[0].pair.before)


def test_a_true_lemma_that_needs_another_fails_it_with_a_state_that_is_not() -> None:
    profile = replace(with_lemmas(nothing_lies_at_the_end), properties=(ends_are_numbers,))
    proof = prove(profile.bounded(), "ends_are_numbers")
    assert proof.verdict == Verdict.UNDECIDED
    assert proof.failing[0].lemma == "nothing_lies_at_the_end"
    assert proof.reach is not None
    assert proof.reach.text == "unreachable"


def test_the_command_line_prints_keeps_and_describes_what_was_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, described = tmp_path / "found.py", tmp_path / "found.json"
    code = main(["lemmas", "published/replicated-log", "--out", str(kept), "--json", str(described)])
    said, values = capsys.readouterr().out, json.loads(described.read_text())
    assert code == 0
    assert BELOW in said
    assert BELOW in kept.read_text()
    assert values["confirmed"]
    assert values["proven"] == ["type_ok"]
    assert [found["name"] for found in values["found"]] == ["found_1", "found_2"]


TERMS = """
from neverlost.modelling import Index, Profile, State, action, always, any_of, flag, per, require

class Role(Index, names=("voter", "leader")):
    "What a server is."

class Server(Index, bound="servers"):
    "A server."

class Term(Index, members=2):
    "A term."

class Cluster(State):
    "Each server's term and role, and the terms that were seen."
    role = per(Server, any_of(Role))
    term = per(Server, any_of(Term))
    seen = per(Term, flag())

def initial(s: Cluster) -> None:
    "Nothing is seen."

@action("test")
def lead(s: Cluster, server: Server) -> None:
    "A server leads in the next term."
    require(s.term[server] < 1)

    s.term[server] += 1
    s.role[server] = Role.LEADER
    s.seen[s.term[server]] = True

@always("The term of a leader was seen.")
def terms_are_seen(s: Cluster) -> bool:
    return all(s.role[v] != Role.LEADER or s.seen[s.term[v]] for v in s.each(Server))

PROFILE = Profile(name="terms", statement="Terms.", state=Cluster, initial=initial, actions=(lead,),
                  properties=(terms_are_seen,), default_bounds={"servers": 2})
"""
"""A field that is called as the parameter of its domain is, `term`."""


def test_lemmas_of_a_model_of_ones_own_can_be_pasted_below_it_even_if_a_field_is_called_as_its_domain(
    tmp_path: Path,
) -> None:
    own, pasted = tmp_path / "terms.py", tmp_path / "pasted.py"
    own.write_text(TERMS)
    assert main(["lemmas", f"{own}:PROFILE", "--literals", "2", "--quiet", "--out", str(tmp_path / "found.py")]) == 0
    found = (tmp_path / "found.py").read_text()
    assert "from neverlost.modelling import lemma\nfrom terms import Cluster, " in found
    assert "Role.VOTER" in found
    functions = found[found.index("@lemma") :]
    names = re.findall(r"def (\w+)\(", functions)
    added = f"PROFILE = replace(PROFILE, lemmas=({', '.join(names)},))"
    words = "from dataclasses import replace\nfrom neverlost.modelling import lemma\n"
    pasted.write_text(TERMS + words + functions + added)
    model = profile_from_file(f"{pasted}:PROFILE").bounded()
    for one in model.profile.lemmas:
        for values in one.combinations(model.bounds):
            assert all(is_true(model, one, values, words) for words in reachable(model)), one.name
    assert prove(model, "terms_are_seen").verdict == Verdict.PROVEN


def test_a_parameter_hides_no_word_of_a_lemma_or_of_python() -> None:
    names = {"S": "s_", "Class": "class_", "Contains": "contains_", "ReplicaSet": "replica_set"}
    assert {name: parameter_name(type(name, (Index,), {})) for name in names} == names


def test_its_exit_code_tells_of_the_properties_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lemmas", f"{JUGS}:WATER_JUGS", "--property", "never_four_litres", "--quiet"]) == 1
    assert main(["lemmas", "published/id-sequence", "--quiet"]) == 3
    assert "0 lemmas found." in capsys.readouterr().out
    assert main(["lemmas", "published/replicated-log", "--property", "all_logs_full"]) == 2
