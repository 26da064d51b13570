"""The matrix of transactions: is one ever torn?"""

from __future__ import annotations

from neverlost.model.kafka.transactions.state import Protocol, Unanswered
from neverlost.spec.matrix import Axis, Matrix

from .versions import VERSIONS

MATRIX = Matrix(
    question="Do readers ever see a part of a transaction only?",
    asks="all_or_nothing",
    violation="torn transaction",
    versions=VERSIONS,
    axes=(
        Axis(
            setting="client",
            values=dict(zip(Protocol.names, range(len(Protocol.names)), strict=True)),
            usual=("tv0", "tv2"),
            label="client",
            title="client {}",
        ),
        Axis(
            setting="unanswered",
            values=dict(zip(Unanswered.names, range(len(Unanswered.names)), strict=True)),
            usual=("sends-again",),
            label="unanswered",
            title="unanswered EndTxn: {}",
        ),
    ),
    faults={
        "nothing else": {},
        "a timeout": {"timeouts": 1},
        "a late marker": {"late_markers": 1},
        "an expired producer": {"expirations": 1},
        "a lost marker": {"lost_markers": 1},
    },
    short={
        "nothing else": "nothing",
        "a timeout": "timeout",
        "a late marker": "marker",
        "an expired producer": "expired",
        "a lost marker": "lost",
    },
    other="",
    beside="delays",
    times=(0, 1),
    of_times="held-up requests",
    legend="Below each: requests of the producer that are held up, and arrive although they were sent again.",
    note="With --unanswered closes the application closes its producer when EndTxn is not answered, instead of sending it again.",
    meaning="tv0 and tv2 are the transaction versions that a client speaks (KIP-890): a Java client of 4.0 or later speaks tv2.",
)
