from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import NARROW, WIDE, Looked
from hostile_models import HOSTILE, hostile_trace

from neverlost.reports.trace.formats import render
from neverlost.spec.bugs import bug_named
from neverlost.studies.recorded import recorded_trace

pytestmark = pytest.mark.xdist_group("browser")

Look = Callable[..., Looked]
LAST = 14


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the story of the loss in Kafka 4.1."""
    lost = bug_named("kept-known-ends").lost
    assert lost is not None
    file = tmp_path_factory.mktemp("pages") / "loss.html"
    file.write_text(render(recorded_trace(lost), "html"), encoding="utf-8")
    return file.as_uri()


def opened(looked: Looked) -> list[str]:
    found: list[str] = looked.page.eval_on_selector_all(
        ".step > details[open]", "all => all.map(d => d.parentElement.id)"
    )
    return found


@pytest.mark.parametrize("size", [pytest.param(WIDE, marks=pytest.mark.thorough), NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_story_opens_from_disk_asks_for_nothing_else_and_complains_of_nothing(
    look: Look, story: str, size: dict[str, int], scheme: str
) -> None:
    looked = look(story, size=size, scheme=scheme)
    assert looked.page.title().startswith("Value 0 was acknowledged")
    assert looked.requests == [story]
    assert looked.complaints == []
    assert looked.is_narrower_than_its_window()


@pytest.mark.thorough
def test_dark_and_light_have_other_colours(look: Look, story: str) -> None:
    colours = "getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color"
    light, dark = (look(story, scheme=scheme).page.evaluate(colours) for scheme in ("light", "dark"))
    assert light != dark


def test_a_click_on_the_step_of_the_loss_tells_all_that_is_known_of_it(look: Look, story: str) -> None:
    looked = look(story)
    looked.page.click(f"#step-{LAST} summary.row")
    assert opened(looked) == [f"step-{LAST}"]
    assert looked.page.url.endswith(f"#step-{LAST}")
    said = looked.page.inner_text(f"#step-{LAST} .more")
    assert "✗ acked_never_lost" in said
    assert "producer: delivery[0] waiting -> acknowledged" in said
    looked.page.click(f"#step-{LAST} summary:has-text('What cannot')")
    assert "require(" in looked.page.inner_text(f"#step-{LAST} .beyond")
    assert looked.complaints == []


def test_the_address_of_a_step_opens_it_again(look: Look, story: str) -> None:
    looked = look(f"{story}#step-7")
    assert opened(looked) == ["step-7"]
    looked.page.reload()
    assert opened(looked) == ["step-7"]


@pytest.mark.thorough
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_names_of_lanes_stay_in_sight(look: Look, story: str, size: dict[str, int]) -> None:
    looked = look(f"{story}#step-{LAST}", size=size)
    box = looked.page.locator(".story .head").bounding_box()
    assert box is not None
    assert -1 <= box["y"] < size["height"] / 2


def test_keys_go_from_step_to_step(look: Look, story: str) -> None:
    looked = look(f"{story}#step-7")
    for key, wanted in [
        ("ArrowDown", 8),
        ("ArrowUp", 7),
        ("End", LAST),
        ("ArrowDown", LAST),
        ("Home", 0),
        ("ArrowUp", 0),
    ]:
        looked.page.keyboard.press(key)
        assert opened(looked) == [f"step-{wanted}"], key
        assert looked.page.url.endswith(f"#step-{wanted}")


def test_a_step_is_reached_and_opened_without_a_mouse(look: Look, story: str) -> None:
    looked = look(story)
    links = looked.page.locator(".turns a").count()
    assert links
    for _ in range(links + 3):
        looked.page.keyboard.press("Tab")
    assert looked.page.evaluate("document.activeElement.tagName") == "SUMMARY"
    looked.page.keyboard.press("Enter")
    assert opened(looked) == ["step-1"]


@pytest.mark.thorough
def test_what_else_could_have_happened_is_two_steps_deep(look: Look, story: str) -> None:
    looked = look(f"{story}#step-3")
    looked.page.click("#step-3 summary:has-text('What can happen next')")
    looked.page.click("#step-3 .beyond li summary:has-text('move_leader(successor=r3)')")
    said = looked.page.inner_text("#step-3 .beyond")
    assert "(this is what happened)" in said
    assert "become_leader(replica=r3, epoch=1)" in said


def test_without_scripts_the_story_is_there_and_steps_can_be_opened(look: Look, story: str) -> None:
    looked = look(story, scripts=False)
    looked.page.click("#step-7 summary.row")
    said = looked.page.inner_text("#step-7")
    assert "r2 cuts its log at offset 0: value 0 is gone" in said
    assert "does not run" in said


def test_hostile_texts_are_shown_and_nothing_in_them_runs(look: Look, tmp_path: Path) -> None:
    file = tmp_path / "hostile.html"
    file.write_text(render(hostile_trace(tmp_path), "html"), encoding="utf-8")
    looked = look(f"{file.as_uri()}#step-1")
    looked.page.click("summary:has-text('What can happen next')")
    assert HOSTILE in looked.page.inner_text("h1")
    assert looked.page.evaluate("window.ran") is None
    assert looked.complaints == []
    assert looked.requests == [file.as_uri()]
