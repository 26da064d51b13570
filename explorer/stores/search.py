"""The search of the compiled engine in a folder: `explore(model, folder)` starts or continues one, `resume(folder)` continues one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from neverlost.model.core import Model, Profile, Property

from ..engines.engine import Engine
from ..process.watch import UNWATCHED, Watch
from ..result import Result
from ..search import Limits, Progress, decided_properties
from ..search import explore as explore_with
from ..symmetry import Symmetry, symmetry_of
from ..words import counted
from .engine import StoredEngine
from .folder import alone_in
from .identity import Identity, KeptSearch, StoreError, ensure_of, identity_values, kept_search, refuse_another
from .levels import ENGINE, LevelsManifest, LevelStore
from .manifest import MANIFEST, read_manifest


def explore(
    model: Model,
    folder: Path,
    *,
    workers: int = 1,
    properties: Sequence[str] | None = None,
    until: str = "first",
    symmetry: bool | Sequence[str] = False,
    limits: Limits | None = None,
    watch: Watch[Progress] = UNWATCHED,
) -> Result:
    """Explore every state of `model`, and keep each complete level in a folder; continue if the folder has a part of the same search.

    The result is that of `neverlost.explorer.explore`. Raises what that raises, and StoreError if the folder belongs to another
    search, is damaged, or is in use by another process.
    """
    asserted, decided = decided_properties(model.profile, properties)
    chosen = symmetry_of(model, symmetry, decided)
    identity = Identity(engine=ENGINE, **identity_values(model, chosen, asserted, decided, until))
    with alone_in(folder):
        store = _opened(folder, identity)
        ensure_of(model, folder, identity, [level.generated for level in store.levels])

        def made(model: Model, properties: Sequence[Property], symmetry: Symmetry) -> Engine:
            return StoredEngine(model, properties, symmetry, workers, store)

        try:
            return explore_with(
                model,
                engine=made,
                properties=properties,
                until=until,
                symmetry=symmetry,
                limits=limits,
                watch=watch,
            )
        except OSError as error:
            kept = f"{counted(len(store.levels), 'complete level')} {'is' if len(store.levels) == 1 else 'are'} kept"
            raise StoreError(f"{error.filename or folder}: {error.strerror or error}; {kept}") from error
        finally:
            store.remove_leftovers()


def stored_search(folder: Path, profile_named: Callable[[str], Profile]) -> KeptSearch:
    """Read the search that a folder has; `profile_named` finds the profile that it names. Raises StoreError."""
    return kept_search(folder, read_manifest(folder, LevelsManifest, ENGINE).identity, profile_named)


def resume(
    folder: Path,
    profile_named: Callable[[str], Profile],
    *,
    workers: int = 1,
    limits: Limits | None = None,
    watch: Watch[Progress] = UNWATCHED,
) -> Result:
    """Continue the search that a folder has, after its last complete level. Raises as `stored_search` and `explore` do."""
    kept = stored_search(folder, profile_named)
    return explore(
        kept.model,
        folder,
        workers=workers,
        properties=kept.properties,
        until=kept.until,
        symmetry=kept.symmetry,
        limits=limits,
        watch=watch,
    )


def _opened(folder: Path, identity: Identity) -> LevelStore:
    """The store of a search: a new one, or the existing one of the same search."""
    if not (folder / MANIFEST).exists():
        return LevelStore.created(folder, identity)
    store = LevelStore.opened(folder)
    refuse_another(folder, store.manifest.identity, identity)
    store.remove_leftovers()
    return store
