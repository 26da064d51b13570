"""A debugger on a broker or a client: it stops one thread at a method, as a pause of the machine could, while the others go on."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

from .processes import JavaProcess, dying_with_this_process
from .releases import ClusterError, MissingError
from .wire import HOST

AGENT = f"-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address={HOST}:0"
LISTENS = re.compile(r"Listening for transport dt_socket at address: (\d+)")
STOPPED = re.compile(r'Breakpoint hit: "thread=([^"]+)"')
Until = Callable[[Callable[[], object], float, str], object]


def debugger_port(process: JavaProcess) -> int:
    """Where the Java process listens for a debugger. Raises ClusterError if it does not."""
    found = LISTENS.findall(process.output())
    if not found:
        raise ClusterError("the process was not started for a debugger")
    return int(found[-1])


class Debugger:
    """`jdb` on a process; `until` waits for what it says."""

    def __init__(self, java: str, port: int, until: Until, seconds: float) -> None:
        beside = shutil.which("jdb", path=str(Path(java).parent)) or shutil.which("jdb")
        if beside is None:
            raise MissingError("to stop a thread of a broker or a client takes jdb, which a JDK has; install a JDK")
        self._until, self._seconds = until, seconds
        self._said: list[str] = []
        self._process = subprocess.Popen(
            [
                *dying_with_this_process(),
                beside,
                "-connect",
                f"com.sun.jdi.SocketAttach:hostname={HOST},port={port}",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            bufsize=1,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        while letter := self._process.stdout.read(1):
            self._said.append(letter)

    def _ask(self, command: str, answer: str) -> None:
        assert self._process.stdin is not None
        said = len(self._said)
        self._process.stdin.write(f"{command}\n")
        self._process.stdin.flush()
        self._until(lambda: answer in "".join(self._said[said:]), self._seconds, f"jdb on {command!r}")

    def stop_in(self, method: str) -> None:
        """From now on stop the thread that comes to a method, and no other."""
        self._ask(f"stop thread in {method}", f"Set breakpoint {method}")

    def stopped(self, method: str) -> str:
        """Wait until a thread has come to the method, and stop no more there; the thread's name."""
        self._until(lambda: STOPPED.search("".join(self._said)), self._seconds, f"a thread in {method}")
        self._ask(f"clear {method}", "Removed")
        return str(STOPPED.findall("".join(self._said))[-1])

    def go_on(self) -> None:
        """Let the thread go on."""
        self._ask("resume", "All threads resumed")

    def end(self) -> None:
        """End the debugger; the process goes on."""
        self._process.kill()
        self._process.wait()
