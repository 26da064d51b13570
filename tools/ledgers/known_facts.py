"""Known facts about Kafka's replication, of spec/ledgers: each with the searches that show it, what loses and what fixes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from neverlost.spec.recorded_search import RecordedSearch, search_from

LEDGERS = Path(__file__).parents[2] / "spec" / "ledgers"


@dataclass(frozen=True, kw_only=True)
class Fact:
    """Something that is known about Kafka: which rules it is about, what real brokers were `seen` to do, and what fixes it."""

    name: str
    title: str
    rules: tuple[str, ...]
    statement: str
    seen: str | None
    fix: str | None
    searches: tuple[RecordedSearch, ...]


@cache
def known_facts() -> tuple[Fact, ...]:
    """Every fact, in the order of the file."""
    written, found = (
        json.loads((LEDGERS / f"facts{part}.json").read_text(encoding="utf-8")) for part in ("", ".found")
    )
    return tuple(_fact(values, found) for values in written)


def _fact(values: Mapping[str, Any], found: Mapping[str, Mapping[str, Any]]) -> Fact:
    searches = tuple(search_from(search, found) for search in values["searches"])
    return Fact(**{**values, "rules": tuple(values["rules"]), "searches": searches})
