"""The Java processes of a cluster: each in a group of its own that dies with this process, whatever ends it."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

from .releases import ClusterError
from .wire import HOST

FIRST_PORT, LAST_PORT = 21000, 32000
"""Below the ports that the system gives to outgoing connections."""
FLAGS = (
    *("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:-UsePerfData"),
    *("-Djava.net.preferIPv4Stack=true", "-Xms64m"),
)
LAST_LINES = 12
PORT_IS_TAKEN, DISK_IS_FULL = "Address already in use", "No space left on device"
"""What Java says where a port is not free, and where a disk is full."""


class PortTakenError(ClusterError):
    """Another program has taken a port that was free a moment before."""


def free_ports(count: int) -> list[int]:
    """So many ports of 127.0.0.1 that are free now."""
    taken: list[socket.socket] = []
    try:
        for port in random.sample(range(FIRST_PORT, LAST_PORT), LAST_PORT - FIRST_PORT):
            probe = socket.socket()
            try:
                probe.bind((HOST, port))
            except OSError:
                probe.close()
                continue
            taken.append(probe)
            if len(taken) == count:
                return [one.getsockname()[1] for one in taken]
    finally:
        for probe in taken:
            probe.close()
    raise ClusterError(f"{count} free ports of {HOST} from {FIRST_PORT} to {LAST_PORT} are needed, and are not there")


def dying_with_this_process() -> list[str]:
    """What to put before a command so that it ends when this process does, by SIGKILL too; nothing where the system cannot do that."""
    script = Path(__file__).with_name("die_with_parent.py")
    return [sys.executable, "-I", "-S", str(script), str(os.getpid())] if sys.platform == "linux" else []


class JavaProcess:
    """A Java process that writes into a file. It ends with the thread that started it, which is to be the main thread."""

    def __init__(self, command: list[str], *, folder: Path, log: Path) -> None:
        self.log = log
        if threading.current_thread() is not threading.main_thread():
            raise ClusterError("a cluster is started from the main thread: its processes die with the thread")
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [*dying_with_this_process(), *command],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The id of the process, and of its group."""
        return self.process.pid

    def has_ended(self) -> bool:
        """Has it ended by itself, or been killed?"""
        return self.process.poll() is not None

    def kill(self) -> None:
        """End it at once, as `kill -9` does."""
        if not self.has_ended():
            os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()

    def ask_to_end(self) -> None:
        """Ask it to end in good order, as `kill` does; it goes on until it has."""
        if not self.has_ended():
            os.killpg(self.pid, signal.SIGTERM)

    def output(self) -> str:
        """What it has said."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def last_lines(self) -> str:
        """The end of what it has said."""
        return "\n".join(self.output().splitlines()[-LAST_LINES:]) or "(it said nothing)"
