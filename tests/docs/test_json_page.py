"""The tables of keys are made from the published schemas: NEVERLOST_REWRITE=1 writes them anew."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from shell_blocks import ROOT

from neverlost.reports.schemas import WRITTEN_BY, document

REFERENCE = ROOT / "docs" / "reference"
PAGES = ("json.md", "events.md", "histories.md")
TABLE = r"(?<=<!-- table: {} -->\n)(.*?)(?=<!-- end of table -->)"
COMMON = "common.schema.json#/$defs/"


def described() -> dict[str, Mapping[str, Any]]:
    """Everything with keys that a schema describes: a whole document by its name, a part as `audit.finding`."""
    found = {}
    for name in WRITTEN_BY:
        parts = {name: document(name)} | {
            f"{name}.{part}": value for part, value in document(name).get("$defs", {}).items()
        }
        found |= {each: value for each, value in parts.items() if "properties" in value}
    return found


def table(value: Mapping[str, Any]) -> str:
    return "".join(f"{row}\n" for row in ("| key | value |", "|---|---|", *rows(value, "")))


def rows(value: Mapping[str, Any], path: str) -> Iterator[str]:
    for key, part in value["properties"].items():
        text = cell(part).replace("|", "\\|")
        yield f"| `{path}{key}` | {text} |"
        for way, inner in within(part):
            yield from rows(inner, f"{path}{key}{way}.")


def within(part: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects in a value whose keys belong to the same table: those that have no name in the schema, or are of all documents."""
    ways = [("", part), ("[]", part.get("items")), (".*", part.get("additionalProperties"))]
    for way, inner in (*ways, *(("", each) for each in part.get("anyOf", ()))):
        found = inner if isinstance(inner, dict) else {}
        if found.get("$ref", "").startswith(COMMON):
            found = document("common")["$defs"][found["$ref"].removeprefix(COMMON)]
        if "properties" in found:
            yield way, found


def cell(part: Mapping[str, Any]) -> str:
    """What a value may be, and what it says."""
    values = [f"`{json.dumps(value)}`" for value in part.get("enum", [part["const"]] if "const" in part else [])]
    one = " or ".join(filter(None, [", ".join(values[:-1]), *values[-1:]]))
    return ": ".join(filter(None, [one, part.get("description", "")]))


def may_be_null(part: Mapping[str, Any]) -> bool:
    kinds = [part.get("type"), *(each.get("type") for each in part.get("anyOf", ()))]
    return None in part.get("enum", ()) or any(kind == "null" or (kind and "null" in kind) for kind in kinds)


def each_key(part: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every key that a schema describes, at any depth, with what it says of it."""
    yield from part.get("properties", {}).items()
    inner = [*part.get("properties", {}).values(), *part.get("$defs", {}).values(), *part.get("anyOf", ())]
    for each in (*inner, part.get("items"), part.get("additionalProperties")):
        if isinstance(each, dict):
            yield from each_key(each)


@pytest.mark.parametrize("name", PAGES)
def test_the_tables_of_a_page_are_what_the_schemas_say(name: str) -> None:
    page = (REFERENCE / name).read_text(encoding="utf-8")
    made = page
    for each in re.findall(r"<!-- table: (.*) -->", page):
        found = table(described()[each])
        made = re.sub(TABLE.format(re.escape(each)), lambda _, found=found: found, made, count=1, flags=re.DOTALL)
    if os.environ.get("NEVERLOST_REWRITE") == "1":
        (REFERENCE / name).write_text(made, encoding="utf-8")
    assert made == (REFERENCE / name).read_text(encoding="utf-8")


def test_everything_that_a_schema_describes_has_one_table() -> None:
    pages = "".join((REFERENCE / name).read_text(encoding="utf-8") for name in PAGES)
    assert sorted(re.findall(r"<!-- table: (.*) -->", pages)) == sorted(described())


@pytest.mark.parametrize("name", [*WRITTEN_BY, "common"])
def test_a_key_that_may_be_null_says_when(name: str) -> None:
    said = {key: cell(part) for key, part in each_key(document(name)) if may_be_null(part)}
    assert [key for key, text in said.items() if "`null`" not in text] == []


@pytest.mark.parametrize("name", WRITTEN_BY)
def test_every_key_is_described(name: str) -> None:
    assert [key for key, part in each_key(document(name)) if not cell(part)] == []


def test_the_page_names_every_schema_and_what_writes_such_documents() -> None:
    page = (REFERENCE / "json.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([a-z-]+)` \| (`[a-z].*) \|$", page, flags=re.MULTILINE))
    assert listed == {name: ", ".join(f"`{place}`" for place in places) for name, places in WRITTEN_BY.items()}
