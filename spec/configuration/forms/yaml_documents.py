"""YAML documents with the line of every key, read so that nothing in them can mean something else to another program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from ..notices import ConfigurationError, Notice

BOOLEANS = {"true": "true", "True": "true", "TRUE": "true", "false": "false", "False": "false", "FALSE": "false"}
"""What every version of YAML takes for a truth value."""
DOUBTFUL = frozenset(("yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"))
"""What YAML 1.1 takes for a truth value, and YAML 1.2 for text."""

MERGE = "tag:yaml.org,2002:merge"

END_OF_ANCHOR = "\0 \t\r\n\x85\u2028\u2029,[]{}:"
MOST_VALUES = 1_000_000
"""A document with more keys and values than this, each alias counted as what it stands for, is taken for something else."""
DEEPEST = 100
"""So many keys and lists may stand one in the other."""

TEMPLATE = re.compile(r"\{\{|^\s*\{%|<%")
"""What shows that a line is for a program that makes YAML."""


@dataclass(frozen=True)
class Scalar:
    """A value that has no parts, as text; None for a null."""

    text: str | None
    line: int
    is_block: bool = False
    """Is it written as a block (`|`), each line of which is a line of the text?"""


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


def _never(_: Node) -> bool:
    return False


def read_documents(
    text: str,
    path: str,
    *,
    merges: bool = False,
    forgives: Callable[[Node], bool] = _never,
    braces: bool = False,
) -> list[Node]:
    """The documents of a YAML text that hold something. Raises ConfigurationError with everything that is not plain YAML.

    With `merges` keys are merged in (<<) as YAML 1.1 does, each with the line where it stands, and yes, no, on and off are texts.
    A document that `forgives` accepts may have all that YAML allows. With `braces` texts may have the signs of a template in them.
    """
    lines = enumerate(text.splitlines(), start=1)
    templates = [number for number, line in lines if TEMPLATE.search(line)]
    if templates and not braces:
        raise ConfigurationError([template_notice(path, templates[0])])
    reader = _Reader(path, merges=merges)
    documents: list[Node] = []
    try:
        for node in (one for one in yaml.compose_all(text, Loader=_Loader) if one is not None):
            before = len(reader.problems)
            document = reader.node(node)
            if forgives(document):
                del reader.problems[before:]
            documents.append(document)
    except yaml.YAMLError as error:
        if templates:
            raise ConfigurationError([template_notice(path, templates[0])]) from None
        mark = getattr(error, "problem_mark", None)
        what = f"this is no valid YAML: {getattr(error, 'problem', None) or error}."
        at = None if mark is None else mark.line + 1
        raise ConfigurationError([Notice(what=what, advice="Correct the file.", file=path, line=at)]) from None
    except RecursionError:
        raise ConfigurationError([_too_deep(path)]) from None
    if reader.problems:
        raise ConfigurationError(reader.problems)
    return documents


def whole_number(text: str | None) -> int | None:
    """The number that a text is; None if it is none, or has more digits than any count of brokers."""
    return int(text) if text is not None and re.fullmatch(r"\d{1,6}", text) else None


def scalars_in(node: Node) -> Iterator[Scalar]:
    """Every plain value that is somewhere in a part."""
    if isinstance(node, Scalar):
        yield node
        return
    for part in node.values.values() if isinstance(node, Mapping) else node.values:
        yield from scalars_in(part)


def is_template(text: str) -> bool:
    """Has the text the signs of a template in it?"""
    return TEMPLATE.search(text) is not None


def template_notice(path: str, line: int) -> Notice:
    """That what stands here is for a program that makes YAML."""
    why, advice = "What it becomes is not in the file.", "Audit what the template makes: helm template ..."
    return Notice(what="this is a template.", why=why, advice=advice, file=path, line=line)


def _too_deep(path: str, line: int | None = None) -> Notice:
    what, why = "it is nested too deeply.", "A configuration is not."
    return Notice(what=what, why=why, advice="Check the path.", file=path, line=line)


@dataclass(frozen=True)
class _Extent:
    """How much a node holds, with all that its aliases stand for: keys and values, and how deep they stand one in the other."""

    values: int = 1
    depth: int = 1


class _Loader(yaml.SafeLoader):
    """PyYAML's loader, for which the names of anchors may be what YAML 1.2 allows: all but blanks and the signs of lists and keys."""

    def scan_anchor(self, TokenClass: type[Any]) -> Any:
        start = self.get_mark()
        self.forward()
        length = 0
        while self.peek(length) not in END_OF_ANCHOR:
            length += 1
        if not length:
            raise yaml.scanner.ScannerError(
                "while scanning an anchor or alias", start, "it has no name", self.get_mark()
            )
        name = self.prefix(length)
        self.forward(length)
        return TokenClass(name, start, self.get_mark())


