"""Can an acknowledged Kafka record be lost, duplicated, reordered, or read and then vanish?

    import neverlost as nl

    model = nl.profile("kafka-3.7").model(acks="all", min_isr=2, power_losses=1)
    result = nl.check(model, ["acked_never_lost"], symmetry=True)
    result.assert_holds()

docs/reference/python.md has every name with an example.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .explorer.process.lazily import names_of

if TYPE_CHECKING:
    from .api.auditing import Audit, audit
    from .api.checking import Compiled, Interpreted, Spark, check, resume, state_graph
    from .api.comparing import Comparison, compare
    from .api.conforming import Conformance, conform, suite
    from .api.histories import History, history
    from .api.installed import __version__
    from .api.matrices import Matrix, matrix
    from .api.models import Model, Profile, profile, profiles
    from .api.proving import Proof, prove
    from .api.results import CheckResult, Finding, PropertyNotHeldError
    from .api.traces import Trace, load_trace
    from .explorer.process.watch import Watch
    from .explorer.search import Limits, Progress
    from .model.core.errors import NeverlostError
    from .reports.schemas import schema

__all__ = [
    "profile", "profiles", "check", "resume", "state_graph", "prove", "audit", "matrix", "compare", "conform", "suite",
    "history", "load_trace", "schema",
    "Model", "Profile", "Compiled", "Interpreted", "Spark", "Limits", "Watch", "Progress",
    "CheckResult", "Finding", "Trace", "Proof", "Audit", "Matrix", "Comparison", "Conformance", "History",
    "NeverlostError", "PropertyNotHeldError", "__version__",
]  # fmt: skip

_HOMES = {
    "api.auditing": ("Audit", "audit"),
    "api.checking": ("Compiled", "Interpreted", "Spark", "check", "resume", "state_graph"),
    "api.comparing": ("Comparison", "compare"),
    "api.conforming": ("Conformance", "conform", "suite"),
    "api.histories": ("History", "history"),
    "api.installed": ("__version__",),
    "api.matrices": ("Matrix", "matrix"),
    "api.models": ("Model", "Profile", "profile", "profiles"),
    "api.proving": ("Proof", "prove"),
    "api.results": ("CheckResult", "Finding", "PropertyNotHeldError"),
    "api.traces": ("Trace", "load_trace"),
    "explorer.process.watch": ("Watch",),
    "explorer.search": ("Limits", "Progress"),
    "model.core.errors": ("NeverlostError",),
    "reports.schemas": ("schema",),
}

__getattr__ = names_of(__name__, {name: home for home, names in _HOMES.items() for name in names})


def __dir__() -> list[str]:
    return sorted(__all__)
