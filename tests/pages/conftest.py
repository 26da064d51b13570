"""A real browser for pages: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from browsing import ALONE, CHROMIUM, WIDE, Looked


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="pages are not looked at: install '.[test]' for Playwright"
    )
    if CHROMIUM is None:
        pytest.skip("pages are not looked at in a browser: install Chromium, on Debian: apt-get install chromium")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=CHROMIUM, args=ALONE)
        yield running
        running.close()


@pytest.fixture
def look(browser: Any) -> Iterator[Callable[..., Looked]]:
    """Opens an address: in a wide window and a light page with scripts, if not asked otherwise."""
    opened = []

    def at(address: str, *, size: dict[str, int] = WIDE, scheme: str = "light", scripts: bool = True) -> Looked:
        context = browser.new_context(viewport=size, color_scheme=scheme, java_script_enabled=scripts)
        opened.append(context)
        looked = Looked(context.new_page())
        looked.page.set_default_timeout(60_000)
        looked.page.on("request", lambda request: looked.requests.append(request.url))
        looked.page.on("console", lambda said: looked.complaints.append(said.text))
        looked.page.on("pageerror", lambda error: looked.complaints.append(str(error)))
        looked.page.on("dialog", lambda dialog: looked.complaints.append(f"dialog: {dialog.message}"))
        looked.page.goto(address)
        return looked

    yield at
    for context in opened:
        context.close()
