"""What a producer makes of its settings: which idempotence implies, which silently switch it off, which it refuses.

The rules of the Java client were found by asking the client of every version from 0.8.2 to 4.1; the tests hold what those answered.
Those of other clients stand in their sources, which `clients` names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .clients import IN_FLIGHT, Client
from .defaults import LARGEST, OLD_DEFAULTS, configuration_key
from .versions import at_least

WITHOUT_DEFAULT_IDEMPOTENCE = ("3.0.0", "3.1.0")
"""Releases whose producer was to be idempotent by default, and was not (KAFKA-13598)."""

KEEPS_ORDER_SINCE = "0.10.0"
"""From here on one request in flight keeps the order: a partition waits until its batch is answered (KAFKA-3197, RecordAccumulator).

Before, the limit is one for each broker. So the next batch may go to a new leader before the one that the old leader refused.
"""


RENUMBERS_SINCE = "2.5"
"""From here on an idempotent producer begins a new epoch when its next record is out of sequence (KIP-360).

One with transactions has to abort instead (TransactionManager.canRetry).
"""


@dataclass(frozen=True, kw_only=True)
class ProducerFileSettings:
    """What the producer's file sets; None where it sets nothing."""

    acks: str | None = None
    retries: int | None = None
    idempotence: bool | None = None
    in_flight: int | None = None
    transactional: bool = False


@dataclass(frozen=True, kw_only=True)
class Producer:
    """What the producer does.

    `conflict` is the setting that switched idempotence off; `refused` lists what it does not start with. `not_modelled` is why the
    model does not have it. `acks_earlier`: does it take a record that was refused for written, because a later one was? `renumbers`:
    does it begin a new epoch then, and number anew what is not acknowledged? `would_renumber`: would it from 2.5 on? `doubts` are what
    this client does otherwise than the model: the key, what, why, and what to do.
    """

    acks: str
    retries: int
    idempotence: bool
    in_flight: int
    conflict: str | None = None
    refused: tuple[tuple[str, str], ...] = ()
    not_modelled: str = ""
    acks_earlier: bool = False
    renumbers: bool = False
    would_renumber: bool = False
    doubts: tuple[tuple[str, str, str, str], ...] = ()


def old_producer(written: ProducerFileSettings) -> Producer:
    """The producer of 0.8 in Scala: one request at a time, never idempotent."""
    return Producer(
        acks=written.acks or OLD_DEFAULTS["acks"],
        retries=int(OLD_DEFAULTS["retries"]) if written.retries is None else written.retries,
        idempotence=False,
        in_flight=1,
    )


def producer(written: ProducerFileSettings, version: str, release: str) -> Producer:
    """The producer of a version. `release` is the version as it was given, which may have a third number."""
    implied = written.transactional and written.idempotence is None
    wanted = at_least(version, "0.11") and (written.idempotence is True or implied)
    by_default = at_least(version, "3.0") and written.idempotence is None and release not in WITHOUT_DEFAULT_IDEMPOTENCE
    limit = 1 if version == "0.11" else 5
    conflicts = _conflicts(written, limit)
    refused = conflicts if wanted else ()
    if by_default and at_least(version, "4.0"):
        refused += tuple(found for found in conflicts if found[0] == IN_FLIGHT and found not in refused)
    if written.transactional and written.idempotence is False and at_least(version, "0.11"):
        refused += (("enable.idempotence", "transactions need idempotence, and it is off"),)
    idempotent = (wanted or by_default) and not conflicts
    usual_in_flight = limit if idempotent else int(configuration_key("producer", IN_FLIGHT).default(version) or 5)
    in_flight = written.in_flight or usual_in_flight
    retries = _retries(written, idempotent, version)
    reorders = retries > 0 and not at_least(version, KEEPS_ORDER_SINCE)
    would_renumber = idempotent and retries > 0 and in_flight > 1 and not written.transactional
    return Producer(
        acks=written.acks or ("all" if idempotent else configuration_key("producer", "acks").default(version) or "1"),
        retries=retries,
        idempotence=idempotent,
        in_flight=max(in_flight, 2) if reorders else in_flight,
        renumbers=would_renumber and at_least(version, RENUMBERS_SINCE),
        would_renumber=would_renumber,
        conflict=conflicts[0][0] if by_default and not wanted and conflicts else None,
        refused=refused,
    )


