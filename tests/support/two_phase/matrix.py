"""The matrix of two-phase commit."""

from __future__ import annotations

from neverlost.spec.matrix import Axis, Matrix

from .versions import VERSIONS

MATRIX = Matrix(
    question="Is a record ever committed on one partition only?",
    asks="committed_on_both",
    violation="half commit",
    versions=VERSIONS,
    axes=(
        Axis(
            setting="gives_up",
            values={"off": 0, "on": 1},
            usual=("off", "on"),
            label="gives up",
            title="giving up {}",
        ),
    ),
    faults={"no crash": {}},
    short={"no crash": "crashes"},
    other="",
    beside="coordinator_crashes",
    times=(0, 1, 2),
    of_times="crashes",
    legend="Below: crashes of the coordinator.",
    note="",
)
