"""Kafka's replication: the in-process brokers and clients beside the model, step by step."""

from __future__ import annotations

from ..adapter import MakeAdapter

NAME = "inprocess"
"""What `--adapter` calls the adapter of the in-process brokers."""


def in_process() -> MakeAdapter:
    """The adapter, imported when it is asked for."""
    from .adapter import InProcessAdapter

    return InProcessAdapter
