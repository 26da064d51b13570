"""What may be wrong with the Kafka model beyond a missing guard: bugs that Kafka had, and mistakes that a change could bring in."""

from __future__ import annotations

from mutants.kafka_effect import Effect
from mutants.kafka_effects_broker import BROKER, LOG, READING
from mutants.kafka_effects_clients import CLIENTS, FAULTS
from mutants.kafka_effects_controller import CONTROLLER
from mutants.kafka_effects_delays import EXCHANGES
from mutants.kafka_effects_leader import LEADER
from mutants.kafka_effects_lost import LOST
from mutants.kafka_effects_shutdown import SHUTDOWN

EFFECTS: tuple[Effect, ...] = (
    *(*BROKER, *READING, *LOG, *LEADER, *CONTROLLER, *FAULTS, *SHUTDOWN, *CLIENTS, *EXCHANGES),
    *LOST,
)
"""Every mistake, module by module."""
