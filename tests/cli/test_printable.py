"""What files say reaches the terminal as text: no escape sequence of theirs moves the cursor, colours or clears anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Run
from hypothesis import given
from hypothesis import strategies as st

from neverlost.cli.printable import printable
from neverlost.cli.terminal import titled

CLEAR = "\x1b[2J\x1b]0;title\x07"


@given(st.text())
def test_no_control_character_is_left_and_nothing_else_is_changed(text: str) -> None:
    shown = printable(text)
    assert not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in shown)
    assert printable(shown) == shown
    if text.isprintable():
        assert shown == text


def test_what_is_shown_has_them_as_escapes() -> None:
    assert titled(f"key {CLEAR}").plain == "key \\x1b[2J\\x1b]0;title\\x07"


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
