"""Text that users see, kept in files: NEVERLOST_REWRITE=1 writes the files anew."""

from __future__ import annotations

import os
import re
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "golden"
EXPLANATION = Path(__file__).parents[2] / "docs" / "explanation"


def expect_golden(name: str, text: str, folder: Path = FOLDER) -> None:
    """The text is what the file of that name says, but for times, rates and memory."""
    path, steady = folder / name, _steady(text)
    if os.environ.get("NEVERLOST_REWRITE") == "1":
        path.write_text(steady, encoding="utf-8")
    assert steady == path.read_text(encoding="utf-8"), f"{name} differs; NEVERLOST_REWRITE=1 writes it anew"


def _steady(text: str) -> str:
    text = re.sub(r"(?m)^(  time +).*$", r"\1TIME", text)
    return re.sub(r"(?m)^(  memory +).*$", r"\1MEMORY", text)
