"""Runs the shell blocks of a Markdown page, and compares what they print with what the page says.

A ```console block holds commands (`$ ...`, continued after a backslash) and, below each, its output; a line `...` stands for any
lines. A ```sh or ```bash block holds a script that must succeed. The blocks of a page run in order, in one fresh folder with a
copy of examples/. `<!-- not executed: why -->` right above a block excludes it: set-up commands such as `make test` only.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAMS = Path(sys.executable).parent
MARK = "=== end of command"
SECONDS = 300
FENCE = re.compile(r"^```(\w*)\s*$")
EXCLUDED = re.compile(r"^<!-- not executed: \S.* -->$")


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command with the lines that the page shows below it, which begin at line `start` (counted from 0) of the page."""

    text: str
    shown: tuple[str, ...]
    start: int


@dataclass(frozen=True, kw_only=True)
class Block:
    """A shell block of a page; `line` is that of its fence, counted from 1."""

    language: str
    line: int
    body: tuple[str, ...]
    executed: bool

    @property
    def commands(self) -> list[Command]:
        """The commands of a console block; a script is one command without shown output."""
        if self.language != "console":
            return [Command(text="set -e\n" + "\n".join(self.body), shown=(), start=self.line)]
        found: list[Command] = []
        rest = list(enumerate(self.body, start=self.line))
        while rest:
            number, text = rest.pop(0)
            if not text.startswith("$ "):
                raise ValueError(f"line {number + 1}: a console block begins with a command, `$ ...`")
            while text.endswith("\\"):
                text += "\n" + rest.pop(0)[1]
            start, shown = (rest[0][0] if rest else self.line + len(self.body)), []
            while rest and not rest[0][1].startswith("$ "):
                shown.append(rest.pop(0)[1])
            found.append(Command(text=text.removeprefix("$ "), shown=tuple(shown), start=start))
        return found


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a command printed (what it complained of, if it printed nothing), and its exit status."""

    printed: tuple[str, ...]
    status: int


def blocks_of(text: str) -> list[Block]:
    """The shell blocks of a page. Raises ValueError for a fence that is not closed."""
    lines, found = text.split("\n"), []
    number = 0
    while number < len(lines):
        matched = FENCE.match(lines[number])
        if matched is None:
            number += 1
            continue
        end = next((n for n in range(number + 1, len(lines)) if lines[n].rstrip() == "```"), None)
        if end is None:
            raise ValueError(f"line {number + 1}: the block is not closed")
        if matched[1] in ("console", "sh", "bash"):
            above = next((line for line in reversed(lines[:number]) if line.strip()), "")
            found.append(
                Block(
                    language=matched[1],
                    line=number + 1,
                    body=tuple(lines[number + 1 : end]),
                    executed=EXCLUDED.match(above) is None,
                )
            )
        number = end + 1
    return found


def run_block(block: Block, folder: Path, programs: Path = PROGRAMS) -> list[Outcome]:
    """Run the commands of a block in one shell, which looks for programs in a folder first."""
    script = []
    for number, command in enumerate(block.commands):
        script.append(f"{{ {command.text}\n}} 2> .complaint-{number}")
        script.append(f'status=$?; printf "\\n{MARK} %d\\n" $status; (exit $status)')
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(programs), str(PROGRAMS), os.environ["PATH"]]),
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    finished = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    parts = re.split(rf"\n{MARK} (\d+)\n", finished.stdout)
    outcomes = []
    for number, (printed, status) in enumerate(zip(parts[::2], parts[1::2], strict=False)):
        complaint = folder / f".complaint-{number}"
        said = printed if printed.strip() else complaint.read_text(encoding="utf-8")
        complaint.unlink()
        outcomes.append(
            Outcome(printed=tuple(said.rstrip("\n").split("\n")) if said.strip() else (), status=int(status))
        )
    if len(outcomes) < len(block.commands):
        outcomes.append(Outcome(printed=(finished.stdout + finished.stderr,), status=finished.returncode))
    return outcomes


VARIES = (
    (re.compile(r"^(\s*(?:time|memory)\s\s+).*$"), r"\1..."),
    (re.compile(r"\b[\d.,]+ (?:ms|s|min|h|B|KiB|MiB|GiB|states/s)\b"), "..."),
    (re.compile(r"\b[0-9a-f]{16}\b"), "0123456789abcdef"),
)


def normalised(line: str) -> str:
    """The line without times, memory, speeds, digests, and spaces at its end."""
    for pattern, replacement in VARIES:
        line = pattern.sub(replacement, line)
    return line.rstrip()


def matches(shown: tuple[str, ...], printed: tuple[str, ...]) -> bool:
    """Is this what the page shows? A shown line `...` stands for any number of lines."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(matches(shown[1:], printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and normalised(shown[0]) == normalised(printed[0]) and matches(shown[1:], printed[1:])


def prepared(folder: Path) -> Path:
    """The folder, with what a page may use in it."""
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def problems(text: str, folder: Path, programs: Path = PROGRAMS) -> list[str]:
    """What the page says otherwise than its commands do."""
    found = []
    for block in blocks_of(text):
        if not block.executed:
            continue
        commands, outcomes = block.commands, run_block(block, folder, programs)
        for number, (command, outcome) in enumerate(zip(commands, outcomes, strict=True)):
            where = f"line {command.start}: `{command.text}`"
            if block.language == "console" and not matches(command.shown, outcome.printed):
                found.append(f"{where} printed\n" + "\n".join(outcome.printed))
            reported = number + 1 < len(commands) and commands[number + 1].text == "echo $?"
            if outcome.status not in ((0, 1) if block.language == "console" else (0,)) and not reported:
                found.append(f"{where} ended with status {outcome.status}, which the page does not show")
    return found


def targets(makefile: str) -> set[str]:
    """The targets that a Makefile defines by name."""
    return set(re.findall(r"^([a-z][\w-]*):", makefile, flags=re.MULTILINE))


def only_sets_up(block: Block, known: set[str]) -> bool:
    """Does an excluded block hold nothing but fetching the project and its Makefile's targets?"""
    for line in block.body:
        words = line.removeprefix("$ ").split()
        if words and words[0] not in ("git", "cd", "source") and not (words[0] == "make" and set(words[1:]) <= known):
            return False
    return True
