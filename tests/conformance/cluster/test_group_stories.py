"""Stories of consumer groups: what a search foretells of each, what is judged, and one that is played here."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from played_runs import only

from neverlost.conformance.cluster.groups.members import BACK
from neverlost.conformance.cluster.groups.playing import REPEATED, SKIPPED, Played
from neverlost.conformance.cluster.groups.stories import Planned, StoryRun, plan, play_stories, stories
from neverlost.conformance.cluster.releases import ClusterError
from neverlost.conformance.cluster.steered_clients import Call
from neverlost.conformance.cluster.story_paths import PlayedStep, StoryError

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "groups.md"
ROWS = [(story.name, on.where, place) for story in stories() for on in story.on for place in on.releases]


@cache
def planned_as(name: str, client: str, place: str) -> Planned:
    """A story with consumers of a release."""
    (found,) = plan([only(stories([name])[0], client, place)])
    return found


# What a search foretells


@pytest.mark.parametrize(("name", "client", "place"), ROWS)
def test_a_story_shows_its_property_at_its_end_and_a_control_never(name: str, client: str, place: str) -> None:
    planned = planned_as(name, client, place)
    assert (planned.length is None) is planned.on.control
    assert (planned.story.property in planned.expected) is not planned.on.control
    assert planned.done == len(planned.on.steps) or (planned.on.control and planned.path[-1].refusal)


def test_a_release_on_which_no_story_is_played_is_refused() -> None:
    with pytest.raises(StoryError, match=r"none of these stories of groups is played on 2\.8\.0"):
        plan(stories(), ["2.8.0"])


def test_a_run_must_do_what_the_model_does_and_show_what_it_shows() -> None:
    planned = planned_as("failed-record", "enable.auto.commit", "3.9.1")
    shown = tuple(PlayedStep(step=step, done=True, said="") for step in planned.on.steps)
    seen = {SKIPPED: (3, "nobody processes p1 at 0")}

    def came_out(**changed: Any) -> bool:
        run = Played(**{"steps": shown, "seen": seen, "processed": {"p1 at 0": 0}, "trouble": "", **changed})
        return StoryRun(planned=planned, runs=(run,)).as_expected

    assert came_out()
    assert not came_out(seen={})
    assert not came_out(seen={**seen, REPEATED: (3, "p1 at 0 is processed twice")})
    assert not came_out(seen={**seen, BACK: (3, "from 1 to 0")})
    assert not came_out(steps=shown[:-1])
    assert not came_out(trouble="it did not come")


def test_a_call_that_does_not_return_is_an_error() -> None:
    with pytest.raises(ClusterError, match=r"a call of the client did not return within 0\.01 s"):
        Call().wait(0.01)


def test_all_that_the_page_has_of_stories_is_as_the_model_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition("<!-- known groups: begin -->")[2].partition("<!-- known groups: end -->")[0]
    shown = set()
    for line in table.strip().splitlines()[2:]:
        name, client, places, said, taken, outcome, runs = (cell.strip() for cell in line.strip("|").split("|"))
        for place in places.split(", "):
            planned = planned_as(name.strip("`"), client, place)
            assert (said, taken) == (planned.said, f"{planned.done} of {len(planned.on.steps)}"), line
            assert ("nobody processes" in outcome) is (SKIPPED in planned.expected), line
            assert ("processed twice" in outcome) is (REPEATED in planned.expected), line
            assert ("committed offset of" in outcome) is (BACK in planned.expected), line
            shown.add((name.strip("`"), client, place))
        as_expected, _, played = runs.partition(" of ")
        assert as_expected == played, line
    assert shown == set(ROWS)


# One that is played


@pytest.mark.thorough
@pytest.mark.xdist_group("brokers")
def test_a_record_is_skipped_that_was_in_hand_when_the_consumer_was_closed() -> None:
    pairs = ("enable.auto.commit", "commitSync after processing")
    planned = [planned_as("failed-record", client, "3.9.1") for client in pairs]
    found = list(play_stories(planned))
    assert all(one.as_expected for one in found), [one.outcome for one in found]