def other_producer(written: ProducerFileSettings, client: Client) -> Producer:
    """The producer of a client that is not Java's: it refuses what does not go with idempotence, and switches nothing off silently."""
    defaults = client.defaults["producer"]
    by_default = defaults["enable.idempotence"] == "true" or written.transactional
    wanted = by_default if written.idempotence is None else written.idempotence
    taken = {**defaults, **(client.idempotent if wanted else {})}
    acks = written.acks or taken["acks"]
    retries = int(taken["retries"]) if written.retries is None else written.retries
    retries = max(retries, client.least_retries)
    own_in_flight = written.in_flight is None or (wanted and client.ignores_in_flight)
    in_flight = int(taken[IN_FLIGHT]) if own_in_flight else written.in_flight or 1
    asked = in_flight if written.in_flight is None and not client.ignores_in_flight else written.in_flight
    checked = ProducerFileSettings(acks=acks, retries=retries, in_flight=asked)
    refused = _conflicts(checked, client.most_in_flight) if wanted else ()
    if written.transactional and written.idempotence is False:
        refused += (("enable.idempotence", "transactions need idempotence, and it is off"),)
    reorders = client.retries_reorder and retries > 0 and not wanted
    made = Producer(
        acks=acks,
        retries=retries,
        idempotence=wanted and not refused,
        in_flight=max(in_flight, 2) if reorders else in_flight,
        refused=refused,
        not_modelled=client.not_modelled if wanted else "",
        acks_earlier=client.acks_earlier and wanted and in_flight > 1,
    )
    return replace(made, doubts=tuple(_doubts(made, client, transactional=written.transactional)))


def _doubts(made: Producer, client: Client, *, transactional: bool) -> Iterator[tuple[str, str, str, str]]:
    """What a client is known to do that the model's producer does not."""
    if client.retries_skip and made.retries and not made.not_modelled:
        yield (
            "retries",
            "a send of KafkaJS may succeed without one of its records.",
            client.retries_skip,
            "Use another client.",
        )
    if client.takes_refused_again and not made.retries and made.in_flight > 1:
        what = "librdkafka sends again what a broker refused that does not lead, without counting that."
        why = "A record that was sent after it may be written before it."
        yield "retries", what, why, f"Write {IN_FLIGHT}=1."
    if client.bumps_for_all and made.idempotence and made.in_flight > 1 and not transactional:
        what = "librdkafka begins a new epoch for all partitions after an error in one."
        why = "A record of another one, which was written and not answered yet, is then written again (issue 4953)."
        yield "enable.idempotence", what, why, f"Write {IN_FLIGHT}=1, or use transactions."


def _retries(written: ProducerFileSettings, idempotent: bool, version: str) -> int:
    if written.retries is not None:
        return written.retries
    return LARGEST if idempotent else int(configuration_key("producer", "retries").default(version) or 0)


def _conflicts(written: ProducerFileSettings, limit: int) -> tuple[tuple[str, str], ...]:
    """What idempotence does not go with, as (key, why)."""
    found = []
    if written.acks not in (None, "all"):
        found.append(("acks", f"idempotence needs acks=all, and it is {written.acks}"))
    if written.retries == 0:
        found.append(("retries", "idempotence needs retries, and there are none"))
    if written.in_flight is not None and written.in_flight > limit:
        found.append((IN_FLIGHT, f"idempotence allows at most {limit}, and it is {written.in_flight}"))
    return tuple(found)
