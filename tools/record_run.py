"""Runs one of the deeper targets, and writes into docs/deeper-runs.md when that was, on which commit, and with which result.

python tools/record_run.py TARGET -- COMMAND...      the Makefile does so for each of these targets

The exit code is that of the command. A run that is interrupted has no result, and is not recorded.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = "docs/deeper-runs.md"

TARGETS: Mapping[str, str] = {
    "answers-check": "searches for every shipped answer anew",
    "brokers": "tests that start clusters of real brokers",
    "golden": "golden rows, facts, losses, delays, claims, mutants of the in-process brokers",
    "golden-spark": "the larger golden rows on Spark",
    "mutants": "what catches each mutant of the model and of the in-process brokers",
    "proofs": "proofs in Z3 at every bound that the pages name",
    "soak": "random steps, damaged caches and stores, damaged files",
    "thorough": "lint, types, imports, and all other tests, with larger bounds",
}

HEAD = (
    "# Deeper runs",
    "",
    "<!-- Made by machine: the targets write their rows through tools/record_run.py -->",
    "",
    "`make test` runs with every change. The targets here take longer, and [run now and then](../CONTRIBUTING.md#set-up-run-test).",
    "Each writes its own row when it ends, also when it fails. So a row says when the target last ran to its end, and on which",
    "commit: what was changed since then, it has not seen. *Tests* are those that pytest counted; a test that is skipped has",
    "tested nothing.",
    "",
    "| target | runs | last run | commit | took | result | tests |",
    "|---|---|---|---|---|---|---|",
)

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
SUMMARY = re.compile(r"^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s", re.MULTILINE)
"""The last line of pytest: `1 failed, 20 passed, 3 skipped in 1.50s`."""
COUNTED = {"failed": "failed", "error": "failed", "errors": "failed", "passed": "passed", "skipped": "skipped"}
"""What pytest says of tests, and what the page says of them."""


def run(command: Sequence[str]) -> tuple[int, str]:
    """Run a command. Returns its exit code, and what it wrote to its standard output, which is also passed on."""
    written = bytearray()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while chunk := os.read(process.stdout.fileno(), 1 << 16):
            written += chunk
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()
    code = process.returncode
    return (code if code >= 0 else 128 - code), written.decode(errors="replace")


def tests_in(output: str) -> str:
    """How many tests failed, passed, or were skipped, in all runs of pytest together."""
    counts = Counter[str]()
    for summary in SUMMARY.findall(COLOURS.sub("", output)):
        for number, outcome in re.findall(r"(\d+) ([a-z]+)", summary):
            counts[COUNTED.get(outcome, "")] += int(number)
    return ", ".join(f"{counts[said]:,} {said}" for said in dict.fromkeys(COUNTED.values()) if counts[said])


def commit() -> str:
    """The commit that is checked out, and whether files differ from it. The page itself does not count."""
    newest = _git("rev-parse", "--short=10", "HEAD").strip()
    if not newest:
        return "unknown"
    changed = _git("status", "--porcelain", "--", ".", f":(exclude){PAGE}")
    return f"`{newest}`, with changes" if changed else f"`{newest}`"


def _git(*arguments: str) -> str:
    """What git prints; nothing if there is no git, or no repository."""
    try:
        return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return ""


def duration(seconds: float) -> str:
    """For people: `40 s`, `12 min`, `2 h 5 min`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def rows_of(text: str) -> dict[str, str]:
    """The row of each target, as it is on a page."""
    return {found[1]: found[0] for found in re.finditer(r"^\| `([a-z-]+)` \|.*\|$", text, re.MULTILINE)}


def page(rows: Mapping[str, str]) -> str:
    """The page with these rows; a target without one has no recorded run."""
    lines = [rows.get(target, f"| `{target}` | {about} | not recorded | | | | |") for target, about in TARGETS.items()]
    return "\n".join([*HEAD, *lines]) + "\n"


def record(target: str, row: str) -> None:
    """Replace the row of the target; all others stay as they are."""
    place = ROOT / PAGE
    before = place.read_text(encoding="utf-8") if place.exists() else ""
    place.write_text(page({**rows_of(before), target: row}), encoding="utf-8")


def main() -> int:
    """Run the command, and record the run. Returns the command's exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    day, on, began = f"{datetime.now(UTC):%Y-%m-%d}", commit(), time.monotonic()
    try:
        code, output = run(given.command)
    except KeyboardInterrupt:
        return 130
    took, result = duration(time.monotonic() - began), "**failed**" if code else "passed"
    cells = (f"`{given.target}`", TARGETS[given.target], day, on, took, result, tests_in(output))
    record(given.target, f"| {' | '.join(cells)} |")
    return code


if __name__ == "__main__":
    sys.exit(main())
