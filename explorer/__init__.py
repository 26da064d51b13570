"""The search over a model: both engines, results and traces. `explore(model)` is where to begin."""

from .result import Finding, Result
from .search import Limits, Progress, explore
from .trace import Trace

__all__ = ["Finding", "Limits", "Progress", "Result", "Trace", "explore"]
