"""Pages are readable with a keyboard and with a screen reader: axe-core finds nothing serious. `make axe` installs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import NARROW, WIDE, served
from command_line import Run
from shell_blocks import ROOT

from neverlost.cli.commands.explore import other_model
from neverlost.reports.bugs.page import bugs_html
from neverlost.reports.trace.formats import render
from neverlost.spec import profiles
from neverlost.spec.bugs import bug_named, known_bugs
from neverlost.studies.recorded import recorded_trace

pytestmark = pytest.mark.xdist_group("browser")

AXE = ROOT / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
SITE = ROOT / "build" / "site"
SERIOUS = ("serious", "critical")
EVERYTHING = "document.querySelectorAll('details').forEach(part => part.open = true)"

Opened = Callable[[str], Any]


@pytest.fixture(params=[(WIDE, "light"), (NARROW, "dark")], ids=["wide", "narrow"])
def opened(browser: Any, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    """Opens a page, by its text or its address, with axe-core in it, which the page's own policy would not let run."""
    if not AXE.exists():
        pytest.skip("accessibility is not looked at: `make axe` installs axe-core, with npm")
    size, scheme = request.param
    context = browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=True)

    def at(what: str) -> Any:
        page = context.new_page()
        if what.startswith(("http://", "file://")):
            page.goto(what, wait_until="networkidle")
        else:
            file = tmp_path / "page.html"
            file.write_text(what, encoding="utf-8")
            page.goto(file.as_uri())
        page.evaluate(AXE.read_text(encoding="utf-8"))
        return page

    yield at
    context.close()


def serious(page: Any) -> list[str]:
    """What axe-core finds serious, each with the first element that it names."""
    found = page.evaluate("axe.run()")["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']:.200}" for one in found if one["impact"] in SERIOUS]


def test_a_story_is_accessible(opened: Opened) -> None:
    lost = bug_named("kept-known-ends").lost
    assert lost is not None
    page = opened(render(recorded_trace(lost), "html"))
    page.click("#step-3 summary.row")
    assert serious(page) == []


def test_the_ledger_is_accessible(opened: Opened) -> None:
    page = opened(bugs_html(known_bugs()[:6]))
    page.evaluate(EVERYTHING)
    assert serious(page) == []


@pytest.mark.parametrize("example", ["acks-1", "many-topics", "consumer", "controllers"])
def test_an_audit_is_accessible(opened: Opened, run: Run, tmp_path: Path, example: str) -> None:
    files = sorted(str(file) for file in (ROOT / "examples" / "audit" / example).iterdir())
    run("audit", *files, "--html", str(tmp_path / "audit.html"), "--quiet")
    page = opened((tmp_path / "audit.html").read_text(encoding="utf-8"))
    page.evaluate(EVERYTHING)
    assert serious(page) == []


CHECKS = {
    "a check that holds": ("examples/two_phase_commit.py",),
    "a model of one's own": ("examples/water_jugs.py",),
    "transactions": ("kafka-transactions-4.0", "--late-markers", "1", "--property", "all_or_nothing"),
}


@pytest.mark.parametrize("asked", CHECKS.values(), ids=CHECKS)
def test_a_check_is_accessible(opened: Opened, run: Run, tmp_path: Path, asked: tuple[str, ...]) -> None:
    run("check", *(str(ROOT / word) if "/" in word else word for word in asked), "--html", str(tmp_path / "check.html"))
    page = opened((tmp_path / "check.html").read_text(encoding="utf-8"))
    page.evaluate(EVERYTHING)
    assert serious(page) == []


def test_the_explorer_is_accessible(opened: Opened) -> None:
    pytest.importorskip("uvicorn", reason="the explorer is not looked at: install '.[explore]'")
    from neverlost.reports.explore.app import Explorer

    lost = bug_named("kept-known-ends").lost
    assert lost is not None
    model, steps = profiles()["kafka-4.1"].model(acks="all", min_isr=2, leader_moves=3), tuple((lost.steps or ())[:12])
    with served(Explorer(model=model, token="token", other_model=other_model, begin=steps)) as address:
        page = opened(address)
        page.wait_for_selector("#step-12")
        page.evaluate(EVERYTHING)
        assert serious(page) == []


MATRICES = {
    "replication": ("--replicas", "2", "--version", "kafka-3.7", "--version", "kafka-4.1"),
    "transactions": ("transactions", "--version", "kafka-transactions-4.0"),
    "quorum": ("quorum", "--version", "kafka-quorum-3.9"),
    "groups": ("groups", "--version", "kafka-groups-4.3.1"),
}


@pytest.mark.parametrize("asked", MATRICES.values(), ids=MATRICES)
def test_a_matrix_is_accessible(opened: Opened, run: Run, tmp_path: Path, asked: tuple[str, ...]) -> None:
    run("matrix", *asked, "--html", str(tmp_path / "matrix.html"))
    page = opened((tmp_path / "matrix.html").read_text(encoding="utf-8"))
    page.click(".block:not([hidden]) .cells a")
    assert serious(page) == []


@pytest.mark.parametrize("name", ["index", "matrix", "contents", "reference/cli", "explanation/groups"])
def test_a_page_of_the_site_is_accessible(opened: Opened, name: str) -> None:
    if not SITE.exists():
        pytest.skip("the site is not looked at: `make site` builds it")
    page = opened((SITE / f"{name}.html").as_uri())
    assert serious(page) == []
