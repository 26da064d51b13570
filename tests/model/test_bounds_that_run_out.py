"""A profile says what its bounds can run out of, and every search counts the states in which they did."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import running

from neverlost.explorer.answers.questions import Answers, Question
from neverlost.explorer.search import explore
from neverlost.model.core import Index, Profile, State, action, always, require, suffices, up_to


class Tick(Index, members=3):
    """A time that a clock can show."""


class Clock(State):
    """A clock with few times to show."""

    now = up_to(Tick)


def start(s: Clock) -> None:
    s.now = 0


@action("clock")
def tick(s: Clock) -> None:
    """Time passes."""
    require(s.now + 1 < s.size(Tick))
    s.now += 1


@always("A clock shows a time.")
def shows_a_time(s: Clock) -> bool:
    return s.now < s.size(Tick)


@always("A clock never shows its second time.")
def stands_still(s: Clock) -> bool:
    return s.now != 1


@suffices("times", "The clock has a time left to show.")
def times_suffice(s: Clock) -> bool:
    return s.now + 1 < s.size(Tick)


CLOCK = Profile(
    name="clock",
    statement="Time passes.",
    state=Clock,
    initial=start,
    actions=(tick,),
    properties=(shows_a_time, stands_still),
    probes=(times_suffice,),
    default_bounds={},
)
OWN = f"{Path(__file__)}:CLOCK"


def test_a_verdict_that_holds_says_in_how_many_states_the_bounds_ran_out(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = running(capsys, "check")(OWN, "--property", "shows_a_time")
    assert (
        "every property holds, in all 3 distinct states at depth 3. In 1 of them times ran out: what follows was not searched."
        in " ".join(out.split())
    )


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_states_without_enough_are_counted_whatever_is_asked(engine: str) -> None:
    for asked in (["shows_a_time"], None):
        result = explore(CLOCK.bounded(), engine=engine, properties=asked, until="all")
        assert result.ran_out == {"times": 1}


def test_a_search_that_a_violation_ends_does_not_say_what_ran_out() -> None:
    result = explore(CLOCK.bounded(), properties=["stands_still"])
    assert not result.complete
    assert result.ran_out == {}


def test_an_answer_knows_in_how_many_states_the_bounds_ran_out(tmp_path: Path) -> None:
    questions = [Question(model=CLOCK.bounded(), property=name) for name in ("shows_a_time", "stands_still")]
    for origin in ("search", "store"):
        answers = [answer for _, answer in Answers(tmp_path).ask_all(questions)]
        assert [(answer.hidden, answer.origin) for answer in answers] == [(1, origin), (None, origin)]
