"""How a caller follows a long run, and ends it early."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Seen = TypeVar("Seen", contravariant=True)


@dataclass(frozen=True, kw_only=True)
class Watch(Generic[Seen]):
    """Two functions that a long run calls. By default they do nothing.

    `progress` gets how far the run is; of a search, this is a `Progress`. Once `interrupted` returns true, the run ends undecided.
    """

    progress: Callable[[Seen], None] = lambda seen: None
    interrupted: Callable[[], bool] = lambda: False

    @property
    def without_progress(self) -> Watch[object]:
        """For a part of the run whose progress is of another kind."""
        return Watch(interrupted=self.interrupted)


UNWATCHED: Watch[object] = Watch()
