"""The properties of an application of Spring Boot: in YAML or .properties, in every way of writing names, with references and profiles.

"Externalized Configuration" in Spring Boot's documentation says which names are the same, and which file goes over which.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from ..configuration_file import SourceText, duplicates
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError, Notice
from .foreign import refuse_other_syntax
from .properties_file import parse_properties, read_text
from .references import filled_by_spring
from .yaml_documents import Listing, Mapping, Node, Scalar, read_documents

IN_YAML = re.compile(r"^['\"]?spring['\"]?\s*:\s*(?:[#&].*)?$|^['\"]?spring\.[\w.\[\]-]+['\"]?\s*:", re.MULTILINE)
IN_PROPERTIES = re.compile(r"^[ \t]*spring[._][\w.\[\]/-]+[ \t]*=", re.MULTILINE)
PART = re.compile(r"^[#!]---[ \t]*\r?$", re.MULTILINE)
"""What divides a .properties file of Spring into several."""
APPLICATION, APPLICATIONS_OWN = "application.yml or application.properties", "application"
OF_AN_APPLICATION = re.compile(r"application\.(?:ya?ml|properties)", re.IGNORECASE)
OF_A_PROFILE = re.compile(r"application-(.+)\.(?:ya?ml|properties)", re.IGNORECASE)
PLAIN_KEY = re.compile(r"[A-Za-z0-9_][\w.\-\[\]/]*")
UNFILLED = "${}"
"""A reference that nothing fills."""
CANONICAL = re.compile(r"[a-z0-9.\-\[\]]+")
"""How Spring looks a property up in every spelling; a reference that is written otherwise is taken as it stands."""
TOKEN = re.compile(r"\[([^\]]*)\]|([^.\[\]]+)")


@dataclass(frozen=True)
class Property:
    """A property of an application: its path as Spring compares it, the path as it was written, and its value; None if it has none."""

    path: tuple[str, ...]
    written: tuple[str, ...]
    value: str | None
    file: str
    line: int

    def below(self, *path: str) -> bool:
        """Is it below this path?"""
        return self.path[: len(path)] == path

    @property
    def name(self) -> str:
        """How people write it."""
        return ".".join(self.written)

    def notice(self, what: str, why: str = WHY, advice: str = "", *, decides: bool = False) -> Notice:
        """A notice about it."""
        return Notice(what=what, why=why, advice=advice, key=self.name, file=self.file, line=self.line, decides=decides)


def is_spring(source: SourceText) -> bool:
    """Is there a key `spring` at the left margin, or keys that begin with `spring.`? A file with both is refused later."""
    return IN_PROPERTIES.search(source.text) is not None or IN_YAML.search(source.text) is not None


def profile_of(path: str) -> str | None:
    """The profile that the name of a file shows, as `prod` of application-prod.yml; None for other names."""
    matched = OF_A_PROFILE.fullmatch(Path(path).name)
    return matched[1] if matched else None


def is_of_application(name: str) -> bool:
    """Is it the name of a file of an application, its own or a profile's?"""
    return OF_AN_APPLICATION.fullmatch(name) is not None or OF_A_PROFILE.fullmatch(name) is not None


def applications_beside(path: str) -> list[Path]:
    """The files of an application itself that lie beside the file of a profile."""
    try:
        return sorted(file for file in Path(path).parent.iterdir() if OF_AN_APPLICATION.fullmatch(file.name))
    except OSError:
        return []


def with_files_beside(source: SourceText) -> SourceText:
    """The file of an application, with those of its folder that are in force whenever it is. Raises ConfigurationError."""
    name, folder = Path(source.path).name, Path(source.path).parent
    if not is_of_application(name) or not is_spring(source):
        return source
    try:
        others = sorted(file for file in folder.iterdir() if is_in_force_with(name, file.name))
    except OSError:
        return source
    beside = (SourceText(path=str(one), text=read_text(str(one), may_be_empty=True)) for one in others)
    return replace(source, beside=tuple(beside))


def is_in_force_with(name: str, other: str) -> bool:
    """Is the other file of one folder in force whenever this one is: in another format, or the application's own below a profile's?"""
    stems = {Path(name).stem.lower(), APPLICATIONS_OWN}
    return other != name and all(map(is_of_application, (name, other))) and Path(other).stem.lower() in stems


def layers_of(source: SourceText) -> list[SourceText]:
    """The files of an application that are in force with this one, each before those that it goes over.

    A profile's go over the application's own, and .properties over YAML. Raises ConfigurationError where that is not certain.
    """
    profile = profile_of(source.path)
    others = [one for one in source.beside if not _is_properties(one) or is_spring(one)]
    found = sorted((source, *others), key=lambda one: (profile_of(one.path) is None, not _is_properties(one)))
    if profile is not None and all(profile_of(one.path) is not None for one in source.beside):
        what = f"this is the file of profile {profile}, and {APPLICATION}, over which it goes, is not beside it."
        advice = f"Put {APPLICATION} into its folder, or audit a copy with all that is in force, under another name."
        raise ConfigurationError([source.notice(what, "What that file sets could change the verdict.", advice)])
    for one, other in pairwise(found):
        if Path(one.path).stem == Path(other.path).stem and _is_properties(one) == _is_properties(other):
            what = f"{Path(one.path).name} and {Path(other.path).name} are of one application: which goes first is not certain."
            raise ConfigurationError([source.notice(what, WHY, "Audit a copy with what is in force.")])
    return found


