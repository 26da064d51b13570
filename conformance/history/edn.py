"""EDN, as Clojure prints data: a reader of forms as they come, and a faster way for the lines that most histories are made of.

Keywords and symbols become their names, maps become dicts, all other collections lists; tags are dropped, their forms kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from neverlost.explorer.json_reading import MOST_NESTED, read_json_together
from neverlost.model.core import NeverlostError


class EdnError(NeverlostError):
    """Text is no EDN: at which line, and what was expected."""

    def __init__(self, line: int, what: str, expected: str) -> None:
        super().__init__(f"line {line}: {what}; expected {expected}")
        self.line, self.what, self.expected = line, what, expected


TOKEN = re.compile(
    r"""(?P<space>[\s,]+|;.*)
      | (?P<open>\#\{|[\[({])
      | (?P<close>[\])}])
      | (?P<discard>\#_)
      | (?P<tag>\#[A-Za-z][^\s,\[\](){}"]*)
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<character>\\(?:[a-z]{3,}|u[0-9A-Fa-f]{4}|.))
      | (?P<atom>[^\s,\[\](){}"\\;\#][^\s,\[\](){}"\\;]*)
    """,
    re.VERBOSE | re.DOTALL,
)
CLOSES = {"[": "]", "(": ")", "{": "}", "#{": "}"}
CONSTANTS = {"nil": None, "true": True, "false": False}
NUMBER = re.compile(r"([+-]?\d+)N?|[+-]?\d+(\.\d*)?([eE][+-]?\d+)?M?")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "b": "\b", "f": "\f"}
NOTHING = object()
"""What a discarded form leaves."""


class EdnReader:
    """Takes lines, and gives each form at the top when it is complete, with the line that it began on.

    A vector or list at the top is a history: its elements are given one by one.
    """

    def __init__(self) -> None:
        self.stack: list[tuple[str, list[Any], int]] = []
        self.prefixes: list[str] = []
        self.inside_history = False
        self.unclosed: list[str] = []
        self.unclosed_line = 0
        self.began = 0

    @property
    def between_forms(self) -> bool:
        """Is nothing open but the history itself?"""
        return not self.stack and not self.prefixes and not self.unclosed

    def forms(self, line: str, number: int) -> Iterator[tuple[int, Any]]:
        """The forms that end on a line. Raises EdnError, after which the reader begins anew."""
        if self.unclosed:
            self.unclosed.append(line)
            if '"' not in line:
                return
            line, self.unclosed = "".join(self.unclosed), []
        position = 0
        while position < len(line):
            matched = TOKEN.match(line, position)
            if matched is None:
                if line[position] == '"':
                    self.unclosed, self.unclosed_line = [line[position:]], number
                    return
                raise self._error(number, f"{line[position : position + 20].strip()!r} is no form", "an operation")
            position = matched.end()
            yield from self._take(matched, number)

    def ensure_closed(self) -> None:
        """Nothing may be open here but the history itself. Raises EdnError, after which the reader begins anew."""
        if self.unclosed:
            raise self._error(self.unclosed_line, "a string is not closed", 'a "')
        if self.stack:
            opened, _, line = self.stack[0]
            raise self._error(line, f"{opened} is not closed", CLOSES[opened])

    def _error(self, line: int, what: str, expected: str) -> EdnError:
        self.stack, self.prefixes, self.unclosed = [], [], []
        return EdnError(line, what, expected)

    def _take(self, token: re.Match[str], number: int) -> Iterator[tuple[int, Any]]:
        text = token.group()
        match token.lastgroup:
            case "space" | "tag":
                return
            case "discard":
                self.prefixes.append(f"{len(self.stack)}")
            case "open":
                if not self.stack and not self.inside_history and text in "[(":
                    self.inside_history = True
                    return
                if len(self.stack) == MOST_NESTED:
                    raise self._error(number, f"it is nested more than {MOST_NESTED} deep", "an operation")
                self.stack.append((text, [], number))
            case "close":
                if not self.stack and self.inside_history and text in "])":
                    self.inside_history = False
                    return
                if not self.stack or CLOSES[self.stack[-1][0]] != text:
                    wanted = CLOSES[self.stack[-1][0]] if self.stack else "an operation"
                    raise self._error(number, f"{text} closes nothing that is open", wanted)
                opened, items, line = self.stack.pop()
                yield from self._put(self._collection(opened, items, line), line)
            case "string":
                yield from self._put(_string(text), number)
            case "character":
                yield from self._put(text[1:], number)
            case _:
                try:
                    value = _atom(text)
                except ValueError:
                    raise self._error(number, f"{text[:20]}... is a number of {len(text):,} digits", "fewer") from None
                yield from self._put(value, number)

    def _put(self, value: Any, line: int) -> Iterator[tuple[int, Any]]:
        if self.prefixes and self.prefixes[-1] == f"{len(self.stack)}":
            self.prefixes.pop()
        elif self.stack:
            self.stack[-1][1].append(value)
        else:
            yield line, value

    def _collection(self, opened: str, items: list[Any], line: int) -> Any:
        if opened != "{":
            return items
        if len(items) % 2:
            raise self._error(line, "a map has a key without a value", "an even number of forms")
        return {_key(key): value for key, value in zip(items[::2], items[1::2], strict=True)}


def _key(value: Any) -> Any:
    return str(value) if isinstance(value, list | dict) else value


def _string(text: str) -> str:
    def escaped(found: re.Match[str]) -> str:
        return chr(int(found[1][1:], 16)) if len(found[1]) == 5 else ESCAPES.get(found[1], found[1])

    return re.sub(r"\\(u[0-9A-Fa-f]{4}|.)", escaped, text[1:-1], flags=re.DOTALL)


def _atom(text: str) -> Any:
    if text in CONSTANTS:
        return CONSTANTS[text]
    matched = NUMBER.fullmatch(text)
    if matched is None:
        return text[1:] if text.startswith(":") else text
    return int(matched[1]) if matched[1] is not None else float(text.rstrip("M"))


MAP = "a map"
"""No keyword has a space in it."""
RECORD = "#jepsen.history.Op"
SPECIAL = re.compile(r'["\\;#()]')
KEYWORD = re.compile(r":([^\s,\[\]{}:]+)")
NIL = re.compile(r"nil(?<=[\s,\[{]nil)(?=[\s,\]}])")
USUAL = ("type", "f", "process", "time", "index", "value", "invoke", "ok", "info", "fail", "send", "poll", "txn")
"""Keywords of every operation: replaced as they stand, which takes a tenth of the time that a pattern takes."""


def plain_forms(lines: Sequence[str]) -> list[Any] | None:
    """The forms of lines that each hold one map of keywords, numbers, vectors and maps; None if one of them is anything else.

    The text is turned into JSON as a whole, which Python reads ten times as fast as any reader of its own. A map is a list there, of
    MAP and then keys and values.
    """
    text = "\n".join(lines)
    for name in USUAL:
        text = text.replace(f":{name} ", f'"{name}",').replace(f":{name},", f'"{name}",')
    text = KEYWORD.sub(r'"\1"', NIL.sub("null", text))
    for blank in "\n \t\r":
        text = text.replace(blank, ",")
    while ",," in text:
        text = text.replace(",,", ",")
    text = text.replace("{,", "{").replace("[,", "[").replace(",}", "}").replace(",]", "]")
    text = text.replace("{}", f'["{MAP}"]').replace("{", f'["{MAP}",').replace("}", "]")
    return read_json_together(f"[{text.strip(',')}]", lines)
