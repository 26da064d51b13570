"""Histories as operations: read one by one from EDN or JSON. Each wrong line is reported, and the rest is still read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader, TextIOWrapper
from itertools import islice
from typing import TextIO

from neverlost.explorer.files.json_reading import JsonError, read_json, read_json_element
from neverlost.model.core import NeverlostError

from ..malformed import MalformedLine
from .edn import RECORD, EdnError, EdnReader, plain_forms
from .malformed import Note, Numbered
from .notation import EDN, JSON, Notation
from .verifiable import as_operations

CHUNK_LINES = 2_000
CHUNK_CHARACTERS = 1 << 20
PEEKED = 4096
IS_JSON = re.compile(rb'\s*\[?\s*\{\s*["}]|\s*\[\s*\]')
IS_ARRAY = re.compile(rb"\s*\[")
SPECIAL = re.compile(r'["\\;#()]')


class HistoryError(NeverlostError):
    """A file is not a history."""


def notation_of(file: BufferedReader) -> Notation:
    """How the history is written; its beginning shows it."""
    return EDN if IS_JSON.match(file.peek(PEEKED)) is None else JSON


def forms_of(file: BufferedReader, note: Note) -> Iterator[Numbered]:
    """The forms of a history in EDN, or in JSON: an array, or one object a line. How it begins shows which."""
    notation, beginning = notation_of(file), file.peek(PEEKED)
    text = TextIOWrapper(file, encoding="utf-8", errors="replace")
    try:
        if notation is EDN:
            yield from _edn(text, note)
        elif IS_ARRAY.match(beginning):
            yield from _json_array(text, note)
        else:
            yield from as_operations(_json_lines(text, note), note)
    finally:
        # The file is closed by whoever opened it; a wrapper that is collected would close it too.
        with suppress(ValueError):
            text.detach()


def _edn(text: TextIO, note: Note) -> Iterator[Numbered]:
    """A line that is a whole operation is not part of a form that is still open: that form lacks its end."""
    reader, last = EdnReader(), 0
    while lines := list(islice(text, CHUNK_LINES)):
        for number, (line, form) in enumerate(zip(lines, plain_forms(lines), strict=True), start=last + 1):
            if form is not None and reader.between_forms:
                yield number, form
                continue
            if reader.is_open and _is_operation(line):
                with _noting(note):
                    reader.ensure_closed()
            with _noting(note):
                yield from reader.forms(line, number)
        last += len(lines)
    with _noting(note):
        reader.ensure_ended(last)


@contextmanager
def _noting(note: Note) -> Iterator[None]:
    try:
        yield
    except EdnError as error:
        note(MalformedLine(line=error.line, what=error.what, expected=error.expected))


def _is_operation(line: str) -> bool:
    """Does a line look like an operation by itself, with nothing in it that could be a part of what is open?"""
    bare = line.removeprefix(RECORD)
    return bare.startswith("{") and bare.rstrip().endswith("}") and ":type" in bare and SPECIAL.search(bare) is None


def _json_lines(text: TextIO, note: Note) -> Iterator[Numbered]:
    for number, line in enumerate(text, start=1):
        if line.isspace():
            continue
        try:
            value = read_json(line)
        except JsonError as error:
            note(MalformedLine(line=number, what=f"{_shown(line)} {error}", expected=JSON.operation))
        else:
            yield number, value


def _json_array(text: TextIO, note: Note) -> Iterator[Numbered]:
    """The elements of one array, without keeping all of it. After a wrong one the others cannot be found."""
    buffer, line, what = "", 1, "the array ends too early, or holds what is not JSON"
    position, opened, ended = 0, False, False
    while True:
        separators = " \t\r\n," if opened else " \t\r\n["
        start = position
        while position < len(buffer) and buffer[position] in separators:
            opened = opened or buffer[position] == "["
            position += 1
        line += buffer.count("\n", start, position)
        if position < len(buffer):
            if buffer[position] == "]":
                _ensure_nothing_follows(buffer[position + 1 :], text, line, note)
                return
            try:
                value, end = read_json_element(buffer, position)
            except JsonError as error:
                value, end = None, len(buffer)
                what, ended = f"an element of the array {error}", True
            except json.JSONDecodeError as error:
                value, end = None, len(buffer)
                # What only lacks its end is wrong near the end of what was read, or in a string that goes on.
                ended = error.pos < end - PEEKED and not error.msg.startswith("Unterminated")
            if end < len(buffer):
                yield line, value
                line += buffer.count("\n", position, end)
                position = end
                continue
        # A long element is read in parts of growing length, because each time it is read from its beginning.
        more = "" if ended else text.read(max(CHUNK_CHARACTERS, len(buffer) - position))
        if not more:
            note(MalformedLine(line=line, what=what, expected="an operation, or ]"))
            return
        buffer, position = buffer[position:] + more, 0


def _ensure_nothing_follows(rest: str, text: TextIO, line: int, note: Note) -> None:
    while rest:
        more = rest.lstrip()
        line += rest.count("\n", 0, len(rest) - len(more))
        if more:
            note(MalformedLine(line=line, what=f"{_shown(more[:PEEKED])} follows the array", expected="nothing"))
            return
        rest = text.read(CHUNK_CHARACTERS)


def _shown(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= 60 else f"{text[:60]}...")
