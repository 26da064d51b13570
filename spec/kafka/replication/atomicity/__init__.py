"""What makes each action of the model one step in Apache Kafka: a lock or a thread, as its code says; or nothing, and what follows."""

from __future__ import annotations

from ...atomicity import Ledger
from ..differences import TIME_LINE
from .brokers import FETCHING, HEARING, IN_SYNC, PRODUCING
from .controllers import DECIDING, ENDING, FAILING, LOSING
from .delayed import LATE
from .readers import CLEANING, CONSUMING

LEDGER = Ledger(
    time_line=TIME_LINE,
    rows=(
        *PRODUCING,
        *FETCHING,
        *LATE,
        *HEARING,
        *IN_SYNC,
        *DECIDING,
        *LOSING,
        *FAILING,
        *ENDING,
        *CLEANING,
        *CONSUMING,
    ),
)
