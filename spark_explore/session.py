"""The Spark session of a search: quiet, and configured for tasks that pass on whole blocks."""

from __future__ import annotations

import logging
import os
import re
import signal
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neverlost.explorer.engines.engine import Stopped
from neverlost.explorer.files.folders import working_folder
from neverlost.explorer.files.temporary import own_folder
from neverlost.model.core import NeverlostError

from .java import ensure_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEFAULT_MASTER = "local[*]"
DRIVER_MEMORY = EXECUTOR_MEMORY = "2g"

LOOPBACK = "127.0.0.1"

TRIES = 4
"""How often a task is tried before its level fails."""

SHIPPED = ("model", "explorer", "spark_explore")
"""The sub-packages that a task imports."""


class SparkError(NeverlostError):
    """Spark does not start, or a job failed."""


JAVA_ENDED = "Spark's Java ended: it was killed, or there was no memory for it"


class JavaEndedError(SparkError):
    """The Java of this process, in which Spark runs, has ended: it was killed, or there was no memory for it."""


@contextmanager
def needing_java() -> Iterator[None]:
    """Raises JavaEndedError for every failure in this block after Java has ended; PySpark raises many unclear errors then."""
    try:
        yield
    except Stopped:
        raise
    except Exception as error:
        if _has_java_ended():
            raise JavaEndedError(f"{JAVA_ENDED}; run it again") from error
        raise


def _has_java_ended() -> bool:
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    if gateway is None:
        return False
    try:
        gateway.jvm.System.currentTimeMillis()
    except Exception:  # the errors of a broken connection have no common base class
        return True
    return False


def in_this_process(master: str) -> bool:
    """Whether this master runs all tasks below this process: `local`, `local[2]`."""
    return master == "local" or master.startswith("local[")


def on_this_machine(master: str) -> bool:
    """Whether this master starts everything on this machine: the above, and `local-cluster[...]`. Then it listens nowhere else."""
    return master.startswith("local")


def spark_session(master: str, *, alone: bool = False) -> SparkSession:
    """A session on a master: a new one on a Spark that already runs in this process, else on a Spark that is started.

    `alone` says that a started Spark serves only this search.

    Raises JavaError or SparkError.
    """
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is None:
        running = _started(master, alone)
        if not in_this_process(master):
            running.sparkContext.addPyFile(str(_package_archive()))
    session = running.newSession()
    session.conf.set("spark.sql.shuffle.partitions", 2 * session.sparkContext.defaultParallelism)
    return session


def _started(master: str, alone: bool) -> SparkSession:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    users_own = os.environ.get("JAVA_HOME")
    os.environ["JAVA_HOME"] = ensure_java(working_folder())
    if on_this_machine(master):
        # Otherwise Spark uses the first python3 of the PATH for its workers, which may not have this package.
        os.environ["PYSPARK_PYTHON"] = sys.executable
        # The driver gets its address below; the other processes of Spark read theirs here.
        os.environ["SPARK_LOCAL_IP"] = os.environ["SPARK_LOCAL_HOSTNAME"] = LOOPBACK
    # A failed task, of a killed worker for example, is tried again. By default Spark does so on a cluster, but not on one machine.
    named = "local[1]" if master == "local" else master
    tried_again = re.sub(r"^local\[([^,\]]+)\]$", rf"local[\1,{TRIES}]", named)
    builder = SparkSession.builder.master(tried_again).appName("neverlost")
    for name, value in _settings(master, alone).items():
        builder = builder.config(name, value)
    interrupts = signal.getsignal(signal.SIGINT)
    logging.getLogger().addFilter(_is_not_of_the_bridge)
    try:
        session = builder.getOrCreate()
        server: Any = session.sparkContext._accumulatorServer
        server.handle_error = _say_nothing
        return session
    except PySparkException as error:
        raise SparkError(f"Spark does not start on {master}: {error}") from error
    except Exception as error:  # Java's errors at its start have no common base class
        said = [line.removeprefix(": ") for line in str(error).splitlines() if line.strip()]
        raise SparkError(f"Spark does not start on {master}: {(said[1:] or said)[0]}") from error
    finally:
        # Processes that this one starts must find the user's own Java, not a script in a cache that others may change.
        if users_own is None:
            del os.environ["JAVA_HOME"]
        else:
            os.environ["JAVA_HOME"] = users_own
        # PySpark sets its own handler, which ends all jobs and raises at any point of the program.
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, interrupts)


def _is_not_of_the_bridge(record: logging.LogRecord) -> bool:
    """When Java ends, the bridge to it raises an error for every failing call, and also logs it with a traceback."""
    return "py4j" not in Path(record.pathname).parts


def _say_nothing(request: object, client_address: object) -> None:
    """Java has ended in the middle of a message: PySpark would print a traceback, but the search reports it in one sentence."""


def _settings(master: str, alone: bool) -> dict[str, str]:
    # In a search Java plans jobs and moves blocks: further optimisation costs more time than it saves. SQL gains by it.
    # Spark's usual collector lets garbage grow to most of the memory that it may take; this one starts small, and stays there.
    quick = " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xms64m" if alone else ""
    logging = files("neverlost.spark_explore") / "log4j2.properties"
    settings = {
        "spark.driver.memory": DRIVER_MEMORY,
        "spark.executor.memory": EXECUTOR_MEMORY,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.locality.wait": "0s",
        "spark.python.worker.reuse": "true",
        # Spark starts its workers with `python -m`, which would import from the current folder first.
        "spark.executorEnv.PYTHONSAFEPATH": "1",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{logging}{quick}",
    }
    if on_this_machine(master):
        settings |= {"spark.driver.bindAddress": LOOPBACK, "spark.driver.host": LOOPBACK}
        # Otherwise Spark makes a folder for tables in the current directory.
        settings |= {"spark.sql.warehouse.dir": str(own_folder())}
    if in_this_process(master):
        # Nothing leaves the machine, and compressing the blocks costs more than it saves.
        settings |= {"spark.shuffle.compress": "false", "spark.python.unix.domain.socket.enabled": "true"}
        # Other users of the machine can also connect to its loopback address; here Spark generates the secret by itself.
        settings |= {"spark.authenticate": "true"}
    return settings


def _package_archive() -> Path:
    """The modules that tasks import, as an archive for executors without neverlost."""
    archive = own_folder() / "neverlost.zip"
    with zipfile.ZipFile(archive, "w") as target:
        target.write(Path(str(files("neverlost"))) / "__init__.py", Path("neverlost") / "__init__.py")
        for name in SHIPPED:
            root = Path(str(files(f"neverlost.{name}")))
            for path in sorted(root.rglob("*.py")):
                target.write(path, Path("neverlost") / name / path.relative_to(root))
    return archive
