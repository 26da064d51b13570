"""What files say of a consumer: when it commits, how its group rebalances, what becomes of a record that it fails to process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from neverlost.spec.configuration import ConfigurationFile, SourcedValue
from neverlost.spec.configuration.clients import (
    CONNECT,
    FRAMEWORKS,
    FRANZ_GO,
    JAVA,
    KAFKAJS,
    LIBRDKAFKA,
    OLD_LIBRDKAFKA,
    SARAMA,
    SPRING,
    SPRING_CLOUD,
    STREAMS,
    Client,
    other_client,
)
from neverlost.spec.configuration.configuration_file import ConfigEntry
from neverlost.spec.configuration.defaults import ConfigurationKey, configuration_key
from neverlost.spec.configuration.forms.client_logs import FORM as CLIENT_LOG
from neverlost.spec.configuration.in_force import with_place
from neverlost.spec.configuration.layers import set_by
from neverlost.spec.configuration.readings import OTHER_JAVA
from neverlost.spec.configuration.versions import at_least, version_line
from neverlost.spec.inquiry import OpenPoint

from ..replication.topics_below import OF_ELR

AUTO = configuration_key("consumer", "enable.auto.commit")
RESET = configuration_key("consumer", "auto.offset.reset")
STORE = ConfigurationKey(role="consumer", key="enable.auto.offset.store", kind="bool", defaults=(("0.8.2", "true"),))
"""Of librdkafka alone: is an offset ready to be committed as soon as the program has the record?"""
GROUP_PROTOCOL = ConfigurationKey(role="consumer", key="group.protocol", kind="word", defaults=(("3.7", "classic"),))
ASSIGNORS = ConfigurationKey(
    role="consumer", key="partition.assignment.strategy", kind="word", defaults=(("0.8.2", ""),)
)
INSTANCE = ConfigurationKey(role="consumer", key="group.instance.id", kind="word", defaults=(("2.3", ""),))

OF_SHARE_GROUPS = {"share.acknowledgement.mode": "implicit", "share.acquire.mode": "batch_optimized"}
"""Keys of KafkaShareConsumer (KIP-932), with their defaults, which the log of every consumer has."""

RESETS: Mapping[str, str] = {
    "earliest": "earliest",
    "smallest": "earliest",
    "beginning": "earliest",
    "latest": "latest",
    "largest": "latest",
    "end": "latest",
    "none": "none",
    "error": "none",
}
"""What each way to write auto.offset.reset means; librdkafka has names of its own."""
EAGER = (
    *("range", "roundrobin", "org.apache.kafka.clients.consumer.RangeAssignor"),
    *("org.apache.kafka.clients.consumer.RoundRobinAssignor", "org.apache.kafka.clients.consumer.StickyAssignor"),
)
COOPERATIVE = ("cooperative-sticky", "org.apache.kafka.clients.consumer.CooperativeStickyAssignor")
"""Assignors by their protocol. A consumer speaks the newest that all of its assignors have (ConsumerCoordinator's constructor)."""
UNCLEAN = configuration_key("topic", "unclean.leader.election.enable")

PROCESSING, COMMIT, FAILED, ASSIGNOR, EPOCHS = "processing", "commit", "failed", "assignor", "epochs"
BY_ITSELF = ("auto", "auto-threads")
"""Ways to commit in which the consumer commits all positions again and again."""
IN_POLL, IN_THREADS = "poll", "threads"
IN_TRANSACTION = "transaction"
PASSES, KEEPS = "skips", "keeps"
CHECKED, UNCHECKED = "checked", "unchecked"
CHECKS_SINCE = "2.3"
"""Java's consumer notices from then on that a partition was truncated (KIP-320)."""
POINTS = (
    OpenPoint(
        name=PROCESSING,
        about="where the program processes records",
        ways={
            IN_POLL: "records are processed before the next poll",
            IN_THREADS: "records are handed to other threads",
        },
        of_people=True,
    ),
    OpenPoint(
        name=COMMIT,
        about="when the program commits",
        ways={
            "sync": "commitSync after processing",
            "async": "commitAsync after processing",
            "before": "a commit before processing",
            IN_TRANSACTION: "offsets in the producer's transaction",
        },
        of_people=True,
    ),
    OpenPoint(
        name=FAILED,
        about="what becomes of a record whose listener fails",
        ways={
            PASSES: "Spring's own error handler, which logs such a record after its retries, and goes on",
            KEEPS: "an error handler that stops, or sends such a record to a topic of dead letters",
        },
        of_people=True,
    ),
    OpenPoint(
        name=EPOCHS,
        about="whether the client notices that a partition was truncated (KIP-320)",
        ways={
            CHECKED: "Java's client from 2.3 on, librdkafka from 2.1 on",
            UNCHECKED: "Java's client to 2.2, librdkafka to 2.0",
        },
    ),
    OpenPoint(
        name=ASSIGNOR,
        about="what the assignor of the program's own does",
        ways={"eager": "an assignor that takes all partitions back", "cooperative": "an assignor that moves some"},
    ),
    OF_ELR,
)


def client_of(client: Client | None, said: str | None) -> Client | None:
    """The client of the file, or else the one that was said to be it."""
    return client if client is not None else other_client(said or "")


def taken_by(client: Client | None) -> Mapping[str, str]:
    """What a client or a framework takes for keys that its file does not set."""
    if client is None:
        return {}
    return {**client.defaults.get("consumer", {}), **client.sets.get("consumer", {})}


def ways_to_commit(
    client: Client | None,
    sources: Mapping[str, SourcedValue],
    before: ConfigEntry | None,
    *,
    may_be_in_transaction: bool,
) -> dict[str, tuple[str, tuple[str, str] | None]]:
    """How it may commit: why so, and which way of an open point it is. `before` has it commit before it processes."""
    auto = sources[AUTO.key]
    if before is not None:
        return {"before": (f"{before.key}={before.value} at {before.place}", None)}
    if client in (SPRING, SPRING_CLOUD, STREAMS) and auto.value != "true":
        return {"sync": (f"{client.name} does so when it has processed", None)} if client else {}
    if client is CONNECT and auto.value == "true":
        return {
            "auto-threads": (f"{with_place(auto)}: what poll has returned, also what the sink has yet to write", None)
        }
    if client is CONNECT:
        return {"async": ("Kafka Connect does so when a sink has taken them", None)}
    if client in (KAFKAJS, SARAMA) and auto.value == "true" and client is not None:
        return {"sync": (f"{client.name} commits what the program has marked as processed", None)}
    if client in (LIBRDKAFKA, OLD_LIBRDKAFKA) and auto.value == "true":
        store = sources[STORE.key]
        if store.value == "true":
            why = f"{with_place(auto)}, {with_place(store)}: librdkafka stores it when it hands the record out"
            return {"auto-threads": (why, None)}
        return {"sync": (f"{with_place(auto)}, {with_place(store)}: the program stores it when it has processed", None)}
    if auto.value == "true":
        return {
            "auto": (with_place(auto), (PROCESSING, IN_POLL)),
            "auto-threads": (with_place(auto), (PROCESSING, IN_THREADS)),
        }
    why = f"{with_place(auto)}, so the program does"
    ways = (way for way in POINTS[1].ways if way != IN_TRANSACTION or may_be_in_transaction)
    return {way: (f"{why}: {POINTS[1].ways[way]}", (COMMIT, way)) for way in ways}


def ways_to_rebalance(client: Client | None, sources: Mapping[str, SourcedValue]) -> dict[str, bool]:
    """How its group rebalances; true where only its own assignor could tell."""
    new = sources.get(GROUP_PROTOCOL.key)
    if new is not None and new.value.strip().lower() == "consumer":
        return {"consumer": False}
    named = [part.strip() for part in sources[ASSIGNORS.key].value.split(",") if part.strip()]
    if client is STREAMS or (client is FRANZ_GO and not named):
        return {"cooperative": False}
    if all(name in COOPERATIVE for name in named) and named:
        return {"cooperative": False}
    if any(name in EAGER for name in named) or not named:
        return {"eager": False}
    return {"eager": True, "cooperative": True}


def ways_to_fail(file: ConfigurationFile, client: Client | None) -> Sequence[tuple[str | None, tuple[str, str] | None]]:
    """Why it goes on behind a record that fails, None if it does not, and which way of an open point that is."""
    if file.keeps_failed is not None:
        return [(None, None)]
    passes = file.passes_failed
    if passes is not None:
        return [(f"{passes.key}={passes.value.strip()} at {passes.place}", None)]
    if client in (SPRING, SPRING_CLOUD):
        return [("Spring's own error handler does, after its retries", (FAILED, PASSES)), (None, (FAILED, KEEPS))]
    return [(None, None)]


def ways_to_check_epochs(
    file: ConfigurationFile, client: Client | None, said: str | None, *, unclean: bool
) -> Sequence[tuple[bool, tuple[str, str] | None]]:
    """Does it notice that a partition was truncated, and which way of an open point that is? Java's client does from 2.3 on."""
    if said in OTHER_JAVA:
        return [(False, None)]
    logged = version_line(file.client_release)
    if logged is not None:
        return [(at_least(logged, CHECKS_SINCE), None)]
    of_any_release = unclean and said is None and client in (None, JAVA, *FRAMEWORKS)
    checks = None if of_any_release else (client or JAVA).checks_epochs
    if checks is not None:
        return [(checks, None)]
    return [(True, (EPOCHS, CHECKED)), (False, (EPOCHS, UNCHECKED))] if unclean else [(False, None)]


def what_is_missing(file: ConfigurationFile, sources: Mapping[str, SourcedValue]) -> Iterator[str]:
    """What the model does not have."""
    if file.is_old_client:
        yield "the consumer in Scala is not modelled: ZooKeeper has its group, and perhaps its offsets"
    if file.begins_anew:
        yield file.begins_anew
    protocol = sources.get(GROUP_PROTOCOL.key)
    if protocol is not None and protocol.value.strip().lower() not in ("classic", "consumer"):
        yield f"{with_place(protocol)} is not modelled"
    shares = [entry for entry in file.entries if entry.key in OF_SHARE_GROUPS]
    if file.form == CLIENT_LOG:
        shares = [entry for entry in shares if entry.value.strip().lower() != OF_SHARE_GROUPS[entry.key]]
    for share in shares[:1]:
        yield f"share groups are not modelled ({share.key}={share.value} at {share.place})"
    instance = sources.get(INSTANCE.key)
    if instance is not None and instance.value:
        yield f"static membership is not modelled ({with_place(instance)})"
    reset = sources[RESET.key]
    if reset.value.strip().lower() not in RESETS:
        yield f"{with_place(reset)} is not modelled, and latest is asked in its place"


def may_be_unclean(files: Sequence[ConfigurationFile], version: str) -> bool:
    """May a partition that the files describe get a leader that was not in sync?"""
    given = [one.value.lower() for one in set_by(UNCLEAN, files)]
    return "true" in given if given else UNCLEAN.default(version) == "true"


def where_transactional(files: Sequence[ConfigurationFile]) -> list[ConfigEntry]:
    """Where producers are transactional."""
    producers = [file for file in files if file.role == "producer"]
    return [entry for file in producers for entry in file.entries if file.canonical(entry.key) == "transactional.id"]
