from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsing import NARROW, WIDE, Looked

from neverlost.cli.main import main

pytestmark = pytest.mark.xdist_group("browser")

Look = Callable[..., Looked]


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a small matrix."""
    file: Path = tmp_path_factory.mktemp("matrix") / "matrix.html"
    asked = ("--replicas", "2", "--version", "kafka-3.7", "--version", "kafka-4.1")
    assert main(["matrix", *asked, "--html", str(file)]) == 0
    return file.as_uri()


def shown(looked: Looked) -> Any:
    return looked.page.locator(".block:not([hidden])")


@pytest.mark.parametrize("size", [pytest.param(WIDE, marks=pytest.mark.thorough), NARROW], ids=["wide", "narrow"])
def test_a_matrix_opens_with_one_configuration_and_its_stories(look: Look, matrix: str, size: dict[str, int]) -> None:
    looked = look(matrix, size=size)
    assert shown(looked).count() == 1
    assert "acks=all, min.insync.replicas=2, unclean election off" in shown(looked).inner_text()
    linked = set(shown(looked).locator(".cells a").evaluate_all("all => all.map(link => link.hash)"))
    listed = looked.page.locator("details.bug:not([hidden])").evaluate_all("all => all.map(story => '#' + story.id)")
    assert set(listed) == linked
    looked.page.check("input[name=unclean][value=on]")
    assert shown(looked).count() == 2
    assert looked.complaints == []
    assert looked.is_narrower_than_its_window()


def test_a_click_on_a_number_opens_its_story_below_and_another_closes_it(look: Look, matrix: str) -> None:
    looked = look(matrix)
    link = shown(looked).locator(".cells a").first
    link.click()
    place = looked.page.locator(".place")
    assert place.locator(".step").count() == int(link.inner_text()) + 1
    assert place.locator(".key").count() == 1
    assert looked.page.url.endswith(str(link.get_attribute("href")))
    link.click()
    assert place.count() == 0
    assert looked.page.locator("#stories > #legend .key").count() == 1


@pytest.mark.thorough
def test_a_filter_shows_the_tables_of_what_is_chosen_and_their_stories_alone(look: Look, matrix: str) -> None:
    looked = look(matrix)
    for name, value, other in [("acks", "1", "all"), ("min ISR", "1", "2")]:
        looked.page.check(f"input[name='{name}'][value='{value}']")
        looked.page.uncheck(f"input[name='{name}'][value='{other}']")
    titles = shown(looked).locator("h2").all_inner_texts()
    assert len(titles) == 1
    assert "acks=1, min.insync.replicas=1, unclean election off" in titles[0]
    linked = set(shown(looked).locator(".cells a").evaluate_all("all => all.map(link => link.hash)"))
    listed = looked.page.locator("details.bug:not([hidden])").evaluate_all("all => all.map(story => '#' + story.id)")
    assert set(listed) == linked
    looked.page.uncheck("input[name=unclean][value=off]")
    assert shown(looked).count() == 0
    looked.page.click("#everything")
    assert shown(looked).count() == looked.page.locator(".block").count()


@pytest.mark.thorough
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_names_of_rows_stay_in_sight(look: Look, matrix: str, size: dict[str, int]) -> None:
    looked = look(matrix, size=size)
    box = shown(looked).locator(".scroll")
    box.evaluate("box => { box.scrollLeft = box.scrollWidth }")
    name = shown(looked).locator("tbody th").first.bounding_box()
    around = box.bounding_box()
    assert name is not None
    assert around is not None
    assert abs(name["x"] - around["x"]) < 2


@pytest.mark.thorough
def test_two_versions_are_compared_in_words(look: Look, matrix: str) -> None:
    looked = look(matrix)
    looked.page.select_option("select[name=one]", label="3.7")
    looked.page.select_option("select[name=other]", label="4.1")
    said = looked.page.inner_text("#differing")
    assert said.startswith("3.7 and 4.1 differ in")
    assert "with 2 crashes: ok* in 3.7, ok in 4.1" in said


def test_without_scripts_every_table_is_there(look: Look, matrix: str) -> None:
    looked = look(matrix, scripts=False)
    assert shown(looked).count() == looked.page.locator(".block").count() > 1
    assert looked.page.is_hidden("#filters")
