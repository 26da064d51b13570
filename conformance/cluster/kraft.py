"""A cluster in KRaft mode: node 100 is controller and broker in one process."""

from __future__ import annotations

import base64
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from .control import CONTROLLING
from .gates import CONTROL, CONTROLLER, HEARTBEAT, METADATA_LOG, SHUTDOWN, Node
from .releases import ClusterError
from .steps.news_in_kraft import KRaftNews
from .wire import HOST, PREFERRED, UNCLEAN, PartitionState

if TYPE_CHECKING:
    from .cluster import Cluster
    from .steps.partition_run import PartitionRun

FORMAT_SECONDS = 60.0
HEARTBEAT_SECONDS = 0.25
METADATA_LOG_FOLDER = "__cluster_metadata-0"


class KRaftControl:
    """Node 100's controller; requests to it go through a proxy of its own."""

    destination: Node = CONTROLLER
    absent: tuple[str, ...] = (CONTROL, SHUTDOWN)

    def __init__(self, cluster: Cluster, ports: Sequence[int]) -> None:
        self.cluster = cluster
        self.port, self.proxy_port = ports[:2]
        cluster.gates.listen(CONTROLLER, self.proxy_port, self.port)
        self.cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes)[:22].decode().replace("-", "A")
        self._kept: set[int] = set()
        self._leaving: set[int] = set()
        self._beating = threading.Lock()
        self._closing = threading.Event()

    def properties(self, node: int) -> Mapping[str, str]:
        """Roles, the quorum, and times so that nothing happens by itself."""
        listeners, controlling = self.cluster.listeners(node), node == CONTROLLING
        both = ",CONTROLLER://{}:{}"
        found = {
            "process.roles": "broker,controller" if controlling else "broker",
            "node.id": str(node),
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": f"{CONTROLLING}@{HOST}:{self.proxy_port}",
            "listener.security.protocol.map": f"{listeners['listener.security.protocol.map']},CONTROLLER:PLAINTEXT",
            "broker.heartbeat.interval.ms": "25" if controlling else "100",
            "broker.session.timeout.ms": "2500",
            "unclean.leader.election.interval.ms": "500",
            "metadata.max.idle.interval.ms": "0",
        }
        if controlling:
            found["listeners"] = listeners["listeners"] + both.format(HOST, self.port)
            if self.cluster.release.number >= (3, 9):
                found["advertised.listeners"] = listeners["advertised.listeners"] + both.format(HOST, self.proxy_port)
        else:
            found |= {"controller.quorum.fetch.timeout.ms": "600000", "controller.quorum.request.timeout.ms": "600000"}
        return found

    def start(self) -> None:
        """Format node 100's storage, write what says which cluster the brokers belong to, and start node 100."""
        cluster = self.cluster
        tool = cluster.run_java(
            "format",
            "kafka.tools.StorageTool",
            ["format", "-t", self.cluster_id, "-c", str(cluster.properties_file(CONTROLLING))],
        )
        cluster.until(tool.has_ended, FORMAT_SECONDS, "the formatted storage")
        if tool.process.returncode:
            raise cluster.why_ended("the format tool", tool)
        for broker in cluster.brokers:
            self.format(broker)
        cluster.start_node(CONTROLLING)
        threading.Thread(target=self._keep_sessions, daemon=True).start()

    def format(self, broker: int) -> None:
        """Write into the log directories of a broker which cluster they belong to, where nothing says it yet."""
        about = f"version=1\ncluster.id={self.cluster_id}\nnode.id={broker}\n"
        for directory in self.cluster.log_directories(broker):
            if not (directory / "meta.properties").exists():
                (directory / "meta.properties").write_text(about, encoding="ascii")

    def close(self) -> None:
        """Send no more heartbeats."""
        self._closing.set()

    def _keep_sessions(self) -> None:
        while not self._closing.wait(HEARTBEAT_SECONDS):
            for broker in list(self._kept):
                with self._beating, suppress(OSError, ClusterError):
                    if broker in self._kept:
                        self._beat(broker, end=broker in self._leaving)

    def _beat(self, broker: int, *, fence: bool = False, end: bool = False) -> int:
        sessions = self.cluster.gates.sessions
        # The controller lets no broker end before every live one has read so far; a dead one cannot.
        offset = max(session.offset for session in sessions.values())
        epoch = sessions[broker].broker_epoch
        return self.cluster.wire.heartbeat(self.active_port(), broker, epoch, offset, fence=fence, end=end)

    def active_port(self) -> int:
        """Where the controller listens that decides."""
        return self.port

    def news(self, run: PartitionRun) -> KRaftNews:
        """The metadata log."""
        return KRaftNews(self, run)

    def live(self) -> set[int]:
        """The brokers that are not fenced."""
        return self.cluster.wire.brokers(self.cluster.client_port[CONTROLLING])

    def keep_session(self, broker: int) -> None:
        """Send heartbeats in the broker's name, in which it never asks for anything."""
        self._kept.add(broker)

    def keep_leaving(self, broker: int) -> None:
        """Send heartbeats in the name of a broker that wishes to end, and cannot until it hears that it may."""
        self._leaving.add(broker)
        self._kept.add(broker)

    def hold_heartbeats(self, broker: int) -> None:
        """From now on the broker's own heartbeats wait, and others are sent in its name."""
        self.keep_session(broker)
        self.cluster.gates.shut(HEARTBEAT, broker, CONTROLLER)

    def end_session(self, broker: int) -> None:
        """Ask for the broker to be fenced, in its own name."""
        if broker not in self.cluster.dead:
            self.cluster.gates.shut(HEARTBEAT, broker, CONTROLLER)
        with self._beating:
            # A heartbeat after this one would take the broker for live again.
            self._kept.discard(broker)
            error = self._beat(broker, fence=True)
        if error:
            raise ClusterError(f"the controller does not fence broker {broker}: error {error}")

    def hear_again(self, broker: int) -> None:
        """Let the broker's own heartbeats pass; it may have to read the metadata first."""
        self._kept.discard(broker)
        self._leaving.discard(broker)
        self.cluster.gates.open(METADATA_LOG, broker, CONTROLLER)
        self.cluster.gates.open(HEARTBEAT, broker, CONTROLLER)

    def may_restart(self, broker: int) -> None:
        """Heartbeats in the name of the dead broker would disturb the one that starts."""
        self._kept.discard(broker)
        self._leaving.discard(broker)
        self.cluster.gates.open(HEARTBEAT, broker, CONTROLLER)

    def create_topic(self, topic: str, partitions: Sequence[Sequence[int]], settings: Mapping[str, str]) -> None:
        """Ask node 100's broker."""
        self.cluster.wire.create_topic(self.cluster.client_port[CONTROLLING], topic, partitions, settings)

    def delete_topic(self, topic: str) -> None:
        """Ask node 100's broker."""
        self.cluster.wire.delete_topic(self.cluster.client_port[CONTROLLING], topic)

    def partition(self, topic: str, number: int = 0) -> PartitionState:
        """What node 100's broker has of the metadata."""
        return self.cluster.wire.partition_state(self.cluster.client_port[CONTROLLING], topic, number)

    def watch_decisions(self, topic: str, noted: Callable[[PartitionState, float], bool]) -> None:
        """Nothing is to be done: all of them are in the metadata log."""

    def metadata_log(self) -> bytes:
        """What node 100 has written of it."""
        folder = self.cluster.folder / f"data{CONTROLLING}" / METADATA_LOG_FOLDER
        return b"".join(segment.read_bytes() for segment in sorted(folder.glob("*.log")))

    def move_leader(self, topic: str, replicas: Sequence[int]) -> None:
        """Reassign to the same replicas in another order, then elect the preferred one."""
        self.cluster.wire.reassign(self.cluster.client_port[CONTROLLING], topic, replicas)
        self.elect_preferred(topic)

    def elect_preferred(self, topic: str) -> None:
        """Ask for a preferred election."""
        self.cluster.wire.elect_leaders(self.cluster.client_port[CONTROLLING], topic, PREFERRED)

    def elect_unclean(self, topic: str, settings: Mapping[str, str]) -> None:
        """Ask for an unclean election."""
        self.cluster.wire.elect_leaders(self.cluster.client_port[CONTROLLING], topic, UNCLEAN)

    def offset(self) -> int:
        """How far the metadata has been written, as node 100's own broker says in a heartbeat from now on."""
        sessions, node = self.cluster.gates.sessions, CONTROLLING
        said = sessions[node].beats if node in sessions else 0
        # The next heartbeat may already be on its way with what was true before.
        self.cluster.gates.wait(
            lambda: node in sessions and sessions[node].beats >= said + 2, 10, "a heartbeat of node 100"
        )
        return sessions[node].offset
