"""A search for one property leaves out its harmless states, says so, and claims nothing about what it did not see."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import running
from same_results import differing

import neverlost as nl
from neverlost.explorer import Result, search
from neverlost.explorer.answers.questions import Answers, Question
from neverlost.explorer.engines.interpreted import InterpretedEngine
from neverlost.explorer.result import LeftOut
from neverlost.explorer.search import Limits, explore
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import (
    NONE,
    Index,
    Model,
    Profile,
    State,
    action,
    always,
    any_of,
    budget,
    counter,
    eventually,
    flag,
    harmless,
    optional,
    per,
    require,
    setting,
    sometimes,
    step_always,
    suffices,
    up_to,
)


class Lamp(Index, bound="lamps", symmetric=True):
    """A lamp."""


class Turn(Index, members=3):
    """A time that somebody acts."""


class Glow(Index, names=("dark", "lit", "broken")):
    """How a lamp is."""


class Room(State):
    """Lamps that are lit, and break; then they can be painted."""

    careless = setting(flag())
    """May a broken lamp be lit again?"""
    turns = budget(up_to(Turn), singular="turn")
    turns_left = counter(turns)
    glow = per(Lamp, any_of(Glow))
    painted = per(Lamp, flag())
    last = optional(Lamp)
    """The lamp that was painted last."""


def begin(s: Room) -> None:
    """All is dark."""
    s.turns_left = s.turns
    s.last = NONE


@action("light")
def light(s: Room, lamp: Lamp) -> None:
    """A dark lamp is lit."""
    require(s.glow[lamp] == Glow.DARK or (s.careless and s.glow[lamp] == Glow.BROKEN))

    s.glow[lamp] = Glow.LIT


@action("break")
def break_lamp(s: Room, lamp: Lamp) -> None:
    """A lit lamp breaks."""
    require(s.glow[lamp] == Glow.LIT)

    s.glow[lamp] = Glow.BROKEN


@action("paint")
def paint(s: Room, lamp: Lamp) -> None:
    """Somebody paints a lamp when all are broken."""
    require(s.turns_left > 0 and all(s.glow[other] == Glow.BROKEN for other in s.each(Lamp)))

    s.turns_left -= 1
    s.painted[lamp] = True
    s.last = lamp


@harmless("every lamp is broken")
def all_broken(s: Room) -> bool:
    return all(s.glow[lamp] == Glow.BROKEN for lamp in s.each(Lamp))


@always("No painted lamp is lit.", harmless=all_broken)
def no_paint_burns(s: Room) -> bool:
    return all(s.glow[lamp] != Glow.LIT or not s.painted[lamp] for lamp in s.each(Lamp))


@always("No lamp is painted.", harmless=all_broken)
def unpainted(s: Room) -> bool:
    return all(not s.painted[lamp] for lamp in s.each(Lamp))


@always("A lamp is a lamp.")
def lamps_are_lamps(s: Room) -> bool:
    return s.size(Lamp) > 0


@sometimes("A lamp is painted.")
def some_painted(s: Room) -> bool:
    return any(s.painted[lamp] for lamp in s.each(Lamp))


@step_always("Paint stays.")
def paint_stays(before: Room, after: Room) -> bool:
    return all(after.painted[lamp] or not before.painted[lamp] for lamp in before.each(Lamp))


@suffices("turns", "A turn is left.")
def turns_suffice(s: Room) -> bool:
    return s.turns_left > 0


@eventually("Every lamp breaks.", weak=(light, break_lamp))
def all_break(s: Room) -> bool:
    return all(s.glow[lamp] == Glow.BROKEN for lamp in s.each(Lamp))


ROOM = Profile(
    name="room",
    statement="Lamps break.",
    state=Room,
    initial=begin,
    actions=(light, break_lamp, paint),
    properties=(no_paint_burns, lamps_are_lamps, unpainted),
    probes=(some_painted, paint_stays, turns_suffice),
    on_request=(all_break,),
    default_bounds={"lamps": 2},
    settings={"turns": 1},
)
OWN = f"{Path(__file__)}:ROOM"
MODEL = ROOM.bounded()
WHOLE, LESS = (1, 2, 3, 2, 1, 2), (1, 2, 3, 2, 1)
"""The levels of a search of two lamps, and of one that does not expand the state in which both are broken."""


@pytest.fixture(autouse=True)
def small_searches_leave_out_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "LEFT_OUT_FROM", 0)


def searched(prop: str = "no_paint_burns", model: Model = MODEL, **asked: Any) -> Result:
    return explore(model, properties=[prop], **{"engine": "interpreted", "without_harmless": True, **asked})


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_harmless_state_is_reached_and_not_expanded(engine: str) -> None:
    whole, less = (searched(engine=engine, without_harmless=left_out) for left_out in (False, True))
    assert (whole.levels, whole.left_out) == (WHOLE, None)
    assert (less.levels, less.left_out) == (LESS, LeftOut(states=1, because="every lamp is broken"))
    assert (less.complete, less.verdict) == (True, Verdict.HOLDS)
    assert less.findings["no_paint_burns"].violating_states == 0


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("workers", [1, 2])
def test_engines_leave_out_the_same(symmetry: bool, workers: int) -> None:
    model = ROOM.bounded(lamps=5)
    one = searched(model=model, symmetry=symmetry)
    other = searched(model=model, symmetry=symmetry, engine="compiled", workers=workers)
    assert differing(one, other) == []
    assert one.left_out == other.left_out == LeftOut(states=1, because="every lamp is broken")
    assert one.distinct_without_symmetry == 3**5


@pytest.mark.parametrize(("least", "levels"), [(3, LESS), (9, LESS), (10, WHOLE), (12, WHOLE)])
@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_states_are_left_out_from_the_level_on_at_which_there_are_so_many(
    least: int, levels: tuple[int, ...], engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "LEFT_OUT_FROM", least)
    result = searched(engine=engine)
    assert result.levels == levels
    assert (result.left_out is None) == (least > sum(WHOLE))


def test_what_was_not_reached_is_not_said_to_hold_or_never_to_happen() -> None:
    whole, less = (searched(without_harmless=left_out) for left_out in (False, True))
    assert (whole.ran_out, less.ran_out) == ({"turns": 2}, {})
    assert whole.findings["turns_suffice"].verdict == Verdict.VIOLATED
    assert less.findings["turns_suffice"].verdict == Verdict.UNDECIDED
    assert (whole.dead_actions, less.dead_actions) == ((), ("paint",))


def test_a_search_in_which_no_harmless_state_is_expanded_decides_the_bounds() -> None:
    """With no turn to begin with, they have run out at once, and are counted in the states that were reached."""
    less = searched(model=ROOM.bounded(turns=0))
    assert less.ran_out == {"turns": 9}
    assert searched(model=ROOM.bounded(lamps=1), limits=Limits(depth=2)).left_out == LeftOut(
        states=0, because="every lamp is broken"
    )


@pytest.mark.parametrize(
    ("prop", "settings", "doubt"),
    [
        ("unpainted", {}, "unpainted may be false in such a state"),
        ("unpainted", {"careless": 1}, "light may set glow so that the state is not harmless any more"),
        ("no_paint_burns", {"careless": 1}, "light may set glow so that the state is not harmless any more"),
    ],
)
@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_what_is_not_proven_harmless_is_expanded(prop: str, settings: dict[str, int], doubt: str, engine: str) -> None:
    model = ROOM.bounded(**settings)
    whole, less = (searched(prop, model, without_harmless=left_out, engine=engine) for left_out in (False, True))
    assert whole.verdict == Verdict.VIOLATED
    assert differing(whole, less) == []
    assert less.left_out is not None
    assert (less.left_out.states, less.leaves_out) == (0, False)
    assert str(less.left_out.doubt).startswith(doubt)


def test_a_predicate_that_tells_lamps_apart_is_not_used_with_symmetry() -> None:
    @harmless("the first lamp was painted last")
    def first_was_last(s: Room) -> bool:
        return s.turns_left == 0 and s.last == 0 and all(s.glow[lamp] == Glow.BROKEN for lamp in s.each(Lamp))

    profile = replace(ROOM, properties=(replace(no_paint_burns, harmless=first_was_last),))
    alone, up_to_renaming = (searched(model=profile.bounded(), symmetry=symmetry) for symmetry in (False, True))
    assert alone.left_out == LeftOut(states=1, because="the first lamp was painted last")
    assert up_to_renaming.left_out is not None
    assert up_to_renaming.left_out.states == 0
    assert "or leave out symmetry" in str(up_to_renaming.left_out.doubt)


ELSEWHERE: dict[str, dict[str, Any]] = {
    "two properties": {"properties": ["no_paint_burns", "lamps_are_lamps"]},
    "all properties": {"properties": None},
    "a property beside it": {"report_only": ["some_painted"]},
    "until all": {"until": "all"},
    "a property without harmless states": {"properties": ["lamps_are_lamps"]},
    "a step property": {"properties": ["paint_stays"]},
    "a witness": {"properties": ["some_painted"], "until": "each"},
    "runs": {"properties": ["all_break"]},
    "an engine of one's own": {"engine": InterpretedEngine},
    "no wish": {"without_harmless": False},
}


@pytest.mark.parametrize("asked", ELSEWHERE.values(), ids=ELSEWHERE)
def test_every_state_is_expanded_where_it_may_matter(asked: dict[str, Any]) -> None:
    wanted = {"properties": ["no_paint_burns"], "engine": "interpreted", "without_harmless": True, **asked}
    result = explore(MODEL, **wanted)
    assert result.left_out is None
    if asked.get("until") != "each":
        assert result.levels == WHOLE


def test_a_search_in_a_store_expands_every_state(tmp_path: Path) -> None:
    result = nl.check(MODEL, ["no_paint_burns"], engine=nl.Compiled(store=tmp_path / "kept"))
    assert (result.found.left_out, result.distinct) == (None, sum(WHOLE))


def test_answers_count_every_state(tmp_path: Path) -> None:
    """Recorded answers say how many states were searched, so searches for answers leave nothing out."""
    ((_, answer),) = Answers(tmp_path).ask_all([Question(model=MODEL, property="no_paint_burns")])
    assert (answer.distinct, answer.hidden) == (explore(MODEL, symmetry=True).distinct, 1)


def test_the_digest_of_a_question_does_not_depend_on_what_is_harmless() -> None:
    without = replace(ROOM, properties=tuple(replace(prop, harmless=None) for prop in ROOM.properties))
    one, other = (Question(model=p.bounded(), property="no_paint_burns") for p in (ROOM, without))
    assert (one.key, one.search_key) == (other.key, other.search_key)


def test_the_api_says_what_was_left_out() -> None:
    assert nl.check(MODEL, ["no_paint_burns"]).to_dict()["left_out"] == {
        "states": 1,
        "because": "every lamp is broken",
        "doubt": None,
    }
    assert nl.check(MODEL, ["no_paint_burns"], until="all").to_dict()["left_out"] is None
    assert nl.check(MODEL).to_dict()["left_out"] is None


def test_the_command_says_what_was_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    run = running(capsys, "check", OWN, "--property", "no_paint_burns")
    _, out, _ = run()
    said = " ".join(out.split())
    assert (
        "every property holds, in the 9 distinct states at depth 5. 1 of them was not expanded: every lamp is broken."
        in said
    )
    assert "1 of the 3 actions never happened in the states that were expanded." in said
    assert "not expanded 1 state: every lamp is broken (--until all expands them)" in said
    assert "dead actions, which never happened in the states that were expanded: paint" in said
    _, out, _ = run("--until", "all")
    said = " ".join(out.split())
    assert "every property holds, in all 11 distinct states at depth 6." in said
    assert "expanded" not in said


def test_the_command_says_what_is_not_proven(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = running(capsys, "check", OWN, "--careless", "--property", "no_paint_burns")()
    said = " ".join(out.split())
    assert code == 1
    assert "not expanded 0 states; not proven harmless: every lamp is broken. The doubt: light may set glow" in said


def test_the_json_of_the_command_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = running(capsys, "check", OWN, "--property", "no_paint_burns", "--json", "-")()
    assert json.loads(out)["left_out"] == {"states": 1, "because": "every lamp is broken", "doubt": None}
