"""Consumer groups: the in-process coordinator and members beside the model, step by step."""

from __future__ import annotations

from ..adapter import MakeAdapter

NAME = "groups"
"""What `--adapter` calls the adapter."""


def in_process() -> MakeAdapter:
    """The adapter, imported when it is asked for."""
    from .adapter import GroupsAdapter

    return GroupsAdapter
