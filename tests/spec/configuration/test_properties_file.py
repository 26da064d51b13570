"""Java's .properties syntax: what is written comes back, and nothing but a ConfigurationError ever comes of bytes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neverlost.spec.configuration import ConfigurationError, Notice, read_configuration, read_deployment
from neverlost.spec.configuration.forms.properties_file import MAX_BYTES, decoded, parse_properties

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
KEYS = WORDS.filter(bool)
SEPARATORS = st.sampled_from(["=", ":", " ", "\t", " = ", "\f:\t", "  "])
ENDS = st.sampled_from(["\n", "\r", "\r\n"])
BETWEEN = st.sampled_from(["", "# a comment \\", "!", "  \t", "   # acks=0"])
FOLDS = st.sampled_from(["", "\\\n", "\\\r\n   ", "\\\r\t"])


def escaped(text: str, every: int, fold: str) -> str:
    """An independent writer: escapes what must be, and every n-th character besides, in UTF-16 as Java does."""
    written = []
    for number, letter in enumerate(text):
        if letter in {"\n": "n", "\r": "r", "\t": "t", "\f": "f"}:
            written.append("\\" + {"\n": "n", "\r": "r", "\t": "t", "\f": "f"}[letter])
        elif letter in "=:#!\\ ":
            written.append("\\" + letter)
        elif number % every == 0 or not letter.isascii() or not letter.isprintable():
            units = letter.encode("utf-16-be")
            written += [f"\\u{units[at] << 8 | units[at + 1]:04X}" for at in range(0, len(units), 2)]
        else:
            written.append(letter)
    middle = len(written) // 2
    return "".join(written[:middle]) + fold + "".join(written[middle:])


@given(
    st.lists(
        st.tuples(KEYS, WORDS, SEPARATORS, ENDS, BETWEEN, st.integers(1, 5), FOLDS),
        min_size=1,
        max_size=6,
    )
)
def test_what_is_written_comes_back(rows: list[tuple[str, str, str, str, str, int, str]]) -> None:
    text = ""
    for key, value, separator, end, between, every, fold in rows:
        line = escaped(key, every, fold) + separator + escaped(value, every, fold)
        text += between + "\n" + line + end
    entries, _ = parse_properties(text, "a")
    assert [(entry.key, entry.value) for entry in entries] == [(key, value) for key, value, *_ in rows]


def line_numbers(text: str) -> list[tuple[str, str, int]]:
    return [(entry.key, entry.value, entry.line) for entry in parse_properties(text, "a")[0]]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("acks=all", [("acks", "all", 1)]),
        ("acks : all\r\nretries\t3", [("acks", "all", 1), ("retries", "3", 2)]),
        ("# one\n! two\n\n  a=1", [("a", "1", 4)]),
        ("a=1\\\n   , 2\\\n,3\nb=4", [("a", "1, 2,3", 1), ("b", "4", 4)]),
        ("# a comment ends here \\\na=1", [("a", "1", 2)]),
        ("a=1\\\n# no comment", [("a", "1# no comment", 1)]),
        ("a=1\\\n\nb=2", [("a", "1", 1), ("b", "2", 3)]),
        ("a=x\\\\\nb=2", [("a", "x\\", 1), ("b", "2", 2)]),
        ("a\\ b\\=c = d", [("a b=c", "d", 1)]),
        ("a==b", [("a", "=b", 1)]),
        ("a", [("a", "", 1)]),
        ("=b", [("", "b", 1)]),
        ("a=b \\", [("a", "b ", 1)]),
        ("a=\\u0041\\q\\u00e9\\uD83D\\uDE00", [("a", "Aqé😀", 1)]),
        ("a=b  ", [("a", "b  ", 1)]),
    ],
)
def test_lines_are_read_as_java_reads_them(text: str, read: list[tuple[str, str, int]]) -> None:
    assert line_numbers(text) == read


@pytest.mark.parametrize("value", ["\\u12", "\\uzzzz", "\\u+123", "C:\\users", "\\ud83d", "\\ude00\\ud83d"])
def test_an_escape_that_is_no_character_is_an_error_with_its_line(value: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_properties(f"a=1\nb={value}\n", "p.properties")
    (problem,) = caught.value.problems
    assert problem.place == "p.properties:2"


def test_blanks_at_the_end_and_letters_beyond_ascii_are_warned_of() -> None:
    _, warnings = parse_properties("acks=all \nclient.id=caf\u00e9\n# caf\u00e9\nretries=\n", "p")
    assert [(warning.key, warning.line) for warning in warnings] == [("acks", 1), ("client.id", 2)]
    assert "Write acks=all." in warnings[0].text


@pytest.mark.parametrize(
    ("content", "place", "said"),
    [
        (b"", "p", "it is empty"),
        (b" \n\t\n", "p", "it is empty"),
        (b"a=1\nb=\xff\n", "p:2", "byte 0xff is not UTF-8"),
        (b"a=1\r\n\r\nb=\0", "p:3", "NUL"),
        (b"\xef\xbb\xbfa=1", "p:1", "byte order mark (UTF-8)"),
        (b"\xff\xfea\0", "p:1", "byte order mark (UTF-16)"),
        pytest.param(b"a" * (MAX_BYTES + 1), "p", "more than 33,554,432 bytes", id="too large"),
    ],
)
def test_bytes_that_are_no_configuration_are_refused_with_their_line(content: bytes, place: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        decoded(content, "p")
    (problem,) = caught.value.problems
    assert problem.place == place
    assert said in problem.text


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path, said in [(tmp_path / "none", "no such file"), (tmp_path, "a folder")]:
        with pytest.raises(ConfigurationError, match=said):
            read_configuration(str(path))
    for path in ("a\0b", "producer:", ""):
        with pytest.raises(ConfigurationError):
            read_configuration(path)


PIECES = (
    b"Topic: a\tPartitionCount: 1\tReplicationFactor: x\tConfigs: a=b",
    b"All configs for topic orders are:",
    b"  a=b sensitive=false synonyms={}",
    b"\tTopic: a\tPartition: 0\tReplicas: 1,2\tIsr: 1",
    b"Feature: metadata.version\tFinalizedVersionLevel: 9",
    b"Default configs for brokers in the cluster are:",
    *(b"acks=", b"\\u00", b"\\", b"\n", b"\r", b" "),
)


@given(
    st.one_of(
        st.binary(max_size=80), st.lists(st.sampled_from(PIECES) | st.binary(max_size=3), max_size=12).map(b"".join)
    )
)
def test_of_any_bytes_comes_a_configuration_or_a_configuration_error(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "producer.properties"
        path.write_bytes(content)
        assert {problem.file for problem in problems_of(str(path))} <= {str(path)}


def problems_of(path: str) -> tuple[Notice, ...]:
    try:
        read_deployment([path])
    except ConfigurationError as error:
        return error.problems
    return ()
