"""The same search on Spark: sharded, resumable, and the state graph as tables. `explore(model, SparkOptions(store=...))` starts one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neverlost.explorer.process.lazily import names_of

if TYPE_CHECKING:
    from .engine import SparkOptions
    from .search import explore
    from .state_graph import StateGraphTables, open_tables

__getattr__ = names_of(
    __name__,
    {
        "StateGraphTables": "state_graph",
        "SparkOptions": "engine",
        "explore": "search",
        "open_tables": "state_graph",
    },
)

__all__ = ["StateGraphTables", "SparkOptions", "explore", "open_tables"]
