"""Pictures of every kind of page, wide and narrow, light and dark, to be looked at: in build/screenshots.

make screenshots
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from browsing import ALONE, CHROMIUM, NARROW, WIDE
from playwright.sync_api import sync_playwright

from neverlost.cli.main import main

ROOT = Path(__file__).parents[1]
SHOTS = ROOT / "build" / "screenshots"


def written(folder: Path) -> dict[str, Path]:
    """A page of each kind, by name."""
    pages = {name: folder / f"{name}.html" for name in ("story", "check", "ledger", "audit", "matrix")}
    trace = str(folder / "loss.json")
    loss = ("check", "kafka-4.1", "--acks", "all", "--min-isr", "2", "--leader-moves", "3", "--symmetry")
    main([*loss, "--property", "acked_never_lost", "--html", str(pages["check"]), "--trace-out", trace, "--quiet"])
    main(["trace", trace, "--format", "html", "--out", str(pages["story"])])
    main(["bugs", "--html", str(pages["ledger"])])
    example = sorted(str(file) for file in (ROOT / "examples" / "audit" / "acks-1").iterdir())
    main(["audit", *example, "--html", str(pages["audit"]), "--quiet"])
    main(["matrix", "--replicas", "2", "--html", str(pages["matrix"])])
    return pages


def shoot(pages: dict[str, Path]) -> None:
    """Take a picture of each page in each window and each colour scheme."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ALONE)
        for name, page in pages.items():
            for size, window in (("wide", WIDE), ("narrow", NARROW)):
                for scheme in ("light", "dark"):
                    context = browser.new_context(viewport=window, color_scheme=scheme)
                    opened = context.new_page()
                    opened.goto(page.as_uri())
                    opened.screenshot(path=SHOTS / f"{name}-{size}-{scheme}.png", full_page=name != "matrix")
                    context.close()
        browser.close()


if __name__ == "__main__":
    if CHROMIUM is None:
        sys.exit("no Chromium is installed; on Debian: apt-get install chromium")
    SHOTS.mkdir(parents=True, exist_ok=True)
    os.chdir(ROOT)
    shoot(written(SHOTS))
    print(f"Look at {SHOTS}")