def _is_properties(source: SourceText) -> bool:
    return source.path.lower().endswith(".properties")


def parts_of(source: SourceText) -> list[list[Property]]:
    """The properties of each part of a file. Raises ConfigurationError for a file with both ways of writing."""
    if IN_PROPERTIES.search(source.text) and IN_YAML.search(source.text):
        what, advice = "it has lines of YAML and of .properties.", "Put each into a file of its own."
        raise ConfigurationError([source.notice(what, WHY, advice)])
    return [list(found) for found in _parts(source)]


def is_conditional(part: Sequence[Property]) -> bool:
    """Is a part of a file in force only for some profiles or platforms?"""
    return any(one.below("spring", "config", "activate") or one.path == ("spring", "profiles") for one in part)


def unclear_paths(parts: Sequence[Sequence[Property]]) -> frozenset[tuple[str, ...]]:
    """The paths whose values are not certain: in a part under a condition, or in several parts of one file."""
    times = Counter(
        (one.file, one.path) for part in parts for one in {(one.file, one.path): one for one in part}.values()
    )
    twice = {path for (_, path), count in times.items() if count > 1}
    return frozenset(twice | {one.path for part in parts if is_conditional(part) for one in part})


def with_defaults(
    properties: Sequence[Property],
    unclear: frozenset[tuple[str, ...]],
    is_read: Callable[[Property], bool],
    decides: Callable[[Property], bool],
) -> tuple[list[Property], list[Notice]]:
    """The properties, of which those that are read have the values that stand for references, and the doubts about these.

    `decides` says which of them set something that decides.
    """
    values = {one.path: one for one in properties}

    def property_named(name: str) -> str | None:
        """What the application sets; a reference that nothing fills if that is not certain, or is written otherwise."""
        own = values.get(_path_of(name))
        if own is None or (own.path not in unclear and (CANONICAL.fullmatch(name) or own.name == name)):
            return None if own is None else own.value or ""
        return UNFILLED

    filled: list[Property] = []
    doubts: list[Notice] = []
    for one in properties:
        if not is_read(one) or "${" not in (one.value or ""):
            filled.append(one)
            continue
        found = filled_by_spring(one.value or "", property_named)
        filled.append(one if found.is_open else replace(one, value=found.text))
        if found.defaults and decides(one):
            what, why = f"{found.defaulted}.", "The environment may set something else."
            doubts.append(one.notice(what, why, "Write the value itself into a copy.", decides=True))
    return filled, doubts


def _path_of(name: str) -> tuple[str, ...]:
    return tuple(_plain(token) for token in _tokens(name))


def _tokens(key: str) -> Iterator[str]:
    """The parts of a key: what stands in brackets is one, and may be empty."""
    for found in TOKEN.finditer(key):
        yield found[2] if found[1] is None else found[1]


def _parts(source: SourceText) -> Iterator[Iterator[Property]]:
    """The properties of each part of a file: of each document of YAML, or between the lines that divide .properties."""
    if IN_PROPERTIES.search(source.text):
        entries, _ = parse_properties(source.text, source.path)
        refuse_other_syntax(source.text, entries, source.path, lambda key: True, PLAIN_KEY)
        first = 1
        for text in PART.split(source.text):
            entries, _ = parse_properties(text, source.path)
            problems = duplicates(entries)
            if problems:
                raise ConfigurationError(problems)
            yield (
                _property((entry.key,), entry.value, source.path, (entry.line or 1) + first - 1) for entry in entries
            )
            first += text.count("\n")
        return
    for document in read_documents(source.text, source.path, merges=True):
        yield _flat(document, (), source.path)


def _flat(node: Node, above: tuple[str, ...], path: str) -> Iterator[Property]:
    if isinstance(node, Mapping):
        for key, value in node.values.items():
            line = node.lines[key]
            below = (*above, key)
            if isinstance(value, Scalar):
                yield _property(below, value.text, path, line)
            else:
                yield from _flat(value, below, path)
    elif isinstance(node, Listing):
        for number, value in enumerate(node.values):
            yield from _flat(value, (*above, f"[{number}]"), path)
    else:
        yield _property(above, node.text, path, node.line)


def _property(keys: Sequence[str], value: str | None, path: str, line: int) -> Property:
    written = tuple(token for key in keys for token in _tokens(key))
    return Property(tuple(_plain(token) for token in written), written, value, path, line)


def _plain(token: str) -> str:
    return re.sub("[-_]", "", token).lower()
