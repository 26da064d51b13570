"""`neverlost schema`: the JSON Schemas of what the other commands write as JSON."""

from __future__ import annotations

import sys

import click
from click.shell_completion import CompletionItem

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.reports.layout import definitions
from neverlost.reports.schemas import WRITTEN_BY, document, schema

from ..terminal import show


def schema_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The schemas, for a shell."""
    return [CompletionItem(name, help=_title(name)) for name in WRITTEN_BY if name.startswith(incomplete)]


@click.command("schema")
@click.argument("name", required=False, metavar="[NAME]", shell_complete=schema_names)
def schema_command(name: str | None) -> int:
    """Print the JSON Schema (draft 2020-12) of a kind of document; without a NAME, list the kinds and what writes them."""
    if name is None:
        said = {each: f"{_title(each)}: {', '.join(WRITTEN_BY[each])}" for each in WRITTEN_BY}
        show(f"Schemas\n{definitions(said)}")
    else:
        sys.stdout.write(json_text(schema(name)))
    return ExitCode.HOLDS


def _title(name: str) -> str:
    return str(document(name)["title"])
