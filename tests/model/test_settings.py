"""Settings: chosen before a run, the same in all its states, and no part of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from written_models import imported

from neverlost.model.core import (
    BoundsError,
    Index,
    LanguageError,
    ModelError,
    Profile,
    State,
    UnknownNameError,
    action,
    always,
    any_of,
    flag,
    one_to,
    per,
    require,
    setting,
    up_to,
)
from neverlost.model.core.language import check_function
from neverlost.model.core.packing import setting_places


class Lift(Index, bound="lifts", more=1, prefix="lift ", first=1):
    """A lift; there is one more than the bound says."""


class Direction(Index, names=("up", "down")):
    """Where a lift goes."""


class Few(Index, members=3):
    """A small number."""


class House(State):
    """A house with lifts."""

    fast = setting(flag(), off="slow")
    """Do lifts go two floors at a time?"""
    music = setting(flag())
    """Is there music?"""
    first = setting(any_of(Direction))
    """Where a lift goes first."""
    persons = setting(one_to(Few))
    """How many persons a lift takes."""
    delay = setting(up_to(Few))
    """How many steps a lift waits."""

    floor = per(Lift, up_to(Few))


def initial(s: House) -> None:
    """Every lift waits below."""
    for lift in s.each(Lift):
        s.floor[lift] = s.delay


@action("test")
def rise(s: House, lift: Lift) -> None:
    """A lift rises by a floor, or by two."""
    require(s.floor[lift] + s.fast < s.size(Few))

    s.floor[lift] += 1 + s.fast


@always("No lift is above the house.")
def inside(s: House) -> bool:
    return s.floor[0] <= s.size(Few)


HOUSE = Profile(
    name="test/house",
    statement="Lifts in a house.",
    state=House,
    initial=initial,
    actions=(rise,),
    properties=(inside,),
    default_bounds={"lifts": 1},
)
FAST = HOUSE.switched("test/fast-house", "Lifts go two floors at a time.", fast=True, persons=3)


def test_a_setting_that_nobody_chooses_is_the_lowest() -> None:
    assert HOUSE.bounded().settings == {"fast": 0, "music": 0, "first": 0, "persons": 1, "delay": 0}


def test_a_profile_that_is_switched_keeps_all_else() -> None:
    assert FAST.default_settings == {"fast": 1, "music": 0, "first": 0, "persons": 3, "delay": 0}
    assert (FAST.name, FAST.statement) == ("test/fast-house", "Lifts go two floors at a time.")
    assert (FAST.actions, FAST.state, FAST.default_bounds) == (HOUSE.actions, HOUSE.state, HOUSE.default_bounds)
    again = FAST.switched("test/slow-house", "One at a time.", fast=False, music=True)
    assert again.default_settings == {"fast": 0, "music": 1, "first": 0, "persons": 3, "delay": 0}


def test_what_a_model_chooses_goes_before_what_its_profile_does() -> None:
    model = FAST.bounded(lifts=2, persons=2, first=1)
    assert (model.bounds, model.settings) == (
        {"lifts": 2},
        {"fast": 1, "music": 0, "first": 1, "persons": 2, "delay": 0},
    )


def test_settings_are_shown_as_json_has_them() -> None:
    assert FAST.bounded(first=1).plain_settings == {
        "fast": True,
        "music": False,
        "first": "down",
        "persons": 3,
        "delay": 0,
    }


def test_settings_are_no_part_of_a_state_but_the_model_reads_them() -> None:
    slow, fast = HOUSE.bounded(delay=1), FAST.bounded(delay=1)
    assert slow.initial_states() == fast.initial_states()
    (state,) = slow.initial_states()
    assert "fast" not in slow.state(state).values()
    step = slow.parse_step("rise(lift=lift 1)")
    after = [model.state(model.apply(state, step)).values()["floor"] for model in (slow, fast)]
    assert after == [[2, 1], [3, 1]]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"fast": 2}, "fast is 2; it must be one of no, yes"),
        ({"first": -1}, "first is -1; it must be one of up, down"),
        ({"persons": 0}, "persons is 0; it must be one of 1, 2, 3"),
        ({"persons": 4}, "persons is 4; it must be one of 1, 2, 3"),
        ({"delay": "1"}, "delay is '1'; it must be one of 0, 1, 2, 3"),
        ({"quick": 1}, "has no bound 'quick'; its bounds are lifts, its settings fast, music, first, persons, delay"),
    ],
)
def test_a_value_that_a_setting_does_not_have_is_refused(wrong: dict[str, int], message: str) -> None:
    with pytest.raises(BoundsError, match=re.escape(message)):
        HOUSE.bounded(**wrong)


def test_a_profile_is_not_switched_to_what_there_is_not() -> None:
    with pytest.raises(BoundsError, match="persons is 0; it must be one of 1, 2, 3"):
        HOUSE.switched("test/wrong", "Nobody.", persons=0)
    with pytest.raises(UnknownNameError, match=r"no setting of test/wrong is named 'musik'\. Did you mean 'music'"):
        HOUSE.switched("test/wrong", "Noise.", musik=True)


def test_the_interpreter_refuses_to_write_a_setting() -> None:
    state = HOUSE.bounded().state(HOUSE.bounded().initial_states()[0])
    with pytest.raises(ModelError, match="fast is a setting: it is the same in every state, and cannot be set"):
        state.fast = True  # type: ignore[attr-defined]


WRITES_A_SETTING = """
from neverlost.model.core import State, action, flag, setting, up_to, Index

