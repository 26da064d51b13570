"""The pods of a workload of Kubernetes, and what was read of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..configuration_file import ConfigurationFile
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import Notice
from .yaml_documents import Mapping


@dataclass(kw_only=True)
class WorkloadsRead:
    """What was read of a file's workloads. `containers` and `read` are the containers and the documents, by identity.

    `taken` are the keys of ConfigMaps that brokers take variables from, with the identity of the ConfigMap.
    """

    files: list[ConfigurationFile] = field(default_factory=list)
    containers: set[int] = field(default_factory=set)
    taken: set[tuple[int, str]] = field(default_factory=set)
    read: set[int] = field(default_factory=set)


@dataclass(frozen=True, kw_only=True)
class Pod:
    """The pods of a workload: their parts, where the workload stands, and what holds variables beside it."""

    kind: str
    name: str
    path: str
    document: Mapping
    parts: Mapping
    holders: Sequence[Mapping]

    def notice(self, what: str, why: str = WHY, advice: str = "", line: int | None = None) -> Notice:
        """A notice about these pods."""
        at = self.document.line if line is None else line
        return Notice(what=f"{self.kind} {self.name}: {what}", why=why, advice=advice, file=self.path, line=at)

    def holder(self, kind: str, name: str) -> list[Mapping]:
        """The ConfigMaps or Secrets of this name, in the namespace of the workload."""
        where = self.document.text("metadata", "namespace")
        return [
            one
            for one in self.holders
            if (one.text("kind"), one.text("metadata", "name")) == (kind, name)
            and (where is None or one.text("metadata", "namespace") in (None, where))
        ]
