"""The purgatory's model: what it promises holds and is proven, each of its parts carries weight, and its races are there."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from lemma_properties import PREFIX, deciding_lemmas
from mutation import Mutation, mutated, mutations

import neverlost.model.kafka.purgatory as model_module
import neverlost.spec.kafka.purgatory as spec_module
from neverlost.explorer.result import Result
from neverlost.explorer.search import Limits, explore
from neverlost.explorer.symbolic.proof import prove
from neverlost.model.core import ModelError, Profile
from neverlost.spec.kafka.purgatory import PURGATORY

PROMISES = ("exactly_one_response", "no_event_is_missed", "completed_leaves_the_timer", "waiting_has_a_deadline")
TWO_AND_TWO = (2_181, 8_309, 16)
"""Distinct states, generated, and depth with two operations and two keys."""


def size_of(result: Result) -> tuple[int, int, int]:
    return result.distinct, result.generated, result.depth


def search(profile: Profile = PURGATORY, engine: str = "interpreted", **settings: int) -> Result:
    limits = Limits(states=2 * TWO_AND_TWO[0])
    return explore(profile.bounded(**settings), engine=engine, until="all", limits=limits)


def test_both_engines_find_the_same_states_and_no_dead_action() -> None:
    interpreted, compiled = search(), search(engine="compiled")
    assert size_of(interpreted) == size_of(compiled) == TWO_AND_TWO
    assert compiled.digest == interpreted.digest
    assert interpreted.dead_actions == ()


def test_all_that_it_promises_holds_and_every_race_is_witnessed() -> None:
    assert {finding.verdict for finding in search().findings.values()} == {"holds"}


def test_everybody_is_answered_once_the_clock_runs() -> None:
    result = explore(PURGATORY.bounded(), engine="compiled", until="all", properties=("everybody_is_answered",))
    assert result.findings["everybody_is_answered"].verdict == "holds"


@pytest.mark.parametrize("bounds", [{"operations": 2, "keys": 2}, {"operations": 4, "keys": 4}], ids=str)
@pytest.mark.parametrize("promise", PROMISES)
def test_what_it_promises_is_proven_for_any_number_of_steps(promise: str, bounds: dict[str, int]) -> None:
    proof = prove(PURGATORY.bounded(**bounds), promise)
    assert (proof.verdict, proof.unknown) == ("proven", ())


@pytest.mark.parametrize(
    ("setting", "promise", "steps"),
    [("second_try", "no_event_is_missed", 8), ("looks_back", "completed_leaves_the_timer", 9)],
)
def test_without_a_second_try_an_event_is_missed_and_without_looking_back_the_timer_leaks(
    setting: str, promise: str, steps: int
) -> None:
    findings = search(**{setting: False}).findings
    assert [name for name in PROMISES if findings[name].verdict == "violated"] == [promise]
    trace = findings[promise].trace
    assert trace is not None
    assert len(trace.steps) == steps


WITHOUT_GUARD = [m for m in mutations([Path(model_module.__file__)]) if m.is_require]


def mutant_of(mutation: Mutation, folder: Path, name: str) -> Profile:
    """The profile over a copy of the model in which the mutation is made."""
    source, spec = Path(model_module.__file__), Path(spec_module.__file__)
    (folder / f"{name}_model.py").write_text(mutated(mutation, source.parent), encoding="utf-8")
    text = spec.read_text(encoding="utf-8")
    text = text.replace("from neverlost.model.kafka import purgatory", f"import {name}_model as purgatory")
    text = text.replace("neverlost.model.kafka.purgatory", f"{name}_model")
    (folder / f"{name}_spec.py").write_text(text, encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        profile: Profile = importlib.import_module(f"{name}_spec").PURGATORY
    finally:
        sys.path.remove(str(folder))
    return profile


@pytest.mark.parametrize("number", range(len(WITHOUT_GUARD)), ids=[m.label for m in WITHOUT_GUARD])
def test_without_one_of_its_guards_it_is_another_model(number: int, tmp_path: Path) -> None:
    name = f"purgatory_mutant_{number}"
    try:
        result = search(mutant_of(WITHOUT_GUARD[number], tmp_path, name))
    except ModelError:
        return
    finally:
        for module in (f"{name}_model", f"{name}_spec"):
            sys.modules.pop(module, None)
    violated = {found for found in PROMISES if result.findings[found].verdict == "violated"}
    assert size_of(result) != TWO_AND_TWO or violated


def test_every_lemma_is_true_in_every_state_of_a_search(tmp_path: Path) -> None:
    result = explore(deciding_lemmas(PURGATORY, tmp_path).bounded(), engine="interpreted", until="all")
    assert {name: found.verdict for name, found in result.findings.items() if found.verdict != "holds"} == {}
    assert sum(name.startswith(PREFIX) for name in result.findings) == len(PURGATORY.lemmas)
