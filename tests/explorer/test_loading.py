"""A profile in a file is what stands in the file."""

from __future__ import annotations

import importlib.util
import os
import py_compile
import sys
from pathlib import Path

import pytest
from command_line import Run
from written_traces import COUNTER

from neverlost.explorer.loading import profile_from_file


def test_what_runs_is_the_text_and_never_bytecode_that_lies_beside_it(tmp_path: Path) -> None:
    """Python itself takes bytecode that has the time and the size of the text, whatever it says."""
    path, now = tmp_path / "counter.py", (1_700_000_000, 1_700_000_000)
    path.write_text("X" * len(COUNTER.encode()), encoding="utf-8")
    os.utime(path, now)
    planted = tmp_path / "planted.py"
    planted.write_text("raise SystemExit('bytecode was run')\n".ljust(len(COUNTER.encode())), encoding="utf-8")
    os.utime(planted, now)
    cached = importlib.util.cache_from_source(str(path))
    py_compile.compile(str(planted), cfile=cached, doraise=True)
    path.write_text(COUNTER, encoding="utf-8")
    os.utime(path, now)
    assert profile_from_file(f"{path}:COUNTER").name == f"{path}:COUNTER"


def test_loading_a_profile_writes_nothing_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    path = tmp_path / "counter.py"
    path.write_text(COUNTER, encoding="utf-8")
    profile_from_file(f"{path}:COUNTER")
    assert list(tmp_path.iterdir()) == [path]


def telling(body: str) -> str:
    """A counter whose property has a story that does this."""
    declared = '@always("The counter has not gone far.")'
    story = f"def tell(states: object) -> str:\n    {body}\n\n\n"
    return COUNTER.replace(declared, f'{story}@always("The counter has not gone far.", story=tell)')


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise SystemExit(0)", "the story of small raised SystemExit: 0"),
        ("raise SystemExit", "the story of small raised SystemExit"),
        ("raise BaseException('no')", "the story of small raised BaseException: no"),
        ("exit(1)", "the story of small raised SystemExit: 1"),
        ("return 1 / 0", "the story of small raised ZeroDivisionError: division by zero"),
        ("return 7", "the story of small is 7, which is not a text"),
    ],
)
def test_a_story_that_tells_nothing_is_an_error_of_the_profile_and_no_verdict(
    body: str, said: str, run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "counter.py"
    path.write_text(telling(body), encoding="utf-8")
    line = path.read_text(encoding="utf-8").splitlines().index(f"    {body}") + 1
    code, _, err = run("check", f"{path}:COUNTER", "--property", "small", "--engine", "interpreted")
    assert code == 2
    assert said in err
    assert f"{path}, line {line}: " in err or body.startswith(("return 7", "exit"))


@pytest.mark.parametrize(
    ("body", "said"), [("return 1 / 0", "raised ZeroDivisionError"), ("return 7", "is 7, which is not a text")]
)
def test_a_view_that_tells_nothing_is_an_error_of_the_profile_too(
    body: str, said: str, run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "counter.py"
    view = f'\n\n    @view("counter", "count")\n    def shown(self) -> str:\n        {body}\n'
    text = COUNTER.replace("step_always, up_to", "step_always, up_to, view").replace(
        "    count = up_to(Count)\n", f"    count = up_to(Count){view}"
    )
    path.write_text(text, encoding="utf-8")
    code, _, err = run("check", f"{path}:COUNTER", "--property", "small", "--engine", "interpreted")
    assert code == 2
    assert f"the view shown {said}" in err


def test_code_of_a_profile_that_ends_the_process_is_never_taken_for_a_verdict(run: Run, tmp_path: Path) -> None:
    """Wherever it does so: here where a state is shown."""
    shown = "    def values(self, fields: object = None) -> object:\n        raise SystemExit(0)\n"
    path = tmp_path / "counter.py"
    path.write_text(COUNTER.replace("count = up_to(Count)\n", f"count = up_to(Count)\n\n{shown}"), encoding="utf-8")
    trace = str(tmp_path / "trace.json")
    command = ("check", f"{path}:COUNTER", "--property", "small", "--engine", "interpreted", "--trace-out", trace)
    code, _, err = run(*command)
    assert code == 2
    assert f"error: {path}, line " in err
    assert "the profile's own code raised SystemExit: 0; correct it" in err
