"""The matrix of the quorum: do the controllers ever lose a decision that was committed?"""

from __future__ import annotations

from neverlost.spec.matrix import Axis, Matrix

from .versions import VERSIONS

MATRIX = Matrix(
    question="Do the controllers ever lose a decision that was committed?",
    asks="committed_never_lost",
    violation="loss",
    versions=VERSIONS,
    axes=(
        Axis(
            setting="kraft_version",
            values={"0": 0, "1": 1},
            usual=("0", "1"),
            label="kraft.version",
            title="kraft.version={}",
        ),
    ),
    faults={
        "1 directory lost": {"disk_losses": 1},
        "2 directories lost": {"disk_losses": 2},
        "1 quorum-state deleted": {"quorum_state_losses": 1},
        "1 older copy restored": {"restored_copies": 1},
        "1 copy of another's": {"borrowed_copies": 1},
        "1 power loss": {"power_losses": 1},
    },
    short={
        "1 directory lost": "1 lost",
        "2 directories lost": "2 lost",
        "1 quorum-state deleted": "q-state",
        "1 older copy restored": "older",
        "1 copy of another's": "other's",
        "1 power loss": "1 power",
    },
    other="",
    beside="crashes",
    times=(0,),
    of_times="crashes",
    legend="What happens to the directories of controllers, and how many crashes beside it.",
    note="Releases to 3.8 have kraft.version 0 only: what is said of them with 1 is said of 0. One controller alone is another bound.",
)
