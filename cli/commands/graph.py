"""`neverlost graph`: the state graph of a store as readable tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.traces.render_text import counted, trace_text
from neverlost.explorer.traces.trace_json import trace_values
from neverlost.model.core import UnknownNameError

from ..bounds import named_profile
from ..counts import WholeNumber
from ..options import OptionsError
from ..output import Output
from ..spark_engine import refuse_wrong_master
from ..terminal import show

if TYPE_CHECKING:
    from neverlost.spark_explore.state_graph import StateGraphTables

SHOWN_ROWS = 100
"""How many rows of a query are shown."""


@click.command("graph")
@click.argument("folder", metavar="DIR")
@click.argument("what", metavar="WHAT")
@click.argument("argument", required=False, metavar="[ARGUMENT]")
@click.option(
    "--count", type=WholeNumber(min=1, max=10_000), default=3, metavar="N", help="Traces of a sample; 3 if not given."
)
@click.option("--seed", type=WholeNumber(), default=0, metavar="N", help="The seed of the sample; 0 if not given.")
@click.option("--json", "json_path", metavar="FILE", help="Write a sample's traces as JSON, one after the other.")
@click.option("--master", default="local[*]", metavar="URL", help="The Spark to use; one in this process if not given.")
@click.option("--profile", metavar="PROFILE", help="A profile of your own, path/to/file.py:NAME. The file is run.")
def graph_command(
    folder: str,
    what: str,
    argument: str | None,
    count: int,
    seed: int,
    json_path: str | None,
    master: str,
    profile: str | None,
) -> int:
    """Show the contents of the store DIR of a search. WHAT is one of

    \b
    actions             how many steps of each action could happen
    levels              states, candidates and time of every level
    variables           in how many states each element has each value
    dead                the actions that never happened
    witness PROPERTY    the trace that decides a property
    sample              shortest traces to states chosen at random
    sql "SELECT ..."    any query: tables states, transitions, actions, levels, findings
    """
    from neverlost.spark_explore.session import needing_java
    from neverlost.spark_explore.state_graph import open_tables

    if what not in (*SHOW, "sample"):
        raise UnknownNameError("table", what, (*SHOW, "sample"))
    if (argument is not None) != (what in TAKES):
        wanted = f"takes {TAKES[what]}" if what in TAKES else "takes no argument"
        raise OptionsError(f"neverlost graph DIR {what} {wanted}")
    refuse_wrong_master(master)
    output = Output({"--json": json_path})
    with needing_java():
        tables = open_tables(
            Path(folder), lambda recorded: named_profile(recorded, profile, f"{folder} is a search"), master=master
        )
        if what == "sample":
            _sample(tables, count, seed, output)
        else:
            show(SHOW[what](tables, argument or ""))
    return ExitCode.HOLDS


def table_text(titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table: texts aligned left, numbers right."""
    body = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(titles, *body, strict=True)]
    numeric = [all(_is_number(cell) for cell in column) for column in zip(*body, strict=True)] or [False] * len(titles)
    lines = [
        "  ".join(
            c.rjust(w) if right else c.ljust(w) for c, w, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in [list(titles), *body]
    ]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else "" if value is None else str(value)


def _is_number(cell: str) -> bool:
    return not cell or cell.replace(",", "").replace(".", "").removeprefix("-").isdecimal()


def _actions(tables: StateGraphTables, _: str) -> str:
    names = [action.name for action in tables.model.profile.actions]
    rows = sorted(zip(names, tables.generated, strict=True), key=lambda row: (-row[1], row[0]))
    return table_text(("action", "generated"), rows)


def _levels(tables: StateGraphTables, _: str) -> str:
    titles = ("level", "states", "candidates", "generated", "ran on", "seconds", "MiB")
    rows = [
        (
            level.level + 1,
            level.new,
            level.candidates,
            sum(level.generated),
            level.ran,
            level.seconds,
            level.bytes / 2**20,
        )
        for level in tables.store.levels
    ]
    return table_text(titles, rows)


def _variables(tables: StateGraphTables, _: str) -> str:
    found = tables.variables.orderBy("variable", "value").collect()
    return table_text(("variable", "value", "states"), [tuple(row) for row in found])


def _dead(tables: StateGraphTables, _: str) -> str:
    names = [a.name for a, n in zip(tables.model.profile.actions, tables.generated, strict=True) if n == 0]
    so_far = "" if tables.store.manifest.complete else " so far: the search is not complete"
    return f"actions that never happened{so_far}\n" + ("\n".join(f"  {name}" for name in names) or "  none")


def _witness(tables: StateGraphTables, name: str) -> str:
    trace = tables.trace(name)
    if trace is None:
        return f"{name} has no trace in this store: {tables.verdict(name)}."
    return trace_text(trace)


def _sql(tables: StateGraphTables, query: str) -> str:
    from pyspark.errors import PySparkException

    from neverlost.spark_explore.session import SparkError

    try:
        found = tables.sql(query)
        rows = found.limit(SHOWN_ROWS + 1).collect()
    except PySparkException as error:
        raise SparkError(f"Spark cannot run this query: {str(error).strip().splitlines()[0]}") from error
    more = f"\n... and more: the first {SHOWN_ROWS} rows are shown" if len(rows) > SHOWN_ROWS else ""
    return table_text(found.columns, [tuple(row) for row in rows[:SHOWN_ROWS]]) + more


def _sample(tables: StateGraphTables, count: int, seed: int, output: Output) -> None:
    traces = tables.sample(count, seed)
    if output.paths:
        output.write("--json", lambda: "".join(json_text(trace_values(trace)) for trace in traces))
        return
    for number, trace in enumerate(traces, start=1):
        steps = [f"  {place}. {step.show(tables.model.bounds)}" for place, step in enumerate(trace.steps, start=1)]
        show("\n".join([f"trace {number}: {counted(len(trace.steps), 'step')}", *steps]))


SHOW: dict[str, Callable[[StateGraphTables, str], str]] = {
    "actions": _actions,
    "levels": _levels,
    "variables": _variables,
    "dead": _dead,
    "witness": _witness,
    "sql": _sql,
}
TAKES = {"witness": "the name of a property", "sql": "a query in quotes"}
