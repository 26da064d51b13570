"""The timer of the in-process brokers beside its model."""

from __future__ import annotations

from ..adapter import MakeAdapter

NAME = "timing-wheel"
"""What `--adapter` calls the adapter."""


def in_process() -> MakeAdapter:
    """The adapter, imported when it is asked for."""
    from .adapter import TimingWheelAdapter

    return TimingWheelAdapter
