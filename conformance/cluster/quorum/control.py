"""A quorum of controllers of their own, beside the brokers: nodes 101, 102, ... with a directory each."""

from __future__ import annotations

import base64
import json
import os
import shutil
import threading
import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..control import CONTROLLING
from ..debugging import AGENT
from ..gates import CONTROLLER, Node
from ..kraft import FORMAT_SECONDS, METADATA_LOG_FOLDER, KRaftControl
from ..log_files import ENTRY
from ..releases import ClusterError
from ..wire import HOST, QuorumState

if TYPE_CHECKING:
    from ..cluster import Cluster

QUORUM_STATE = "quorum-state"
OWN = ("node.id", "directory.id")
"""What meta.properties has of the controller itself."""
LONG_MS = 600_000
"""A time that does not end within a run."""
FIRST_DYNAMIC = (3, 9)
"""The first release in which voters can have directory ids (KIP-853)."""


@dataclass(frozen=True, kw_only=True)
class Quorum:
    """How many controllers there are, and how.

    With `kraft_version` 1 voters are ids with directories, and `auto_join` lets a controller become a voter by itself. A steered
    quorum does nothing by itself: only controllers in `eager` ask for votes, at the start `first` alone, and each controller is a
    destination of its own at the gates. With `keeps_directory_ids` a lost directory is formatted as at first, with the id that it had
    (`--initial-controllers`), else without initial controllers. `debugged` names the controllers that take a debugger.
    """

    controllers: int
    kraft_version: int = 0
    auto_join: bool = False
    steered: bool = False
    first: int = 1
    keeps_directory_ids: bool = False
    debugged: tuple[int, ...] = ()


def node_of(controller: int) -> int:
    """The node of controller 1, 2, ..."""
    return CONTROLLING + controller


@dataclass(frozen=True, kw_only=True)
class Batch:
    """A batch of the metadata log, as it lies on disk: where it begins and ends, its epoch, and its bytes."""

    base: int
    end: int
    epoch: int
    data: bytes


