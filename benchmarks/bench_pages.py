"""How large the pages of all known losses are, how long they take to make, and how long a browser takes to load them from disk.

.venv/bin/python benchmarks/bench_pages.py             every known loss
.venv/bin/python benchmarks/bench_pages.py FILE...     pages that are there already, such as what `matrix --html` wrote
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from neverlost.reports.trace.formats import render
from neverlost.spec.families import known_bugs
from neverlost.spec.recorded_search import RecordedSearch
from neverlost.studies.recorded import recorded_trace

RUNS = 5
LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd"


def losses() -> dict[str, RecordedSearch]:
    """Every recorded search with a trace, by a name for its file."""
    return {bug.name: bug.lost for bug in known_bugs() if bug.lost is not None and bug.lost.steps}


def load_ms(browser: Any, file: Path) -> float:
    """The median time from opening a file to its load event, in a window of its own each time."""
    times = []
    for _ in range(RUNS):
        page = browser.new_page()
        page.goto(file.as_uri())
        times.append(page.evaluate(LOADED))
        page.close()
    return statistics.median(times)


def show(name: str, steps: str, made: str, file: Path, loaded: float) -> None:
    print(f"{name:44}{steps:>6}{made:>8}{file.stat().st_size / 1000:>8.0f}{loaded:>9.0f}", flush=True)


def main(files: list[str]) -> None:
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        sys.exit("no Chromium is installed; on Debian: apt-get install chromium")
    print(f"{'page':44}{'steps':>6}{'made ms':>8}{'kB':>8}{'load ms':>9}")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for given in files:
            show(given, "", "", Path(given), load_ms(browser, Path(given).resolve()))
        for name, search in ({} if files else losses()).items():
            trace = recorded_trace(search)
            file, begun = Path(folder) / f"{name}.html", time.perf_counter()
            file.write_text(render(trace, "html"), encoding="utf-8")
            made = 1000 * (time.perf_counter() - begun)
            show(name, str(len(trace.steps)), f"{made:.0f}", file, load_ms(browser, file))
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
