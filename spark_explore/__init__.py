"""The same search on Spark: sharded, resumable, and the state graph as tables. `explore(model, Where(store=...))` begins one."""

from .manifest import StoreError
from .model_of import model_of
from .search import Where, explore
from .state_graph import StateGraphTables, open_tables

__all__ = ["StateGraphTables", "StoreError", "Where", "explore", "model_of", "open_tables"]