class Few(Index, members=3):
    pass

class Room(State):
    lit = setting(flag())
    chairs = up_to(Few)

@action("test")
def light(s: Room) -> None:
    s.lit = True
"""


def test_model_python_has_no_writes_to_a_setting(tmp_path: Path) -> None:
    module = imported(tmp_path, WRITES_A_SETTING)
    with pytest.raises(LanguageError, match="lit"):
        check_function(module.light.function, module.Room, "effect")


class Many(Index, members=1 << 20):
    """Twenty bits."""


class Crowded(State):
    """More settings than two words have room for."""

    one = setting(any_of(Many))
    two = setting(any_of(Many))
    three = setting(any_of(Many))
    four = setting(any_of(Many))
    five = setting(any_of(Many))
    six = setting(any_of(Many))
    seven = setting(any_of(Many))
    door = flag()


class Full(State):
    """As many as two words have room for."""

    one = setting(any_of(Many))
    two = setting(any_of(Many))
    three = setting(any_of(Many))
    four = setting(any_of(Many))
    five = setting(any_of(Many))
    six = setting(any_of(Many))
    door = flag()


def test_settings_that_do_not_fit_two_words_are_refused() -> None:
    places = setting_places(Full)
    assert [(place.segments[0].word, place.segments[0].shift) for place in places.values()] == [
        (word, shift) for word in (0, 1) for shift in (0, 20, 40)
    ]
    with pytest.raises(ModelError, match="the settings of Crowded do not fit 2 words of 63 bits"):
        setting_places(Crowded)


def test_every_choice_of_settings_has_a_word_of_its_own() -> None:
    models = [
        HOUSE.bounded(fast=a, music=b, first=c, persons=d, delay=e)
        for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (1, 2, 3) for e in range(4)
    ]  # fmt: skip
    assert len({model.layout.pack_settings() for model in models}) == len(models)


def test_an_index_has_a_bound_and_more_or_members_or_names() -> None:
    assert (Lift.size({"lifts": 2}), Direction.size({}), Few.size({})) == (3, 2, 3)
    assert [Direction.show(n, {}) for n in (0, 1)] == ["up", "down"]
    assert [Lift.show(n, {"lifts": 2}) for n in range(3)] == ["lift 1", "lift 2", "lift 3"]
    assert HOUSE.bound_names == ("lifts",)


def test_one_to_counts_from_one_and_any_other_count_from_none() -> None:
    choices = {s.name: s.choices() for s in House.settings}
    assert choices["persons"] == {"1": 1, "2": 2, "3": 3}
    assert choices["delay"] == {"0": 0, "1": 1, "2": 2, "3": 3}
    assert choices["first"] == {"up": 0, "down": 1}
    assert choices["fast"] == {"no": 0, "yes": 1}
    described = {s.name: s.domain.describe() for s in House.settings}
    assert described == {
        "fast": "yes or no",
        "music": "yes or no",
        "first": "Direction",
        "persons": "1..3",
        "delay": "0..3",
    }
