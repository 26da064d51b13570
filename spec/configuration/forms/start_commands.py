"""The command with which a container starts its image's own broker, after it has set variables: `export A=b && exec .../run`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from .containers import Container
from .images import Image
from .scripts import KEYWORDS, QUIET, SHELL, CommandNotRead, Fill, calls, scripts_in
from .variables import Variable
from .yaml_documents import Node

ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
HANDED_ON = re.compile(r"[A-Za-z_]\w*")
EXPORTS_ALL = re.compile(r"-[A-Za-z]*a[A-Za-z]*|allexport")
"""What makes a shell hand on every variable that it sets: `set -a`, `set -o allexport`."""
SUBSTITUTED = re.compile(r"\$\([^()]*\)|`[^`]*`")
"""What the output of a command stands for, which cannot be known here."""
OUTPUT = "${output}"
JOINED = re.compile(r"[()|<>]|(?<!&)&(?!&)")
"""What makes it uncertain whether a command of a script runs, or that it runs in the same shell."""
BESIDE = frozenset(("chmod", "chown", "date", "echo", "hostname", "mkdir", "set", "sleep", "true", "ulimit"))
"""Programs before the broker that set nothing of it, and do not fail."""


def starts_broker(command: Sequence[Node], image: Image) -> bool:
    """Is the image's own script among the words of a command?"""
    try:
        return any(image.starts.search(" ".join(words)) for words, _ in calls(command, lambda text: text))
    except CommandNotRead:
        return False


def with_variables_set(container: Container, command: Sequence[Node], image: Image, fill: Fill) -> Container:
    """A container with the variables as its command sets them before the broker starts. Raises CommandNotRead.

    A variable that is new, and is set without `export`, stays in the shell: the broker does not get it.
    """
    variables = list(container.variables)
    exported = {one.name for one in variables}
    kept: list[Variable] = []
    for script in scripts_in(command):
        if JOINED.search(SUBSTITUTED.sub("", QUIET.sub(" ", script.text or ""))):
            raise CommandNotRead("Which of its parts run before the broker is not certain.")
    for call, line in calls(command, lambda text: SUBSTITUTED.sub(OUTPUT, fill(text))):
        words = _without_shell(call)
        first, others = (words[0], words[1:]) if words else ("", [])
        if first in KEYWORDS or first == "for":
            raise CommandNotRead("Which of its parts run before the broker is not certain.")
        if first == "unset":
            variables = [one for one in variables if one.name not in others]
            kept = [one for one in kept if one.name not in others]
            exported -= set(others)
        elif first == "export":
            for word in others:
                variables = _with(variables, word, container.path, line, [one for one in kept if one.name == word])
                exported.add(word.partition("=")[0])
            kept = [one for one in kept if one.name not in exported]
        elif all(ASSIGNED.fullmatch(word) for word in words):
            for word in words:
                if word.partition("=")[0] in exported:
                    variables = _with(variables, word, container.path, line)
                else:
                    kept = _with(kept, word, container.path, line)
        elif first == "set" and any(EXPORTS_ALL.fullmatch(word) for word in others):
            raise CommandNotRead("Which variables it hands on is not certain.")
        elif not image.starts.fullmatch(" ".join(words)) and first not in BESIDE:
            raise CommandNotRead(f"What {first[:40]!r} does is not known.")
    lost = next((one.name for one in kept if image.key(one.name) is not None), None)
    if lost is not None:
        raise CommandNotRead(f"It sets {lost} without export, so the broker does not get it.")
    return replace(container, variables=tuple(variables))


def _without_shell(call: Sequence[str]) -> list[str]:
    """A command without `sh -c` or `exec` before it."""
    words = list(call)
    if len(words) > 2 and SHELL.fullmatch(words[0]) and words[1].startswith("-"):
        words = words[2:]
    return words[1:] if words[:1] == ["exec"] else words


def _with(
    variables: Sequence[Variable], word: str, path: str, line: int, handed_on: Sequence[Variable] = ()
) -> list[Variable]:
    """The variables with one more, in place of one with its name. A name alone hands on what the shell has under it."""
    assigned = ASSIGNED.fullmatch(word)
    if assigned is None and not HANDED_ON.fullmatch(word):
        raise CommandNotRead(f"Which variables {word[:40]!r} sets is not known.")
    if assigned is None:
        return [*variables, *handed_on]
    value = re.sub(r"\$(\w+)", r"${\1}", assigned[2])
    others = [one for one in variables if one.name != assigned[1]]
    return [*others, Variable(name=assigned[1], value=value, file=path, line=line)]
