"""Searches on Spark for tests: small models that go through Spark all the same, and a process that a test can kill.

python tests/support/spark_searches.py FOLDER LOCAL_WORK      search for as long as it takes, or until killed
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from neverlost.explorer import Result
from neverlost.model.core import Model
from neverlost.spark_explore import SparkOptions, explore
from neverlost.spec import profiles

MASTER = "local[2]"
IN_THE_DRIVER = 10**15
"""More work than any test has: no level runs on Spark, and no Java is started."""

ON_SPARK = 20_000
"""Of a model with a hundred thousand states, most levels run on Spark."""


def kip_320(**bounds: int) -> Model:
    return profiles()["published/kip-320"].bounded(
        **{"replicas": 3, "log_size": 1, "records": 1, "leader_epochs": 3, **bounds}
    )


def searched(model: Model, store: Path, *, local_work: int = IN_THE_DRIVER, **options: Any) -> Result:
    """The result of a search on Spark."""
    by_files = options.pop("by_files", None)
    spark = SparkOptions(store=store, master=MASTER, local_work=local_work, by_files=by_files)
    return explore(model, spark, **options)


if __name__ == "__main__":
    searched(kip_320(log_size=2), Path(sys.argv[1]), local_work=int(sys.argv[2]), until="all", shards=4)
