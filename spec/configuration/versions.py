"""Kafka's versions, and which profile of the model behaves as each release does."""

from __future__ import annotations

import re
from functools import cache

from neverlost.spec.kafka.releases import RELEASES, has_mode
from neverlost.spec.kafka.replication.differences import TIME_LINE

from .catalogue import catalogue
from .notices import ConfigurationError, Notice

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


@cache
def releases_of(version: str) -> tuple[str, ...]:
    """The releases of a version line, oldest first: of 3.9 these are 3.9.0 and 3.9.1."""
    return tuple(release for release in RELEASES if version_line(release) == version)


def differing_releases(version: str, mode: str) -> tuple[str, ...]:
    """The first release of a version line for each profile that the line's releases in a mode have; one, if all behave alike."""
    firsts: dict[str, str] = {}
    for release in releases_of(version):
        if has_mode(release, mode):
            firsts.setdefault(TIME_LINE.version_name(release, mode), release)
    return tuple(firsts.values())
