"""The matrix of replication: is an acknowledged record ever lost?"""

from __future__ import annotations

from neverlost.model.kafka.replication.state import ACKS_ALL, ACKS_NONE, ACKS_ONE
from neverlost.spec.matrix import Axis, Matrix

from .versions import REPLICATING

MATRIX = Matrix(
    question="Is an acknowledged record ever lost?",
    asks="acked_never_lost",
    violation="loss",
    versions=REPLICATING,
    axes=(
        Axis(
            setting="acks",
            values={"0": ACKS_NONE, "1": ACKS_ONE, "all": ACKS_ALL},
            usual=("1", "all"),
            label="acks",
            title="acks={}",
            opens="all",
        ),
        Axis(
            setting="min_isr",
            values={"1": 1, "2": 2},
            usual=("1", "2"),
            label="min ISR",
            title="min.insync.replicas={}",
            opens="2",
        ),
        Axis(
            setting="unclean",
            values={"off": 0, "on": 1},
            usual=("off", "on"),
            label="unclean",
            title="unclean election {}",
            opens="off",
        ),
    ),
    faults={
        "1 crash": {"crashes": 1},
        "2 crashes": {"crashes": 2},
        "1 power loss": {"power_losses": 1},
        "2 power losses": {"power_losses": 2},
        "1 crash, 1 power loss": {"crashes": 1, "power_losses": 1},
    },
    short={"1 crash": "1 crash", "2 crashes": "2 crash.", "1 power loss": "1 power", "2 power losses": "2 power"},
    other="1 + 1",
    beside="leader_moves",
    times=(0, 1),
    of_times="moves",
    legend="Power losses take what is not flushed; 1 + 1 is a crash and a power loss. Below each: leader moves.",
    meaning="A power loss takes what is not flushed.",
    note="From 4.1 on these rows are of new clusters, with eligible leader replicas on. In an upgraded cluster they are off until"
    " kafka-features.sh turns them on; until then the row of 4.0 is its row. Orderly restarts (2 shutdowns, 1 leader move) and"
    " 3 leader moves without a failure have no column, as their searches take minutes each: the README has them for every version,"
    " and audit --survive rolling-restart asks about your files. With acks=0 nothing is ever acknowledged, so nothing"
    " acknowledged is lost: --acks 0 searches these cells too. With ZooKeeper the controller is one of the brokers: the cells"
    " assume that it is not one of those that fail.",
)
