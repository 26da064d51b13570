"""Kafka's versions, and which profile of the model behaves as each does."""

from __future__ import annotations

import re
from functools import cache

from .catalogue import catalogue
from .notices import ConfigurationError, Notice

ASSUMED_VERSION = "4.1"
"""The version that is audited if nothing tells."""

PROFILES = (
    ("0.8.2", "kafka-0.8"),
    ("0.11", "kafka-0.11"),
    ("2.0", "kafka-2.0"),
    ("2.1", "kafka-2.1"),
    ("2.7", "kafka-2.7"),
    ("3.1", "kafka-3.1"),
    ("3.5", "kafka-3.5"),
    ("3.7", "kafka-3.7"),
    ("4.0", "kafka-4.0"),
    ("4.1", "kafka-4.1"),
)
"""Each profile with the first version that it is for."""

SHORT = {"0.8": "0.8.2", "0.9.0": "0.9", "0.10": "0.10.2", "0.11.0": "0.11"}
"""Other ways to write a version."""


@cache
def known_versions() -> tuple[str, ...]:
    """Every version line that can be audited, oldest first."""
    return catalogue().versions


def version_line(text: str) -> str | None:
    """The known version that `3.9.1`, `3.9-IV0` or `0.10.2.2` belongs to; None if there is none."""
    matched = re.match(r"\d+(?:\.\d+)*", text.strip())
    parts = matched[0].split(".") if matched else []
    for length in range(len(parts), 0, -1):
        line = ".".join(parts[:length])
        line = SHORT.get(line, line)
        if line in known_versions():
            return line
    return None


def checked_version(text: str) -> str:
    """The known version that `--kafka-version` names. Raises ConfigurationError with the list of versions."""
    line = version_line(text) if re.fullmatch(r"\s*\d+(\.\d+){1,3}\s*", text) else None
    if line is None:
        known = ", ".join(known_versions())
        what = f"Kafka {text!r} is not a version that can be audited."
        raise ConfigurationError([Notice(what=what, advice=f"Known: {known}; a third number may follow, as in 3.9.1.")])
    return line


def at_least(version: str, since: str) -> bool:
    """Is the version `since` or a later one?"""
    order = known_versions()
    return order.index(version) >= order.index(since)


def profile_for(version: str) -> str:
    """The profile of the model that behaves as this version does."""
    return [profile for since, profile in PROFILES if at_least(version, since)][-1]
