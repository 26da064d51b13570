"""What a browser is asked to show, and what it asked for and complained about."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
ALONE = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE, NARROW = {"width": 1400, "height": 900}, {"width": 390, "height": 800}
WIDEST = {"width": 1920, "height": 1080}
PAPER = {"width": 703, "height": 1032}
"""What the margins of A4 leave."""


@dataclass
class Looked:
    """A page that is open in the browser, and what it asked for and complained about."""

    page: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def is_narrower_than_its_window(self) -> bool:
        """Whether nothing of the page needs to be scrolled for sideways, but what scrolls in a box of its own."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


@contextmanager
def served(explorer: Any) -> Iterator[str]:
    """The address of an explorer that runs meanwhile; its token is part of it."""
    import uvicorn  # noqa: PLC0415 -- an extra: the rest is of use without it

    from neverlost.reports.explore.app import app  # noqa: PLC0415

    hosts: list[str] = []
    server = uvicorn.Server(uvicorn.Config(app(explorer, hosts), host="127.0.0.1", port=0, log_level="error"))  # type: ignore[arg-type]
    running = threading.Thread(target=server.run, daemon=True)
    running.start()
    while not server.started:
        time.sleep(0.01)
    hosts.append(f"127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}")
    yield f"http://{hosts[0]}/{explorer.token}/"
    server.should_exit = True
    running.join()
