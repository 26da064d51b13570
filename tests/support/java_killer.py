"""The command line of a search on Spark whose Java is killed, at a moment that depends on no clock.

python tests/support/java_killer.py MOMENT ARGUMENT...      MOMENT is one of MOMENTS, the arguments are those of `neverlost`
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from spark_searches import ON_SPARK

from neverlost.cli import spark_engine as command_line
from neverlost.cli.main import main
from neverlost.spark_explore import engine, runners

MOMENTS = {
    "as Spark has started": (runners, "spark_session"),
    "while a level is made": (runners.SparkRunner, "_share_done"),
    "between two levels": (command_line, "show_level"),
}
"""Java is killed after the first call of this function that finds one running."""


def kill_java() -> None:
    """Kill the Java that this process started, if it did, and wait for its end."""
    from pyspark import SparkContext

    java = getattr(SparkContext._gateway, "proc", None)
    if java is not None and java.poll() is None:
        os.kill(java.pid, signal.SIGKILL)
        java.wait()


def killing(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*arguments: Any, **options: Any) -> Any:
        found = function(*arguments, **options)
        kill_java()
        return found

    return called


if __name__ == "__main__":
    owner, name = MOMENTS[sys.argv[1]]
    setattr(owner, name, killing(getattr(owner, name)))
    engine.SparkOptions = partial(engine.SparkOptions, local_work=ON_SPARK)  # type: ignore[misc, assignment]
    sys.exit(main(sys.argv[2:]))
