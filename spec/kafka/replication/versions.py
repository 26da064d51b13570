"""The versions of Apache Kafka as profiles: each stands for the releases that behave alike, as the differences between releases say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from neverlost.model.core import Profile, UnknownNameError
from neverlost.model.kafka.replication import (
    broker,
    cleaner,
    consumer,
    controller,
    faults,
    late,
    leader,
    lost,
    producer,
    shutdown,
)
from neverlost.model.kafka.replication.start import initial
from neverlost.model.kafka.replication.state import ACKS_ALL, Partition

from ..releases import NamedVersion
from . import progress, properties
from .assumptions import ASSUMPTIONS
from .differences import NAMED, TIME_LINE
from .lemmas import LEMMAS
from .picture import PICTURE
from .scope import notes

PROTOCOL = Profile(
    name="kafka",
    family="replication",
    statement="A partition of Apache Kafka; each version is this under its own settings.",
    state=Partition,
    initial=initial,
    actions=(
        producer.produce,
        producer.refuse_as_not_leader,
        producer.retry,
        producer.time_out,
        producer.begin_producer_epoch,
        broker.fetch,
        broker.handle_out_of_range,
        broker.expose_diverging,
        late.append_first,
        late.make_delayed_produce,
        late.begin_look,
        late.end_look,
        late.check_fetch,
        late.count_fetch,
        late.expand_isr_late,
        late.answer_fetch,
        late.read_slice,
        late.receive_response,
        late.follow_before_cut,
        late.cut_later,
        late.cut_a_round,
        late.grant_before_metadata,
        late.take_back_proposal,
        late.grant_taken_back,
        broker.become_leader,
        broker.become_follower,
        leader.shrink_isr,
        leader.expand_isr,
        leader.grant_isr,
        leader.refuse_isr,
        leader.learn_isr,
        leader.hear_of_isr,
        controller.fence_follower,
        controller.fail_over,
        controller.lose_leader,
        controller.elect,
        controller.elect_unclean,
        controller.fail_over_unclean,
        controller.move_leader,
        controller.change_controller,
        controller.set_min_isr,
        controller.move_directory,
        lost.lose_decision,
        lost.end_after_loss,
        faults.crash,
        faults.power_loss,
        faults.disk_loss,
        faults.directory_loss,
        faults.restart,
        faults.pause,
        faults.unfence,
        shutdown.hand_over,
        shutdown.leave_isr,
        shutdown.shut_down,
        cleaner.clean,
        consumer.poll,
        consumer.poll_follower,
        consumer.poll_too_far,
        consumer.process,
        consumer.commit_offset,
        consumer.crash_consumer,
    ),
    properties=(
        properties.acked_never_lost,
        properties.committed_never_lost,
        properties.read_never_lost,
        properties.consistent_read,
        properties.leader_completeness,
        properties.log_matching,
        properties.one_leader_per_epoch,
        properties.high_watermark_within_log,
        properties.high_watermark_monotonic,
        properties.leader_in_isr,
        properties.no_duplicate,
        properties.in_order,
        properties.consumer_at_least_once,
        properties.consumer_at_most_once,
        properties.exactly_one_response,
    ),
    probes=(
        properties.isr_has_committed,
        properties.true_leader_isr_has_committed,
        properties.two_logs_when_acknowledged,
        properties.newcomers_have_committed,
        properties.followers_agree,
        properties.keeps_what_its_leader_has,
        properties.isr_is_live,
        properties.epochs_suffice,
        properties.written_once,
        properties.written_in_order,
        properties.consumed_never_skipped,
        properties.consumed_never_repeated,
        properties.acknowledged,
        properties.exposed,
        properties.elected_after_acknowledgement,
        properties.faults_survived,
        properties.refused,
        properties.not_enough_replicas_after_append,
    ),
    on_request=(
        progress.produce_completes,
        progress.high_watermark_catches_up,
    ),
    default_bounds={
        "replicas": 3,
        "log_size": 2,
        "values": 2,
        "leader_epochs": 4,
        "delays": 0,
        "lost_decisions": 0,
        "min_isr_changes": 0,
        "directory_moves": 0,
        "producer_epochs": 0,
    },
    notes=notes(),
    picture=PICTURE,
)


def losing_no_decision(why: str) -> Callable[[Mapping[str, int]], str]:
    """Why bounds do not go together in a version that no decision may be lost in."""
    return lambda bounds: why if bounds["lost_decisions"] else ""


def losing_or_delaying(bounds: Mapping[str, int]) -> str:
    """Exchanges that last know nothing of leader epochs that are issued twice."""
    both = bounds["lost_decisions"] and bounds["delays"]
    return "would have both lost decisions and delays, which the model has only one at a time" if both else ""


def unfit_in(settings: Mapping[str, int]) -> Callable[[Mapping[str, int]], str]:
    """Why bounds do not go together in the version with these settings."""
    if settings.get("ordered_metadata"):
        return losing_no_decision("would lose decisions, and what ZooKeeper may lose is not in the model")
    if not settings.get("isr_without_fenced"):
        return losing_no_decision("would lose decisions, and what KRaft did then as a preview is not in the model")
    return losing_or_delaying


def clashes(bounds: Mapping[str, int], settings: Mapping[str, int]) -> str:
    """Why settings do not go with the bounds: too large a min ISR, or a producer that has no epochs."""
    return counts_replicas(bounds, settings) or has_no_epochs(bounds, settings)


def has_no_epochs(bounds: Mapping[str, int], settings: Mapping[str, int]) -> str:
    """Only an idempotent producer with several requests in flight begins epochs, and only with acks=all it is idempotent."""
    if not bounds["producer_epochs"] or (
        settings["idempotence"] and settings["pipelined"] and settings["acks"] == ACKS_ALL
    ):
        return ""
    return "begins producer epochs only with idempotence, pipelined requests and acks=all: choose these, or no producer_epochs"


def counts_replicas(bounds: Mapping[str, int], settings: Mapping[str, int]) -> str:
    """From 3.7 on a min ISR above the number of replicas counts as that number (KAFKA-15583, Partition.effectiveMinIsr)."""
    replicas, min_isr = bounds["replicas"], settings["min_isr"]
    if not settings["strict_min_isr"] or min_isr <= replicas:
        return ""
    return f"takes a min ISR of {min_isr} for {replicas}, the number of replicas (KAFKA-15583): choose a min_isr of {replicas}"


def version_of(named: NamedVersion) -> Profile:
    """The profile of the releases that have this name."""
    settings = TIME_LINE.settings_of(named.since, named.mode)
    lemmas = LEMMAS if settings.get("fencing") else ()
    assumptions = ASSUMPTIONS if lemmas else ()
    return replace(
        PROTOCOL,
        name=named.name,
        statement=named.statement,
        settings=settings,
        unfit=unfit_in(settings),
        clash=clashes,
        lemmas=lemmas,
        assumptions=assumptions,
    )


VERSIONS = tuple(version_of(named) for named in NAMED)
"""Every version, oldest first; with ZooKeeper before KRaft."""

OF_READERS = ("exposes_diverging", "reads_past_high_watermark", "cleans_uncommitted")
"""Settings that only consumers and the cleaner show: versions that differ in nothing else replicate alike."""


def _replicates(version: Profile) -> dict[str, int]:
    return {name: value for name, value in version.settings.items() if name not in OF_READERS}


def replicating_like(version: Profile) -> Profile:
    """The first version whose logs go the same ways."""
    return next(first for first in VERSIONS if _replicates(first) == _replicates(version))


REPLICATING = tuple(version for version in VERSIONS if replicating_like(version) is version)
"""Of the versions that replicate alike the first."""

KAFKA_0_8, KAFKA_2_0, KAFKA_2_1, KAFKA_3_5, KAFKA_4_1 = (
    next(version for version in VERSIONS if version.name == name)
    for name in ("kafka-0.8", "kafka-2.0", "kafka-2.1", "kafka-3.5", "kafka-4.1")
)


def version_named(name: str) -> Profile:
    """The version of that name. Raises UnknownNameError."""
    known = {version.name: version for version in VERSIONS}
    if name not in known:
        raise UnknownNameError("version of Kafka", name, known)
    return known[name]
