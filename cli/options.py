"""Options that commands share."""

from __future__ import annotations

from neverlost.model.core.errors import NeverlostError


class OptionsError(NeverlostError):
    """Options that are correct one by one, but exclude each other."""
