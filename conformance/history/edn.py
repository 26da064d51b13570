"""EDN, as Clojure prints data: a streaming reader of forms, and a faster one for the lines of most histories.

Keywords and symbols become their names, maps become dicts, all other collections lists; tags are dropped, their forms kept.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from neverlost.explorer.files.json_reading import MOST_NESTED, JsonError, json_decoder, read_json
from neverlost.model.core import NeverlostError


class EdnError(NeverlostError):
    """Text is not EDN: the line, and what was expected."""

    def __init__(self, line: int, what: str, expected: str) -> None:
        super().__init__(f"line {line}: {what}; expected {expected}")
        self.line, self.what, self.expected = line, what, expected


TOKEN = re.compile(
    r"""(?P<space>[\s,]+|;.*)
      | (?P<open>\#\{|[\[({])
      | (?P<close>[\])}])
      | (?P<discard>\#_)
      | (?P<tag>\#[A-Za-z][^\s,\[\](){}"]*)
      | (?P<string>")
      | (?P<character>\\(?:[a-z]{3,}|u[0-9A-Fa-f]{4}|.))
      | (?P<atom>[^\s,\[\](){}"\\;\#][^\s,\[\](){}"\\;]*)
    """,
    re.VERBOSE | re.DOTALL,
)
QUOTE = re.compile(r'\\.|"', re.DOTALL)
"""The end of a string, or an escaped character in it."""
ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
CLOSES = {"[": "]", "(": ")", "{": "}", "#{": "}"}
CONSTANTS = {"nil": None, "true": True, "false": False}
NUMBER = re.compile(r"([+-]?[0-9]+)N?|[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?M?")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "b": "\b", "f": "\f"}


class EdnReader:
    """Takes lines, and gives each complete form at the top, with the line on which it begins.

    A vector or list at the top is a history: its elements are given one by one.
    """

    def __init__(self) -> None:
        self.stack: list[tuple[str, list[Any], int]] = []
        self.discards: list[int] = []
        """The depths of the stack at which a form must still be discarded."""
        self.history: tuple[str, int] | None = None
        self.string: list[str] = []
        self.string_line = 0

    @property
    def is_open(self) -> bool:
        """Whether a form or a string lacks its end. The history itself does not count."""
        return bool(self.stack or self.string)

    @property
    def between_forms(self) -> bool:
        """Whether the next form is taken unchanged."""
        return not self.is_open and not self.discards

    def forms(self, line: str, number: int) -> Iterator[tuple[int, Any]]:
        """The forms that end on a line. Raises EdnError, after which the reader starts again."""
        position = 0
        if self.string:
            position = yield from self._string(line, 0)
        while position < len(line):
            matched = TOKEN.match(line, position)
            if matched is None:
                raise self._error(number, f"{line[position : position + 20].strip()!r} is not a form", "an operation")
            position = matched.end()
            if matched.lastgroup == "string":
                self.string, self.string_line = ['"'], number
                position = yield from self._string(line, position)
            else:
                yield from self._take(matched, number)

    def ensure_closed(self) -> None:
        """Only the history itself may be open here. Raises EdnError, after which the reader starts again."""
        if self.string:
            raise self._error(self.string_line, "a string is not closed", 'a "')
        if self.stack:
            opened, _, line = self.stack[0]
            raise self._error(line, f"{opened} is not closed", CLOSES[opened])

    def ensure_ended(self, line: int) -> None:
        """Nothing may be open at the end of the file, after this last line. Raises EdnError."""
        self.ensure_closed()
        if self.discards:
            raise self._error(line, "#_ has nothing to discard", "a form")
        if self.history is not None:
            opened, line = self.history
            raise self._error(line, f"the {opened} around the history is not closed", CLOSES[opened])

    def _string(self, line: str, position: int) -> Generator[tuple[int, Any], None, int]:
        """Continue the open string. Returns the position of its end, or of the line's end."""
        end = next((found.end() for found in QUOTE.finditer(line, position) if found.group() == '"'), None)
        self.string.append(line[position:end])
        if end is None:
            return len(line)
        text, self.string = "".join(self.string), []
        yield from self._put(_unescaped(text[1:-1]), self.string_line)
        return end

    def _error(self, line: int, what: str, expected: str) -> EdnError:
        self.stack, self.discards, self.string = [], [], []
        return EdnError(line, what, expected)

    def _take(self, token: re.Match[str], number: int) -> Iterator[tuple[int, Any]]:
        text = token.group()
        match token.lastgroup:
            case "space" | "tag":
                return
            case "discard":
                self.discards.append(len(self.stack))
            case "open":
                if self.between_forms and self.history is None and text in "[(":
                    self.history = text, number
                    return
                if len(self.stack) == MOST_NESTED:
                    raise self._error(number, f"it is nested more than {MOST_NESTED} deep", "an operation")
                self.stack.append((text, [], number))
            case "close":
                yield from self._close(text, number)
            case "character":
                yield from self._put(text[1:], number)
            case _:
                try:
                    value = _atom(text)
                except ValueError:
                    raise self._error(number, f"{text[:20]}... is a number of {len(text):,} digits", "fewer") from None
                yield from self._put(value, number)

    def _close(self, text: str, number: int) -> Iterator[tuple[int, Any]]:
        wanted = self.stack[-1][0] if self.stack else self.history[0] if self.history is not None else None
        if wanted is None or CLOSES[wanted] != text:
            expected = "an operation" if wanted is None else CLOSES[wanted]
            raise self._error(number, f"{text} closes nothing that is open", expected)
        if self.discards and self.discards[-1] == len(self.stack):
            raise self._error(number, "#_ has nothing to discard", "a form")
        if not self.stack:
            self.history = None
            return
        opened, items, line = self.stack.pop()
        yield from self._put(self._collection(opened, items, line), line)

    def _put(self, value: Any, line: int) -> Iterator[tuple[int, Any]]:
        if self.discards and self.discards[-1] == len(self.stack):
            self.discards.pop()
        elif self.stack:
            self.stack[-1][1].append(value)
        else:
            yield line, value

    def _collection(self, opened: str, items: list[Any], line: int) -> Any:
        if opened != "{":
            return items
        if len(items) % 2:
            raise self._error(line, "a map has a key without a value", "an even number of forms")
        found = {_key(key): value for key, value in zip(items[::2], items[1::2], strict=True)}
        if 2 * len(found) < len(items):
            raise self._error(line, "a map has a key twice", "each key once")
        return found


def _key(value: Any) -> Any:
    return str(value) if isinstance(value, list | dict) else value


def _unescaped(text: str) -> str:
    """The value of a string. Two escapes may encode one character together, as in Java."""

    def escaped(found: re.Match[str]) -> str:
        return chr(int(found[1][1:], 16)) if len(found[1]) == 5 else ESCAPES.get(found[1], found[1])

    if "\\" not in text:
        return text
    return ESCAPE.sub(escaped, text).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _atom(text: str) -> Any:
    if text in CONSTANTS:
        return CONSTANTS[text]
    matched = NUMBER.fullmatch(text)
    if matched is None:
        return text[1:] if text.startswith(":") else text
    return int(matched[1]) if matched[1] is not None else float(text.rstrip("M"))


WORD = r"(?::[A-Za-z][A-Za-z0-9_-]*|-?(?:0|[1-9][0-9]{0,17})|nil|true|false)(?=[ ,\[\]{}])"
SURE = re.compile(rf"(?:#jepsen\.history\.Op)?\{{(?:[ ,\[\]{{}}]|{WORD})*+\n?")
"""A line that is JSON after a few replacements of words."""
LONGEST = 100_000
"""Longer lines are not matched: that takes memory in proportion."""
RECORD = "#jepsen.history.Op"
KEYWORD = re.compile(r":([A-Za-z][A-Za-z0-9_-]*)")
USUAL = ("type", "f", "process", "time", "index", "value", "invoke", "ok", "info", "fail", "send", "poll", "txn")
"""Keywords of every operation: a direct replacement takes a tenth of a pattern's time."""


def plain_forms(lines: Sequence[str]) -> list[Any]:
    """The form of each line that holds one map of keywords, whole numbers, vectors and maps; None for every other line.

    Such lines are converted to JSON together, which Python reads ten times as fast as a reader written in Python. Everything
    else, or a map that is wrong, goes to the reader of forms: only that one says what is wrong.
    """
    sure = [len(line) <= LONGEST and SURE.fullmatch(line) is not None for line in lines]
    text = "\n".join(line.rstrip("\n") for line, is_sure in zip(lines, sure, strict=True) if is_sure)
    for name in USUAL:
        text = text.replace(f":{name} ", f'"{name}",').replace(f":{name},", f'"{name}",')
    text = KEYWORD.sub(r'"\1"', text.replace(RECORD, "")).replace(" ", ",")
    while ",," in text:
        text = text.replace(",,", ",")
    text = text.replace("{,", "{").replace("[,", "[").replace(",}", "}").replace(",]", "]").replace(",\n", "\n")
    text = text.replace(",nil", ",null").replace("[nil", "[null").replace("{nil", "{null")
    waiting = iter(text.replace("{", '{"":[').replace("}", "]}").split("\n"))
    return [_form(next(waiting)) if is_sure else None for is_sure in sure]


def _form(text: str) -> Any:
    try:
        return read_json(text, MAPS)
    except JsonError:
        return None


def _map(listed: dict[str, list[Any]]) -> dict[Any, Any]:
    """A map of EDN, given as an object with its keys and values in one list."""
    items = listed[""]
    one_by_one = iter(items)
    try:
        found = dict(zip(one_by_one, one_by_one, strict=True))
    except TypeError:
        raise JsonError("has a key that is not a word") from None
    if 2 * len(found) < len(items):
        raise JsonError("has a key twice")
    return found


MAPS = json_decoder(_map)
