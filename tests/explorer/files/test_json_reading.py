"""What is read as JSON, and what is refused whoever reads it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Run
from hypothesis import given, settings
from hypothesis import strategies as st

from neverlost.explorer.files.json_reading import MOST_NESTED, JsonError, read_json, read_json_element

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=40,
)
FAR_TOO_DEEP = 100_000


def nested(depth: int) -> str:
    """Objects in lists in objects."""
    pairs, odd = divmod(depth, 2)
    return "[" * odd + '{"a":[' * pairs + "]}" * pairs + "]" * odd


@given(json_values)
@settings(max_examples=60)
def test_what_is_json_is_read_as_python_reads_it(value: object) -> None:
    text = json.dumps(value)
    assert read_json(text) == read_json(text.encode()) == json.loads(text)
    assert read_json_element(f"{text},", 0) == (json.loads(text), len(text))


REFUSED = {
    "one level too many": (nested(MOST_NESTED + 1), "^is nested more than 100 deep$"),
    "as deep as Python reads": (nested(900), "^is nested more than 100 deep$"),
    "deeper than Python reads": (nested(FAR_TOO_DEEP), "^is nested more than 100 deep$"),
    "deep beside much that is not": (f"[{'[],' * 500}{nested(MOST_NESTED)}]", "^is nested more than 100 deep$"),
    "no number": ('{"a": NaN}', "^holds NaN, which is not a number in JSON$"),
    "infinity": ("[-Infinity]", "^holds -Infinity, which is not a number in JSON$"),
    "infinity as a number": ("[1e999]", "^holds the number 1e999, which is too large$"),
    "a number with too many digits": ("[" + "9" * 5_000 + "]", r"^is not JSON \(Exceeds the limit .* 5000 digits\)$"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_nothing_could_be_made_of_is_refused_by_every_way_to_read(name: str) -> None:
    text, said = REFUSED[name]
    for read in (text, text.encode()):
        with pytest.raises(JsonError, match=said):
            read_json(read)
    with pytest.raises(JsonError, match=said):
        read_json_element(f"{text},", 0)


def test_nesting_up_to_the_limit_is_read_in_every_way() -> None:
    text = nested(MOST_NESTED)
    assert read_json(text) == json.loads(text)
    assert read_json_element(text, 0) == (json.loads(text), len(text))


def test_text_that_is_no_json_or_no_text_is_refused_with_the_place() -> None:
    with pytest.raises(JsonError, match=r"^is not JSON \(Expecting value: line 1 column 5 \(char 4\)\)$"):
        read_json("[1, oops]")
    with pytest.raises(JsonError, match=r"^is not text in UTF-8 \(invalid start byte at byte 1\)$"):
        read_json(b"[\xff]")


@pytest.mark.parametrize("command", ["replay", "trace"])
@pytest.mark.parametrize("depth", [300, 900, FAR_TOO_DEEP])
def test_a_trace_that_is_nested_too_deep_is_refused(command: str, depth: int, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    text = f'{{"neverlost": "trace", "schema": 1, "profile": "kafka-3.5", "bounds": {nested(depth)}}}'
    path.write_text(text, encoding="utf-8")
    assert run(command, str(path)) == (2, "", f"error: {path} is not a trace: it is nested more than 100 deep\n")
