from __future__ import annotations

from collections.abc import Callable

import pytest
from browsing import NARROW, WIDE, Looked

from neverlost.reports.bugs.page import bugs_html
from neverlost.spec.bugs import bug_named
from neverlost.spec.families import bugs_by_family

pytestmark = pytest.mark.xdist_group("browser")

Look = Callable[..., Looked]
SHOWN = ("KAFKA-7128", "KAFKA-1647", "KAFKA-14639", "KAFKA-14205", "KAFKA-19367", "KAFKA-19999")


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a ledger with a loss or two of each family."""
    file = tmp_path_factory.mktemp("pages") / "ledger.html"
    file.write_text(bugs_html([bug_named(name) for name in SHOWN]), encoding="utf-8")
    return file.as_uri()


@pytest.mark.parametrize("size", [pytest.param(WIDE, marks=pytest.mark.thorough), NARROW], ids=["wide", "narrow"])
def test_the_ledger_asks_for_nothing_else_and_opens_a_story(look: Look, ledger: str, size: dict[str, int]) -> None:
    looked = look(ledger, size=size, scheme="dark")
    looked.page.click("#KAFKA-7128 summary")
    assert looked.page.locator("#KAFKA-7128 .step").count() > 1
    assert (looked.requests, looked.complaints) == ([ledger], [])
    assert looked.is_narrower_than_its_window()


@pytest.mark.thorough
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_a_bar_lies_below_the_releases_that_it_is_of(look: Look, ledger: str, size: dict[str, int]) -> None:
    looked = look(ledger, size=size)
    bar = looked.page.locator("#KAFKA-19367 .bar").bounding_box()
    tick = looked.page.locator(".tick", has_text="4.0").bounding_box()
    assert bar is not None
    assert tick is not None
    assert abs(bar["x"] - tick["x"]) < 2
    assert looked.page.locator("#KAFKA-19999 .bar").count() == 0


@pytest.mark.thorough
@pytest.mark.parametrize("family", ["groups", "transactions"])
def test_a_family_is_shown_alone(look: Look, ledger: str, family: str) -> None:
    looked = look(ledger)
    looked.page.click(f"#families button[value={family}]")
    listed = looked.page.locator("details.bug:visible").evaluate_all("all => all.map(bug => bug.id)")
    assert set(listed) == {name for name in SHOWN if bug_named(name) in bugs_by_family()[family]}
    assert sum(int(count) for count in looked.page.locator(".count:visible").all_inner_texts()) == len(listed)
    looked.page.click("#families button[value='']")
    assert looked.page.locator("details.bug:visible").count() == len(SHOWN)


def test_without_scripts_every_loss_is_there(look: Look, ledger: str) -> None:
    looked = look(ledger, scripts=False)
    assert looked.page.locator("details.bug:visible").count() == len(SHOWN)
    assert looked.page.is_hidden("#families")
