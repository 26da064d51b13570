"""`eventually` at scale: of the states in which a property is false, those are trimmed away that every fair run leaves."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from neverlost.explorer.compile.cache import loaded_kernel
from neverlost.explorer.compile.graph_kernel import GraphKernel, run_properties
from neverlost.explorer.engines.graph import SETTLED
from neverlost.explorer.engines.successors import OUT_ROWS
from neverlost.explorer.liveness.fair_components import fairness_of
from neverlost.model.core import Model, NeverlostError, Property

from .tables import word_columns

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from .tables import Words


def trimmed(states: DataFrame, model: Model, prop: Property, folder: Path) -> DataFrame:
    """The states in which an `eventually` is false, without those that trimming shows every fair run to leave; kept in a folder.

    A run leaves a state if it may not stand still there, because a fair step can change something, and no step leads to a state that
    remains. If no state remains, the property holds. Every fair run may still leave the remaining states, because fairness is about
    single steps: that is decided on the graph. Raises NeverlostError for another kind of property.
    """
    if not prop.over_runs:
        raise NeverlostError(f"{prop.name} is no `eventually` property: only those are about runs that never end")
    from pyspark.sql import functions as F

    names, ends = word_columns(model.layout.words), target_columns(model.layout.words)
    kinds = ", ".join([*(f"{name} long" for name in (*names, *ends)), "stays boolean"])
    awaiting = _kept(states.select(names).mapInArrow(_awaiting(model, prop), kinds), folder / "awaiting")
    still = awaiting.where("stays").select(names)
    steps, before, rounds = awaiting.where("not stays").select([*names, *ends]), -1, 0
    while before != (before := steps.count()):
        alive = steps.select(names).union(still).distinct().toDF(*ends)
        rounds += 1
        steps = _kept(steps.join(alive, ends, "left_semi").select([*names, *ends]), folder / f"round-{rounds}")
        shutil.rmtree(folder / f"round-{rounds - 1}", ignore_errors=True)
    over = steps.select(names).union(still).distinct()
    return _kept(over.select([F.col(name) for name in names]), folder / "left-over")


def _kept(table: DataFrame, folder: Path) -> DataFrame:
    """A table, computed once and read from there: what leads to it does not grow from round to round."""
    table.write.mode("overwrite").parquet(str(folder))
    return table.sparkSession.read.parquet(str(folder))


def target_columns(words: int) -> list[str]:
    """The columns of the state after a step."""
    return [f"target_{k}" for k in range(words)]


Batches = Iterator["pa.RecordBatch"]


def _awaiting(model: Model, prop: Property) -> Callable[[Batches], Batches]:
    """For `mapInArrow`: of the states in which a property is false, the steps to others of these, and where a run may stand still.

    The latter are rows that lead to themselves, marked as staying.
    """
    text, number = GraphKernel(model).text(), run_properties(model).index(prop)
    settings = model.layout.pack_settings()
    fairness = fairness_of(model, prop)
    fair = fairness.weak | fairness.strong

    def task(batches: Batches) -> Batches:
        import pyarrow as pa

        kernel, _ = loaded_kernel(text)
        out = np.empty((OUT_ROWS + kernel.STEPS, kernel.WORDS), np.int64)
        sources, steps = (np.empty(len(out), np.int64) for _ in range(2))
        names = [*word_columns(kernel.WORDS), *target_columns(kernel.WORDS), "stays"]

        def awaits(rows: Words) -> npt.NDArray[np.bool_]:
            judged = np.zeros(len(rows), np.uint8)
            kernel.judge(rows, 0, len(rows), number, judged, np.zeros(1, np.int64), *settings)
            return np.not_equal(judged, SETTLED)

        def batch_of(before: Words, after: Words, stays: bool) -> pa.RecordBatch:
            columns = [pa.array(np.ascontiguousarray(words)) for words in (*before.T, *after.T)]
            return pa.RecordBatch.from_arrays([*columns, pa.array(np.full(len(before), stays))], names=names)

        for batch in batches:
            rows = np.column_stack([batch.column(k).to_numpy() for k in range(batch.num_columns)])
            rows = np.ascontiguousarray(rows[awaits(rows)])
            numbers, bound, begin = np.arange(len(rows)), np.zeros(len(rows), np.bool_), 0
            while begin < len(rows):
                begin, count = kernel.edges(
                    rows, numbers, begin, len(rows), out, sources, steps, np.zeros(1, np.int64), *settings
                )
                bound[sources[:count][fair[steps[:count]]]] = True
                on = np.flatnonzero(awaits(out[:count]))
                yield batch_of(rows[sources[on]], out[on], False)
            yield batch_of(rows[~bound], rows[~bound], True)

    return task
