"""Judges what clients of a real system saw: records acknowledged and lost, read and vanished, duplicated, reordered, inconsistent."""

from ..malformed import MalformedLine
from .anomalies import Judge
from .findings import KINDS, Anomaly, Mention
from .operations import HistoryError, forms_of, notation_of
from .recording import History, Reads, Recorder, Sends

__all__ = [
    "KINDS",
    "Anomaly",
    "History",
    "HistoryError",
    "Judge",
    "MalformedLine",
    "Mention",
    "Reads",
    "Recorder",
    "Sends",
    "forms_of",
    "notation_of",
]
