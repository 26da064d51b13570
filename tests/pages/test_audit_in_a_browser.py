from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from browsing import NARROW, WIDE, Looked
from shell_blocks import ROOT

from neverlost.cli.main import main

pytestmark = pytest.mark.xdist_group("browser")

Look = Callable[..., Looked]
RELEASE = {"controllers": ("--kafka-version", "3.9.1")}
"""What no file of an example says: without it every release is searched, for a page of the same parts."""


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The address of the page of an audit of an example, which is made once."""
    folder: Path = tmp_path_factory.mktemp("audits")

    @cache
    def address(example: str) -> str:
        page = folder / f"{example}.html"
        files = str(ROOT / "examples" / "audit" / example)
        main(["audit", files, *RELEASE.get(example, ()), "--html", str(page), "--quiet"])
        return page.as_uri()

    return address


def is_on_the_first_screen(looked: Looked, selector: str, height: int) -> bool:
    box = looked.page.locator(selector).first.bounding_box()
    return box is not None and box["y"] >= 0 and box["y"] + box["height"] <= height


def test_the_verdict_and_the_change_that_comes_first_are_on_the_first_screen(
    look: Look, audit: Callable[[str], str]
) -> None:
    looked = look(audit("acks-1"))
    for selector in ("h1", ".remedy .what", ".remedy .diff"):
        assert is_on_the_first_screen(looked, selector, WIDE["height"]), selector


@pytest.mark.parametrize("example", ["many-topics", "controllers"])
@pytest.mark.parametrize("size", [NARROW, pytest.param(WIDE, marks=pytest.mark.thorough)], ids=["narrow", "wide"])
def test_what_to_do_first_is_read_without_scrolling_sideways(
    look: Look, audit: Callable[[str], str], size: dict[str, int], example: str
) -> None:
    looked = look(audit(example), size=size, scheme="dark")
    assert looked.is_narrower_than_its_window()
    for cell in looked.page.locator(".summary td, .summary th[scope=row]").all():
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size["width"]
    cut = "all => all.filter(table => table.parentElement.scrollWidth > table.parentElement.clientWidth).length"
    assert looked.page.locator(".stack").evaluate_all(cut) == 0
    assert looked.complaints == []


@pytest.mark.thorough
def test_a_link_leads_to_the_story_of_what_may_happen(look: Look, audit: Callable[[str], str]) -> None:
    looked = look(audit("acks-1"))
    link = looked.page.locator(".remedy a").first
    link.click()
    story = looked.page.locator(f"{link.get_attribute('href')}")
    assert story.locator(".step").first.is_visible()
