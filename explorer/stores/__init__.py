"""Searches in folders: what they are about, how far they are, and how they continue. Start with `explore(model, folder)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..process.lazily import names_of

if TYPE_CHECKING:
    from .identity import StoreError
    from .search import explore, resume

__getattr__ = names_of(__name__, {"StoreError": "identity", "explore": "search", "resume": "search"})

__all__ = ["StoreError", "explore", "resume"]
