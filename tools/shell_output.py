"""Writes into Markdown pages what the commands of their console blocks really print.

python tools/shell_output.py docs/tutorial/01-water-jugs.md
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from shell_blocks import blocks_of, matches, prepared, run_block


def rewritten(text: str, folder: Path) -> str:
    """The page with the real output of its commands, where none is abridged by `...`."""
    lines = text.split("\n")
    ran = [(block, run_block(block, folder)) for block in blocks_of(text) if block.executed]
    for block, outcomes in reversed(ran):
        if block.language != "console":
            continue
        for command, outcome in reversed(list(zip(block.commands, outcomes, strict=True))):
            if not any(line.strip() == "..." for line in command.shown) and not matches(command.shown, outcome.printed):
                lines[command.start : command.start + len(command.shown)] = outcome.printed
    return "\n".join(lines)


def main() -> None:
    """Run the commands of every page that is named, and write the page."""
    for name in sys.argv[1:]:
        page = Path(name)
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(rewritten(page.read_text(encoding="utf-8"), prepared(Path(folder))), encoding="utf-8")


if __name__ == "__main__":
    main()
