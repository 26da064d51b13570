"""Transactions: the in-process coordinator, leaders and producers beside the model, step by step."""

from __future__ import annotations

from ..adapter import MakeAdapter

NAME = "transactions"
"""What `--adapter` calls the adapter."""


def in_process() -> MakeAdapter:
    """The adapter, imported when it is asked for."""
    from .adapter import TransactionsAdapter

    return TransactionsAdapter
