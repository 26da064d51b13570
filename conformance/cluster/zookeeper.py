"""A cluster on ZooKeeper: node 100 is the controller; what operators do is written into ZooKeeper."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from kazoo.client import KazooClient
from kazoo.exceptions import ConnectionLoss, NoNodeError

from .control import CONTROLLING
from .gates import CONTROL, HEARTBEAT, METADATA_LOG, Node
from .releases import ClusterError
from .steps.news_on_zookeeper import ZooKeeperNews
from .wire import HOST, NO_LEADER, PartitionState

if TYPE_CHECKING:
    from kazoo.protocol.states import ZnodeStat

    from .cluster import Cluster
    from .steps.partition_run import PartitionRun

START_SECONDS = 30.0
CLIENT_SECONDS = 20.0
NO_ANSWER = "ZooKeeper does not answer"
OTHER_BROKER = 999
"""The id of a broker that is not there: that it comes and goes makes the controller look at partitions without a leader."""


class ZooKeeperControl:
    """ZooKeeper, and node 100 as the controller."""

    destination: Node = CONTROLLING
    absent: tuple[str, ...] = (METADATA_LOG, HEARTBEAT)

    def __init__(self, cluster: Cluster, ports: Sequence[int]) -> None:
        self.cluster = cluster
        self.port = ports[0]
        self.client: Any = None
        self.registered: dict[int, bytes] = {}

    def properties(self, node: int) -> Mapping[str, str]:
        """How to come to ZooKeeper, with a session that lasts until it is ended."""
        return {
            "broker.id": str(node),
            "zookeeper.connect": f"{HOST}:{self.port}",
            "zookeeper.session.timeout.ms": "600000",
            "zookeeper.connection.timeout.ms": "20000",
            "controller.socket.timeout.ms": "300000",
            "request.timeout.ms": "300000",
        }

    def start(self) -> None:
        """Start ZooKeeper, then node 100, which so becomes the controller."""
        logging.getLogger("kazoo").setLevel(logging.CRITICAL)
        folder = self.cluster.folder
        (folder / "zookeeper.cfg").write_text(
            f"tickTime=500\ndataDir={folder / 'zookeeper'}\nclientPort={self.port}\nclientPortAddress={HOST}\n"
            "maxClientCnxns=0\nadmin.enableServer=false\nforceSync=no\nmaxSessionTimeout=1000000\n",
            encoding="utf-8",
        )
        main = "org.apache.zookeeper.server.ZooKeeperServerMain"
        self.cluster.processes["zookeeper"] = self.cluster.run_java(
            "zookeeper", main, [str(folder / "zookeeper.cfg")], heap="128m"
        )
        self.cluster.until(self._serves, START_SECONDS, "ZooKeeper")
        self.client = KazooClient(f"{HOST}:{self.port}", timeout=CLIENT_SECONDS)
        self.client.start(timeout=START_SECONDS)
        self.cluster.start_node(CONTROLLING)
        self.cluster.until(self._controls, START_SECONDS, f"node {CONTROLLING} as the controller")

    def format(self, broker: int) -> None:
        """Nothing is to be done: a broker takes a log directory that is empty."""

    def _serves(self) -> bool:
        """Does ZooKeeper answer? A connection that it accepts before it serves may never be answered."""
        with socket.create_connection((HOST, self.port), timeout=1) as connection:
            connection.sendall(b"srvr")
            return connection.recv(9) == b"Zookeeper"

    def _controls(self) -> bool:
        return bool(self.client.exists("/controller")) and self._read("/controller")["brokerid"] == CONTROLLING

    def close(self) -> None:
        """Close the connection to ZooKeeper."""
        if self.client is not None:
            self.client.stop()
            self.client.close()

    def _read(self, path: str) -> Any:
        try:
            return json.loads(self.client.get(path)[0])
        except NoNodeError:
            raise ClusterError(f"ZooKeeper has no {path}") from None
        except ConnectionLoss:
            raise ClusterError(NO_ANSWER) from None

    def _write(self, path: str, values: Mapping[str, Any], *, ephemeral: bool = False) -> None:
        data = json.dumps(values).encode()
        if self.client.exists(path):
            self.client.set(path, data)
        else:
            self.client.create(path, data, makepath=True, ephemeral=ephemeral)

    def news(self, run: PartitionRun) -> ZooKeeperNews:
        """The controller's requests."""
        return ZooKeeperNews(run)

    def live(self) -> set[int]:
        """The brokers that are registered."""
        try:
            return {int(name) for name in self.client.get_children("/brokers/ids")}
        except ConnectionLoss:
            raise ClusterError(NO_ANSWER) from None

    def keep_session(self, broker: int) -> None:
        """Nothing is to be done: a session outlives its broker by ten minutes."""

    def hold_heartbeats(self, broker: int) -> None:
        """Nothing is to be done: the registration stays until it is removed."""

    def end_session(self, broker: int) -> None:
        """Remove the broker's registration, and cut what the controller still has to send to it.

        The controller would first wait for the answer to its last request, and do nothing else meanwhile. It sends a request again
        that was cut, as long as it has not seen the end of the session (`RequestSendThread.doWork`).
        """
        path = f"/brokers/ids/{broker}"
        if self.client.exists(path):
            self.registered[broker] = self.client.get(path)[0]
            self.cluster.gates.gone.add(broker)
            self.client.delete(path)
            self.cluster.gates.cut_waiting(CONTROL, CONTROLLING, broker)

    def hear_again(self, broker: int) -> None:
        """Register the broker again, in its place; its epoch, which it does not know, is put into its requests to the controller."""
        path = f"/brokers/ids/{broker}"
        self.cluster.gates.gone.discard(broker)
        self.client.create(path, self.registered[broker])
        self.cluster.gates.broker_epochs[broker] = self.client.exists(path).czxid

    def may_restart(self, broker: int) -> None:
        """A registration of the dead broker would refuse the one that starts."""
        self.cluster.gates.broker_epochs.pop(broker, None)
        self.cluster.gates.gone.discard(broker)
        path = f"/brokers/ids/{broker}"
        if self.client.exists(path):
            self.client.delete(path)

    def create_topic(self, topic: str, partitions: Sequence[Sequence[int]], settings: Mapping[str, str]) -> None:
        """Write the topic's settings, then its replicas."""
        replicas = {str(number): list(members) for number, members in enumerate(partitions)}
        self._write(f"/config/topics/{topic}", {"version": 1, "config": dict(settings)})
        self._write(f"/brokers/topics/{topic}", {"version": 1, "partitions": replicas})

    def delete_topic(self, topic: str) -> None:
        """Ask the controller, and wait until it has stopped the replicas."""
        path = f"/admin/delete_topics/{topic}"
        self._write(path, {})
        self.cluster.until(partial(self._is_gone, path), START_SECONDS, f"the end of topic {topic}")

    def partition(self, topic: str, number: int = 0) -> PartitionState:
        """The state that controller and leader write."""
        return _state(self._read(f"/brokers/topics/{topic}/partitions/{number}/state"))

    def watch_decisions(self, topic: str, noted: Callable[[PartitionState, float], bool]) -> None:
        """ZooKeeper tells of each state as long as nobody is too quick."""

        def changed(data: bytes | None, stat: ZnodeStat | None) -> bool:
            return data is not None and stat is not None and noted(_state(json.loads(data)), stat.mtime / 1000)

        self.client.DataWatch(f"/brokers/topics/{topic}/partitions/0/state", changed)

    def metadata_log(self) -> bytes:
        """There is none."""
        return b""

    def move_leader(self, topic: str, replicas: Sequence[int]) -> None:
        """Reassign to the same replicas in another order, then elect the preferred one."""
        if self.cluster.dead:
            raise ClusterError(
                "with a dead broker the controller on ZooKeeper finishes no reassignment, so leadership cannot be moved"
            )
        replicated = {"topic": topic, "partition": 0, "replicas": list(replicas)}
        self._ask("/admin/reassign_partitions", replicated)
        self.elect_preferred(topic)

    def elect_preferred(self, topic: str) -> None:
        """Ask for a preferred election, and wait until the controller has looked."""
        self._ask("/admin/preferred_replica_election", {"topic": topic, "partition": 0})

    def _ask(self, path: str, partition: Mapping[str, Any]) -> None:
        """Ask the controller for something about a partition, and wait until it has done or refused it."""
        self._write(path, {"version": 1, "partitions": [partition]})
        self.cluster.until(partial(self._is_gone, path), START_SECONDS, f"the end of {path}")

    def _is_gone(self, path: str) -> bool:
        return not self.client.exists(path)

    def elect_unclean(self, topic: str, settings: Mapping[str, str]) -> None:
        """Allow it, and let a broker come and go, so that the controller looks again."""
        allowed = {**settings, "unclean.leader.election.enable": "true"}
        self._write(f"/config/topics/{topic}", {"version": 1, "config": allowed})
        path = f"/brokers/ids/{OTHER_BROKER}"
        self._write(path, self._read(f"/brokers/ids/{CONTROLLING}"), ephemeral=True)
        self.cluster.until(lambda: self.partition(topic).leader != NO_LEADER, START_SECONDS, "an unclean election")
        self.client.delete(path)


def _state(found: Mapping[str, Any]) -> PartitionState:
    return PartitionState(leader=found["leader"], leader_epoch=found["leader_epoch"], isr=tuple(sorted(found["isr"])))
