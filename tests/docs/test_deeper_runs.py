"""The page about deeper runs has a row for each of their targets, and a run writes its own row and no other."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from shell_blocks import ROOT

TOOL = ROOT / "tools" / "record_run.py"
PAGE = "docs/deeper-runs.md"
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b.example")
NEEDS_GIT = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")


def tool() -> Any:
    spec = spec_from_file_location("record_run", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that has the tool, and no page yet."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "docs").mkdir()
    shutil.copy(TOOL, tmp_path / "tools")
    return tmp_path


def recorded(project: Path, target: str, program: str) -> subprocess.CompletedProcess[str]:
    """Run a target that is a program in Python."""
    run = [sys.executable, "tools/record_run.py", target, "--", sys.executable, "-c", program]
    heard = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
    # What a shell starts in the background ignores interruptions, and so would the tool.
    return subprocess.run([sys.executable, "-c", heard, *run], cwd=project, capture_output=True, text=True, check=False)


def row(project: Path, target: str) -> list[str]:
    """The cells of the target's row."""
    text = (project / PAGE).read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if line.startswith(f"| `{target}` |")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_page_has_a_row_for_each_target_in_order_and_says_what_the_tool_says_around_them() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    targets = re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE)
    assert targets == sorted(tool().TARGETS)
    assert text == tool().page(tool().rows_of(text))


def test_the_page_names_no_folder_of_a_machine() -> None:
    assert not re.search(r"(^|[\s`'\"(])/\w", (ROOT / PAGE).read_text(encoding="utf-8"))


def test_the_makefile_records_each_of_these_targets_and_no_other() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (deeper,) = re.findall(r"^DEEPER := (.*)$", makefile, re.MULTILINE)
    assert sorted(deeper.split()) == sorted(tool().TARGETS)
    assert sorted(re.findall(r"^do-([a-z-]+):", makefile, re.MULTILINE)) == sorted(tool().TARGETS)


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_a_dry_run_of_make_says_what_would_be_recorded_and_records_nothing(project: Path) -> None:
    shutil.copy(ROOT / "Makefile", project)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (project / name).touch()
    dry = subprocess.run(["make", "-n", "golden"], cwd=project, capture_output=True, text=True, check=True)
    assert "tools/record_run.py golden -- make --no-print-directory do-golden" in dry.stdout
    assert not (project / PAGE).exists()


def test_a_run_that_passes_is_recorded_and_the_other_targets_stay_as_they_are(project: Path) -> None:
    assert recorded(project, "golden", "print('3 passed in 0.10s')").returncode == 0
    golden = row(project, "golden")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", golden[2])
    assert re.fullmatch(r"\d+ (s|min)", golden[4])
    assert golden[5:] == ["passed", "3 passed"]
    assert row(project, "soak")[2:] == ["not recorded", "", "", "", ""]
    recorded(project, "soak", "")
    assert row(project, "soak")[5:] == ["passed", ""]
    assert row(project, "golden") == golden


def test_a_run_that_fails_is_recorded_and_its_exit_code_is_kept(project: Path) -> None:
    recorded(project, "golden", "")
    ran = recorded(project, "golden", "print('1 failed, 2 passed in 0.10s'); raise SystemExit(3)")
    assert ran.returncode == 3
    assert row(project, "golden")[5:] == ["**failed**", "1 failed, 2 passed"]


def test_a_run_that_a_signal_ends_is_recorded_as_failed(project: Path) -> None:
    ran = recorded(project, "golden", f"import os; os.kill(os.getpid(), {int(signal.SIGKILL)})")
    assert ran.returncode == 128 + signal.SIGKILL
    assert row(project, "golden")[5] == "**failed**"


def test_a_run_that_is_interrupted_leaves_the_row_of_the_run_before(project: Path) -> None:
    recorded(project, "golden", "print('3 passed in 0.10s')")
    before = row(project, "golden")
    program = f"import os, time; os.kill(os.getppid(), {int(signal.SIGINT)}); time.sleep(0.2)"
    assert recorded(project, "golden", program).returncode == 130
    assert row(project, "golden") == before


def test_what_the_command_writes_is_passed_on(project: Path) -> None:
    ran = recorded(project, "golden", "import sys; print('out'); print('err', file=sys.stderr)")
    assert (ran.stdout, ran.stderr) == ("out\n", "err\n")


@pytest.mark.parametrize(
    ("output", "tests"),
    [
        ("..s [100%]\n2 passed, 1 skipped in 1.50s\n", "2 passed, 1 skipped"),
        ("2 passed, 1 deselected in 63.01s (0:01:03)\nmore\n1,200 states\n3 passed in 0.10s\n", "5 passed"),
        ("===== 1 failed, 1 passed, 2 errors in 0.10s =====\n", "3 failed, 1 passed"),
        ("\x1b[31m\x1b[1m1 failed\x1b[0m, \x1b[32m4 passed\x1b[0m\x1b[31m in 0.10s\x1b[0m\n", "1 failed, 4 passed"),
        ("1 passed, 1 error in 0.10s\n", "1 failed, 1 passed"),
        ("no tests ran in 0.01s\n", ""),
        ("kafka-2.0: 20 of 30 mistakes in 12 s\n", ""),
    ],
)
def test_tests_are_counted_over_all_runs_of_pytest(output: str, tests: str) -> None:
    assert tool().tests_in(output) == tests


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "0 s"), (59.4, "59 s"), (60, "1 min"), (3599, "1 h 0 min"), (7500, "2 h 5 min")]
)
def test_a_duration_is_for_people(seconds: float, text: str) -> None:
    assert tool().duration(seconds) == text


@NEEDS_GIT
def test_the_commit_is_the_one_at_the_start_and_changes_are_said(project: Path) -> None:
    def git(*arguments: str) -> str:
        return subprocess.run([*GIT, *arguments], cwd=project, capture_output=True, text=True, check=True).stdout

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "first")
    newest = git("rev-parse", "--short=10", "HEAD").strip()
    recorded(project, "mutants", "open('made', 'w').close()")
    assert row(project, "mutants")[3] == f"`{newest}`"
    recorded(project, "golden", "")
    assert row(project, "golden")[3] == f"`{newest}`, with changes"
    (project / "made").unlink()
    recorded(project, "soak", "")
    assert row(project, "soak")[3] == f"`{newest}`"


def test_without_a_repository_the_commit_is_unknown(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(project.parent))
    recorded(project, "golden", "")
    assert row(project, "golden")[3] == "unknown"
