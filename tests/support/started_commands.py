"""The command `neverlost` as forks of one process that has imported, audited and searched: a command takes no second to start.

    python started_commands.py FOLDER MODULE [PACKAGE...]

A fork has the arguments, streams, folder, environment and limit of files of who asks for it, and gives its exit code back. Only how
the installed program starts is another way here. The module is imported before all others, `json` if it does not matter. With
another one, and with packages, which cannot be imported then, no command was run before.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import socket
import stat
import subprocess
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

SOCKET = "s"
ANY = "json"
EXAMPLE = Path(__file__).parents[2] / "examples" / "audit" / "acks-1"
USUAL = (
    ["audit", "--quiet", str(EXAMPLE)],
    *(
        ["check", name, "--quiet", "--max-depth", "3"]
        for name in (
            "kafka-4.1",
            "kafka-quorum-3.9",
            "kafka-transactions-4.2",
            "kafka-groups-4.3.1",
            "published/kip-320",
        )
    ),
)
"""Commands of the kinds that pages show most."""

ASKS = """#!{python} -IS
import json, os, resource, socket, sys
with socket.socket(socket.AF_UNIX) as asked:
    asked.connect({place!r})
    socket.send_fds(asked, [b"."], [0, 1, 2])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    asked.sendall(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ), limits]).encode())
    asked.shutdown(socket.SHUT_WR)
    code = asked.recv(8)
sys.exit(int(code) if code else "what starts commands has ended")
"""


@contextmanager
def started_commands(first: str = ANY, without: Collection[str] = ()) -> Iterator[Path]:
    """A folder with a program `neverlost`, for the front of PATH, which imports a module first, and cannot import some packages."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        program = folder / "neverlost"
        program.write_text(ASKS.format(python=sys.executable, place=str(folder / SOCKET)), encoding="utf-8")
        program.chmod(stat.S_IRWXU)
        with subprocess.Popen(
            [sys.executable, __file__, name, first, *without], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as serving:
            assert serving.stdout is not None
            assert serving.stdout.readline() == "ready\n"
            yield folder


def _serve(folder: Path, first: str, without: Collection[str]) -> int:
    """Fork for each who asks, until the standard input ends. A fork returns the exit code of its command."""
    # As the command line itself does before it imports NumPy.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.modules.update(dict.fromkeys(without))
    import_module(first)
    _import_all("z3" not in without)
    if first == ANY and not without:
        _run_usual()
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / SOCKET))
        listening.listen(64)
        print("ready", flush=True)
        while True:
            heard, _, _ = select.select([listening, 0], [], [], 1)
            if 0 in heard:
                return 0
            if listening in heard:
                asked, _ = listening.accept()
                if os.fork() == 0:
                    listening.close()
                    return _answer(asked)
                asked.close()
            _forget_ended()


def _import_all(proofs: bool) -> None:
    from neverlost.cli.main import COMMANDS
    from neverlost.spec.families import profiles

    for topic in COMMANDS.values():
        for place, _ in topic.values():
            import_module(f"neverlost.cli.commands.{place.partition(':')[0]}")
    for engine in ("engines.compiled", *(["symbolic.proof"] if proofs else [])):
        import_module(f"neverlost.explorer.{engine}")
    len(profiles())


def _run_usual() -> None:
    """What every audit and every search reads and compiles first, is then there for all of them."""
    from neverlost.cli.main import main

    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        for arguments in USUAL:
            main(arguments)


def _forget_ended() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        return


def _answer(asked: socket.socket) -> int:
    """In a fork: the command itself, in another fork, whose exit code goes to who asked."""
    _, streams, _, _ = socket.recv_fds(asked, 1, 3)
    with asked.makefile("rb") as text:
        arguments, folder, environment, limits = json.loads(text.read())
    command = os.fork()
    if command:
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(command, 0)
        code = os.waitstatus_to_exitcode(status)
        asked.sendall(str(code if code >= 0 else 128 - code).encode())
        os._exit(0)
    asked.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    from neverlost.cli.main import main

    return main(arguments)


if __name__ == "__main__":
    sys.exit(_serve(Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
