"""What clients of a real system saw, judged: acknowledged and lost, read and vanished, duplicated, reordered, inconsistent."""

from .anomalies import KINDS, Finding, Judge, Mention
from .operations import HistoryError, Malformed, forms_of
from .recording import History, Reads, Recorder, Sends

__all__ = [
    "KINDS",
    "Finding",
    "History",
    "HistoryError",
    "Judge",
    "Malformed",
    "Mention",
    "Reads",
    "Recorder",
    "Sends",
    "forms_of",
]
