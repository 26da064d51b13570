"""Pages are readable with a keyboard and with a screen reader: axe-core finds nothing serious. `make axe` installs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import NARROW, WIDE
from command_line import Run
from shell_blocks import ROOT

from neverlost.reports.bugs.page import bugs_html
from neverlost.reports.trace.formats import render
from neverlost.spec.bugs import bug_named, known_bugs
from neverlost.studies.recorded import recorded_trace

pytestmark = pytest.mark.xdist_group("browser")

AXE = ROOT / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = ("serious", "critical")
EVERYTHING = "document.querySelectorAll('details').forEach(part => part.open = true)"

Opened = Callable[[str], Any]


@pytest.fixture(params=[(WIDE, "light"), (NARROW, "dark")], ids=["wide", "narrow"])
def opened(browser: Any, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    """Opens a page with axe-core in it, which the page's own policy would not let run."""
    if not AXE.exists():
        pytest.skip("accessibility is not looked at: `make axe` installs axe-core, with npm")
    size, scheme = request.param
    context = browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=True)

    def at(text: str) -> Any:
        file = tmp_path / "page.html"
        file.write_text(text, encoding="utf-8")
        page = context.new_page()
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


def test_an_audit_is_accessible(opened: Opened, run: Run, tmp_path: Path) -> None:
    files = sorted(str(file) for file in (ROOT / "examples" / "audit" / "acks-1").iterdir())
    run("audit", *files, "--html", str(tmp_path / "audit.html"), "--quiet")
    page = opened((tmp_path / "audit.html").read_text(encoding="utf-8"))
    page.evaluate(EVERYTHING)
    assert serious(page) == []


def test_a_matrix_is_accessible(opened: Opened, run: Run, tmp_path: Path) -> None:
    asked = ("matrix", "--replicas", "2", "--version", "kafka-3.7", "--version", "kafka-4.1")
    run(*asked, "--html", str(tmp_path / "matrix.html"))
    page = opened((tmp_path / "matrix.html").read_text(encoding="utf-8"))
    page.click(".block:not([hidden]) .cells a")
    assert serious(page) == []
