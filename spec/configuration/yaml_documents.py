"""YAML documents with the line of every key, read so that nothing in them can mean something else to another program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import yaml

from .notices import ConfigurationError, Notice

BOOLEANS = {"true": "true", "True": "true", "TRUE": "true", "false": "false", "False": "false", "FALSE": "false"}
"""What every version of YAML takes for a truth value."""
DOUBTFUL = frozenset(("yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"))
"""What YAML 1.1 takes for a truth value, and YAML 1.2 for text."""


@dataclass(frozen=True)
class Scalar:
    """A value that has no parts, as text; None for a null."""

    text: str | None
    line: int


@dataclass(frozen=True)
class Mapping:
    """Keys with values, in order. A key is there once."""

    line: int
    values: dict[str, Node] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def at(self, *path: str) -> Node | None:
        """The value below some keys; None if one of them is missing."""
        node: Node | None = self
        for key in path:
            node = node.values.get(key) if isinstance(node, Mapping) else None
        return node

    def text(self, *path: str) -> str | None:
        """The text below some keys; None if there is none, or what is there has parts."""
        found = self.at(*path)
        return found.text if isinstance(found, Scalar) else None


@dataclass(frozen=True)
class Listing:
    """Values one after the other."""

    line: int
    values: Sequence[Node] = ()


Node = Scalar | Mapping | Listing


def read_documents(text: str, path: str) -> list[Node]:
    """The documents of a YAML text that hold something. Raises ConfigurationError with everything that is not plain YAML."""
    if "{{" in text or re.search(r"^\s*\{%|<%", text, flags=re.MULTILINE):
        line = next(number for number, one in enumerate(text.splitlines(), start=1) if re.search(r"\{\{|\{%|<%", one))
        why, advice = (
            "What stands here in the end is not in the file.",
            "Audit what the template makes: helm template ...",
        )
        raise ConfigurationError([Notice(what="this is a template.", why=why, advice=advice, file=path, line=line)])
    try:
        composed = [one for one in yaml.compose_all(text, Loader=yaml.SafeLoader) if one is not None]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = f"this is no valid YAML: {getattr(error, 'problem', None) or error}."
        at = None if mark is None else mark.line + 1
        raise ConfigurationError([Notice(what=what, advice="Mend the file.", file=path, line=at)]) from None
    problems: list[Notice] = []
    documents = [_node(one, path, problems) for one in composed]
    if problems:
        raise ConfigurationError(problems)
    return documents


def _node(node: yaml.Node, path: str, problems: list[Notice]) -> Node:
    line = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, problems)
    if isinstance(node, yaml.SequenceNode):
        return Listing(line, [_node(one, path, problems) for one in node.value])
    assert isinstance(node, yaml.ScalarNode)
    problems += _doubts(node, path, line)
    if node.tag == "tag:yaml.org,2002:null":
        return Scalar(None, line)
    return Scalar(BOOLEANS.get(node.value, node.value) if node.style is None else node.value, line)


def _doubts(node: yaml.ScalarNode, path: str, line: int) -> Iterator[Notice]:
    if node.style is None and node.value in DOUBTFUL:
        what = f"{node.value!r} is a truth value in YAML 1.1, and a text in YAML 1.2."
        yield Notice(what=what, advice="Write true or false, or put quotation marks.", file=path, line=line)
    if not node.tag.startswith("tag:yaml.org,2002:"):
        yield Notice(what=f"the tag {node.tag} is not understood.", advice="Write the value.", file=path, line=line)


def _mapping(node: yaml.MappingNode, path: str, problems: list[Notice]) -> Mapping:
    found = Mapping(node.start_mark.line + 1)
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
            what = "this key is no text." if not isinstance(key, yaml.ScalarNode) else "keys are merged in here (<<)."
            problems.append(Notice(what=what, advice="Write the keys and values themselves.", file=path, line=line))
            continue
        if key.value in found.values:
            what = f"{key.value} is there again; it is in line {found.lines[key.value]} already."
            why, advice = "Some programs take the first one, others the last.", "Keep one of them."
            problems.append(Notice(what=what, why=why, advice=advice, file=path, line=line))
            continue
        found.values[key.value] = _node(value, path, problems)
        found.lines[key.value] = line
    return found
