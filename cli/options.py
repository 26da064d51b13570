"""Options that commands share."""

from __future__ import annotations

from neverlost.model.core.errors import NeverlostError


class OptionsError(NeverlostError):
    """Options that are right one by one, but do not go together."""
