"""Kafka with acks=1 and unclean elections, as small as can be: little keeps its records."""

from __future__ import annotations

from neverlost.model.kafka.replication.state import ACKS_ONE
from neverlost.spec import profiles

CARELESS = profiles()["kafka-3.5"].bounded(
    replicas=2,
    log_size=1,
    values=1,
    leader_epochs=4,
    acks=ACKS_ONE,
    unclean=True,
    ignores_unclean=False,
    crashes=1,
)
