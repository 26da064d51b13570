"""Pages fit windows of three widths, light and dark, and paper, and are readable with a keyboard and with a screen reader.

axe-core finds nothing serious; `make axe` installs it. It looks once at each width and at both schemes, as it takes long.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from browsing import NARROW, PAPER, WIDE, WIDEST, Looked, served
from command_line import Run
from sampling import quick_one_in
from shell_blocks import ROOT

from neverlost.cli.commands.explore import example_of_other, other_model
from neverlost.model.core import Model
from neverlost.reports.bugs.page import bugs_html
from neverlost.reports.trace.formats import render
from neverlost.spec import profiles
from neverlost.spec.bugs import bug_named, known_bugs
from neverlost.studies.recorded import recorded_trace

pytestmark = pytest.mark.xdist_group("browser")

AXE = ROOT / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
SITE = ROOT / "build" / "site"
SERIOUS = ("serious", "critical")
LOOKED_AT = ((NARROW, "dark"), (WIDE, "light"), (WIDEST, "dark"))
EVERYTHING = "document.querySelectorAll('details').forEach(part => part.open = true)"
ONE_STORY = """const first = document.querySelector('.danger');
    document.querySelectorAll('details').forEach(part => {
        const story = part.closest('.danger');
        part.open = story === null || story === first;
    })"""
"""Opens all but the stories after the first: a page of many takes minutes, and stories are looked at by themselves."""

UNREADABLE_ON_PAPER = """() => {
    const beyond = part => part.closest('.screen, .story .more') || part.closest('.bug:not([open])');
    const hidden = [...document.querySelectorAll('h1, .verdict, .turns, .remedy, .foot, .danger .step, .cells td')]
        .filter(part => !beyond(part) && !part.closest('[hidden]') && !part.checkVisibility());
    const cut = [...document.querySelectorAll('body *')].filter(part => part.checkVisibility() && !part.closest('svg')
        && (part.getBoundingClientRect().right > innerWidth + 1
            || getComputedStyle(part).overflow !== 'visible' && part.scrollHeight > part.clientHeight + 1));
    const dark = getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)' ? [] : [document.body];
    return [['hidden', hidden], ['cut off', cut], ['dark', dark]].filter(([, parts]) => parts.length)
        .map(([what, parts]) => `${what}: ${parts[0].outerHTML.slice(0, 200)}`);
}"""
"""What nobody can open or scroll to on paper. A loss or a story of a matrix that was not opened has its heading alone."""

Wrong = Callable[..., list[str]]


@pytest.fixture
def wrong(browser: Any, tmp_path: Path) -> Wrong:
    """What is wrong with a page, given by its text or its address, in any window: it is too wide, or axe-core finds it serious."""

    def found(what: str, ready: Callable[[Any], None] = lambda page: page.evaluate(EVERYTHING)) -> list[str]:
        address = what
        if not what.startswith(("http://", "file://")):
            file = tmp_path / "page.html"
            file.write_text(what, encoding="utf-8")
            address = file.as_uri()
        # The page's own policy would not let axe-core run.
        context = browser.new_context(viewport=WIDE, bypass_csp=True)
        page = context.new_page()
        page.goto(address, wait_until="networkidle")
        said = on_paper(page)
        ready(page)
        for size, scheme in product((NARROW, WIDE, WIDEST), ("light", "dark")):
            page.set_viewport_size(size)
            page.emulate_media(color_scheme=scheme)
            here = [] if Looked(page).is_narrower_than_its_window() else ["wider than its window"]
            here += serious(page) if (size, scheme) in LOOKED_AT else []
            said += [f"{size['width']} {scheme}: {one}" for one in here]
        context.close()
        if not said and not AXE.exists():
            pytest.skip("accessibility is not looked at: `make axe` installs axe-core, with npm")
        return said

    return found


def on_paper(page: Any) -> list[str]:
    """What is wrong with a page printed from a dark window."""
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print", color_scheme="dark")
    said = page.evaluate(UNREADABLE_ON_PAPER)
    page.emulate_media(media="screen")
    return [f"paper: {one}" for one in said]


def serious(page: Any) -> list[str]:
    """What axe-core finds serious, each with the first element that it names; nothing if it is not installed."""
    if not AXE.exists():
        return []
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']:.200}" for one in found if one["impact"] in SERIOUS]


def test_a_story_is_accessible(wrong: Wrong) -> None:
    lost = bug_named("kept-known-ends").lost
    assert lost is not None
    assert wrong(render(recorded_trace(lost), "html"), lambda page: page.click("#step-3 summary.row")) == []


def test_the_ledger_is_accessible(wrong: Wrong) -> None:
    assert wrong(bugs_html(known_bugs()[:6])) == []


@pytest.mark.thorough
def test_a_loss_alone_is_accessible(wrong: Wrong) -> None:
    assert wrong(bugs_html([bug_named("KIP-966")])) == []


AUDITS = {
    "acks-1": (),
    "many-topics": (),
    "consumer": ("--kafka-version", "4.3.1", "--assume", "elr=on,client=java"),
    "controllers": ("--kafka-version", "3.9.1"),
    "exactly-once": ("--kafka-version", "4.1.1", "--assume", "elr=on,client=java,transaction-version=2"),
}
"""Examples, each with what its files leave open: every possibility would be searched, for a page of the same parts."""


@pytest.mark.parametrize("example", quick_one_in(5, [*AUDITS]))
def test_an_audit_is_accessible(wrong: Wrong, run: Run, tmp_path: Path, example: str) -> None:
    files = sorted(str(file) for file in (ROOT / "examples" / "audit" / example).iterdir())
    run("audit", *files, *AUDITS[example], "--html", str(tmp_path / "audit.html"), "--quiet")
    assert wrong((tmp_path / "audit.html").as_uri(), lambda page: page.evaluate(ONE_STORY)) == []


CHECKS = {
    "a check that holds": ("examples/two_phase_commit.py",),
    "a model of one's own": ("examples/water_jugs.py",),
    "a check that is cut short": ("kafka-4.1", "--max-states", "1000"),
    "transactions": ("kafka-transactions-4.0", "--late-markers", "1", "--property", "all_or_nothing"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("check", quick_one_in(4, [*CHECKS]))
def test_a_check_is_accessible(wrong: Wrong, run: Run, tmp_path: Path, check: str) -> None:
    asked = (str(ROOT / word) if "/" in word else word for word in CHECKS[check])
    run("check", *asked, "--html", str(tmp_path / "check.html"))
    assert wrong((tmp_path / "check.html").as_uri()) == []


def on_the_way() -> tuple[Model, tuple[str, ...]]:
    """A model of replication, and steps on the way to a loss."""
    lost = bug_named("kept-known-ends").lost
    assert lost is not None
    return profiles()["kafka-4.1"].model(acks="all", min_isr=2, leader_moves=3), tuple((lost.steps or ())[:12])


EXPLORED = {
    "on the way to a loss": on_the_way,
    "a group's start": lambda: (profiles()["kafka-groups-4.3.1"].model(failures=1), ()),
}


@pytest.mark.parametrize("begun", EXPLORED.values(), ids=EXPLORED)
def test_the_explorer_is_accessible(wrong: Wrong, begun: Callable[[], tuple[Model, tuple[str, ...]]]) -> None:
    pytest.importorskip("uvicorn", reason="the explorer is not looked at: install '.[explore]'")
    from neverlost.reports.explore.app import Explorer

    model, steps = begun()
    explorer = Explorer(
        model=model, token="token", example=example_of_other(model), other_model=other_model, begin=steps
    )

    def ready(page: Any) -> None:
        page.wait_for_selector(f"#step-{len(steps)}")
        page.evaluate(EVERYTHING)

    with served(explorer) as address:
        assert wrong(address, ready) == []


MATRICES = {
    "replication": ("--replicas", "2", "--version", "kafka-3.7", "--version", "kafka-4.1"),
    "transactions": ("transactions", "--version", "kafka-transactions-4.0"),
    "quorum": ("quorum", "--version", "kafka-quorum-3.9"),
    "groups": ("groups", "--version", "kafka-groups-4.3.1", "--protocol", "eager", "--commit", "auto"),
}


@pytest.mark.parametrize("matrix", quick_one_in(4, [*MATRICES]))
def test_a_matrix_is_accessible(wrong: Wrong, run: Run, tmp_path: Path, matrix: str) -> None:
    run("matrix", *MATRICES[matrix], "--html", str(tmp_path / "matrix.html"))
    click = ".block:not([hidden]) .cells a"
    assert wrong((tmp_path / "matrix.html").as_uri(), lambda page: page.click(click)) == []


@pytest.mark.parametrize("name", ["index", "matrix", "contents", "reference/cli", "explanation/groups"])
def test_a_page_of_the_site_is_accessible(wrong: Wrong, name: str) -> None:
    if not SITE.exists():
        pytest.skip("the site is not looked at: `make site` builds it")
    assert wrong((SITE / f"{name}.html").as_uri(), lambda page: None) == []
