"""Whether a partition may forget an idempotent producer before that has sent a record again for the last time.

A partition knows the last batches of a producer for `producer.id.expiration.ms`, to 3.3 for `transactional.id.expiration.ms` (KIP-854),
and looks every ten minutes. Whom it does not know may begin with any sequence number, so a batch that is sent again is written again
(ProducerAppendInfo.checkSequence, ProducerStateManager.isProducerExpired, of 0.11.0 to 4.3). The time counts from the newest timestamp
in the producer's last batch, which is the producer's own, unless the topic has LogAppendTime.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .clients import CONNECT, LIBRDKAFKA, STREAMS, Client
from .configuration_file import ConfigurationFile, entries_of
from .defaults import ConfigurationKey
from .in_force import in_force, with_place
from .notices import Notice

EXPIRATION = ConfigurationKey(
    role="broker", key="producer.id.expiration.ms", kind="int", defaults=(("3.4", "86400000"),), least=1
)
OLD_EXPIRATION = ConfigurationKey(
    role="broker", key="transactional.id.expiration.ms", kind="int", defaults=(("0.11", "604800000"),), least=1
)
"""To 3.3 this one also says when a partition forgets a producer (KIP-854)."""
DELIVERY = ConfigurationKey(role="producer", key="delivery.timeout.ms", kind="int", defaults=(("2.1", "120000"),))
OF_LIBRDKAFKA = ("message.timeout.ms", "delivery.timeout.ms")
LONGEST_OF_LIBRDKAFKA = 300000
"""How long librdkafka sends a message again by default (CONFIGURATION.md); 0 is without an end."""
OF_OLD_RECORDS = (STREAMS, CONNECT)
"""What gives its records the time of those that it reads (RecordCollectorImpl, MirrorSourceTask), or that a connector has for them."""
APPEND_TIME = ("message.timestamp.type", "log.message.timestamp.type")
TWICE = "A partition that has forgotten the producer writes a record again that is sent again: idempotence does not prevent it."


def about_forgetting(
    files: Sequence[ConfigurationFile], clients: Mapping[str, Client], brokers: str, java: str
) -> Iterator[Notice]:
    """The doubts about an idempotent producer: it is forgotten too soon, or its records are older than they are sent."""
    expiration = in_force(EXPIRATION, files, brokers) or in_force(OLD_EXPIRATION, files, brokers)
    client = clients.get("producer")
    longest, said = _longest(files, client, java)
    unending = longest is None and expiration is not None and not expiration.is_assumed
    if expiration is not None and (unending or (longest is not None and int(expiration.value) <= longest)):
        what = f"a partition may forget an idempotent producer that still sends again ({said})."
        advice = f"Write more than that, such as {EXPIRATION.default('3.4')}, the default."
        yield expiration.notice(what, TWICE, advice, decides=True)
    if client in OF_OLD_RECORDS and not _has_append_time(files):
        own = next(file for file in files if file.role == "producer")
        what = "records have the time of those that they are made of, and a partition counts from that when it forgets a producer."
        advice = (
            f"Write {APPEND_TIME[0]}=LogAppendTime for the topic, or mind what is read again after more than a day."
        )
        yield Notice(what=what, why=TWICE, advice=advice, file=own.path, decides=True)


def _longest(files: Sequence[ConfigurationFile], client: Client | None, java: str) -> tuple[int | None, str]:
    """For how many milliseconds a record is sent again, None if without an end, and what says so."""
    if client is LIBRDKAFKA:
        given = [entry for entry in entries_of(files, "producer") if entry.key in OF_LIBRDKAFKA]
        value = given[-1].value.strip() if given else str(LONGEST_OF_LIBRDKAFKA)
        number = int(value) if value.isdigit() else 0
        return number or None, f"{OF_LIBRDKAFKA[0]}={value}"
    delivery = in_force(DELIVERY, files, java)
    return (None, "it has no delivery.timeout.ms") if delivery is None else (int(delivery.value), with_place(delivery))


def _has_append_time(files: Sequence[ConfigurationFile]) -> bool:
    """Has the topic, or all topics of the brokers, the time at which a record is written?"""
    for role, key in zip(("topic", "broker"), APPEND_TIME, strict=True):
        given = [entry.value.strip() for entry in entries_of(files, role) if entry.key == key]
        if given:
            return set(given) == {"LogAppendTime"}
    return False
