"""What happens around the partition, each in a model of its own."""

from .purgatory import PURGATORY
from .routing import ROUTING
from .timing_wheel import TIMING_WHEEL

SMALL_MODELS = (TIMING_WHEEL, PURGATORY, ROUTING)
