"""Checks: every state within bounds, on one machine or on Spark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.explorer.search import Limits, Progress, explore
from neverlost.explorer.stores import explore as explore_in_folder
from neverlost.explorer.stores import resume as resume_in_folder
from neverlost.explorer.stores.manifest import engine_of
from neverlost.model.core import Model, Profile

from .arguments import ensure_kind, ensure_model, ensure_names, path_of
from .limits import sensible
from .models import profile_of_data
from .results import CheckResult

if TYPE_CHECKING:
    from neverlost.spark_explore.state_graph import StateGraphTables


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """The default engine, which compiles the model once and keeps the result. `workers` threads search.

    With a folder `store`, each complete level is kept there: `resume(store)` continues an interrupted search.
    """

    workers: int = 1
    store: str | Path | None = None


@dataclass(frozen=True)
class Interpreted:
    """The engine that runs the model's own Python: slow, and without a compiler."""


@dataclass(frozen=True, kw_only=True)
class Spark:
    """The engine that keeps a search in the folder `store`, level by level, and shards it over Spark. It needs the extra `spark`.

    `master` is the Spark to use, `shards` the number of parts of each level. `resume(store)` continues an interrupted search.
    """

    store: str | Path
    master: str = "local[*]"
    shards: int = 8
    keep_transitions: bool = False


Engine = Compiled | Interpreted | Spark


def check(
    model: Model,
    properties: Sequence[str] | None = None,
    *,
    until: str = "first",
    symmetry: bool | Sequence[str] = False,
    engine: Engine | None = None,
    limits: Limits | None = None,
    watch: Watch[Progress] | None = None,
) -> CheckResult:
    """Explore every state of a model, breadth first, and decide its properties.

    `properties` names what to assert; by default all that the profile asserts. `until` is "first" (stop at the first violation),
    "each" (when each property is decided) or "all". A question about one property that has reached half a million states does not
    expand those from which no run violates it, unless until "all", in a store or on Spark; `to_dict()["left_out"]` says how many.
    `symmetry` explores one state of each class that differs only by renaming replicas. `limits` end the search undecided; without
    any, the limit is three quarters of the free memory. `watch` follows the search, and can end it too.

    Raises NeverlostError for a wrong model, name or engine, and ArgumentError for an argument of another kind.

    >>> import neverlost as nl
    >>> model = nl.profile("kafka-2.1").model(acks="all", min_isr=2, leader_moves=1)
    >>> result = nl.check(model, ["acked_never_lost"], symmetry=True)
    >>> result.verdict, result.complete, result.distinct
    ('holds', True, 10564)
    >>> nl.check(model, watch=nl.Watch(interrupted=lambda: True)).stopped_by
    'interrupt'
    """
    ensure_model(model)
    ensure_names(properties, "properties")
    ensure_names(None if isinstance(symmetry, bool) else symmetry, "symmetry")
    ensure_kind(
        engine, "engine", "nl.Spark(store=FOLDER), nl.Compiled() or nl.Interpreted()", Spark, Compiled, Interpreted
    )
    chosen = Compiled() if engine is None else engine
    asked: dict[str, Any] = {
        "properties": properties,
        "until": until,
        "symmetry": symmetry,
        "limits": sensible(limits),
        "watch": watch or UNWATCHED,
    }
    if isinstance(chosen, Spark):
        from neverlost.spark_explore.engine import SparkOptions
        from neverlost.spark_explore.search import explore as explore_on_spark

        options = SparkOptions(store=Path(chosen.store), master=chosen.master)
        found = explore_on_spark(
            model, options, shards=chosen.shards, keep_transitions=chosen.keep_transitions, **asked
        )
        return CheckResult(found)
    if isinstance(chosen, Interpreted):
        return CheckResult(explore(model, engine="interpreted", without_harmless=True, **asked))
    if chosen.store is not None:
        return CheckResult(explore_in_folder(model, Path(chosen.store), workers=chosen.workers, **asked))
    return CheckResult(explore(model, workers=chosen.workers, without_harmless=True, **asked))


def resume(
    store: str | Path,
    *,
    workers: int = 1,
    master: str = "local[*]",
    profile_reference: str | None = None,
    limits: Limits | None = None,
    watch: Watch[Progress] | None = None,
) -> CheckResult:
    """Continue a search in a store after its last complete level; the result is the same as without the interruption.

    `workers` are threads of the compiled engine, `master` the Spark of a search on Spark. A search of a profile of your own needs its
    reference: a file is run only if you name it.
    Raises StoreError for a store of another model or another version of neverlost, and for one that is damaged.
    """
    folder, named = path_of(store, "store"), _profile_of(store, profile_reference)
    asked: dict[str, Any] = {"limits": sensible(limits), "watch": watch or UNWATCHED}
    if engine_of(folder) != "spark":
        return CheckResult(resume_in_folder(folder, named, workers=workers, **asked))
    from neverlost.spark_explore.engine import SparkOptions
    from neverlost.spark_explore.search import resume as resume_on_spark

    return CheckResult(resume_on_spark(SparkOptions(store=folder, master=master), named, **asked))


def state_graph(
    store: str | Path, *, master: str = "local[*]", profile_reference: str | None = None
) -> StateGraphTables:
    """Every state of a search on Spark as tables: `levels`, `states`, `variables`, `findings`, `actions`, and `sql` over them.

    docs/how-to/state-graph-notebook.md shows how to use them. Raises StoreError.
    """
    from neverlost.spark_explore.state_graph import open_tables

    return open_tables(path_of(store, "store"), _profile_of(store, profile_reference), master=master)


def _profile_of(store: str | Path, asked: str | None) -> Callable[[str], Profile]:
    """Finds the profile that a store names."""
    return lambda recorded: profile_of_data(recorded, asked, f"{store} is a search")
