"""What kafka-features.sh prints of a feature."""

from __future__ import annotations


def finalized(feature: str, level: str, most: str = "1") -> str:
    """The line about a feature with this level."""
    return f"Feature: {feature}\tSupportedMinVersion: 0\tSupportedMaxVersion: {most}\tFinalizedVersionLevel: {level}\tEpoch: 1\n"
