"""`neverlost graph`: the state graph of a store as readable tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.process.exit_code import ExitCode
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

TAKES = {"witness": "the name of a property", "sql": "a query in quotes"}


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
    from neverlost.reports.graph.as_text import TABLES
    from neverlost.spark_explore.session import needing_java
    from neverlost.spark_explore.state_graph import open_tables

    if what not in (*TABLES, "sample"):
        raise UnknownNameError("table", what, (*TABLES, "sample"))
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
            show(TABLES[what](tables, argument or ""))
    return ExitCode.HOLDS


def _sample(tables: StateGraphTables, count: int, seed: int, output: Output) -> None:
    from neverlost.reports.graph.as_text import sampled_text

    traces = tables.sample(count, seed)
    if output.paths:
        output.write("--json", lambda: "".join(json_text(trace_values(trace)) for trace in traces))
        return
    for number, trace in enumerate(traces, start=1):
        show(sampled_text(number, trace))
