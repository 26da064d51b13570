"""What is legal in a configuration and probably not meant, or costs more than it seems."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from .layers import BROKERS, CLUSTER
from .notices import Notice
from .values import SourcedValue

MOST_REPLICAS = 5
"""The model has at most this many replicas."""

DESCRIBE_TOPIC = "Add what kafka-topics.sh --describe prints, or a file of the topic's with replication.factor."


def suspicions(
    settings: Mapping[str, str | int | bool],
    sources: Mapping[str, SourcedValue],
    *,
    replicas: int,
    roles: Collection[str],
    conflict: str | None,
    internal: bool = False,
) -> tuple[Notice, ...]:
    """Every warning about what the settings amount to, in the order of replicas, producer, consumer, cluster.

    An `internal` topic has no producer and no consumer of anybody's.
    """
    if internal:
        return *_about_replicas(settings, sources, replicas), *_about_leaders(settings, sources)
    return (
        *_about_files(roles, sources["replication.factor"]),
        *_about_replicas(settings, sources, replicas),
        *_about_leaders(settings, sources),
        *_about_producer(settings, sources, conflict),
        *_about_consumer(sources),
        *_about_cluster(settings, sources),
    )


def _about_files(roles: Collection[str], of_replicas: SourcedValue) -> Iterator[Notice]:
    if "producer" not in roles:
        why = "acks and retries decide what an acknowledgement is worth."
        what = "no producer's configuration is given: clients are taken to have their defaults."
        yield Notice(what=what, why=why, advice="Add it.", decides=True)
    if not {"topic", "broker"} & set(roles):
        why = "Replicas, min.insync.replicas and unclean elections are settings of topic and broker."
        what = "neither a topic's nor a broker's configuration is given: defaults are assumed."
        yield Notice(what=what, why=why, advice="Add them.", decides=True)
    elif "topic" not in roles:
        what = "no topic's configuration is given: it is taken to have what the broker gives by default."
        yield Notice(what=what, why="A topic may set its own.", advice=DESCRIBE_TOPIC, decides=True)
    elif of_replicas.layer in BROKERS:
        what = "how many replicas the topic has is not given: the broker's default is taken."
        why = "A topic keeps what it was created with, which may be less."
        yield of_replicas.notice(what, why, DESCRIBE_TOPIC, decides=True)


def _about_replicas(
    settings: Mapping[str, str | int | bool], sources: Mapping[str, SourcedValue], replicas: int
) -> Iterator[Notice]:
    of_replicas, of_min_isr = sources["replication.factor"], sources["min.insync.replicas"]
    min_isr, acks = settings["min_isr"], settings["acks"]
    written = int(of_min_isr.value)
    if written > replicas:
        why = "From 3.7 on a leader asks for no more replicas in sync than there are (KAFKA-15583); before, nothing could be written."
        what = f"min.insync.replicas={written} counts as {replicas}, the number of replicas."
        yield of_min_isr.notice(what, why, "Give the topic more replicas, or write what counts.")
    if replicas == 1:
        why = "Whatever happens to its one broker happens to the records."
        yield of_replicas.notice("the topic has one replica.", why, "Create it with --replication-factor 3.")
    elif replicas == 2:
        why = "With min.insync.replicas=2 one failure stops writes; with 1 the second failure loses records."
        yield of_replicas.notice("the topic has two replicas.", why, "Create it with --replication-factor 3.")
    elif replicas > MOST_REPLICAS:
        why = f"The model goes to {MOST_REPLICAS} replicas; what it finds with those is not proven for more."
        what = f"the topic has {replicas} replicas, of which the model has {MOST_REPLICAS}."
        yield of_replicas.notice(what, why, "Read the answer with that in mind.", decides=True)
    if acks != "all" and min_isr != 1:
        why = f"It is checked for acks=all only, and the producer has acks={acks}."
        yield of_min_isr.notice(f"min.insync.replicas={min_isr} has no effect.", why, "Write acks=all in the producer.")
    elif acks == "all" and min_isr == 1 and replicas > 1:
        why = "An acknowledgement may then mean that the leader alone has the record."
        advice = f"Write min.insync.replicas={max(2, replicas - 1)}."
        yield of_min_isr.notice("acks=all is satisfied by one replica in sync.", why, advice)
    elif acks == "all" and min_isr == replicas and replicas > 1:
        why = "One broker down, even for a restart, and nothing can be written."
        advice = f"Write min.insync.replicas={replicas - 1}." if replicas > 2 else "Have three replicas, two in sync."
        yield of_min_isr.notice("min.insync.replicas is the replication factor.", why, advice)


def _about_leaders(settings: Mapping[str, str | int | bool], sources: Mapping[str, SourcedValue]) -> Iterator[Notice]:
    if settings["unclean"]:
        why = "A replica that lacks acknowledged records may become leader, and they are gone."
        advice = "Write unclean.leader.election.enable=false."
        yield sources["unclean.leader.election.enable"].notice("unclean leader elections are on.", why, advice)
    flush = sources["flush.messages"]
    if int(flush.value) <= 1:
        why = "Every write waits for the disk. Replication on brokers that do not lose power together is the usual answer."
        yield flush.notice("every record is flushed before it is acknowledged.", why, "Keep it only if you mean it.")
    elif not flush.is_assumed and flush.layer != "default":
        why = "It bounds what a power loss takes, and does not prevent it: an acknowledged record may be unflushed."
        yield flush.notice(f"the log is flushed every {int(flush.value):,} records.", why, "Rely on replicas.")


def _about_producer(
    settings: Mapping[str, str | int | bool], sources: Mapping[str, SourcedValue], conflict: str | None
) -> Iterator[Notice]:
    acks, retries = sources["acks"], sources["retries"]
    if settings["acks"] == "0":
        why = "The producer counts a record as sent before any broker has it."
        yield acks.notice("nothing is ever acknowledged.", why, "Write acks=all.")
    elif settings["acks"] == "1":
        why = "If the leader fails before a follower has fetched it, an acknowledged record is lost."
        yield acks.notice("the leader alone acknowledges.", why, "Write acks=all.")
    if settings["acks"] == "all" and settings["retries"] == 0:
        why = (
            "A record that fails for a moment, as in a change of leader, is dropped unless the program sends it again."
        )
        yield retries.notice("the producer does not retry.", why, "Leave retries at its default from Kafka 2.1 on.")
    if conflict is not None:
        why = "Idempotence is on by default in this version, and goes off without an error beside this: retries may duplicate."
        advice = "Write enable.idempotence=true, and the producer says what does not fit."
        yield sources[conflict].notice("this switches idempotence off.", why, advice)
    elif settings["retries"] and not settings["idempotence"]:
        why = "When a response is lost, the retry appends the record again."
        why += " It may also come after a later one." if settings["pipelined"] else ""
        advice = "Write enable.idempotence=true."
        if "enable.idempotence" not in sources:
            advice = "Idempotence needs the Java producer and brokers of 0.11 or later."
        yield retries.notice("the producer retries without idempotence.", why, advice)


def _about_consumer(sources: Mapping[str, SourcedValue]) -> Iterator[Notice]:
    commit = sources.get("enable.auto.commit")
    if commit is not None and commit.value == "true":
        why = "Offsets are committed by time, not by what was processed: a crash may skip records or repeat them."
        advice = "Write enable.auto.commit=false, and commit after processing."
        yield commit.notice("the consumer commits by itself.", why, advice)


def _about_cluster(settings: Mapping[str, str | int | bool], sources: Mapping[str, SourcedValue]) -> Iterator[Notice]:
    offsets, elr = sources["offsets.topic.replication.factor"], sources.get("eligible.leader.replicas.version")
    if offsets.value == "1":
        why = "With its one broker all committed positions are lost, and consumers start over or skip."
        yield offsets.notice(
            "the consumers' offsets have one replica.", why, "Write 3 before the first consumer starts."
        )
    of_min_isr = sources["min.insync.replicas"]
    if elr is not None and elr.value == "1" and of_min_isr.layer in BROKERS and of_min_isr.layer != CLUSTER:
        what = "with eligible leader replicas on, a broker's own min.insync.replicas is not used."
        why = "The topic's counts, or the value for the whole cluster, which may be 1."
        yield of_min_isr.notice(what, why, "Set it for the topic.", decides=True)
    if elr is not None and elr.value == "0":
        why = "When the last replica in sync loses its unflushed tail, acknowledged records may go with it."
        advice = "kafka-features.sh upgrade --feature eligible.leader.replicas.version=1"
        yield elr.notice("eligible leader replicas (KIP-966) are off.", why, f"{advice} turns them on.")
