"""Apache Kafka, version by version: properties, profiles, claims."""

from .purgatory import PURGATORY
from .routing import ROUTING
from .timing_wheel import TIMING_WHEEL
from .versions import VERSIONS

SMALL_MODELS = (TIMING_WHEEL, PURGATORY, ROUTING)
"""What happens around the partition, each in a model of its own."""

__all__ = ["SMALL_MODELS", "VERSIONS"]
