"""The topics that a command of a compose file creates: `kafka-topics --create`, in a shell script or alone.

A script that does anything else which could change what is audited is not read. The options are those of TopicCommand of Kafka.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from ..configuration_file import ConfigEntry, ConfigurationFile
from .foreign_keys import sets_elsewhere
from .references import filled_by_compose
from .yaml_documents import Listing, Node, Scalar

TOPICS = re.compile(r"(?:.*/)?kafka-topics(?:\.sh)?")
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
KEYWORDS = frozenset(("do", "done", "else", "esac", "fi", "if", "in", "then", "until", "while", "!", "{", "}"))
QUIET = re.compile(r"\d?>>?[ \t]*(?:&\d|/dev/(?:null|stdout|stderr))")
"""Where a command's output goes."""
SHELL = re.compile(r"(?:.*/)?(?:ba|da|z|k)?sh")
READING = ("--list", "--describe")
KEYS = {"--partitions": "partitions", "--replication-factor": "replication.factor"}
OTHERS = ("--bootstrap-server", "--zookeeper", "--command-config")
"""Options with a value that sets nothing of the topic."""
FLAGS = ("--create", "--if-not-exists", "--force")


class CommandNotRead(Exception):
    """A command is not understood; `why` says what of it."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def topics_created(command: Sequence[Node], path: str, form: str) -> list[ConfigurationFile]:
    """The topics that the entrypoint and the command of a service create. Raises CommandNotRead if they may do something else."""
    found: list[ConfigurationFile] = []
    for call, line in _calls(command):
        words = _without_keywords(call)
        if words and TOPICS.fullmatch(words[0]) and "--create" in words:
            found.append(_topic(words[1:], path, line, form))
        elif words and not _is_harmless(words):
            raise CommandNotRead(f"What {words[0][:40]!r} does is not known.")
    if not found:
        raise CommandNotRead("It creates no topic.")
    return found


def _is_harmless(words: Sequence[str]) -> bool:
    """Does a command change nothing of what is read here?"""
    first, others = words[0], words[1:]
    if TOPICS.fullmatch(first):
        return any(word in READING for word in others)
    if SHELL.fullmatch(first):
        return all(word.startswith("-") for word in others)
    known = first in PLAIN or first == "for" or HARMLESS.fullmatch(first)
    return bool(known) and sets_elsewhere(f"{' '.join(words)} ") is None


def _without_keywords(words: Sequence[str]) -> list[str]:
    """A command without what a shell has before it: words of its own, and variables that are set for it alone."""
    rest = list(words)
    while rest and (rest[0] in KEYWORDS or re.fullmatch(r"[A-Za-z_]\w*=.*", rest[0])):
        rest.pop(0)
    return rest


def _calls(command: Sequence[Node]) -> Iterator[tuple[list[str], int]]:
    """The commands of a script, with what stands for the variable of a loop in them, and their lines."""
    loops: dict[str, list[str]] = {}
    for words, line in _segments(command):
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


def _segments(command: Sequence[Node]) -> Iterator[tuple[list[str], int]]:
    for node in command:
        if isinstance(node, Listing):
            words = [one.text or "" if isinstance(one, Scalar) else "" for one in node.values]
            scripts = [
                (one, one.text or "") for one in node.values if isinstance(one, Scalar) and " " in (one.text or "")
            ]
            if not scripts:
                yield [_filled(word) for word in words], node.line
            for one, script in scripts:
                yield from _of_script(_filled(script), _first_line(one), within=one.is_block)
        elif isinstance(node, Scalar):
            yield from _of_script(_filled(node.text or ""), _first_line(node), within=node.is_block)


def _first_line(node: Scalar) -> int:
    return node.line + 1 if node.is_block else node.line


def _filled(text: str) -> str:
    filled = filled_by_compose(text)
    if filled.is_open or filled.defaults:
        raise CommandNotRead("It has references to variables that are not in the file.")
    return filled.text


def _of_script(text: str, first: int, *, within: bool) -> Iterator[tuple[list[str], int]]:
    """The commands of a shell script. Raises CommandNotRead for quotation marks that do not end."""
    at = first
    for line in re.split(r"(?<!\\)\n", text):
        lexer = shlex.shlex(QUIET.sub(" ", line.replace("\\\n", " ")), posix=True, punctuation_chars=";&|()")
        lexer.whitespace_split = True
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


def _topic(words: Sequence[str], path: str, line: int, form: str) -> ConfigurationFile:
    """The topic of one `kafka-topics --create`."""
    name = None
    entries: list[ConfigEntry] = []
    rest = [
        part for word in words for part in (word.split("=", 1) if word.startswith("--") and "=" in word else [word])
    ]
    while rest:
        option = rest.pop(0)
        if option in FLAGS:
            continue
        if not rest or option not in (*KEYS, *OTHERS, "--topic", "--config"):
            raise CommandNotRead(f"{option[:40]!r} of kafka-topics is not understood.")
        value = rest.pop(0)
        if option in OTHERS:
            continue
        if "$" in value or "`" in value:
            raise CommandNotRead(f"The value of {option} is a reference.")
        if option == "--topic":
            name = value
        elif option == "--config":
            key, _, value = value.partition("=")
            entries.append(ConfigEntry(key=key, value=value, file=path, line=line, separator=":"))
        else:
            entries.append(ConfigEntry(key=KEYS[option], value=value, file=path, line=line, separator=":"))
    if name is None:
        raise CommandNotRead("kafka-topics has no --topic.")
    return ConfigurationFile(path=path, form=form, role="topic", name=name, entries=tuple(entries))
