"""JSON that commands write, compared with its published schema, which must describe every key."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import jsonschema_rs
import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from neverlost.cli.output import Output
from neverlost.reports.schemas import WRITTEN_BY, schema

SCHEMAS = {place: name for name, places in WRITTEN_BY.items() if name not in ("suite", "case") for place in places}
"""The schema of what a command writes for an option, by `check --json`."""

SEQUENCES = ("graph --json", "record --history")
"""Where several documents follow each other."""

IN_PLACE = ("allOf", "anyOf", "oneOf")
"""What speaks of the same value as the schema that has it."""


def closed(found: dict[str, Any]) -> dict[str, Any]:
    """The schema, but keys that it does not describe are refused."""
    parts = {name: _opened(part) for name, part in found.get("$defs", {}).items()}
    return {**_closed({key: value for key, value in found.items() if key != "$defs"}), "$defs": parts}


def _closed(part: Any) -> Any:
    """A schema of one value: what none of its parts describes is refused."""
    if not isinstance(part, dict):
        return part
    whole = {"properties", "$ref", *IN_PLACE} & part.keys()
    return {**_opened(part), **({"unevaluatedProperties": False} if whole else {})}


def _opened(part: dict[str, Any]) -> dict[str, Any]:
    """A schema to which another may add keys; the values within are closed."""
    found = dict(part)
    for key, value in part.items():
        if key == "properties":
            found[key] = {name: _closed(each) for name, each in value.items()}
        elif key in ("items", "additionalProperties"):
            found[key] = _closed(value)
        elif key in IN_PLACE:
            found[key] = [_opened(each) for each in value]
    return found


@cache
def _validator(name: str) -> Draft202012Validator:
    strict = closed(schema(name))
    Draft202012Validator.check_schema(strict)
    return Draft202012Validator(strict)


@cache
def _quick_validator(name: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(closed(schema(name)))


def what_is_wrong(name: str, value: Any) -> str | None:
    """In which way a document is not as its schema says; None if it is."""
    # The validator in Rust takes milliseconds where the one in Python takes a second; the latter says which part of a choice is wrong.
    if _quick_validator(name).is_valid(value):
        return None
    error = best_match(_validator(name).iter_errors(value))
    if error is None:
        pytest.fail(f"two validators differ about a document of neverlost schema {name}")
    return f"{error.json_path}: {error.message}"


def expect_published(name: str, value: Any) -> None:
    """Fail the test unless a document is as its schema says, and every key of it is described there."""
    wrong = what_is_wrong(name, json.loads(json.dumps(value)))
    if wrong is not None:
        # Not an AssertionError: the command line would take it for an internal error, and go on.
        pytest.fail(f"neverlost schema {name} does not describe what was written: {wrong}")


def documents(text: str) -> Iterator[Any]:
    """The documents of a text, one after the other."""
    decoder, text = json.JSONDecoder(), text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        yield value
        text = text[end:].lstrip()


def expect_published_text(place: str, text: str) -> None:
    """The same for the text that a command writes for an option."""
    found = list(documents(text))
    if len(found) != 1 and place not in SEQUENCES:
        pytest.fail(f"{place} wrote {len(found)} documents, not one")
    for value in found:
        expect_published(SCHEMAS[place], value)


def expect_published_suite(folder: Path) -> None:
    """The same for both files of a suite."""
    expect_published("suite", json.loads((folder / "suite.json").read_text(encoding="utf-8")))
    for case in documents((folder / "cases.ndjson").read_text(encoding="utf-8")):
        expect_published("case", case)


def write_checked(self: Output, option: str, content: Callable[[], str], write: Any = Output.write) -> None:
    """In place of `Output.write`: what is written as JSON is compared with its schema first."""
    context = click.get_current_context(silent=True)
    place = "" if context is None else f"{context.command_path.partition(' ')[2]} {option}"

    def checked() -> str:
        text = content()
        expect_published_text(place, text)
        return text

    write(self, option, checked if place in SCHEMAS else content)
