"""The search over a model: both engines, results and traces. Start with `explore(model)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .process.lazily import names_of

if TYPE_CHECKING:
    from .result import DecidedProperty, Result
    from .search import Limits, Progress, explore
    from .traces.trace import Trace

__getattr__ = names_of(
    __name__,
    {
        "DecidedProperty": "result",
        "Limits": "search",
        "Progress": "search",
        "Result": "result",
        "Trace": "traces.trace",
        "explore": "search",
    },
)

__all__ = ["DecidedProperty", "Limits", "Progress", "Result", "Trace", "explore"]
