"""What files say reaches the terminal as text: no escape sequence of theirs moves the cursor, colours or clears anything."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from command_line import Run
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text
from sampling import quick_one_in

from neverlost.cli.terminal import without_controls
from neverlost.reports.printable import printable
from neverlost.reports.styled import titled

BIDIRECTIONAL = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
UNSEEN = "\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u2060\ufeff\U000e0041"
CLEAR = "\x1b[2J\x1b]0;title\x07"


@given(st.text())
def test_no_control_character_is_left_and_nothing_else_is_changed(text: str) -> None:
    shown = printable(text)
    assert not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in shown)
    assert not any(unicodedata.bidirectional(c) in BIDIRECTIONAL or c in UNSEEN for c in shown)
    assert printable(shown) == shown
    if text.isprintable():
        assert shown == text


def test_what_is_shown_has_them_as_escapes() -> None:
    assert titled(f"key {CLEAR}").plain == "key \\x1b[2J\\x1b]0;title\\x07"


@given(st.text(st.sampled_from(f"ab {UNSEEN}{CLEAR}")), st.sampled_from(["", "red"]))
def test_a_coloured_text_has_them_as_escapes_too(text: str, style: str) -> None:
    coloured = Text.assemble("first ", (text, style), " last")
    assert without_controls(coloured).plain == printable(coloured.plain)
    parts = without_controls(Text.assemble("a", ("b\u200e", "red"), "c"))
    assert [(parts.plain[span.start : span.end], span.style) for span in parts.spans] == [("b", "red")]


NAMES = [
    f"pro{letter}ducer.properties" for letter in ("\x1b[31m", "\u200e", "\u202e", "\u200b", "\x9b", "\r", "\U000e0041")
]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
@pytest.mark.parametrize("text", ["acks=1\nretries=0\n", "acks=some\n", "acks=1\nclient.id=\u200e\n"])
@pytest.mark.parametrize("form", quick_one_in(3, ["text", "github", "markdown", "junit", "sarif"]))
def test_the_name_of_a_file_is_shown_with_escapes(name: str, text: str, form: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    asked = (
        "--kafka-version",
        "4.1",
        "--tolerate",
        "1 leader move",
        "--format",
        form,
        "--store",
        str(tmp_path / "store"),
    )
    code, out, err = run("audit", str(tmp_path / name), *asked)
    assert code in (0, 1, 2)
    assert "pro" in out + err
    shown = (out + err).replace("\n", "")
    assert printable(shown) == shown


def test_what_is_wrong_with_an_option_is_shown_with_escapes(run: Run) -> None:
    code, out, err = run("audit", f"--{CLEAR}\u200e")
    assert (code, out) == (2, "")
    assert printable(err) == err


def history(tmp_path: Path) -> list[str]:
    lines = [
        {"type": "invoke", "f": "send", "process": 0, "value": [["send", CLEAR, 1]], "index": 0},
        {"type": "ok", "f": "send", "process": 0, "value": [["send", CLEAR, [0, 1]]], "index": 1},
    ]
    file = tmp_path / "history.json"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return ["history", str(file)]


def configuration(tmp_path: Path) -> list[str]:
    file = tmp_path / "producer.properties"
    file.write_text(f"acks=all\nackz{CLEAR}=1\n", encoding="utf-8")
    return ["audit", str(file)]


def suite(tmp_path: Path) -> list[str]:
    (tmp_path / "suite.json").write_text(json.dumps({"neverlost": CLEAR, "schema": CLEAR}), encoding="utf-8")
    return ["conform", str(tmp_path), "--adapter", "in-process"]


def log(tmp_path: Path) -> list[str]:
    file = tmp_path / "events.ndjson"
    file.write_text(json.dumps({"event": CLEAR}) + "\n", encoding="utf-8")
    return ["validate", str(file), "--profile", "kafka-4.1"]


def trace(tmp_path: Path) -> list[str]:
    file = tmp_path / "trace.json"
    file.write_text(json.dumps({"neverlost": "trace", "schema": 2, "profile": CLEAR}), encoding="utf-8")
    return ["replay", str(file)]


@pytest.mark.parametrize("made", [history, configuration, suite, log, trace], ids=lambda made: made.__name__)
def test_no_command_passes_on_the_escape_sequences_of_a_file(made: object, run: Run, tmp_path: Path) -> None:
    code, out, err = run(*made(tmp_path))  # type: ignore[operator]
    assert code in (0, 1, 2, 3)
    assert "\x1b" not in out + err
    assert "\x07" not in out + err
