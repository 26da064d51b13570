"""Budgets: settings that only bound what may happen in a run, each with the field that counts what still may."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import running

from neverlost.model.core import Index, ModelError, Profile, State, action, always, budget, counter, require, up_to


class Few(Index, members=3):
    """A small number."""


class Door(State):
    """A door that somebody may slam."""

    slams = budget(up_to(Few), singular="slam", whose="visitor")
    knocks = budget(up_to(Few), singular="knock")
    noise = up_to(Few)
    slams_left = counter(slams)
    knocks_left = counter(knocks)


def start(s: Door) -> None:
    s.slams_left = s.slams
    s.knocks_left = s.knocks


@action("house rules")
def slam(s: Door) -> None:
    """Noise is made by a slam."""
    require(s.slams_left > 0)
    s.slams_left -= 1
    s.noise = 1


@always("house rules")
def quiet(s: Door) -> bool:
    """It is quiet."""
    return s.noise == 0


def door(initial: object = start) -> Profile:
    return Profile(
        name="door",
        statement="It is quiet.",
        state=Door,
        initial=initial,  # type: ignore[arg-type]
        actions=(slam,),
        properties=(quiet,),
        default_bounds={},
    )


DOOR = door()


def test_a_budget_has_words_and_its_counter() -> None:
    slams, knocks = Door.budgets
    assert (slams.name, slams.counter, slams.words(1), slams.words(2)) == ("slams", "slams_left", "1 slam", "2 slams")
    assert (knocks.counter, knocks.whose) == ("knocks_left", "")
    assert door().counters == {"slams_left", "knocks_left"}


def test_only_what_is_somebodys_fault_is_a_fault() -> None:
    assert [fault.name for fault in Door.faults] == ["slams"]
    assert Door.fault_words({"slams": 2, "knocks": 1}) == "2 slams"
    assert Door.fault_words({"slams": 0, "knocks": 1}) == "no fault"
    assert Door.owners == {"faults left": ("slams_left",)}


def test_a_counter_begins_with_its_budget() -> None:
    def wrong(s: Door) -> None:
        s.slams_left = 0
        s.knocks_left = s.knocks

    assert door().bounded(slams=1).initial_states()
    with pytest.raises(ModelError, match="slams_left is not slams in the initial state"):
        door(wrong).bounded(slams=1).initial_states()


def test_a_headline_speaks_of_faults_only_where_a_model_has_some(capsys: pytest.CaptureFixture[str]) -> None:
    check = running(capsys, "check")
    own = f"{Path(__file__)}:DOOR"
    for bounds, said in (
        (("--slams", "0"), "DOOR, with no faults: every property holds"),
        (("--slams", "1"), "DOOR, with --slams 1: quiet is VIOLATED"),
    ):
        _, out, _ = check(own, *bounds)
        assert said in " ".join(out.split())
    _, out, _ = check("examples/water_jugs.py:WATER_JUGS")
    assert "with no faults" not in out


def test_a_budget_without_a_counter_is_refused() -> None:
    with pytest.raises(ModelError, match="budget slams of Loud has no counter"):

        class Loud(State):
            slams = budget(up_to(Few), singular="slam")


def test_a_refusal_knows_which_fields_its_guard_reads() -> None:
    model = door().bounded()
    (step,) = model.steps
    guard = model.refusal(model.initial_states()[0], step)
    assert guard is not None
    assert (guard.reads, Path(__file__).name) == (frozenset({"slams_left"}), guard.file)
