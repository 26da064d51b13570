"""The state graph of a store, for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from neverlost.explorer.traces.trace import Trace
from neverlost.explorer.words import counted
from neverlost.spark_explore.state_graph import StateGraphTables

from ..table import table_text
from ..trace.as_text import trace_text

SHOWN_ROWS = 100
"""How many rows of a query are shown."""


def sampled_text(number: int, trace: Trace) -> str:
    """The steps of a trace of a sample."""
    steps = [f"  {place}. {step.show(trace.model.bounds)}" for place, step in enumerate(trace.steps, start=1)]
    return "\n".join([f"trace {number}: {counted(len(trace.steps), 'step')}", *steps])


def _actions(tables: StateGraphTables, _: str) -> str:
    rows = sorted(tables.generated_by_action.items(), key=lambda row: (-row[1], row[0]))
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
    so_far = "" if tables.store.manifest.complete else " so far: the search is not complete"
    return f"actions that never happened{so_far}\n" + (
        "\n".join(f"  {name}" for name in tables.dead_actions) or "  none"
    )


def _witness(tables: StateGraphTables, name: str) -> str:
    trace = tables.trace(name)
    if trace is None:
        return f"{name} has no trace in this store: {tables.verdict(name)}."
    return trace_text(trace)


def _sql(tables: StateGraphTables, query: str) -> str:
    titles, rows = tables.answer(query, SHOWN_ROWS + 1)
    more = f"\n... and more: the first {SHOWN_ROWS} rows are shown" if len(rows) > SHOWN_ROWS else ""
    return table_text(titles, rows[:SHOWN_ROWS]) + more


TABLES: Mapping[str, Callable[[StateGraphTables, str], str]] = {
    "actions": _actions,
    "levels": _levels,
    "variables": _variables,
    "dead": _dead,
    "witness": _witness,
    "sql": _sql,
}
"""What a graph shows, by name; each takes an argument, which is empty for those that need none."""