class QuorumControl(KRaftControl):
    """Controllers that are no brokers; node 100 is a broker without replicas, which is asked for what clients may know."""

    def __init__(self, cluster: Cluster, ports: Sequence[int], quorum: Quorum) -> None:
        if quorum.kraft_version and cluster.release.number < FIRST_DYNAMIC:
            raise ClusterError(f"Kafka {cluster.release} knows no directory ids of voters (KIP-853, 3.9)")
        self.cluster, self.quorum = cluster, quorum
        self.controllers = tuple(range(1, quorum.controllers + 1))
        rest = iter(ports)
        self.ports = {c: (next(rest), next(rest)) for c in self.controllers}
        """Of each controller the port that it listens on, and the one where others find it."""
        for controller, (port, proxy) in self.ports.items():
            cluster.gates.listen(self.gate_of(controller), proxy, port)
        self.cluster_id = _random_id()
        self.eager: dict[int, tuple[int, int]] = {}
        """Of controllers that ask for votes: the times without a leader, and without an election, after which they do so."""
        self._first = {c: _random_id() for c in self.controllers}
        self._kept: set[int] = set()
        self._leaving: set[int] = set()
        self._beating = threading.Lock()
        self._closing = threading.Event()

    def gate_of(self, controller: int) -> Node:
        """How the gates name a controller as a destination."""
        return node_of(controller) if self.quorum.steered else CONTROLLER

    def active_port(self) -> int:
        """The port of the controller that leads in the newest epoch. Raises ClusterError if none does."""
        leading = {state.epoch: c for c in self.controllers if (state := self.state_of(c)) is not None}
        if not leading:
            raise ClusterError("no controller leads")
        return self.ports[leading[max(leading)]][0]

    # What is configured

    def properties(self, node: int) -> Mapping[str, str]:
        """Of a broker."""
        return {
            "process.roles": "broker",
            "node.id": str(node),
            **self._of_quorum(),
            "listener.security.protocol.map": (
                f"{self.cluster.listeners(node)['listener.security.protocol.map']},CONTROLLER:PLAINTEXT"
            ),
            "broker.heartbeat.interval.ms": "100",
            "controller.quorum.fetch.timeout.ms": str(LONG_MS),
            "controller.quorum.request.timeout.ms": "1000",
        }

    def _of_quorum(self) -> dict[str, str]:
        ids = [f"{node_of(c)}@{HOST}:{proxy}" for c, (_, proxy) in self.ports.items()]
        name = "controller.quorum.bootstrap.servers" if self.quorum.kraft_version else "controller.quorum.voters"
        places = [place.partition("@")[2] for place in ids] if self.quorum.kraft_version else ids
        return {"controller.listener.names": "CONTROLLER", name: ",".join(places)}

    def _write_properties(self, controller: int) -> None:
        port, proxy = self.ports[controller]
        values = {
            "process.roles": "controller",
            "node.id": str(node_of(controller)),
            **self._of_quorum(),
            "listeners": f"CONTROLLER://{HOST}:{port}",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT",
            "log.dirs": str(self.directory(controller)),
            "broker.session.timeout.ms": "6000" if self.quorum.steered else "2500",
            "unclean.leader.election.interval.ms": "500",
            "metadata.max.idle.interval.ms": "0",
            "num.network.threads": "2",
            "num.io.threads": "2",
        }
        if self.cluster.release.number >= FIRST_DYNAMIC:
            values["advertised.listeners"] = f"CONTROLLER://{HOST}:{proxy}"
        if self.quorum.auto_join:
            values["controller.quorum.auto.join.enable"] = "true"
        if self.quorum.steered:
            fetch, election = self.eager.get(controller, (LONG_MS, LONG_MS))
            values |= {
                "controller.quorum.fetch.timeout.ms": str(fetch),
                "controller.quorum.election.timeout.ms": str(election),
                "controller.quorum.election.backoff.max.ms": "1000",
                "controller.quorum.request.timeout.ms": str(LONG_MS),
            }
        text = "".join(f"{name}={value}\n" for name, value in values.items())
        self.cluster.properties_file(node_of(controller)).write_text(text, encoding="utf-8")

    # Start and end

    def start(self) -> None:
        """Format every directory, start the controllers, then node 100."""
        for controller in self.controllers:
            self.format_directories(controller)
        for broker in self.cluster.nodes:
            self.format(broker)
        if self.quorum.steered:
            self.eager[self.quorum.first] = (LONG_MS, 1000)
        for controller in self.controllers:
            self.start_controller(controller)
        self.cluster.start_node(CONTROLLING)
        threading.Thread(target=self._keep_sessions, daemon=True).start()

    def format_directories(self, controller: int, *, again: bool = False) -> None:
        """Format the metadata directory of a controller as an operator does, at first or `again` after it was lost."""
        self._write_properties(controller)
        self.directory(controller).mkdir()
        arguments = ["format", "-t", self.cluster_id, "-c", str(self.cluster.properties_file(node_of(controller)))]
        if self.quorum.kraft_version and again and not self.quorum.keeps_directory_ids:
            arguments.append("--no-initial-controllers")
        elif self.quorum.kraft_version:
            voters = [f"{node_of(c)}@{HOST}:{proxy}:{self._first[c]}" for c, (_, proxy) in self.ports.items()]
            arguments += ["--initial-controllers", ",".join(voters)]
        tool = self.cluster.run_java(f"format{node_of(controller)}", "kafka.tools.StorageTool", arguments)
        self.cluster.until(tool.has_ended, FORMAT_SECONDS, "the formatted storage")
        if tool.process.returncode:
            raise self.cluster.why_ended("the format tool", tool)

    def start_controller(self, controller: int) -> None:
        """Start the process of a controller."""
        node = node_of(controller)
        self._write_properties(controller)
        more = [AGENT] if controller in self.quorum.debugged else []
        properties = [str(self.cluster.properties_file(node))]
        self.cluster.processes[node] = self.cluster.run_java(f"node{node}", "kafka.Kafka", properties, more=more)
        self.cluster.dead.discard(node)

    def answers(self, controller: int) -> bool:
        """Does a controller answer? Raises OSError if it does not."""
        self.cluster.wire.quorum_state(self.ports[controller][0])
        return True

    def kill_controller(self, controller: int) -> None:
        """Kill the process of a controller, if it runs."""
        node = node_of(controller)
        self.cluster.dead.add(node)
        if node in self.cluster.processes:
            self.cluster.processes[node].kill()
        self.cluster.gates.source_died(node)

    def runs(self, controller: int) -> bool:
        """Does the process of a controller run?"""
        process = self.cluster.processes.get(node_of(controller))
        return process is not None and not process.has_ended()

    # What can be seen

    def state_of(self, controller: int) -> QuorumState | None:
        """What a controller says of the quorum; None if it does not lead, or does not answer."""
        if not self.runs(controller):
            return None
        with suppress(OSError):
            return self.cluster.wire.quorum_state(self.ports[controller][0])
        return None

    def directory(self, controller: int) -> Path:
        """The metadata directory of a controller."""
        return self.cluster.folder / f"data{node_of(controller)}"

    def log_folder(self, controller: int) -> Path:
        """Where a controller has its metadata log."""
        return self.directory(controller) / METADATA_LOG_FOLDER

    def on_disk(self, controller: int) -> dict[str, Any]:
        """The file quorum-state of a controller: `leaderId`, `leaderEpoch`, `votedId`, ...; empty if it has none."""
        file = self.log_folder(controller) / QUORUM_STATE
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        return found

    def log(self, controller: int) -> list[Batch]:
        """The batches of a controller's metadata log, as written up to now."""
        found: list[Batch] = []
        for segment in sorted(self.log_folder(controller).glob("*.log")):
            found += batches_of(segment.read_bytes())
        return found

    def log_end(self, controller: int) -> int:
        """Where a controller's metadata log ends; 0 if it is empty."""
        log = self.log(controller)
        return log[-1].end if log else 0

    def named(self, nodes: Collection[int]) -> list[str]:
        """Controllers by their nodes, as an operator writes them."""
        return [f"c{node - CONTROLLING}" for node in sorted(nodes)]

    # What may happen to a directory

    def lose_directory(self, controller: int) -> None:
        """Remove the directory of a controller that does not run, and format a new one."""
        shutil.rmtree(self.directory(controller))
        self.format_directories(controller, again=True)

    def lose_quorum_state(self, controller: int) -> None:
        """Delete the file quorum-state of a controller that does not run."""
        (self.log_folder(controller) / QUORUM_STATE).unlink()

    def keep_copy(self, controller: int) -> None:
        """Copy the directory of a controller that does not run, to be restored later."""
        shutil.copytree(self.directory(controller), self._copy(controller))

    def restore_copy(self, controller: int) -> None:
        """Replace the directory of a controller that does not run by the copy."""
        shutil.rmtree(self.directory(controller))
        shutil.copytree(self._copy(controller), self.directory(controller))

    def borrow_copy(self, controller: int, source: int) -> None:
        """Replace the directory of a controller that does not run by a copy of another's, with its own node id written into it.

        With `kraft.version` 1 it gets a directory id that no voter has.
        """
        shutil.rmtree(self.directory(controller))
        shutil.copytree(self.directory(source), self.directory(controller))
        about = self.directory(controller) / "meta.properties"
        lines = [line for line in about.read_text(encoding="ascii").splitlines() if line.partition("=")[0] not in OWN]
        lines += [f"node.id={node_of(controller)}", f"directory.id={_random_id()}"]
        about.write_text("\n".join([*lines, ""]), encoding="ascii")

    def _copy(self, controller: int) -> Path:
        return self.cluster.folder / f"copy{node_of(controller)}"

    def lose_tail(self, controller: int, kept: int) -> None:
        """Cut off what a power loss takes: the batches from the offset `kept` on. The controller must not run."""
        for segment in sorted(self.log_folder(controller).glob("*.log")):
            at = 0
            for batch in batches_of(segment.read_bytes()):
                if batch.base >= kept:
                    os.truncate(segment, at)
                    break
                at += len(batch.data)

    def close(self) -> None:
        """Send no more heartbeats."""
        self._closing.set()


def batches_of(data: bytes) -> list[Batch]:
    """The batches in the bytes of a segment; what is cut off at the end is left out."""
    found, at = [], 0
    while at + ENTRY + 49 <= len(data):
        base = int.from_bytes(data[at : at + 8], "big")
        size = ENTRY + int.from_bytes(data[at + 8 : at + ENTRY], "big")
        if size == ENTRY or at + size > len(data):
            break
        epoch = int.from_bytes(data[at + 12 : at + 16], "big")
        last = int.from_bytes(data[at + 23 : at + 27], "big")
        found.append(Batch(base=base, end=base + last + 1, epoch=epoch, data=data[at : at + size]))
        at += size
    return found


def _random_id() -> str:
    return base64.urlsafe_b64encode(uuid.uuid4().bytes)[:22].decode().replace("-", "A")
