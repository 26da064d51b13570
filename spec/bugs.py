"""The ledger of losses that Kafka's users really had: each with the search that finds it, or the reason why none does.

What a bug is, and which verdicts are expected, is written by hand, in bugs.json. What the searches found, their states and their
shortest traces, is written by machine, in bugs.found.json (tools/facts_table.py).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from neverlost.model.core import UnknownNameError

from .families import known_bugs
from .kafka.releases import span_of
from .recorded_search import RecordedSearch, search_from


@dataclass(frozen=True, kw_only=True)
class Bug:
    """A loss, or what leads to one: which releases have it, and what fixed it.

    `releases` are in words, and `spans` are the first and the last release of each stretch of them, oldest first. `lost` is the
    search that finds it on the last version that has it, `kept` the same search where it is fixed, and holds. Where the model does not
    have it, both are None and `left_out` says why. `assumed` is then what a verdict that holds assumes in these releases, as a clause;
    None if it can make no such verdict false. `concerns` are the properties that it can make one of false; any, if none is named.
    `of_client`: the releases are those of the Java client, not of brokers.
    """

    jira: tuple[str, ...]
    fixed: str
    releases: str
    what: str
    statement: str
    note: str | None
    lost: RecordedSearch | None
    kept: RecordedSearch | None
    left_out: str | None
    spans: tuple[tuple[str, str], ...] = ()
    assumed: str | None = None
    concerns: tuple[str, ...] = ()
    of_client: bool = False

    @property
    def name(self) -> str:
        """The first of its names: a ticket or a KIP."""
        return self.jira[0]

    def is_in(self, release: str) -> bool:
        """Has the release the bug?"""
        return any(release in span_of(first, last) for first, last in self.spans)


def _bug(values: Mapping[str, Any], found: Mapping[str, Mapping[str, Any]]) -> Bug:
    """A bug of the file, with what its searches found."""
    searches = {role: values[role] and search_from(values[role], found) for role in ("lost", "kept")}
    spans = tuple((first, last) for first, last in values.get("spans", ()))
    lists = {name: tuple(values.get(name, ())) for name in ("jira", "concerns")}
    return Bug(**{**values, **lists, "spans": spans, **searches})


@cache
def bugs_in(package: str) -> tuple[Bug, ...]:
    """The bugs of the ledger in a family's folder, oldest first; none if it has no ledger."""
    folder = files(package)
    if not folder.joinpath("bugs.json").is_file():
        return ()
    written, found = (
        json.loads(folder.joinpath(name).read_text(encoding="utf-8")) for name in ("bugs.json", "bugs.found.json")
    )
    return tuple(_bug(values, found) for values in written)


def assumed_in(
    package: str, releases: Collection[str], *, about: str | None = None, of_client: bool = False
) -> tuple[str, ...]:
    """What a verdict that holds, about a property, assumes of the bugs that one of the releases has, and the model does not."""
    bugs = [bug for bug in bugs_in(package) if bug.of_client == of_client and any(map(bug.is_in, releases))]
    return tuple(bug.assumed for bug in bugs if bug.assumed and (not bug.concerns or about in bug.concerns))


def bug_named(name: str) -> Bug:
    """The bug with this ticket or KIP among its names, in any case. Raises UnknownNameError."""
    known = {each.upper(): bug for bug in known_bugs() for each in bug.jira}
    if name.upper() not in known:
        raise UnknownNameError("bug of the ledger", name, [each for bug in known_bugs() for each in bug.jira])
    return known[name.upper()]
