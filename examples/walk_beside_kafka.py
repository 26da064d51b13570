"""Random steps of a model of Kafka, done by the in-process brokers as well: where do they differ?

python examples/walk_beside_kafka.py kafka-3.5 1000
"""

from __future__ import annotations

import sys

from neverlost.conformance.random_walk import walk
from neverlost.conformance.replication.adapter import InProcessAdapter
from neverlost.model.kafka.replication.state import ACKS_ALL
from neverlost.spec import profiles


def main(version: str, steps: int) -> int:
    """Walk, and say what was found; 1 if the brokers differ from the model."""
    model = profiles()[version].bounded(acks=ACKS_ALL, min_isr=2, crashes=2, leader_moves=2, leader_epochs=8)
    walked = walk(model, lambda: InProcessAdapter(model), seed=1, steps=steps)
    if walked.divergence is not None:
        print(walked.divergence.report())
        return 1
    print(f"{version}: the brokers did {walked.steps:,} steps in {walked.walks} walks, as the model says.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
