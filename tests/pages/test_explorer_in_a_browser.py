from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browsing import NARROW, WIDE, Looked, served

from neverlost.cli.commands.explore import example_of_other, other_model
from neverlost.explorer.traces.trace_json import read_trace
from neverlost.spec import profiles
from neverlost.spec.bugs import bug_named

pytestmark = pytest.mark.xdist_group("browser")

pytest.importorskip("uvicorn", reason="the explorer is not looked at: install '.[explore]'")

Look = Callable[..., Looked]
FIRST = ["produce(leader=r1, value=0, response=delivered)", "fetch(follower=r2, leader=r1, response=delivered)"]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A running explorer of kafka-4.1."""
    from neverlost.reports.explore.app import Explorer

    model = profiles()["kafka-4.1"].model(acks="all", min_isr=2, leader_moves=3)
    with served(Explorer(model=model, token="token", other_model=other_model)) as running:
        yield running


def rows(looked: Looked) -> int:
    return int(looked.page.locator(".step").count())


def take(looked: Looked, step: str) -> None:
    before = rows(looked)
    looked.page.click(f"#possible button:has-text('{step}')")
    looked.page.wait_for_selector(f"#step-{before}")


@pytest.fixture
def walk(look: Look, address: str) -> Looked:
    looked = look(address)
    looked.page.wait_for_selector("#step-0")
    return looked


@pytest.mark.parametrize("size", [pytest.param(WIDE, marks=pytest.mark.thorough), NARROW], ids=["wide", "narrow"])
def test_clicks_take_steps_and_nothing_else_is_asked_for(look: Look, address: str, size: dict[str, int]) -> None:
    looked = look(address, size=size, scheme="dark")
    looked.page.wait_for_selector("#step-0")
    for step in FIRST:
        take(looked, step)
    assert rows(looked) == 3
    assert "high watermark 0" in looked.page.inner_html("#step-2")
    assert all(request.startswith(address) for request in looked.requests)
    assert looked.complaints == []
    assert looked.is_narrower_than_its_window()


@pytest.mark.thorough
def test_lanes_in_which_nothing_happens_are_folded_until_something_does(walk: Looked) -> None:
    names = ".story .head .name"
    assert walk.page.locator(names).all_text_contents() == ["r1", "r2", "r3"]
    assert "producer" in walk.page.inner_text("#idle")
    take(walk, FIRST[0])
    assert walk.page.locator(names).all_text_contents() == ["producer", "r1", "r2", "r3"]
    walk.page.click("#unfold")
    walk.page.wait_for_selector(f"{names} >> text=controller")
    assert rows(walk) == 2
    assert walk.page.is_hidden("#idle")


@pytest.mark.thorough
def test_no_lane_is_folded_while_there_is_none_to_show_and_no_text_is_cut(look: Look) -> None:
    from neverlost.reports.explore.app import Explorer

    model = profiles()["kafka-groups-4.3.1"].model(failures=1)
    explorer = Explorer(model=model, token="token", example=example_of_other(model), other_model=other_model)
    with served(explorer) as running:
        narrow = look(running, size=NARROW)
        narrow.page.wait_for_selector("#step-0")
        left = narrow.page.locator("#step-0 .drawn").bounding_box()["x"]
        texts = narrow.page.locator("#step-0 svg text")
        assert texts.count() > 0
        assert all(text.bounding_box()["x"] >= left for text in texts.all())
        looked = look(running)
        looked.page.wait_for_selector("#step-0")
        assert looked.page.locator(".story .head .name").all_text_contents() == [
            "coordinator",
            "partitions",
            "m1",
            "m2",
        ]
        assert looked.page.is_hidden("#idle")
        example = str(looked.page.get_attribute("input[name=other]", "placeholder"))
        assert example.startswith("kafka-groups-")
        assert other_model(example, model).profile.name in example


@pytest.mark.thorough
def test_steps_that_change_nothing_are_folded(walk: Looked) -> None:
    for step in FIRST:
        take(walk, step)
    listed = walk.page.locator("#possible .step-button")
    assert all(listed.nth(number).locator(".changes").count() for number in range(listed.count()))
    count = int(walk.page.inner_text("#count").split()[0])
    assert listed.count() + walk.page.locator("#idling .step-button").count() == count


@pytest.mark.thorough
def test_undo_redo_and_the_address_keep_the_walk(walk: Looked) -> None:
    for step in FIRST:
        take(walk, step)
    walk.page.keyboard.press("u")
    walk.page.wait_for_selector("#step-2", state="detached")
    walk.page.keyboard.press("r")
    walk.page.wait_for_selector("#step-2")
    walk.page.reload()
    walk.page.wait_for_selector("#step-2")
    assert rows(walk) == 3


def test_the_loss_is_found_from_here_and_versions_are_held_side_by_side(walk: Looked) -> None:
    lost = bug_named("kept-known-ends").lost
    assert lost is not None
    for step in (lost.steps or ())[:12]:
        take(walk, step)
    walk.page.fill("input[name=where]", "acked_never_lost")
    walk.page.click("#find button:not([name])")
    walk.page.wait_for_selector("#step-14")
    assert "✗ acked_never_lost" in walk.page.inner_text("#properties")
    walk.page.fill("input[name=other]", "kafka-3.9-zk")
    walk.page.click("#beside button")
    walk.page.wait_for_selector("#parting p")
    assert "kafka-3.9-zk refuses it" in walk.page.inner_text("#parting")
    assert walk.complaints == []


def test_a_walk_is_saved_as_a_trace_and_a_bookmark_leads_back(walk: Looked, tmp_path: Path) -> None:
    take(walk, FIRST[0])
    walk.page.click("#bookmark")
    take(walk, FIRST[1])
    with walk.page.expect_download() as saved:
        walk.page.click("button.export[value=json]")
    file = tmp_path / "walk.json"
    saved.value.save_as(file)
    trace = read_trace(file.read_text(encoding="utf-8"), "walk.json", lambda name: profiles()[name])
    assert [step.show(trace.model.bounds) for step in trace.steps] == FIRST
    walk.page.click("#bookmarks button")
    walk.page.wait_for_selector("#step-2", state="detached")


def test_a_search_that_goes_on_says_how_many_states_it_has_tried(walk: Looked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neverlost.reports.explore.stepping.MOST_SECONDS", 3.0)
    walk.page.fill("input[name=where]", "acked_never_lost")
    walk.page.click("#find button:not([name])")
    walk.page.wait_for_selector("#said:text-matches('Searching for [0-9]+ s: [0-9,]+ states')")
    walk.page.wait_for_selector("#said:text-matches('Undecided: none among the first [0-9,]+ states')", timeout=60_000)
    assert walk.complaints == []


@pytest.mark.thorough
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_no_lane_is_cut_off_and_no_band_is_blank(look: Look, address: str, size: dict[str, int]) -> None:
    looked = look(address, size=size)
    looked.page.wait_for_selector("#step-0")
    take(looked, FIRST[0])
    above, story = (looked.page.locator(part).bounding_box() for part in (".walk > details", ".story"))
    assert above is not None
    assert story is not None
    assert 0 <= story["y"] - above["y"] - above["height"] < 40
    box = looked.page.locator(".story > .scroll")
    box.evaluate("box => { box.scrollTo(box.scrollWidth, box.scrollHeight) }")
    last, around = looked.page.locator(".head .name").last.bounding_box(), box.bounding_box()
    assert last is not None
    assert around is not None
    assert last["x"] + last["width"] <= around["x"] + around["width"]
    assert around["y"] - 1 <= last["y"] <= around["y"] + 40


@pytest.mark.thorough
def test_what_is_wrong_is_said_and_the_walk_stays(walk: Looked) -> None:
    take(walk, FIRST[0])
    walk.page.fill("input[name=where]", "banana == 1")
    walk.page.click("#find button:not([name])")
    walk.page.wait_for_selector("#said.bad")
    assert "banana" in walk.page.inner_text("#said")
    assert rows(walk) == 2
