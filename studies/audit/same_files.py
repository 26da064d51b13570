"""Which files of an older state are the same ones now: a client, or a topic, is found again by the file that says what it is.

The states lie in folders of their own, whose names say nothing: below them, the same path is the same file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, takewhile
from pathlib import PurePath
from types import MappingProxyType

Parts = tuple[str, ...]


@dataclass(frozen=True)
class SameFiles:
    """The files of both states. `now_of` has the path of now for each file of before that is there still."""

    now_of: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    before: frozenset[str] = frozenset()
    now: frozenset[str] = frozenset()

    @classmethod
    def of(cls, before: Iterable[str], now: Iterable[str]) -> SameFiles:
        """The same files of two states, by their paths. Where each state is one file, that is the same one."""
        older, newer = frozenset(before), frozenset(now)
        if len(older) == len(newer) == 1:
            found = dict(zip(older, newer, strict=True))
        else:
            found = {path: path for path in older & newer} | dict(_moved(older - newer, newer - older))
        return cls(MappingProxyType(found), older, newer)

    def path(self, before: str) -> str:
        """The path of now of a file of before; its own if it is not there any more."""
        return self.now_of.get(before, before)

    def said_before(self, text: str) -> str:
        """What was said before, with the paths of now, and no lines. What lies beside the files is where these are now."""
        return self._places_before.sub(lambda found: self.path(found[1]) if found[1] else self._folders[found[2]], text)

    def said_now(self, text: str) -> str:
        """What is said now, without lines."""
        return self._places_now.sub(lambda found: found[1], text)

    @cached_property
    def _folders(self) -> Mapping[str, str]:
        return {_folder(before): _folder(now) for before, now in self.now_of.items()}

    @cached_property
    def _places_before(self) -> re.Pattern[str]:
        return _places(self.before, self._folders)

    @cached_property
    def _places_now(self) -> re.Pattern[str]:
        return _places(self.now)


def _folder(path: str) -> str:
    parent = str(PurePath(path).parent)
    return "" if parent == "." else f"{parent}/"


def _places(files: Iterable[str], folders: Iterable[str] = ()) -> re.Pattern[str]:
    """Each file, with the line that may stand behind it, and each folder of what else is in it."""

    def one_of(names: Iterable[str]) -> str:
        return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if name) or "(?!)"

    return re.compile(rf"(?<![\w./-])(?:({one_of(files)})(?::\d+)?(?![\w/])|({one_of(folders)}))")


def _moved(older: frozenset[str], newer: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Files with the same path below two folders, one of each state: first below those that most of the path is common to.

    What is below these folders, and has no counterpart there, has none. Nor has what could have several.
    """
    roots: dict[tuple[Parts, Parts], list[tuple[str, str]]] = {}
    common: dict[tuple[Parts, Parts], int] = {}
    by_name: dict[str, list[str]] = {}
    for path in newer:
        by_name.setdefault(PurePath(path).name, []).append(path)
    for before in older:
        for now in by_name.get(PurePath(before).name, ()):
            one, other = PurePath(before).parts, PurePath(now).parts
            together = zip(reversed(one), reversed(other), strict=False)
            same = sum(1 for _ in takewhile(lambda parts: parts[0] == parts[1], together))
            pair = one[: len(one) - same], other[: len(other) - same]
            roots.setdefault(pair, []).append((before, now))
            common[pair] = max(common.get(pair, 0), same)
    left = set(older), set(newer)

    def rank(pair: tuple[Parts, Parts]) -> tuple[int, int]:
        return common[pair], len(roots[pair])

    for _, group in groupby(sorted(roots, key=rank, reverse=True), key=rank):
        alike = list(group)
        highest = [pair for pair in alike if not any(one != pair and _holds(one, pair) for one in alike)]
        found = {pair: [both for both in roots[pair] if both[0] in left[0] and both[1] in left[1]] for pair in highest}
        claims = Counter(path for pairs in found.values() for both in pairs for path in both)
        for pair, pairs in found.items():
            certain = all(claims[path] == 1 for both in pairs for path in both)
            if certain:
                yield from pairs
            for side, root, paths in zip(left, pair, zip(*pairs, strict=True), strict=False):
                side.difference_update([path for path in side if _is_below(path, root)] if certain else paths)


def _holds(one: tuple[Parts, Parts], other: tuple[Parts, Parts]) -> bool:
    """Are the other's folders in these?"""
    return all(inner[: len(outer)] == outer for outer, inner in zip(one, other, strict=True))


def _is_below(path: str, root: Parts) -> bool:
    parts = PurePath(path).parts
    return parts[: len(root)] == root and (bool(root) or not PurePath(path).is_absolute())
