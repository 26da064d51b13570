"""One cluster for many runs: kept while runs can share it, started anew for another lag time or after trouble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from neverlost.explorer.process.watch import UNWATCHED, Watch

from .cluster import PATIENT_MS, SHORT_LAG_MS, Cluster
from .releases import RunnableRelease

BROKERS = 3


class Clusters:
    """Clusters of a release, at most one at a time. Use it as a context."""

    def __init__(
        self,
        release: RunnableRelease,
        *,
        brokers: int = BROKERS,
        settings: Mapping[str, str] | None = None,
        upgraded: Mapping[int, RunnableRelease] | None = None,
        debugged: Sequence[int] = (),
        keep: bool = False,
        watch: Watch[str] = UNWATCHED,
    ) -> None:
        self.release, self.brokers, self.keep, self.watch = release, brokers, keep, watch
        self.settings, self.upgraded, self.debugged = dict(settings or {}), dict(upgraded or {}), debugged
        self.folders: list[Path] = []
        """The data of clusters that were kept, or that had trouble."""
        self._cluster: Cluster | None = None

    def __enter__(self) -> Clusters:
        return self

    def __exit__(self, *_: object) -> None:
        self._end(keep=self.keep)

    def for_run(self, *, shrinks: bool) -> Cluster:
        """A running cluster for a run in which the ISR shrinks, or does not. Raises ClusterError if it does not start."""
        lag_ms = SHORT_LAG_MS if shrinks else PATIENT_MS
        if self._cluster is not None and self._cluster.lag_ms != lag_ms:
            self._end(keep=self.keep)
        if self._cluster is None:
            cluster = Cluster(
                self.release,
                brokers=self.brokers,
                lag_ms=lag_ms,
                settings=self.settings,
                upgraded=self.upgraded,
                debugged=self.debugged,
                keep=True,
                watch=self.watch,
            )
            self._cluster = cluster.__enter__()
        return self._cluster

    def discard(self) -> None:
        """End a cluster that had trouble, and keep its data; the next run gets a new one."""
        self._end(keep=True)

    def _end(self, *, keep: bool) -> None:
        cluster, self._cluster = self._cluster, None
        if cluster is None:
            return
        cluster.keep = keep
        cluster.__exit__(None, None, None)
        if keep:
            self.folders.append(cluster.folder)
