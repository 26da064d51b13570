"""Pictures of every kind of page in three widths, light and dark, to be looked at: in build/screenshots.

make screenshots
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from browsing import ALONE, CHROMIUM, NARROW, WIDE, WIDEST
from playwright.sync_api import sync_playwright

from neverlost.cli.commands.explore import other_model
from neverlost.cli.main import main
from neverlost.reports.explore.app import Explorer, app
from neverlost.spec import profiles
from neverlost.spec.bugs import bug_named

ROOT = Path(__file__).parents[1]
SHOTS = ROOT / "build" / "screenshots"
WINDOWS = {"1920": WIDEST, "1400": WIDE, "390": NARROW}
LOSS = ("check", "kafka-4.1", "--acks", "all", "--min-isr", "2", "--leader-moves", "3", "--symmetry")
MATRIX = ("matrix", "--replicas", "2")


def written(folder: Path) -> dict[str, str]:
    """The address of a page of each kind that is a file, by name."""
    names = ("story", "check", "ledger", "audit", "topics", "matrix")
    pages = {name: folder / f"{name}.html" for name in names}
    trace = str(folder / "loss.json")
    main([*LOSS, "--property", "acked_never_lost", "--html", str(pages["check"]), "--trace-out", trace, "--quiet"])
    main(["trace", trace, "--format", "html", "--out", str(pages["story"])])
    main(["bugs", "--html", str(pages["ledger"])])
    for name, example in (("audit", "acks-1"), ("topics", "many-topics")):
        files = sorted(str(file.relative_to(ROOT)) for file in (ROOT / "examples" / "audit" / example).iterdir())
        main(["audit", *files, "--html", str(pages[name]), "--quiet"])
    main([*MATRIX, "--html", str(pages["matrix"])])
    return {name: page.as_uri() for name, page in pages.items()}


@contextmanager
def explored() -> Iterator[str]:
    """The address of a running explorer, on the way to a loss."""
    lost = bug_named("kept-known-ends").lost
    assert lost is not None
    steps = (lost.steps or ())[:12]
    model = profiles()["kafka-4.1"].model(acks="all", min_isr=2, leader_moves=3)
    explorer = Explorer(model=model, token="token", other_model=other_model, begin=tuple(steps))
    hosts: list[str] = []
    server = uvicorn.Server(uvicorn.Config(app(explorer, hosts), host="127.0.0.1", port=0, log_level="error"))  # type: ignore[arg-type]
    running = threading.Thread(target=server.run, daemon=True)
    running.start()
    while not server.started:
        time.sleep(0.01)
    hosts.append(f"127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}")
    yield f"http://{hosts[0]}/token/"
    server.should_exit = True
    running.join()


def shoot(pages: dict[str, str]) -> None:
    """Take two pictures of each page in each window and each colour scheme: of its first screen, and of all of it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ALONE)
        for size, window in WINDOWS.items():
            for scheme in ("light", "dark"):
                context = browser.new_context(viewport=window, color_scheme=scheme)
                for name, page in pages.items():
                    opened = context.new_page()
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
    wanted = sys.argv[1:]
    files = written(SHOTS)
    with explored() as address:
        every = {**files, "explorer": address}
        shoot({name: page for name, page in every.items() if not wanted or name in wanted})
    print(f"Look at {SHOTS}")
