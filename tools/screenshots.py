"""Pictures of every kind of page in three widths, light and dark, to be looked at: in build/screenshots.

make screenshots

Of some only: python tools/screenshots.py NAME... The site is among them if `make site` has built it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from browsing import ALONE, CHROMIUM, NARROW, WIDE, WIDEST, served
from playwright.sync_api import sync_playwright

from neverlost.cli.commands.explore import example_of_other, other_model
from neverlost.cli.main import main
from neverlost.reports.explore.app import Explorer
from neverlost.spec import profiles
from neverlost.spec.bugs import bug_named

ROOT = Path(__file__).parents[1]
SHOTS = ROOT / "build" / "screenshots"
SITE = ROOT / "build" / "site" / "index.html"
WINDOWS = {"1920": WIDEST, "1400": WIDE, "390": NARROW}
LOSS = (
    "check",
    "kafka-4.1",
    "--acks",
    "all",
    "--min-isr",
    "2",
    "--leader-moves",
    "3",
    "--symmetry",
    "--property",
    "acked_never_lost",
)
WRITTEN = {
    "check": LOSS,
    "holds": ("check", "examples/two_phase_commit.py"),
    "own": ("check", "examples/water_jugs.py"),
    "transactions": ("check", "kafka-transactions-4.0", "--late-markers", "1", "--property", "all_or_nothing"),
    "ledger": ("bugs",),
    "loss": ("bugs", "KIP-966"),
    "audit": ("audit", "examples/audit/acks-1"),
    "topics": ("audit", "examples/audit/many-topics"),
    "group": ("audit", "examples/audit/consumer"),
    "controllers": ("audit", "examples/audit/controllers"),
    "exactly-once": ("audit", "examples/audit/exactly-once"),
    "matrix": ("matrix", "--replicas", "2"),
    "matrix-groups": ("matrix", "groups"),
    "matrix-transactions": ("matrix", "transactions"),
    "matrix-quorum": ("matrix", "quorum"),
}
"""The command that writes each page, without --html; a folder stands for its files."""


def written(folder: Path, wanted: Sequence[str]) -> dict[str, str]:
    """The address of each page that is a file, by name."""
    pages = {name: folder / f"{name}.html" for name in (*WRITTEN, "story") if name in wanted}
    for name, page in pages.items():
        if name == "story":
            main([*LOSS, "--trace-out", str(folder / "loss.json"), "--quiet"])
            main(["trace", str(folder / "loss.json"), "--format", "html", "--out", str(page)])
        else:
            main([*words_of(WRITTEN[name]), "--html", str(page)])
    return {name: page.as_uri() for name, page in pages.items()}


def words_of(command: Sequence[str]) -> Iterator[str]:
    """The words of a command, with the files of a folder in its place."""
    for word in command:
        folder = ROOT / word
        yield from sorted(str(file.relative_to(ROOT)) for file in folder.iterdir()) if folder.is_dir() else [word]


def on_the_way() -> Explorer:
    """The explorer on the way to a loss."""
    lost = bug_named("kept-known-ends").lost
    assert lost is not None
    model = profiles()["kafka-4.1"].model(acks="all", min_isr=2, leader_moves=3)
    steps = tuple((lost.steps or ())[:12])
    return Explorer(model=model, token="token", example=example_of_other(model), other_model=other_model, begin=steps)


def of_a_group() -> Explorer:
    """The explorer at the beginning of a consumer group."""
    model = profiles()["kafka-groups-4.3.1"].model(failures=1)
    return Explorer(model=model, token="token", example=example_of_other(model), other_model=other_model)


EXPLORED = {"explorer": on_the_way, "explorer-group": of_a_group}


def shoot(pages: dict[str, str]) -> None:
    """Take two pictures of each page in each window and each colour scheme: of its first screen, and of all of it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ALONE)
        for size, window in WINDOWS.items():
            for scheme in ("light", "dark"):
                context = browser.new_context(viewport=window, color_scheme=scheme)
                for name, page in pages.items():
                    opened = context.new_page()
                    opened.set_default_timeout(300_000)
                    opened.goto(page, wait_until="networkidle")
                    opened.screenshot(path=SHOTS / f"{name}-{size}-{scheme}.png")
                    opened.screenshot(path=SHOTS / f"{name}-{size}-{scheme}-whole.png", full_page=True)
                    opened.close()
                context.close()
        browser.close()


if __name__ == "__main__":
    if CHROMIUM is None:
        sys.exit("no Chromium is installed; on Debian: apt-get install chromium")
    SHOTS.mkdir(parents=True, exist_ok=True)
    os.chdir(ROOT)
    wanted = sys.argv[1:] or [*WRITTEN, "story", *EXPLORED, "site"]
    unknown = set(wanted) - {*WRITTEN, "story", *EXPLORED, "site"}
    if unknown:
        sys.exit(f"no page is called {', '.join(sorted(unknown))}")
    shoot(written(SHOTS, wanted))
    for name, explorer in EXPLORED.items():
        if name in wanted:
            with served(explorer()) as address:
                shoot({name: address})
    if "site" in wanted and SITE.exists():
        shoot({"site": SITE.as_uri(), "site-matrix": SITE.with_name("matrix.html").as_uri()})
    print(f"Look at {SHOTS}")
