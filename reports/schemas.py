"""The JSON Schemas (draft 2020-12) of what neverlost writes as JSON: a file for each kind of document, beside what shows it.

A file may refer to parts of other files; a schema that is given away has them in its own `$defs`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from neverlost.model.core import UnknownNameError

DEFINITIONS, SUFFIX = "#/$defs/", ".schema.json"

WRITTEN_BY: Mapping[str, tuple[str, ...]] = {
    "result": ("check --json", "resume --json"),
    "trace": (
        "check --trace-out",
        "resume --trace-out",
        "prove --trace-out",
        "conform --trace-out",
        "reproduce --trace-out",
        "graph --json",
    ),
    "prove": ("prove --json",),
    "lemmas": ("lemmas --json",),
    "audit": ("audit --json",),
    "matrix": ("matrix --json",),
    "claims": ("claims --json",),
    "bugs": ("bugs --json",),
    "suite": ("suite --out",),
    "case": ("suite --out",),
    "conform": ("conform --json",),
    "reproduce": ("reproduce --json",),
    "known": ("known --json",),
    "compare": ("compare --json",),
    "soak": ("soak --out",),
    "cluster-status": ("cluster status --json",),
    "cluster-consume": ("cluster consume --json",),
    "history": ("history --json",),
    "operation": ("record --history",),
    "event": ("record --out",),
    "validate": ("validate --json",),
}
"""By the name of a schema: the commands that write such documents, each with the option that names the file."""


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a kind of document, as plain values; `neverlost schema` lists the names.

    Keys that it does not describe are allowed, because a later version may add some. Raises UnknownNameError.

    >>> import neverlost as nl
    >>> nl.schema("audit")["$defs"]["audit"]["properties"]["verdict"]["enum"]
    ['holds', 'violated', 'undecided']
    """
    if name not in WRITTEN_BY:
        raise UnknownNameError("schema", str(name), WRITTEN_BY)
    parts: dict[str, Any] = {}
    whole = _gathered(_body(name), name, parts)
    return {**whole, "$defs": parts} if parts else whole


@cache
def document(name: str) -> Mapping[str, Any]:
    """A schema as its file has it, with references to other files."""
    reports = files(__package__)
    homes = (reports, *(folder for folder in reports.iterdir() if folder.is_dir()))
    found = next(file for home in homes if (file := home / f"{name}{SUFFIX}").is_file())
    return dict(json.loads(found.read_text(encoding="utf-8")))


def _body(name: str) -> dict[str, Any]:
    return {key: value for key, value in document(name).items() if key != "$defs"}


def _gathered(value: Any, home: str, parts: dict[str, Any]) -> Any:
    """A part of the file `home`, with references into `parts`, to which all that it refers to is added."""
    if isinstance(value, list):
        return [_gathered(item, home, parts) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: _gathered(item, home, parts) for key, item in value.items()}
    if "$ref" in found:
        found["$ref"] = DEFINITIONS + _added(found["$ref"], home, parts)
    return found


def _added(reference: str, home: str, parts: dict[str, Any]) -> str:
    """The name in `parts` of what a reference in the file `home` leads to: `#/$defs/finding`, `trace.schema.json`."""
    file, _, part = reference.partition(DEFINITIONS)
    file = file.removesuffix(SUFFIX) or home
    name = part or file
    if name not in parts:
        parts[name] = {}  # It may refer to itself.
        found = document(file)["$defs"][part] if part else {k: v for k, v in _body(file).items() if k != "$schema"}
        parts[name] = _gathered(found, file, parts)
    return name
