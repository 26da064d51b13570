"""The search on Spark: `explore(model, store=...)` starts one, `resume(folder)` resumes one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

import pyarrow as pa

from neverlost.explorer import Limits, Progress, Result
from neverlost.explorer import explore as explore_with
from neverlost.explorer.engines.engine import Engine
from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.explorer.result_json import result_values
from neverlost.explorer.search import decided_properties
from neverlost.explorer.stores.folder import alone_in
from neverlost.explorer.stores.identity import (
    KeptSearch,
    StoreError,
    ensure_of,
    identity_values,
    kept_search,
    refuse_another,
)
from neverlost.explorer.stores.manifest import MANIFEST
from neverlost.explorer.symmetry import Symmetry, symmetry_of
from neverlost.explorer.traces.trace_json import trace_json
from neverlost.explorer.words import counted
from neverlost.model.arguments import argument
from neverlost.model.core import Model, Profile, Property, SymmetryError

from .engine import SparkEngine, SparkOptions
from .manifest import ENGINE, ShardedIdentity, read_manifest
from .session import JAVA_ENDED, JavaEndedError
from .store import Store
from .tables import write_table

TEXT, COUNT = pa.string(), pa.int64()
FINDINGS = pa.schema(
    {
        "property": TEXT,
        "kind": TEXT,
        "statement": TEXT,
        "asserted": pa.bool_(),
        "verdict": TEXT,
        "violating_states": COUNT,
        "trace_length": COUNT,
        "trace": TEXT,
    }
)

SHARDS = 8
"""Enough for some ten million new states per level within 2 GiB; more shards cost time at every level."""


def explore(
    model: Model,
    options: SparkOptions,
    *,
    shards: int = SHARDS,
    keep_transitions: bool = False,
    properties: Sequence[str] | None = None,
    until: str = "first",
    symmetry: bool | Sequence[str] = False,
    limits: Limits | None = None,
    watch: Watch[Progress] = UNWATCHED,
) -> Result:
    """Explore every state of `model`, and keep them in a store; resume if the store has a part of the same search.

    The result is that of `neverlost.explorer.explore`. Raises what that raises, StoreError if the store belongs to another
    search, is damaged, or is in use by another process, JavaError and SparkError.
    """
    if symmetry and keep_transitions:
        raise SymmetryError(
            "kept transitions are steps between actual states, but a search with symmetry has only one state of each class;"
            f" leave out {argument('symmetry')} or {argument('keep_transitions')}"
        )
    asserted, decided = decided_properties(model.profile, properties)
    chosen = symmetry_of(model, symmetry, decided)
    identity = ShardedIdentity(
        engine=ENGINE,
        **identity_values(model, chosen, asserted, decided, until),
        shards=shards,
        keep_transitions=keep_transitions,
    )
    with alone_in(options.store):
        store = opened(options.store, identity)
        ensure_of(model, options.store, identity, [level.generated for level in store.levels])
        engines: list[SparkEngine] = []

        def made(model: Model, properties: Sequence[Property], symmetry: Symmetry) -> Engine:
            engines.append(SparkEngine(model, properties, symmetry, store, options))
            return engines[0]

        try:
            result = explore_with(
                model,
                engine=made,
                properties=properties,
                until=until,
                symmetry=symmetry,
                limits=limits,
                watch=watch,
            )
            # Spark is started later, at the first large level.
            result = replace(result, seconds=result.seconds - engines[0].spark_seconds)
            finish(store, result)
        except JavaEndedError as error:
            raise JavaEndedError(
                f"{JAVA_ENDED}; {_kept(store)}; resume with `neverlost resume {quote(str(options.store))}`"
            ) from error
        except OSError as error:
            raise StoreError(f"{error.filename or options.store}: {error.strerror or error}; {_kept(store)}") from error
    return result


@dataclass(frozen=True, kw_only=True)
class KeptOnSpark(KeptSearch):
    """The search in a store of the Spark engine, as arguments of `explore`."""

    shards: int
    keep_transitions: bool


def kept_on_spark(folder: Path, profile_named: Callable[[str], Profile]) -> KeptOnSpark:
    """Read the search that a store has; `profile_named` finds the profile that the store names. Raises StoreError."""
    identity = read_manifest(folder).identity
    kept = kept_search(folder, identity, profile_named)
    return KeptOnSpark(**vars(kept), shards=identity.shards, keep_transitions=identity.keep_transitions)


def resume(
    options: SparkOptions,
    profile_named: Callable[[str], Profile],
    *,
    limits: Limits | None = None,
    watch: Watch[Progress] = UNWATCHED,
) -> Result:
    """Continue the search that a store has, after its last complete level. Raises as `kept_on_spark` and `explore` do."""
    kept = kept_on_spark(options.store, profile_named)
    return explore(
        kept.model,
        options,
        shards=kept.shards,
        keep_transitions=kept.keep_transitions,
        properties=kept.properties,
        until=kept.until,
        symmetry=kept.symmetry,
        limits=limits,
        watch=watch,
    )


def _kept(store: Store) -> str:
    """How far an interrupted search got."""
    return f"{counted(len(store.levels), 'complete level')} {'is' if len(store.levels) == 1 else 'are'} kept"


def finish(store: Store, result: Result) -> None:
    """Write the result of a search to its store, as tables and in the manifest."""
    store.finish((), None)
    values = result_values(result)
    shown = result.findings.values()
    findings: dict[str, list[Any]] = {
        "property": [f.property.name for f in shown],
        "kind": [f.property.kind for f in shown],
        "statement": [f.property.statement for f in shown],
        "asserted": [f.asserted for f in shown],
        "verdict": [f.verdict for f in shown],
        "violating_states": [f.violating_states for f in shown],
        "trace_length": [None if f.trace is None else len(f.trace) for f in shown],
        "trace": [None if f.trace is None else trace_json(f.trace) for f in shown],
    }
    actions = {
        "action": list(result.generated_by_action),
        "generated": list(result.generated_by_action.values()),
        "dead": [name in result.dead_actions for name in result.generated_by_action],
    }
    tables = [
        write_table(store.folder, "findings/findings.parquet", pa.table(findings, schema=FINDINGS)),
        write_table(store.folder, "actions/actions.parquet", pa.table(actions)),
    ]
    store.finish(tables, {name: value for name, value in values.items() if name != "properties"})


def opened(folder: Path, identity: ShardedIdentity) -> Store:
    """The store of a search: a new one, or the existing one of the same search."""
    if not (folder / MANIFEST).exists():
        return Store.created(folder, identity)
    store = Store.opened(folder)
    refuse_another(folder, store.identity, identity)
    store.remove_leftovers()
    return store
