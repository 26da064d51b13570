"""The argument - is standard input, in every form, and messages call it so."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from neverlost.spec.configuration import ConfigurationError, read_configuration, read_deployment

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "audit").glob("*/*"))


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    """What stands in standard input: a test writes it there."""
    content = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
    return content


def write(given: io.BytesIO, content: bytes) -> None:
    given.write(content)
    given.seek(0)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_is_read_from_standard_input_is_what_is_read_from_the_file(path: Path, given: io.BytesIO) -> None:
    write(given, path.read_bytes())
    from_file = read_configuration(str(path))
    role = from_file[0].role if from_file[0].form == "properties" else None
    from_input = read_configuration("-" if role is None else f"{role}:-")
    assert {file.path for file in from_input} == {"standard input"}
    assert [
        (file.form, file.role, file.name, [(entry.key, entry.value, entry.line) for entry in file.entries])
        for file in from_input
    ] == [
        (file.form, file.role, file.name, [(entry.key, entry.value, entry.line) for entry in file.entries])
        for file in from_file
    ]


@pytest.mark.parametrize(
    ("content", "argument", "said"),
    [
        (b"", "-", "standard input: it is empty."),
        (b"acks=all\nacks=1\n", "-", "standard input:2: acks: set again"),
        (b"acks=\xff\n", "-", "standard input:1: byte 0xff is not UTF-8."),
        (b"a: [b\n", "producer:-", "standard input:1"),
        (b"client.id=a\n", "-", "Say it: broker:-, topic:-, producer:- or consumer:-."),
        (b"linger.ms=1\n" * 2, "-", "standard input:2: linger.ms: set again"),
    ],
)
def test_what_is_wrong_is_said_of_standard_input(
    content: bytes, argument: str, said: str, given: io.BytesIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(given, content)
    with pytest.raises(ConfigurationError) as caught:
        read_deployment([argument])
    assert said in str(caught.value)


@pytest.mark.parametrize("there", [False, True])
def test_standard_input_that_is_closed_is_an_error(there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.TextIOWrapper(io.BytesIO())
    closed.close()
    monkeypatch.setattr(sys, "stdin", closed if there else None)
    with pytest.raises(ConfigurationError, match="standard input: it cannot be read: "):
        read_configuration("-")


def test_a_file_that_is_called_so_is_named_with_its_folder(
    given: io.BytesIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-").write_text("acks=all\nenable.idempotence=true\n", encoding="utf-8")
    (file,) = read_configuration("./-")
    assert file.path == "./-"
