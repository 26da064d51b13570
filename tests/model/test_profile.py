"""Profiles are deltas, and bounds that cannot be meant are refused with what would fit."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from written_models import written

from neverlost.model.core import BoundsError, Model, ModelError, Profile, UnknownNameError
from neverlost.model.published import kip_320, kip_320_first_try
from neverlost.spec import profiles
from neverlost.spec.published.profiles import ID_SEQUENCE, KIP_101, KIP_279, KIP_320, PROFILES, REPLICATED_LOG


def names(profile: Profile) -> list[str]:
    return [action.name for action in profile.actions]


def test_replacing_puts_the_new_action_in_the_place_of_the_old_one() -> None:
    place = names(KIP_279).index("follower_replicate")
    changed = KIP_279.replacing("changed", "A change.", follower_replicate=kip_320.fenced_follower_fetch)
    assert names(changed)[place] == "fenced_follower_fetch"
    assert names(changed)[:place] == names(KIP_279)[:place]
    assert (changed.name, changed.statement) == ("changed", "A change.")
    assert changed.properties == KIP_279.properties


def test_replacing_leaves_the_original_as_it_was() -> None:
    before = names(KIP_279)
    KIP_279.replacing("changed", "A change.", leader_write=None)
    assert names(KIP_279) == before


def test_replacing_an_action_by_none_removes_it() -> None:
    assert names(KIP_101.replacing("readonly", "No writes.", leader_write=None)) == [
        name for name in names(KIP_101) if name != "leader_write"
    ]


def test_replacing_a_field_of_the_profile_changes_that_field() -> None:
    assert KIP_101.replacing("bare", "Without probes.", probes=()).probes == ()


def test_replacing_an_unknown_action_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'leader_write'"):
        KIP_320.replacing("changed", "A change.", leader_writes=None)


def test_adding_appends_actions() -> None:
    added = KIP_279.adding(kip_320_first_try.follower_truncate)
    assert names(added) == [*names(KIP_279), "follower_truncate"]


def test_a_profile_with_two_things_of_one_name_is_refused() -> None:
    with pytest.raises(ModelError, match="has two things named 'leader_write'"):
        KIP_320.adding(next(action for action in KIP_320.actions if action.name == "leader_write"))


def test_a_property_is_found_by_name_and_an_unknown_one_refused_with_the_nearest() -> None:
    assert KIP_320.property_named("strong_isr").name == "strong_isr"
    assert KIP_320.property_named("leader_in_isr_as_published") in KIP_320.probes
    with pytest.raises(UnknownNameError, match="Did you mean 'strong_isr'"):
        KIP_320.property_named("strong_irs")


def test_the_bounds_are_named_by_the_domains_in_use() -> None:
    assert KIP_320.bound_names == ("replicas", "log_size", "records", "leader_epochs")
    assert ID_SEQUENCE.bound_names == ("ids",)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda p: p.name)
def test_every_profile_has_default_bounds_that_can_be_explored(profile: Profile) -> None:
    assert profile.bounded().bounds == dict(profile.default_bounds)


def test_bounds_that_are_not_given_are_the_default_ones() -> None:
    assert KIP_320.bounded(replicas=2).bounds == {**KIP_320.default_bounds, "replicas": 2}


@pytest.mark.parametrize("value", [0, -1, 1 << 21, 2.0, "3"])
def test_a_bound_that_is_no_number_from_one_up_is_refused(value: object) -> None:
    with pytest.raises(BoundsError, match=r"replicas is .*; it must be at least 1 and at most"):
        KIP_320.bounded(replicas=value)  # type: ignore[arg-type]


def test_an_unknown_bound_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        BoundsError, match=r"no bound 'brokers'; its bounds are replicas, log_size, records, leader_epo"
    ):
        KIP_320.bounded(brokers=3)


def test_bounds_too_large_for_a_packed_state_are_refused_with_values_that_fit() -> None:
    with pytest.raises(BoundsError) as error:
        KIP_320.bounded(replicas=5, log_size=80, records=3, leader_epochs=3)
    assert re.search(r"needs \d+ bits a state; the limit is 16 words of 63 bits", str(error.value))
    fitting = int(str(error.value).split("log_size ")[-1].split(" ")[0])
    assert KIP_320.bounded(replicas=5, log_size=fitting, records=3, leader_epochs=3).layout.words <= 16
    with pytest.raises(BoundsError):
        KIP_320.bounded(replicas=5, log_size=fitting + 1, records=3, leader_epochs=3)


def test_bounds_with_too_many_steps_are_refused() -> None:
    with pytest.raises(BoundsError, match=r"steps to try in every state; the limit is 4096\. Lower one bound"):
        REPLICATED_LOG.bounded(replicas=3, log_size=1, records=2000)


def test_the_initial_states_are_packed_once_each() -> None:
    model = KIP_320.bounded()
    (start,) = model.initial_states()
    values = model.state(start).values()
    assert values["controller_isr"] == 0b111
    assert values["leader"] == [-1, -1, -1]
    assert values["log_end"] == [0, 0, 0]


ROGUE = """
def initial(s: Boxes) -> None:
    s.count = 0

