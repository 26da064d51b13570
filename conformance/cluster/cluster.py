"""A cluster of real brokers on this machine: brokers 1 to n behind gates, and node 100, which controls and never fails."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path
from subprocess import TimeoutExpired
from typing import TypeVar

from neverlost.explorer.process.watch import UNWATCHED, Watch

from .class_path import cache_folder, class_path, java, java_version
from .control import CONTROLLING, Control
from .debugging import AGENT, Debugger, debugger_port
from .folders import LockedFolder, remove_left_behind
from .gates import Gates
from .kraft import KRaftControl
from .log_files import BrokerDisk
from .processes import DISK_IS_FULL, FLAGS, PORT_IS_TAKEN, JavaProcess, PortTakenError, free_ports
from .quorum.control import Quorum, QuorumControl
from .releases import ClusterError, RunnableRelease
from .wire import HOST, Wire
from .zookeeper import ZooKeeperControl

T = TypeVar("T")

PATIENT_MS = 60_000
"""A lag time so long that no follower is dropped from the ISR for it."""
SHORT_LAG_MS = 1500
"""So soon a leader drops a follower that is behind, in runs in which the ISR shrinks."""
UP_SECONDS = 120.0
ARCHIVE_SECONDS = 60.0
LOOK_SECONDS = 0.02


def control_of(release: RunnableRelease, quorum: Quorum | None = None) -> Callable[[Cluster, Sequence[int]], Control]:
    """What decides in a cluster of a release: here its mode is asked for, and nowhere else."""
    if quorum is not None:
        if not release.kraft:
            raise ClusterError(f"Kafka {release} has no quorum of controllers")
        return partial(QuorumControl, quorum=quorum)
    return KRaftControl if release.kraft else ZooKeeperControl


class Cluster:
    """Brokers 1 to `brokers` of a release, with the data in `folder` (a temporary one if none is given).

    `lag_ms` is replica.lag.time.max.ms; `settings` override what brokers are started with; `directories` is how many log directories
    each broker has; `debugged` names the brokers that take a debugger, `upgraded` those of a later release; with `quorum` the
    controllers are nodes of their own. Use it as a context: at the end every process is killed, and a temporary folder is removed
    unless an error left the context or `keep` is set.
    """

    def __init__(
        self,
        release: RunnableRelease,
        *,
        brokers: int = 3,
        lag_ms: int = PATIENT_MS,
        folder: Path | None = None,
        settings: Mapping[str, str] | None = None,
        directories: int = 1,
        debugged: Sequence[int] = (),
        upgraded: Mapping[int, RunnableRelease] | None = None,
        quorum: Quorum | None = None,
        keep: bool = False,
        watch: Watch[str] = UNWATCHED,
    ) -> None:
        self.release, self.brokers, self.lag_ms, self.keep = release, tuple(range(1, brokers + 1)), lag_ms, keep
        self.settings = dict(settings or {})
        self.directories, self.debugged, self.quorum = directories, debugged, quorum
        self.upgraded = dict(upgraded or {})
        self.lost: set[Path] = set()
        """Log directories that are no longer there, and that their broker is no longer configured with."""
        self.watch = watch
        self._make_control = control_of(release, quorum)
        self._java = java()
        self._class_path = self._classes(release)
        made_from = hashlib.sha256(f"{java_version(self._java)}{self._class_path}".encode()).hexdigest()[:16]
        self.archive = cache_folder() / f"{release.version}-{made_from}.jsa"
        """Class data that shortens the start of the next Java processes; of use to one build of Java and one class path."""
        remove_left_behind(watch.progress)
        self._folder = LockedFolder(release.version, folder)
        self.folder = self._folder.path
        self.nodes = (*self.brokers, CONTROLLING)
        self.gates = Gates()
        self.wire = Wire(release)
        self.processes: dict[int | str, JavaProcess] = {}
        self._started: list[JavaProcess] = []
        self.dead: set[int | str] = set()
        self._runs = self._has_left = False

    def _classes(self, release: RunnableRelease) -> str:
        """The class path of a release."""
        return os.pathsep.join(filter(None, (release.classes, class_path(release, progress=self.watch.progress))))

    def _take_ports(self) -> None:
        """Choose ports, put gates in front of them, and make what controls."""
        controllers = 0 if self.quorum is None else self.quorum.controllers
        ports = iter(free_ports(3 * len(self.nodes) + 3 + 2 * controllers))
        self.client_port = {node: next(ports) for node in self.nodes}
        apart = self.release.separate_listeners
        self.replication_port = {node: next(ports) if apart else self.client_port[node] for node in self.nodes}
        self.proxy_port = {node: next(ports) for node in self.nodes}
        for node in self.nodes:
            self.gates.listen(node, self.proxy_port[node], self.replication_port[node])
        self.control: Control = self._make_control(self, list(ports))

    def __enter__(self) -> Cluster:
        try:
            self.start()
        except BaseException as error:
            self.__exit__(type(error), error, None)
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                raise ClusterError(self._disk_is_full()) from error
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if self._has_left:
            return
        self._has_left = True
        try:
            if self._runs and kind is None and not self.archive.is_file() and not self.watch.interrupted():
                self._keep_class_data()
        finally:
            self.close()
        if self.keep or not self._folder.temporary or (kind is not None and issubclass(kind, Exception)):
            self._folder.keep()
        else:
            self._folder.remove()

    def start(self) -> None:
        """Start every node, and wait until each knows all of them. Raises ClusterError with the last lines of one that ends."""
        try:
            self._start()
        except PortTakenError as error:
            self.watch.progress(f"{error}; starting again with other ports")
            self.close()
            self._folder.clear()
            self.gates = Gates(self.gates.watch)
            self.processes.clear()
            self._start()

    def _start(self) -> None:
        self._take_ports()
        for node in self.nodes:
            self._write_properties(node)
            for directory in self.log_directories(node):
                directory.mkdir(exist_ok=True)
        self.control.start()
        for node in self.brokers:
            self.start_node(node)
        everybody = set(self.nodes)
        self.until(
            lambda: self.control.live() >= everybody and all(self._knows(node, everybody) for node in self.nodes),
            UP_SECONDS,
            "a cluster in which every broker knows all others",
        )
        self._runs = True
        self.watch.progress(f"Kafka {self.release} runs, with {len(self.brokers)} brokers")

    def _knows(self, node: int, everybody: set[int]) -> bool:
        # The oldest brokers hear of each other only when there is a topic.
        return self.wire.brokers(self.client_port[node]) >= everybody or self.release.magic == 0

    def close(self) -> None:
        """Kill every process, and close the gates."""
        try:
            if self._started:
                self.control.close()
        finally:
            for process in self._started:
                process.kill()
            self.gates.close()

    def _keep_class_data(self) -> None:
        """End node 100 in good order: it then writes the archive of class data that it was started to write."""
        self.watch.progress(f"Kafka {self.release}: class data is kept, so that the next start is shorter")
        for broker in self.brokers:
            self.processes[broker].kill()
        process = self.processes[CONTROLLING]
        process.ask_to_end()
        try:
            process.process.wait(ARCHIVE_SECONDS)
        except TimeoutExpired:
            return
        unfinished = self._unfinished_archive()
        if unfinished.is_file():
            unfinished.replace(self.archive)

    def _unfinished_archive(self) -> Path:
        return self.archive.with_suffix(f".{os.getpid()}")

    def start_node(self, node: int) -> None:
        """Start the process of a node."""
        more = [AGENT] if node in self.debugged else []
        self.processes[node] = self.run_java(
            f"node{node}", "kafka.Kafka", [str(self.properties_file(node))], more=more, other=self.upgraded.get(node)
        )
        self.dead.discard(node)

    def debugger(self, node: int, seconds: float) -> Debugger:
        """A debugger on a node that takes one; it waits so long for what it is asked for."""
        return self.debugger_of(self.processes[node], seconds)

    def debugger_of(self, process: JavaProcess, seconds: float) -> Debugger:
        """A debugger on a process that was started with the options in `AGENT`."""
        return Debugger(self._java, debugger_port(process), self.until, seconds)

    def run_java(
        self,
        name: str,
        main: str,
        arguments: Sequence[str],
        *,
        heap: str = "256m",
        more: Sequence[str] = (),
        other: RunnableRelease | None = None,
    ) -> JavaProcess:
        """Start a Java process with the release's class path, or that of another, and more options of Java."""
        self.watch.progress(f"Kafka {other or self.release}: {name} starts")
        loaded = files(__package__)
        logging = (
            f"-Dlog4j2.configurationFile={loaded / 'log4j2.properties'}"
            if (other or self.release).logs_by_log4j2
            else f"-Dlog4j.configuration=file:{loaded / 'log4j.properties'}"
        )
        shared = []
        if other is None and self.archive.is_file():
            shared = [f"-XX:SharedArchiveFile={self.archive}"]
        elif name == f"node{CONTROLLING}":
            shared = [f"-XX:ArchiveClassesAtExit={self._unfinished_archive()}"]
        command = [
            self._java,
            f"-Xmx{heap}",
            *FLAGS,
            *more,
            *shared,
            logging,
            "-cp",
            self._class_path if other is None else self._classes(other),
            main,
            *arguments,
        ]
        return self.run(name, command)

    def run(self, name: str, command: list[str]) -> JavaProcess:
        """Start a process that ends with the cluster."""
        process = JavaProcess(command, folder=self.folder, log=self.folder / f"{name}.log")
        self._started.append(process)
        return process

    def properties_file(self, node: int) -> Path:
        """Where the properties of a node are."""
        return self.folder / f"node{node}.properties"

    def log_directories(self, node: int) -> list[Path]:
        """The log directories of a node that are there; node 100 always has one."""
        count = 1 if node == CONTROLLING else self.directories
        named = [self.folder / f"data{node}{'' if number == 1 else f'-{number}'}" for number in range(1, count + 1)]
        return [directory for directory in named if directory not in self.lost]

    def disk(self, node: int, topic: str = "", number: int = 0) -> BrokerDisk:
        """The data of a broker: the log directory with a partition, if it is named and there; else the first."""
        disks = [BrokerDisk(directory) for directory in self.log_directories(node)]
        return next((disk for disk in disks if topic and disk.partition(topic, number).is_dir()), disks[0])

    def lose_directory(self, directory: Path) -> None:
        """Remove a log directory of a broker that has ended, and take it out of the broker's configuration if others are left."""
        node = next(node for node in self.brokers if directory in self.log_directories(node))
        shutil.rmtree(directory)
        if len(self.log_directories(node)) > 1:
            self.lost.add(directory)
        else:
            directory.mkdir()
        self._write_properties(node)

    def _write_properties(self, node: int) -> None:
        common = {
            "log.dirs": ",".join(map(str, self.log_directories(node))),
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
        common |= {**self.listeners(node), **self.control.properties(node), **self.settings}
        text = "".join(f"{name}={value}\n" for name, value in common.items() if value)
        self.properties_file(node).write_text(text, encoding="utf-8")

    def listeners(self, node: int) -> dict[str, str]:
        """What a node's properties say of its own listeners, and where others find it: at the proxy."""
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

    def until(self, look: Callable[[], T | None], seconds: float, what: str) -> T:
        """Wait until `look` finds something; an error of a broker that does not answer counts as nothing found.

        Raises ClusterError that says what did not come, or shows the last lines of a node that has ended; KeyboardInterrupt if
        the user interrupts.
        """
        end, problem = time.monotonic() + seconds, ""
        while True:
            if self.watch.interrupted():
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
                if any(DISK_IS_FULL in process.output() for process in self.processes.values()):
                    raise ClusterError(self._disk_is_full())
                raise ClusterError(f"{what} did not come within {seconds:g} s{problem}; the data is in {self.folder}")
            time.sleep(LOOK_SECONDS)

    def refuse_ended(self) -> None:
        """Raises ClusterError with the last lines of a node that has ended although nobody killed it."""
        for node, process in self.processes.items():
            if process.has_ended() and node not in self.dead:
                raise self.why_ended(f"node {node}", process)

    def why_ended(self, what: str, process: JavaProcess) -> ClusterError:
        """The error that says why a process has ended, as far as its output shows."""
        said = process.output()
        if DISK_IS_FULL in said:
            return ClusterError(self._disk_is_full())
        if PORT_IS_TAKEN in said:
            return PortTakenError(f"{what} found its port on {HOST} taken by another program")
        return ClusterError(
            f"{what} of Kafka {self.release} ended with code {process.process.returncode}; its last lines, from "
            f"{process.log}:\n{process.last_lines()}"
        )

    def _disk_is_full(self) -> str:
        return f"the disk is full that the brokers write to, in {self.folder}; make room, or name another folder"

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
