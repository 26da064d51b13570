"""What must hold: properties, profiles, and the verdicts that were confirmed."""

from .families import profiles

__all__ = ["profiles"]