class _Reader:
    """Reads nodes of PyYAML. One that several aliases name is read once; `problems` has what is not understood.

    Whoever uses a document may go through all that its aliases stand for, so this is limited: raises ConfigurationError beyond.
    """

    def __init__(self, path: str, *, merges: bool) -> None:
        self.path = path
        self.merges = merges
        self.problems: list[Notice] = []
        self.read: dict[yaml.Node, Node | None] = {}
        """None for a node whose parts are being read."""
        self.extents: dict[int, _Extent] = {}
        """Of each mapping and listing that was read, by its identity."""
        self.merged = 0

    def node(self, node: yaml.Node) -> Node:
        """The node with its parts."""
        line = node.start_mark.line + 1
        if node not in self.read:
            self.read[node] = None
            self.read[node] = self._measured(self._parts(node, line))
        found = self.read[node]
        if found is None:
            self._refuse("this value is a part of itself.", "Write the value.", line)
            return Scalar(None, line)
        return found

    def _measured(self, found: Node) -> Node:
        """The node, if it holds no more than a configuration does."""
        if isinstance(found, Scalar):
            return found
        parts = found.values.values() if isinstance(found, Mapping) else found.values
        inner = [self.extents.get(id(part), _Extent()) for part in parts]
        extent = _Extent(1 + sum(one.values for one in inner), 1 + max((one.depth for one in inner), default=0))
        self.extents[id(found)] = extent
        if extent.depth > DEEPEST:
            raise ConfigurationError([_too_deep(self.path, found.line)])
        if extent.values > MOST_VALUES:
            raise ConfigurationError([self._too_much(found.line)])
        return found

    def _too_much(self, line: int) -> Notice:
        what = f"it has more than {MOST_VALUES:,} values, with all that its aliases stand for."
        return Notice(what=what, why="A configuration has not.", advice="Check the path.", file=self.path, line=line)

    def _parts(self, node: yaml.Node, line: int) -> Node:
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, line)
        if isinstance(node, yaml.SequenceNode):
            return Listing(line, [self.node(one) for one in node.value])
        assert isinstance(node, yaml.ScalarNode)
        if node.style is None and node.value in DOUBTFUL and not self.merges:
            what = f"{node.value!r} is a truth value in YAML 1.1, and a text in YAML 1.2."
            self._refuse(what, "Write true or false, or put quotation marks.", line)
        if not node.tag.startswith("tag:yaml.org,2002:"):
            self._refuse(f"the tag {node.tag} is not understood.", "Write the value.", line)
        if node.tag == "tag:yaml.org,2002:null":
            return Scalar(None, line)
        text = BOOLEANS.get(node.value, node.value) if node.style is None else node.value
        return Scalar(text, line, is_block=node.style == "|")

    def _mapping(self, node: yaml.MappingNode, line: int) -> Mapping:
        found = Mapping(line)
        merged: yaml.Node | None = None
        for key, value in node.value:
            at = key.start_mark.line + 1
            if isinstance(key, yaml.MappingNode) and node.flow_style and key.flow_style:
                self.problems.append(template_notice(self.path, at))
            elif not isinstance(key, yaml.ScalarNode):
                self._refuse("this key is no text.", "Write the keys and values themselves.", at)
            elif key.tag == MERGE and (not self.merges or merged is not None):
                again = "" if merged is None else " again"
                self._refuse(f"keys are merged in here{again} (<<).", "Write the keys and values themselves.", at)
            elif key.tag == MERGE:
                merged = value
            elif key.value in found.values:
                what = f"{key.value} is there again; it is in line {found.lines[key.value]} already."
                self._refuse(what, "Keep one of them.", at, "Some programs take the first one, others the last.")
            else:
                found.values[key.value] = self.node(value)
                found.lines[key.value] = at
        if merged is not None:
            self._merge(found, merged)
        return found

    def _merge(self, into: Mapping, node: yaml.Node) -> None:
        """Add the keys of a mapping, or of several in a list, that are not there yet: what stands first goes before."""
        listed = self.node(node)
        for one in listed.values if isinstance(listed, Listing) else (listed,):
            if not isinstance(one, Mapping):
                self._refuse("what is merged in (<<) has no keys.", "Write the keys and values themselves.", one.line)
                continue
            self.merged += len(one.values)
            if self.merged > MOST_VALUES:
                raise ConfigurationError([self._too_much(into.line)])
            for key, value in one.values.items():
                if into.values.setdefault(key, value) is value:
                    into.lines.setdefault(key, one.lines[key])

    def _refuse(self, what: str, advice: str, line: int, why: str = "") -> None:
        self.problems.append(Notice(what=what, why=why, advice=advice, file=self.path, line=line))
