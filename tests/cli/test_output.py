"""Where output goes: never two results to one place, and whole to whoever reads it, in whichever encoding."""

from __future__ import annotations

import os
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from command_line import Run
from written_traces import COUNTER

from neverlost.cli.main import main

ROOT = Path(__file__).parents[2]
FOLLOWS = ROOT / "examples" / "events" / "follows.ndjson"
REORDERED = ROOT / "examples" / "histories" / "reordered.json"
PROFILE = "published/kip-320"

TWO_OUTPUTS = {
    "check": (("check", PROFILE), "--json", "--trace-out"),
    "prove": (("prove", PROFILE, "--property", "weak_isr"), "--json", "--trace-out"),
    "lemmas": (("lemmas", PROFILE), "--json", "--out"),
    "claims": (("claims", "C-25"), "--json", "--markdown"),
    "matrix": (("matrix",), "--json", "--markdown"),
    "conform": (("conform", "suite", "--adapter", "inprocess"), "--json", "--trace-out"),
    "audit": (("audit", "producer.properties"), "--json", "--out"),
}


@pytest.mark.parametrize("name", TWO_OUTPUTS)
def test_two_results_to_one_file_are_refused_before_anything_is_lost(
    name: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept").write_text("what was here before")
    (tmp_path / "link").symlink_to("kept")
    arguments, one, other = TWO_OUTPUTS[name]
    for path, same in (("kept", "./kept"), ("kept", "link"), ("-", "-"), ("new", str(tmp_path / "new"))):
        code, out, err = run(*arguments, one, path, other, same)
        assert (code, out) == (2, "")
        assert err == f"error: {one} and {other} would both write to {same}; name two different files\n"
    assert (tmp_path / "kept").read_text() == "what was here before"
    assert not (tmp_path / "new").exists()


OWN_INPUTS = {
    "history": (("history", "kept"), "--json", "kept"),
    "validate": (("validate", "kept"), "--json", "kept"),
    "validate with a profile": (("validate", "events", "--profile", "kept.py:X"), "--json", "kept.py"),
    "audit": (("audit", "kept"), "--json", "kept"),
    "audit with a role": (("audit", "producer:kept"), "--json", "kept"),
    "audit with a baseline": (("audit", "new", "--baseline", "topic:kept"), "--out", "kept"),
    "trace": (("trace", "kept"), "--out", "kept"),
    "conform": (("conform", ".", "--adapter", "inprocess"), "--json", "suite.json"),
    "conform with cases": (("conform", ".", "--adapter", "inprocess"), "--trace-out", "cases.ndjson"),
    "conform with an adapter": (("conform", ".", "--adapter", "kept.py:X"), "--trace-out", "kept.py"),
    "check": (("check", "kept.py:X"), "--json", "kept.py"),
    "prove": (("prove", "kept.py:X", "--property", "small"), "--json", "kept.py"),
    "lemmas": (("lemmas", "kept.py:X"), "--out", "kept.py"),
}


@pytest.mark.parametrize("name", OWN_INPUTS)
def test_no_command_writes_over_what_it_reads(
    name: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments, option, file = OWN_INPUTS[name]
    content = "acks=all\n" if name.startswith("audit") else COUNTER.replace("COUNTER =", "X =")
    Path(file).write_text(content)
    Path("link").symlink_to(file)
    Path("hard").hardlink_to(file)
    for path in (file, f"./{file}", "link", "hard"):
        code, out, err = run(*arguments, option, path)
        assert (code, out) == (2, "")
        assert err == f"error: {option} would write over {path}, which is read; name another file\n"
    assert Path(file).read_text() == content


@pytest.mark.parametrize("name", TWO_OUTPUTS)
def test_each_of_two_outputs_that_cannot_be_written_is_refused_before_the_work(name: str, run: Run) -> None:
    arguments, *options = TWO_OUTPUTS[name]
    for option in options:
        code, out, err = run(*arguments, option, "/no/such/folder/file")
        assert (code, out) == (2, "")
        assert err == f"error: {option} /no/such/folder/file cannot be written: No such file or directory\n"


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("ascii", b"r\\xe9seau.ndjson"), ("latin-1", b"r\xe9seau.ndjson"), ("utf-8", b"r\xc3\xa9seau.ndjson")],
)
def test_what_the_readers_encoding_lacks_is_escaped_and_the_verdict_is_the_same(
    encoding: str, shown: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r\u00e9seau.ndjson"
    path.write_bytes(FOLLOWS.read_bytes())
    written = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(written, encoding=encoding, errors="strict"))
    assert main(["validate", str(path)]) == 0
    assert shown in written.getvalue()


def test_a_letter_that_no_encoding_has_is_escaped_too(run: Run, tmp_path: Path) -> None:
    history, events = tmp_path / "history.json", tmp_path / "events.ndjson"
    history.write_text(REORDERED.read_text(encoding="utf-8").replace("A2", "\\ud800"), encoding="utf-8")
    events.write_text(FOLLOWS.read_text(encoding="utf-8") + '{"event": "fetch", "observed": {"isr": "\\ud800"}}\n')
    code, out, err = run("history", str(history))
    assert (code, err) == (1, "")
    assert "\\ud800" in out
    code, out, err = run("validate", str(events))
    assert (code, err) == (2, "")
    assert "isr is \\ud800" in out


def test_a_whole_process_whose_output_is_ascii_ends_with_its_verdict(tmp_path: Path) -> None:
    path = tmp_path / "r\u00e9seau.ndjson"
    path.write_bytes(FOLLOWS.read_bytes())
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from neverlost.cli.main import main; sys.exit(main())",
            "validate",
            path,
        ],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"r\\xe9seau.ndjson" in ran.stdout
