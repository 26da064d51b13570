"""Adapters by name, or as `path/to/file.py:NAME` in a user's own file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from neverlost.explorer.loading import in_file, load_module
from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.model.core import Model, Step, UnknownNameError
from neverlost.spec.families import FAMILIES

from .adapter import MakeAdapter

KAFKA = "kafka"
"""The adapter of real brokers; it needs a release."""


@contextmanager
def kafka_adapters(
    version: str, mode: str | None, classes: str | None, *, watch: Watch[str] = UNWATCHED
) -> Iterator[MakeAdapter]:
    """What makes adapters for real brokers, on clusters that end with the context. Raises as `release_named` does."""
    from .cluster.clusters import Clusters
    from .cluster.kafka_adapter import KafkaAdapter
    from .cluster.releases import release_named

    with Clusters(release_named(version, mode, classes), watch=watch) as clusters:
        yield lambda model: KafkaAdapter(model, clusters)


def adapter_and_planner(reference: str) -> tuple[MakeAdapter, Callable[[Model, Sequence[Step]], object] | None]:
    """An adapter to ask for what it can do, and what refuses a run that its system cannot be made to do. For `kafka` no cluster starts.

    Raises as `adapter_named` does.
    """
    if reference != KAFKA:
        return adapter_named(reference), None
    from .cluster.kafka_adapter import KafkaAdapter
    from .cluster.planning import plan_of

    return KafkaAdapter.without_cluster, plan_of


def adapter_named(reference: str) -> MakeAdapter:
    """The function that makes an adapter for a model. Raises UnknownNameError, and LoadingError for a file that cannot be run."""
    if in_file(reference):
        path, _, name = reference.rpartition(":")
        module = load_module(Path(path))
        found = {key: value for key, value in vars(module).items() if callable(value)}
        if name not in found:
            raise UnknownNameError(f"adapter in {path}", name, found)
        make: MakeAdapter = found[name]
        return make
    known = in_process()
    if reference not in known:
        raise UnknownNameError("adapter", reference, [*known, KAFKA])
    return known[reference]()


@cache
def in_process() -> Mapping[str, Callable[[], MakeAdapter]]:
    """The adapters of what this project itself implements, by name: of every family that has a folder here, imported when called."""
    found = {}
    for family in FAMILIES:
        home = f"{__package__}.{family.name}"
        if find_spec(home) is not None:
            module = import_module(home)
            found[module.NAME] = module.in_process
    return found
