"""The same search on Spark: sharded, resumable, and the state graph as tables. `explore(model, Where(store=...))` begins one."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .engine import Where
    from .manifest import StoreError
    from .model_of import model_of
    from .search import explore
    from .state_graph import StateGraphTables, open_tables

_HOME = {
    "StateGraphTables": "state_graph",
    "StoreError": "manifest",
    "Where": "engine",
    "explore": "search",
    "model_of": "model_of",
    "open_tables": "state_graph",
}


def __getattr__(name: str) -> Any:
    """A public name, imported when it is asked for: the command line lists what is here, and must not load NumPy for it."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


__all__ = ["StateGraphTables", "StoreError", "Where", "explore", "model_of", "open_tables"]
