"""A cluster of real brokers on this machine: brokers 1 to n behind gates, and node 100, which controls and never fails."""

from __future__ import annotations

import shutil
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from tempfile import mkdtemp
from typing import TypeVar

from .class_path import cache_folder, class_path, java
from .control import Control
from .gates import CONTROL, Gates
from .kraft import KRaftControl
from .log_files import BrokerDisk
from .processes import FLAGS, JavaProcess, free_ports
from .releases import ClusterError, RunnableRelease
from .wire import HOST, Wire
from .zookeeper import ZooKeeperControl

T = TypeVar("T")

CONTROLLING = 100
"""The node that controls: a broker without replicas, that is not behind gates."""
PATIENT_MS = 60_000
"""A lag time so long that no follower is dropped from the ISR for it."""
UP_SECONDS = 120.0
LOOK_SECONDS = 0.02


class Cluster:
    """Brokers 1 to `brokers` of a release, with the data in `folder` (a temporary one if none is given).

    `lag_ms` is replica.lag.time.max.ms; `settings` override what brokers are started with. Use it as a context: at the end every
    process is killed, and the data is removed unless an exception left the context or `keep` is set.
    """

    def __init__(
        self,
        release: RunnableRelease,
        *,
        brokers: int = 3,
        lag_ms: int = PATIENT_MS,
        folder: Path | None = None,
        settings: Mapping[str, str] | None = None,
        keep: bool = False,
        progress: Callable[[str], None] = lambda _: None,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        self.release, self.brokers, self.lag_ms, self.keep = release, tuple(range(1, brokers + 1)), lag_ms, keep
        self.settings = dict(settings or {})
        self.progress, self.interrupted = progress, interrupted
        self._java, self._class_path = java(), class_path(release, progress=progress)
        self._own_folder = folder is None
        self.folder = Path(mkdtemp(prefix=f"neverlost-kafka-{release.version}-")) if folder is None else folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.nodes = (*self.brokers, CONTROLLING)
        ports = iter(free_ports(3 * len(self.nodes) + 3))
        self.client_port = {node: next(ports) for node in self.nodes}
        apart = release.separate_listeners
        self.replication_port = {node: next(ports) if apart else self.client_port[node] for node in self.nodes}
        self.proxy_port = {node: next(ports) for node in self.nodes}
        self.gates = Gates()
        for node in self.nodes:
            self.gates.listen(node, self.proxy_port[node], self.replication_port[node])
        self.wire = Wire(release)
        self.processes: dict[int | str, JavaProcess] = {}
        self.dead: set[int] = set()
        self.control: Control = (KRaftControl if release.kraft else ZooKeeperControl)(self, list(ports))

    def __enter__(self) -> Cluster:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.close()
        if kind is None and self._own_folder and not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        """Start every node, and wait until each knows all of them. Raises ClusterError with the last lines of one that ends."""
        for node in self.nodes:
            self._write_properties(node)
            (self.folder / f"data{node}").mkdir(exist_ok=True)
        self.control.start()
        for node in self.brokers:
            self.start_node(node)
        everybody = set(self.nodes)
        self.progress(f"Kafka {self.release}: {len(self.brokers)} brokers start")
        self.until(
            lambda: self.control.live() >= everybody and all(self._knows(node, everybody) for node in self.nodes),
            UP_SECONDS,
            "a cluster in which every broker knows all others",
        )

    def _knows(self, node: int, everybody: set[int]) -> bool:
        # The oldest brokers hear of each other only when there is a topic.
        return self.wire.brokers(self.client_port[node]) >= everybody or self.release.magic == 0

    def close(self) -> None:
        """Kill every process, and close the gates."""
        self.control.close()
        for process in self.processes.values():
            process.kill()
        self.gates.close()

    def start_node(self, node: int) -> None:
        """Start the process of a node."""
        self.processes[node] = self.run_java(f"node{node}", "kafka.Kafka", [str(self.properties_file(node))])
        self.dead.discard(node)

    def run_java(self, name: str, main: str, arguments: Sequence[str], *, heap: str = "256m") -> JavaProcess:
        """Start a Java process with the release's class path."""
        loaded = files(__package__)
        logging = (
            f"-Dlog4j2.configurationFile={loaded / 'log4j2.properties'}"
            if self.release.logs_by_log4j2
            else f"-Dlog4j.configuration=file:{loaded / 'log4j.properties'}"
        )
        archive = cache_folder() / f"{self.release.version}.jsa"
        shared = [f"-XX:SharedArchiveFile={archive}"] if archive.is_file() else []
        command = [self._java, f"-Xmx{heap}", *FLAGS, *shared, logging, "-cp", self._class_path, main, *arguments]
        return JavaProcess(command, folder=self.folder, log=self.folder / f"{name}.log")

    def properties_file(self, node: int) -> Path:
        """Where the properties of a node are."""
        return self.folder / f"node{node}.properties"

    def disk(self, node: int) -> BrokerDisk:
        """The data of a broker."""
        return BrokerDisk(self.folder / f"data{node}")

    def _write_properties(self, node: int) -> None:
        common = {
            "log.dirs": str(self.folder / f"data{node}"),
            "replica.lag.time.max.ms": str(self.lag_ms),
            "replica.fetch.wait.max.ms": str(min(100, self.lag_ms)),
            "replica.fetch.backoff.ms": "20",
            "replica.high.watermark.checkpoint.interval.ms": "200",
            "replica.socket.timeout.ms": "300000",
            "auto.leader.rebalance.enable": "false",
            "auto.create.topics.enable": "false",
            "num.network.threads": "2",
            "num.io.threads": "4",
            "background.threads": "2",
            "num.replica.fetchers": "1",
            "log.cleaner.enable": "false",
            "delete.topic.enable": "true",
            "offsets.topic.replication.factor": "1",
            "offsets.topic.num.partitions": "1",
        }
        if self.release.number >= (0, 11):
            common |= {"transaction.state.log.replication.factor": "1", "transaction.state.log.min.isr": "1"}
        if self.release.number >= (1, 1):
            common["max.incremental.fetch.session.cache.slots"] = "0"
        common |= {**self._listeners(node), **self.control.properties(node), **self.settings}
        text = "".join(f"{name}={value}\n" for name, value in common.items() if value)
        self.properties_file(node).write_text(text, encoding="utf-8")

    def _listeners(self, node: int) -> dict[str, str]:
        client, inner, proxy = self.client_port[node], self.replication_port[node], self.proxy_port[node]
        if self.release.separate_listeners:
            return {
                "listeners": f"CLIENT://{HOST}:{client},REPLICATION://{HOST}:{inner}",
                "advertised.listeners": f"CLIENT://{HOST}:{client},REPLICATION://{HOST}:{proxy}",
                "inter.broker.listener.name": "REPLICATION",
                "listener.security.protocol.map": "CLIENT:PLAINTEXT,REPLICATION:PLAINTEXT",
            }
        if self.release.number < (0, 9):
            return {
                "host.name": HOST,
                "port": str(client),
                "advertised.host.name": HOST,
                "advertised.port": str(proxy),
            }
        return {"listeners": f"PLAINTEXT://{HOST}:{client}", "advertised.listeners": f"PLAINTEXT://{HOST}:{proxy}"}

    def until(self, look: Callable[[], T], seconds: float, what: str) -> T:
        """Wait until `look` finds something; an error of a broker that does not answer counts as nothing found.

        Raises ClusterError that says what did not come, or shows the last lines of a node that has ended; KeyboardInterrupt if
        the user interrupts.
        """
        end, problem = time.monotonic() + seconds, ""
        while True:
            if self.interrupted():
                raise KeyboardInterrupt
            self.refuse_ended()
            try:
                found = look()
                if found:
                    return found
                problem = ""
            except (OSError, LookupError, ClusterError) as error:
                problem = f" ({error})"
            if time.monotonic() > end:
                raise ClusterError(f"{what} did not come within {seconds:g} s{problem}; the data is in {self.folder}")
            time.sleep(LOOK_SECONDS)

    def refuse_ended(self) -> None:
        """Raises ClusterError with the last lines of a node that has ended although nobody killed it."""
        for node, process in self.processes.items():
            if process.has_ended() and node not in self.dead:
                raise ClusterError(
                    f"node {node} of Kafka {self.release} ended with code {process.process.returncode}; its last lines, from "
                    f"{process.log}:\n{process.last_lines()}"
                )

    def listening(self, port: int) -> bool:
        """Does somebody listen on a port?"""
        with socket.create_connection((HOST, port), timeout=1):
            return True

    def kill(self, broker: int) -> None:
        """Kill a broker. If the controller takes it for live, it does so until the session is ended."""
        self.dead.add(broker)
        if broker in self.control.live():
            self.control.keep_session(broker)
        self.processes[broker].kill()
        self.gates.node_died(broker)

    def shut_down(self, broker: int, seconds: float = 30) -> None:
        """End a broker in good order, with controlled shutdown."""
        self.dead.add(broker)
        process = self.processes[broker]
        process.ask_to_end()
        self.until(process.has_ended, seconds, f"the end of broker {broker}")
        self.gates.node_died(broker)

    def reach(self, broker: int, kind: str = CONTROL) -> None:
        """Let the controller's requests to a broker pass."""
        self.gates.open(kind, CONTROLLING, broker)

    def resident_mib(self) -> dict[int | str, int]:
        """How much memory each process holds, in MiB."""
        found = {}
        for node, process in self.processes.items():
            status = Path(f"/proc/{process.pid}/status")
            if not process.has_ended() and status.is_file():
                rows = dict(
                    line.split(":", 1) for line in status.read_text(encoding="ascii").splitlines() if ":" in line
                )
                found[node] = int(rows["VmRSS"].split()[0]) // 1024
        return found
