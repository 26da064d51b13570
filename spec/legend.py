"""What the marks in a picture of replicated logs mean, for readers."""

from __future__ import annotations

LOGS = (
    "A cell of a log is a record: its value, and small beside it the leader epoch that it was written in. A cell with a cross is gone.",
    "The thick bar in a log is the high watermark: what is left of it may be read, and must never be lost.",
    "A full green dot: the controller counts the broker as in sync. A red ring: it does not. A dashed column: the broker is down.",
    "Words in red are what leads to the loss.",
)
