"""How the commands of an operator reach the process that holds the cluster: JSON lines over a Unix socket in its folder."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from neverlost.explorer.files.held import hold, left_behind
from neverlost.model.arguments import argument
from neverlost.model.core import NeverlostError

from .class_path import cache_folder
from .releases import ClusterError, RunnableRelease, release_named

SOCKET, ABOUT = "commands", "cluster.json"
LONGEST = 100
"""How long the path of a Unix socket may be; systems differ, and this is below them all."""
ANSWER_SECONDS = 240.0
READ_SECONDS = 5.0


@dataclass(frozen=True, kw_only=True)
class RunningCluster:
    """What a command has to know of a cluster that another process holds."""

    version: str
    mode: str
    topic: str
    replicas: tuple[int, ...]
    controlling: int
    client_ports: Mapping[str, int]
    folder: str

    @property
    def release(self) -> RunnableRelease:
        """The release that the brokers run."""
        return release_named(self.version, self.mode)

    def port(self, broker: int) -> int:
        """Where clients find a broker."""
        return self.client_ports[str(broker)]

    def ask(self, **request: Any) -> dict[str, Any]:
        """Have the process that holds the cluster do something. Raises ClusterError with what it says if it cannot."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(ANSWER_SECONDS)
                connection.connect(str(Path(self.folder) / SOCKET))
                connection.sendall(json.dumps(request).encode() + b"\n")
                with connection.makefile("rb") as lines:
                    line = lines.readline()
        except TimeoutError:
            raise ClusterError(f"the cluster in {self.folder} does not answer within {ANSWER_SECONDS:g} s") from None
        except OSError:
            raise not_running(self.folder) from None
        if not line:
            raise not_running(self.folder)
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise ClusterError(answer["error"])
        return answer


def not_running(folder: str | Path) -> ClusterError:
    """The error that no cluster is there."""
    return ClusterError(f"no cluster runs in {folder}; neverlost cluster up starts one")


def _register() -> Path:
    """Where every cluster that runs has a file with the path of its folder, which its process keeps locked."""
    return cache_folder() / "clusters"


def folders_in_use() -> list[str]:
    """The folders of all clusters that run. What killed processes left is removed."""
    found = []
    for path in sorted(_register().glob("*.cluster")):
        with suppress(OSError), left_behind(path) as left:
            if left:
                path.unlink()
            else:
                found.append(path.read_text(encoding="utf-8"))
    return found


def running_cluster(folder: str | None) -> RunningCluster:
    """The cluster in a folder; if none is named, the only one that runs. Raises ClusterError if there is none, or several."""
    if folder is None:
        running = folders_in_use()
        if not running:
            raise ClusterError(f"no cluster runs; neverlost cluster up starts one, and {argument('folder')} names one")
        if len(running) > 1:
            raise ClusterError(
                f"{len(running)} clusters run; {argument('folder')} says which: {', '.join(sorted(running))}"
            )
        (folder,) = running
    try:
        values = json.loads((Path(folder) / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise not_running(folder) from None
    return RunningCluster(**values | {"replicas": tuple(values["replicas"])})


class Served:
    """Takes the requests to a cluster, one after the other, in the thread that holds it."""

    def __init__(self, about: RunningCluster) -> None:
        self.about, self.folder = about, Path(about.folder)
        path = str(self.folder / SOCKET)
        if len(os.fsencode(path)) > LONGEST:
            raise ClusterError(f"{path} is too long for the path of a Unix socket; name a shorter folder")
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(path)
        os.chmod(path, 0o600)
        self.server.listen()

    def __enter__(self) -> Self:
        (self.folder / ABOUT).write_text(json.dumps(asdict(self.about)) + "\n", encoding="utf-8")
        _register().mkdir(parents=True, exist_ok=True)
        self.entry = _register() / f"{hashlib.sha256(self.about.folder.encode()).hexdigest()[:16]}.cluster"
        self.locked = hold(self.entry, self.about.folder.encode())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server.close()
        for name in (SOCKET, ABOUT):
            (self.folder / name).unlink(missing_ok=True)
        self.entry.unlink(missing_ok=True)
        self.locked.close()

    def answer_next(self, answer: Callable[[Mapping[str, Any]], dict[str, Any]], seconds: float) -> None:
        """Answer a request, if one comes within so many seconds. An interruption is answered too, and goes on."""
        self.server.settimeout(seconds)
        try:
            connection, _ = self.server.accept()
        except TimeoutError:
            return
        with connection, suppress(OSError, ValueError):
            connection.settimeout(READ_SECONDS)
            with connection.makefile("rb") as lines:
                request = json.loads(lines.readline())
            try:
                found = answer(request)
            except (NeverlostError, OSError, LookupError) as error:
                found = {"error": str(error)}
            except KeyboardInterrupt:
                _send(connection, {"error": "the cluster ends: it was interrupted"})
                raise
            _send(connection, found)


def _send(connection: socket.socket, answer: Mapping[str, Any]) -> None:
    connection.sendall(json.dumps(answer).encode() + b"\n")
