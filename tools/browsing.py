"""What a browser is asked to show, and what it asked for and complained about."""

from __future__ import annotations

import shutil
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


@dataclass
class Looked:
    """A page that is open in the browser, and what it asked for and complained about."""

    page: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def is_narrower_than_its_window(self) -> bool:
        """Whether nothing of the page needs to be scrolled for sideways, but what scrolls in a box of its own."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))