@action("a rule")
def grow(s: Boxes, box: Box) -> None:
    s.count += 1

@action("a rule")
def look(s: Boxes, box: Box) -> None:
    require(s.ball[s.count - 1])

    s.ball[box] = True
"""


@pytest.fixture
def rogue(tmp_path: Path) -> Profile:
    module = written(tmp_path, ROGUE)
    return Profile(
        name="rogue",
        statement="",
        state=module.Boxes,
        initial=module.initial,
        actions=(module.grow, module.look),
        properties=(),
        default_bounds={"boxes": 2},
    )


def test_a_step_that_leaves_its_domain_is_refused(rogue: Profile) -> None:
    model: Model = replace(rogue, actions=rogue.actions[:1]).bounded()
    (words,) = model.initial_states()
    for _ in range(2):
        words = model.successors(words)[0][1]
    with pytest.raises(ModelError, match=r"grow\(box=0\): count was set to 3, outside its domain 0\.\.2"):
        model.successors(words)


def test_a_guard_that_reads_outside_a_domain_is_refused(rogue: Profile) -> None:
    model = replace(rogue, actions=rogue.actions[1:]).bounded()
    with pytest.raises(ModelError, match=r"look\(box=0\): ball\[-1\] was used, but Box is 0\.\.1"):
        model.successors(model.initial_states()[0])


def test_a_model_that_is_too_wide_to_explore_may_still_be_followed() -> None:
    kafka = profiles()["kafka-3.5"]
    with pytest.raises(BoundsError, match="Lower one bound"):
        kafka.bounded(log_size=100)
    model = kafka.bounded_to_follow(log_size=100)
    (start,) = model.initial_states()
    after = model.apply(start, model.parse_step("produce(leader=r1, value=0, response=delivered)"))
    assert model.state(after).values()["log_end"] == [1, 0, 0]


@pytest.mark.parametrize("bound", ["log_size", "values", "leader_epochs"])
def test_a_model_of_which_not_even_one_state_is_quickly_laid_out_cannot_be_followed(bound: str) -> None:
    said = rf"elements of the state and steps; the limit is 1,000,000\. Lower one bound: {bound} (\d+) would do\."
    with pytest.raises(BoundsError, match=said) as caught:
        profiles()["kafka-3.5"].bounded_to_follow(**{bound: 1_000_000})
    fits = re.search(said, str(caught.value))
    assert fits is not None
    with pytest.raises(BoundsError, match="the limit is 1,000,000"):
        profiles()["kafka-3.5"].bounded_to_follow(**{bound: int(fits[1]) + 1})


def test_bounds_of_a_model_to_follow_must_be_possible() -> None:
    kafka = profiles()["kafka-3.5"]
    for bounds, said in (({"replicas": 63}, "has sets of 63 members"), ({"logs": 3}, "has no bound 'logs'")):
        with pytest.raises(BoundsError, match=said):
            kafka.bounded_to_follow(**bounds)
