"""Java's .properties syntax, read as Kafka reads it, with the line of every entry.

Kafka loads these files as ISO-8859-1, in which only ASCII is certain to mean what an editor showed. They are read as UTF-8 here, so
that comments may be in any language: what is not UTF-8 is an error, what is not ASCII in an entry is a warning.
"""

from __future__ import annotations

import errno
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..configuration_file import STANDARD_INPUT, ConfigEntry
from ..notices import ConfigurationError, Notice

FORM = "properties"

MAX_BYTES = 1 << 25
"""A file larger than this is taken for something else. Ten thousand topics, described with their partitions, have a third of it."""

BLANKS = " \t\f"
ENDS = "\r\n|\r|\n"
ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
MARKS = {b"\xef\xbb\xbf": "UTF-8", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


def read_text(path: str, *, may_be_empty: bool = False) -> str:
    """The text of a configuration file. Raises ConfigurationError if it is missing, empty, too large, binary or not UTF-8.

    `may_be_empty`: it is not refused for being empty, as a file that nobody has named.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise _refused(path, "there is no such file.", "", "Check the path.") from None
    except IsADirectoryError:
        raise _refused(path, "this is a folder.", "", "Name the files in it one by one.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _refused(path, f"it cannot be read: {reason}.", "", "Check the path and its permissions.") from None
    return decoded(content, path, may_be_empty=may_be_empty)


def read_standard_input() -> str:
    """The text of standard input. Raises ConfigurationError as `read_text` does."""
    try:
        if sys.stdin is None:
            raise OSError(errno.EBADF, "it is closed")
        content = sys.stdin.buffer.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _refused(STANDARD_INPUT, f"it cannot be read: {reason}.", "", "Name a file.") from None
    return decoded(content, STANDARD_INPUT)


def decoded(content: bytes, path: str, *, may_be_empty: bool = False) -> str:
    """The bytes of a configuration file as text. Raises ConfigurationError."""
    if len(content) > MAX_BYTES:
        raise _refused(path, f"it has more than {MAX_BYTES:,} bytes.", "A configuration has not.", "Check the path.")
    for mark, name in MARKS.items():
        if content.startswith(mark):
            why = "Kafka takes it as part of the first key, which then is another key."
            raise _refused(path, f"it begins with a byte order mark ({name}).", why, "Save it as UTF-8 without one.", 1)
    if b"\0" in content:
        line = _line_of(content, content.index(b"\0"))
        raise _refused(path, "it holds a NUL byte.", "This is no text file.", "Check the path.", line)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        what = f"byte 0x{content[error.start]:02x} is not UTF-8."
        why = "Which character is meant depends on who reads it."
        raise _refused(path, what, why, "Save it as UTF-8.", _line_of(content, error.start)) from None
    if not text.strip() and not may_be_empty:
        why = "Every value would be a default, and the audit would be of no configuration of yours."
        raise _refused(path, "it is empty.", why, "Leave the file out, or fill it.")
    return text


def parse_properties(text: str, path: str) -> tuple[tuple[ConfigEntry, ...], tuple[Notice, ...]]:
    """The entries of a .properties text in order, duplicates included, and what is suspicious about how they are written.

    Raises ConfigurationError with every escape that Java refuses.
    """
    entries: list[ConfigEntry] = []
    warnings: list[Notice] = []
    problems: list[Notice] = []
    natural, ends = re.split(ENDS, text), [*re.findall(ENDS, text), ""]
    for number, line in _logical_lines(natural):
        raw_key, separator, raw_value = _split(line)
        try:
            key, value = _unescaped(raw_key), _unescaped(raw_value)
        except ValueError as error:
            why = "Java refuses to load the file."
            advice = r"Write four hexadecimal digits after \u, and a backslash itself as \\."
            problems.append(Notice(what=str(error), why=why, advice=advice, file=path, line=number))
            continue
        written = None if "\\" in natural[number - 1] else natural[number - 1]
        entry = ConfigEntry(
            key=key,
            value=value,
            file=path,
            line=number,
            separator=separator,
            written=written,
            line_end=ends[number - 1],
        )
        entries.append(entry)
        warnings += _about_writing(entry, line)
    if problems:
        raise ConfigurationError(problems)
    return tuple(entries), tuple(warnings)


def _about_writing(entry: ConfigEntry, line: str) -> Iterator[Notice]:
    if entry.value != entry.value.rstrip() and entry.value.strip():
        why = "Java keeps them; Kafka cuts them off most values, but other programs that read the file may not."
        yield entry.notice("the value ends with blanks.", why, f"Write {entry.key}={entry.value.rstrip()}.")
    if not line.isascii():
        why = "Kafka loads the file as ISO-8859-1 and sees other characters."
        yield entry.notice("not all of this is ASCII.", why, r"Write such characters as \uXXXX.")


def _logical_lines(natural: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines with continuations joined, without comments and blank ones; the number is that of the first."""
    number = 0
    while number < len(natural):
        first, line = number, natural[number].lstrip(BLANKS)
        number += 1
        if not line or line[0] in "#!":
            continue
        while _continues(line):
            line = line[:-1]
            if not line or number == len(natural):
                break
            line += natural[number].lstrip(BLANKS)
            number += 1
        if line:
            yield first + 1, line


def _continues(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _split(line: str) -> tuple[str, str, str]:
    """Key, separator and value of a logical line, still escaped: the key ends at the first `=`, `:` or blank that is not escaped."""
    end = 0
    while end < len(line) and line[end] not in "=:" + BLANKS:
        end += 2 if line[end] == "\\" else 1
    value = line[end:].lstrip(BLANKS)
    separator = value[:1] if value[:1] in ("=", ":") else ""
    return line[:end], separator, value[len(separator) :].lstrip(BLANKS)


def _unescaped(text: str) -> str:
    r"""The text with its escapes resolved; two \u halves of one character are joined. Raises ValueError."""
    parts: list[str] = []
    rest = 0
    while rest < len(text):
        if text[rest] != "\\":
            parts.append(text[rest])
            rest += 1
        elif text[rest + 1 : rest + 2] == "u":
            digits = text[rest + 2 : rest + 6]
            if not re.fullmatch("[0-9A-Fa-f]{4}", digits):
                raise ValueError(rf"\u{digits} is no character.")
            parts.append(chr(int(digits, 16)))
            rest += 6
        else:
            parts.append(ESCAPES.get(text[rest + 1 : rest + 2], text[rest + 1 : rest + 2]))
            rest += 2
    joined = "".join(parts)
    try:
        return joined.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise ValueError(r"a \u escape holds half a character.") from None


def _line_of(content: bytes, position: int) -> int:
    return len(re.split(b"\r\n|\r|\n", content[:position]))


def _refused(path: str, what: str, why: str, advice: str, line: int | None = None) -> ConfigurationError:
    return ConfigurationError([Notice(what=what, why=why, advice=advice, file=path, line=line)])
