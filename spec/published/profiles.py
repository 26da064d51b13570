"""The published protocols as profiles."""

from .async_isr import ASYNC_ISR
from .id_sequence import ID_SEQUENCE
from .partition import KIP_101, KIP_279, KIP_320, KIP_320_FIRST_TRY, TRUNCATE_TO_HIGH_WATERMARK
from .replicated_log import REPLICATED_LOG

PROFILES = (
    TRUNCATE_TO_HIGH_WATERMARK,
    KIP_101,
    KIP_279,
    KIP_320_FIRST_TRY,
    KIP_320,
    ASYNC_ISR,
    REPLICATED_LOG,
    ID_SEQUENCE,
)

__all__ = [
    "ASYNC_ISR",
    "ID_SEQUENCE",
    "KIP_101",
    "KIP_279",
    "KIP_320",
    "KIP_320_FIRST_TRY",
    "PROFILES",
    "REPLICATED_LOG",
    "TRUNCATE_TO_HIGH_WATERMARK",
]
