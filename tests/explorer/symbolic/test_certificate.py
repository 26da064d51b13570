"""A proof is checked again by other means; a contradiction is reported, and also whose mistake it is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import z3
from log_lemmas import LOG_LEMMAS, some_log_has_room, values_lie_below_the_end
from samples import SMALL_MODELS, reachable
from sampling import quick_one_in
from unsound_models import AWKWARD, LEAKING, PEEKING

from neverlost.cli.main import main
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.search import explore
from neverlost.explorer.symbolic.agreement import Disagreement, compare
from neverlost.explorer.symbolic.certificate import RefutedLemmaError, certify
from neverlost.explorer.symbolic.clauses import SymbolicStep, Translation
from neverlost.explorer.symbolic.proof import Proof, prove
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Model, Profile, Step
from neverlost.spec.published.profiles import REPLICATED_LOG

LOGS = replace(REPLICATED_LOG, lemmas=(values_lie_below_the_end,))


def blocks(model: Model) -> list[np.ndarray]:
    return [np.array(reachable(model), np.int64)]


@pytest.mark.parametrize("model", quick_one_in(2, SMALL_MODELS, lambda model: model.profile.name.split("/")[1]))
def test_the_terms_of_published_protocols_say_what_the_interpreter_says(model: Model) -> None:
    found = compare(Translation(model), model.steps, (), blocks(model), count=500)
    assert found.states == 500
    assert found.taken > 0


@pytest.mark.parametrize("profile", [LEAKING, PEEKING, AWKWARD], ids=lambda profile: profile.name)
def test_they_leave_a_domain_where_the_interpreter_does(profile: Profile) -> None:
    model = profile.bounded()
    start = np.array(model.initial_states(), np.int64)
    found = compare(Translation(model), model.steps, (), [start], count=2_000)
    assert found.taken > 0
    assert (found.flawed > 0) == (profile is not AWKWARD)


def test_lemmas_are_compared_before_and_after_steps_false_ones_and_flawed_ones_too() -> None:
    model = REPLICATED_LOG.bounded()
    found = compare(Translation(model), model.steps, LOG_LEMMAS, blocks(model), count=2_000)
    assert found.lemmas == 2_000 * len(LOG_LEMMAS)
    assert found.later > 0


class Wrong(Translation):
    """A translation that takes a step to be possible when it is not, and the other way round."""

    def symbolic_step(self, step: Step) -> SymbolicStep:
        return replace(super().symbolic_step(step), enabled=z3.Not(super().symbolic_step(step).enabled))


def test_terms_that_disagree_are_a_mistake_of_the_tool_and_the_state_is_named() -> None:
    model = REPLICATED_LOG.bounded()
    with pytest.raises(Disagreement, match=r"append\(replica=r1, value=0\).*'log_end'"):
        compare(Wrong(model), model.steps, (), blocks(model), count=100)


def proven(model: Model) -> Proof:
    proof = prove(model, "type_ok")
    assert proof.verdict == Verdict.PROVEN
    return proof


def test_a_proof_is_certified_on_all_states_within_larger_bounds() -> None:
    larger = LOGS.bounded(replicas=3, log_size=2, records=2)
    certificate = certify(proven(LOGS.bounded()), larger)
    assert certificate is not None
    assert (certificate.complete, certificate.symmetric) == (True, ("replica", "value"))
    assert certificate.states == explore(larger, symmetry=True).distinct
    assert certificate.agreement.states == 100_000


def test_an_interrupted_second_look_says_nothing() -> None:
    assert certify(proven(LOGS.bounded()), LOGS.bounded(), watch=Watch(interrupted=lambda: True)) is None


def test_a_lemma_that_is_proven_yet_false_is_a_contradiction_within_the_same_bounds() -> None:
    model = LOGS.bounded()
    forged = replace(proven(model), lemmas=(some_log_has_room,))
    with pytest.raises(Disagreement, match=r"some_log_has_room\(\) is proven, but false in 6 .*'log_end': \[2, 2\]"):
        certify(forged, model)


def test_and_a_wrong_lemma_within_larger_ones() -> None:
    forged = replace(proven(LOGS.bounded(log_size=1)), lemmas=(some_log_has_room,))
    with pytest.raises(RefutedLemmaError, match="within replicas 2, log_size 2, records 2 it is false"):
        certify(forged, LOGS.bounded())


def test_the_command_line_certifies_at_the_largest_golden_bounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "proof.json"
    code = main(["prove", "published/replicated-log", "--property", "type_ok", "--certify", "--json", str(path)])
    said, values = capsys.readouterr().out, json.loads(path.read_text())["certified"]
    assert code == 0
    assert "Checked again" in said
    assert values["bounds"] == {"replicas": 3, "log_size": 3, "records": 2}
    assert (values["random_states"], values["disagreements"], values["complete"]) == (100_000, 0, True)


def test_what_is_not_proven_is_not_certified(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    arguments = ["published/kip-101", "--leader-epochs", "2", "--replicas", "2", "--log-size", "1", "--records", "1"]
    assert main(["prove", *arguments, "--property", "strong_isr", "--certify", "--json", str(path)]) != 0
    assert json.loads(path.read_text())["certified"] is None
