"""What a producer makes of its settings: which idempotence implies, which silently switch it off, which it refuses.

The rules were found by asking the client of every version from 0.8.2 to 4.1; the tests hold what those answered.
"""

from __future__ import annotations

from dataclasses import dataclass

from .defaults import LARGEST, OLD_DEFAULTS, setting
from .versions import at_least

IN_FLIGHT = "max.in.flight.requests.per.connection"
WITHOUT_DEFAULT_IDEMPOTENCE = ("3.0.0", "3.1.0")
"""Releases whose producer was to be idempotent by default, and was not (KAFKA-13598)."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the producer's file sets; None where it sets nothing."""

    acks: str | None = None
    retries: int | None = None
    idempotence: bool | None = None
    in_flight: int | None = None
    transactional: bool = False


@dataclass(frozen=True, kw_only=True)
class Producer:
    """What the producer does. `conflict` is the setting that switched idempotence off; `refused` lists what it does not start with."""

    acks: str
    retries: int
    idempotence: bool
    in_flight: int
    conflict: str | None = None
    refused: tuple[tuple[str, str], ...] = ()


def old_producer(asked: Asked) -> Producer:
    """The producer of 0.8 in Scala: one request at a time, never idempotent."""
    return Producer(
        acks=asked.acks or OLD_DEFAULTS["acks"],
        retries=int(OLD_DEFAULTS["retries"]) if asked.retries is None else asked.retries,
        idempotence=False,
        in_flight=1,
    )


def producer(asked: Asked, version: str, release: str) -> Producer:
    """The producer of a version. `release` is the version as it was given, which may have a third number."""
    implied = asked.transactional and asked.idempotence is None
    wanted = at_least(version, "0.11") and (asked.idempotence is True or implied)
    by_default = at_least(version, "3.0") and asked.idempotence is None and release not in WITHOUT_DEFAULT_IDEMPOTENCE
    limit = 1 if version == "0.11" else 5
    conflicts = _conflicts(asked, limit)
    refused = conflicts if wanted else ()
    if by_default and at_least(version, "4.0"):
        refused += tuple(found for found in conflicts if found[0] == IN_FLIGHT and found not in refused)
    if asked.transactional and asked.idempotence is False and at_least(version, "0.11"):
        refused += (("enable.idempotence", "transactions need idempotence, and it is off"),)
    idempotent = (wanted or by_default) and not conflicts
    usual_in_flight = limit if idempotent else int(setting("producer", IN_FLIGHT).default(version) or 5)
    return Producer(
        acks=asked.acks or ("all" if idempotent else setting("producer", "acks").default(version) or "1"),
        retries=_retries(asked, idempotent, version),
        idempotence=idempotent,
        in_flight=asked.in_flight or usual_in_flight,
        conflict=conflicts[0][0] if by_default and not wanted and conflicts else None,
        refused=refused,
    )


def _retries(asked: Asked, idempotent: bool, version: str) -> int:
    if asked.retries is not None:
        return asked.retries
    return LARGEST if idempotent else int(setting("producer", "retries").default(version) or 0)


def _conflicts(asked: Asked, limit: int) -> tuple[tuple[str, str], ...]:
    """What idempotence does not go with, as (key, why)."""
    found = []
    if asked.acks not in (None, "all"):
        found.append(("acks", f"idempotence needs acks=all, and it is {asked.acks}"))
    if asked.retries == 0:
        found.append(("retries", "idempotence needs retries, and there are none"))
    if asked.in_flight is not None and asked.in_flight > limit:
        found.append((IN_FLIGHT, f"idempotence allows at most {limit}, and it is {asked.in_flight}"))
    return tuple(found)
