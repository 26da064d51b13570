"""The commands that containers start with, as shell scripts or as words: what is called in them, one call after the other."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence

from .foreign_keys import sets_elsewhere
from .yaml_documents import Listing, Node, Scalar

Fill = Callable[[str], str]
"""What puts values for the references of whoever starts a container. It raises CommandNotRead where that cannot be known."""
HARMLESS = re.compile(
    r"(?:.*/)?(?:kafka-(?:acls|broker-api-versions|metadata-quorum|get-offsets|consumer-groups|ready)(?:\.sh)?|wait-for[\w-]*(?:\.sh)?)"
)
"""Programs that change nothing of what is read here."""
PLAIN = frozenset(
    (
        "[",
        "cub",
        "curl",
        "date",
        "echo",
        "exit",
        "grep",
        "nc",
        "printf",
        "set",
        "sleep",
        "test",
        "timeout",
        "true",
        "wait",
    )
)
WAITING = frozenset(("sleep", "tail", "trap", "wait"))
"""Programs with which a container waits for somebody who uses it."""
KEYWORDS = frozenset(("do", "done", "else", "esac", "fi", "if", "in", "then", "until", "while", "!", "{", "}"))
QUIET = re.compile(r"\d?>>?[ \t]*(?:&\d|/dev/(?:null|stdout|stderr))")
"""Where a command's output goes."""
SHELL = re.compile(r"(?:.*/)?(?:ba|da|z|k)?sh")
COMMENT = re.compile(r"(?:^|(?<=\s))#.*", re.DOTALL)


class CommandNotRead(Exception):
    """A command is not understood; `why` says what of it."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def is_harmless(words: Sequence[str]) -> bool:
    """Does a command change nothing of what is read here?"""
    first, others = words[0], words[1:]
    if SHELL.fullmatch(first):
        return all(word.startswith("-") for word in others)
    known = first in PLAIN | WAITING or first == "for" or HARMLESS.fullmatch(first)
    return bool(known) and sets_elsewhere(f"{' '.join(words)} ") is None


def without_keywords(words: Sequence[str]) -> list[str]:
    """A command without what a shell has before it: words of its own, and variables that are set for it alone."""
    rest = list(words)
    while rest and (rest[0] in KEYWORDS or re.fullmatch(r"[A-Za-z_]\w*=.*", rest[0])):
        rest.pop(0)
    return rest


def calls(command: Sequence[Node], fill: Fill) -> Iterator[tuple[list[str], int]]:
    """The commands of a script, with what stands for the variable of a loop in them, and their lines."""
    loops: dict[str, list[str]] = {}
    for words, line in _segments(command, fill):
        if words[:1] == ["for"] and words[2:3] == ["in"]:
            loops[words[1]] = words[3:]
        yield from ((one, line) for one in _unrolled(words, loops))


def _unrolled(words: list[str], loops: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    named = next(
        (name for name in loops if any(re.search(rf"\$(?:{name}\b|\{{{name}\}})", word) for word in words)), None
    )
    if named is None:
        yield words
        return
    others = {name: values for name, values in loops.items() if name != named}
    for value in loops[named]:
        put = [re.sub(rf"\$(?:{named}\b|\{{{named}\}})", lambda _, v=value: v, word) for word in words]  # type: ignore[misc]
        yield from _unrolled(put, others)


def scripts_in(command: Sequence[Node]) -> Iterator[Scalar]:
    """The texts in a command that a shell reads; another program before them raises CommandNotRead."""
    for node in command:
        if isinstance(node, Listing):
            texts = [one if isinstance(one, Scalar) else Scalar(None, one.line) for one in node.values]
            scripts = [one for one in texts if " " in (one.text or "")]
            for one in texts if scripts else ():
                word = one.text or ""
                if one not in scripts and not (SHELL.fullmatch(word) or word[:1] in ("-", "+") or word in PLAIN):
                    raise CommandNotRead(f"What {word[:40]!r} does is not known.")
            yield from scripts
        elif isinstance(node, Scalar):
            yield node


def _segments(command: Sequence[Node], fill: Fill) -> Iterator[tuple[list[str], int]]:
    for node in command:
        scripts = list(scripts_in([node]))
        if isinstance(node, Listing) and not scripts:
            yield [fill(one.text or "" if isinstance(one, Scalar) else "") for one in node.values], node.line
        for one in scripts:
            yield from _of_script(fill(one.text or ""), _first_line(one), within=one.is_block)


def _first_line(node: Scalar) -> int:
    return node.line + 1 if node.is_block else node.line


def _of_script(text: str, first: int, *, within: bool) -> Iterator[tuple[list[str], int]]:
    """The commands of a shell script. Raises CommandNotRead for quotation marks that do not end."""
    at = first
    for line in re.split(r"(?<!\\)\n", text):
        plain = COMMENT.sub("", QUIET.sub(" ", line.replace("\\\n", " ")))
        lexer = shlex.shlex(plain, posix=True, punctuation_chars=";&|()")
        lexer.whitespace_split, lexer.commenters = True, ""
        words: list[str] = []
        try:
            tokens = [*lexer, ";"]
        except ValueError:
            raise CommandNotRead("Its quotation marks do not end.") from None
        for token in tokens:
            if set(token) <= set(";&|()"):
                if words:
                    yield words, at
                words = []
            elif re.search(r"\s", token) and SHELL.fullmatch(words[0] if words else ""):
                yield from _of_script(token, at, within=False)
            else:
                words.append(token)
        at += (line.count("\n") + 1) if within else 0
