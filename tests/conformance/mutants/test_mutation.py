"""Mutants are made from the source of a model: mutant 0 is the model, and every other has exactly the mistake that it names."""

from __future__ import annotations

import random

import pytest

from neverlost.conformance.mutants.mutation import mutants_of, mutated, switches_of
from neverlost.explorer.loading import find_profile
from neverlost.model.core import Model, Packed, Profile
from neverlost.spec import profiles

JUGS = find_profile("examples/water_jugs.py:WATER_JUGS", {})


def steps_from(model: Model, words: Packed) -> list[tuple[int, Packed]]:
    return sorted(model.successors(words))


@pytest.mark.parametrize(
    "profile", [JUGS, profiles()["published/kip-320"], profiles()["kafka-4.1"]], ids=lambda p: p.name
)
def test_mutant_0_does_the_steps_of_the_model_in_every_state_of_a_random_run(profile: Profile) -> None:
    model, same = profile.bounded(), mutated(profile, mutants_of(profile)).bounded()
    words, choose = model.initial_states()[0], random.Random(7)
    assert same.initial_states() == model.initial_states()
    for _ in range(40):
        found = steps_from(model, words)
        assert steps_from(same, words) == found
        if not found:
            break
        words = choose.choice(found)[1]


def test_every_kind_of_mistake_is_made_where_it_stands() -> None:
    names = {mutant.name: mutant for mutant in mutants_of(profiles()["kafka-4.1"])}
    guard = names["leader.expand_isr:guard-4"]
    assert (guard.written, guard.instead, guard.rules) == (
        "s.known_end[leader][follower] == s.log_end[follower]",
        "True",
        "R-ISR-2",
    )
    assert names["leader.has_caught_up:boundary-1"].instead == "end > s.high_watermark[leader]"
    assert names["leader.expand_isr:effect-1"].about == (
        "`change_isr(s, leader, with_member(s.isr[leader], follower))` does not happen"
    )
    assert names["controller.may_succeed:part-3"].kind == "part"
    assert not any("_left" in mutant.written for mutant in names.values())


def test_another_set_another_function_another_number_one_member_only_and_a_guard_that_is_not_always_asked() -> None:
    names = {mutant.name: mutant for mutant in mutants_of(profiles()["kafka-4.1"])}
    assert names["producer.handle_produce:other-1"].instead == (
        "max(count(s, s.isr[leader]), count(s, s.proposed_isr[leader]))"
    )
    assert names["producer.handle_produce:other-2"].instead == (
        "s.proposed_isr[leader] if s.proposed_isr[leader] != 0 else s.isr[leader]"
    )
    in_its_place = {one.instead for name, one in names.items() if name.startswith("broker.cut_as_leader_says:other")}
    assert {"end_of_round(s, follower, leader)", "end_by_records(s, leader, follower)", "0"} <= in_its_place
    assert names["leader.fail_produces:loop-1"].about.endswith("happens for one member only")
    exempt = {one.instead for name, one in names.items() if name.startswith("controller.elect:exempt")}
    assert (
        "not contains(s.fenced, successor) or (s.controller_isr == EMPTY and s.eligible == EMPTY and (s.last_leader == successor))"
        in exempt
    )


def test_a_mutant_that_takes_a_guard_for_granted_allows_what_the_model_refuses() -> None:
    profile = profiles()["kafka-4.1"]
    (guard,) = (m for m in mutants_of(profile) if m.name == "controller.elect:guard-1")
    wrong = mutated(profile, [guard])
    right = [model_step(profile.bounded(), number) for number in steps_of(profile.bounded())]
    assert right
    assert {s.partition("(")[0] for s in right} < {
        s.partition("(")[0] for s in (model_step(wrong.bounded(mutant=1), n) for n in steps_of(wrong.bounded(mutant=1)))
    }


def steps_of(model: Model) -> list[int]:
    return [number for number, _ in model.successors(model.initial_states()[0])]


def model_step(model: Model, number: int) -> str:
    return model.steps[number].show(model.bounds)


def test_an_effect_that_is_dropped_leaves_the_field_as_it_was() -> None:
    profile = profiles()["kafka-4.1"]
    (dropped,) = (m for m in mutants_of(profile) if m.name == "faults.pause:effect-2")
    model = mutated(profile, [dropped]).bounded(pauses=1, mutant=1)
    right = profile.bounded(pauses=1)
    words = model.initial_states()[0]
    step = right.parse_step("pause(replica=r1)")
    assert right.state(right.apply(words, step)).silent == 1
    assert model.state(model.apply(words, model.parse_step("pause(replica=r1)"))).silent == 0


def test_neighbours_differ_in_the_settings_of_the_registry() -> None:
    versions = profiles()
    found = switches_of(versions["kafka-4.1"], [versions["kafka-3.7"]])
    assert {mutant.name: mutant.switched for mutant in found} == {
        "elr=no": {"elr": 0},
        "registers_unfenced=yes": {"registers_unfenced": 1},
        "ignores_unclean=yes": {"ignores_unclean": 1},
        "responses_know_epoch=no": {"responses_know_epoch": 0},
        "refuses_newer_records=no": {"refuses_newer_records": 0},
        "directory_moves_clear_elr=no": {"directory_moves_clear_elr": 0},
    }
    assert found[0].about == "elr=no as in kafka-3.7, and not elr=yes"
