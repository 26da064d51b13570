"""Every guard of the full Kafka model carries weight, and so do the rules behind Kafka's known bugs: a mutant without it is caught.

The search for what catches a mutant takes minutes, and is `make mutants`. Here its table is checked by the interpreter: the steps
that it found are taken, in the mutant and in the model. Those that nothing catches stand in kafka_survivors.json with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from golden_text import EXPLANATION, expect_golden
from mutants.kafka_campaigns import FOR_SOME, campaign
from mutants.kafka_mutant_page import KINDS, page, survivors
from mutants.kafka_mutant_table import model_of, table
from mutants.kafka_mutants import MODELS, NO_MUTANT, kafka_mutants

from neverlost.model.core import Model, ModelError, Profile, Refused

AGAIN = "run `make mutants`, and commit tests/spec/kafka_mutants.json"
FOUND = table()
CAUGHT = [name for name, values in FOUND.items() if not values["survives"]]
SURVIVING = [name for name, values in FOUND.items() if values["survives"]]


@pytest.fixture(scope="module")
def versions() -> Mapping[str, Profile]:
    return kafka_mutants().versions


def outcome(model: Model, steps: list[str], name: str) -> str:
    """What the steps come to: refused, out of a domain, or whether they decide the property of that name."""
    states = model.initial_states()
    for text in steps:
        try:
            states.append(model.apply(states[-1], model.parse_step(text)))
        except Refused:
            return "refused"
        except ModelError:
            return "error" if text == steps[-1] else "refused"
    if name not in {p.name for p in model.profile.all_properties}:
        return "possible"
    prop = model.profile.property_named(name)
    decided = model.holds(prop, *(states[-2:] if prop.over_steps else states[-1:])) == prop.seeks
    return "decided" if decided else "possible"


@pytest.mark.parametrize("name", CAUGHT)
def test_the_steps_that_catch_a_mutant_tell_it_from_the_model(name: str, versions: Mapping[str, Profile]) -> None:
    values: Mapping[str, Any] = FOUND[name]
    chosen = campaign(values["campaign"])
    sound = outcome(model_of(versions, chosen, 0), values["steps"], values["by"])
    wrong = outcome(model_of(versions, chosen, kafka_mutants().number(name)), values["steps"], values["by"])
    if values["how"] == "lost":
        assert (sound, wrong != "decided") == ("decided", True), AGAIN
    else:
        assert wrong == ("error" if values["how"] == "error" else "decided"), AGAIN
        assert sound not in ("error", "decided"), AGAIN


def test_no_mutant_is_chosen_unless_one_is_asked_for(versions: Mapping[str, Profile]) -> None:
    for profile in versions.values():
        assert profile.bounded().plain_settings["mutant"] == NO_MUTANT


def test_every_mutant_of_the_model_as_it_is_now_is_in_the_table() -> None:
    now = {m.name: (m.kind, m.written, m.instead) for m in kafka_mutants().mutants}
    then = {name: (values["kind"], values["written"], values["instead"]) for name, values in FOUND.items()}
    assert then == now, AGAIN


def test_every_require_of_the_model_has_a_mutant() -> None:
    files = list(MODELS.glob("*.py"))
    written = sum(file.read_text(encoding="utf-8").count("    require(") for file in files)
    assert sum(m.kind == "guard" for m in kafka_mutants().mutants) == written > 80


def test_campaigns_for_some_mutants_name_mutants() -> None:
    prefixes = {prefix for prefix, _ in FOR_SOME}
    assert {p for p in prefixes if not any(name.startswith(p) for name in FOUND)} == set()


def test_exactly_the_survivors_are_explained() -> None:
    assert sorted(survivors()) == sorted(SURVIVING)


def test_survivors_that_reach_the_same_states_and_no_others_are_called_equivalent() -> None:
    for name, reason in survivors().items():
        assert reason["kind"] in KINDS
        assert (reason["kind"] == "equivalent") == (FOUND[name]["differs"] is None), name


def test_survivors_that_can_do_less_than_the_model_reach_no_more_states() -> None:
    for name, reason in survivors().items():
        if reason["kind"] == "restricts":
            states, of_the_model = re.findall(r"[\d,]+(?= states)|(?<=instead of )[\d,]+", FOUND[name]["differs"])
            assert int(states.replace(",", "")) <= int(of_the_model.replace(",", "")), name


def test_the_page_about_mutants_tells_what_the_table_has() -> None:
    expect_golden("mutants.md", page(), EXPLANATION)
