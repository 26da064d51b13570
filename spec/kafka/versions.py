"""The versions of Apache Kafka as profiles: each the version before it under a few other settings."""

from __future__ import annotations

from dataclasses import replace

from neverlost.model.core import Profile, UnknownNameError
from neverlost.model.kafka import broker, consumer, controller, faults, leader, producer
from neverlost.model.kafka.start import initial
from neverlost.model.kafka.state import ACKS_ALL, ACKS_ONE, KIP_101, KIP_279, ON_FETCH, TO_HIGH_WATERMARK, Partition

from . import progress, properties
from .lemmas import LEMMAS
from .scope import notes

KAFKA_0_8 = Profile(
    name="kafka-0.8",
    statement="0.8 to 0.10: a new follower cuts its log to its own high watermark; unclean election on.",
    state=Partition,
    initial=initial,
    actions=(
        producer.produce,
        producer.refuse_as_not_leader,
        producer.retry,
        producer.time_out,
        broker.fetch,
        broker.become_leader,
        broker.become_follower,
        leader.shrink_isr,
        leader.expand_isr,
        leader.grant_isr,
        leader.refuse_isr,
        leader.learn_isr,
        controller.fence_follower,
        controller.fail_over,
        controller.lose_leader,
        controller.elect,
        controller.elect_unclean,
        controller.move_leader,
        faults.crash,
        faults.power_loss,
        faults.disk_loss,
        faults.restart,
        faults.pause,
        faults.unfence,
        consumer.poll,
        consumer.process,
        consumer.commit_offset,
        consumer.crash_consumer,
    ),
    properties=(
        properties.acked_never_lost,
        properties.committed_never_lost,
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
    default_bounds={"replicas": 3, "log_size": 2, "values": 2, "leader_epochs": 4},
    settings={
        "acks": ACKS_ONE,
        "unclean": True,
        "truncation": TO_HIGH_WATERMARK,
        "maximal_isr": True,
        "high_watermark_on_answer": True,
        "epoch_start_guard": True,
    },
    notes=notes(),
)

KAFKA_0_11 = KAFKA_0_8.switched(
    "kafka-0.11",
    "0.11 to 1.1: a new follower asks the leader where its last epoch ends (KIP-101); unclean election off.",
    truncation=KIP_101,
    unclean=False,
)
KAFKA_2_0 = KAFKA_0_11.switched(
    "kafka-2.0", "2.0: logs are compared from the tail, epoch by epoch (KIP-279).", truncation=KIP_279
)
KAFKA_2_1 = replace(
    KAFKA_2_0.switched(
        "kafka-2.1", "2.1 to 2.6: a fetch in another epoch than the leader's is refused (KIP-320).", fencing=True
    ),
    lemmas=LEMMAS,
)
KAFKA_2_7 = KAFKA_2_1.switched(
    "kafka-2.7",
    "2.7 to 3.0: ISR changes are asked of the controller (KIP-497); logs are cut when a fetch finds them to differ.",
    truncation=ON_FETCH,
    isr_in_flight=True,
    high_watermark_on_answer=False,
)
KAFKA_3_1 = KAFKA_2_7.switched(
    "kafka-3.1",
    "3.1 to 3.4: an answered ISR change moves the high watermark (KAFKA-13091); producers ask for acks=all, idempotent.",
    high_watermark_on_answer=True,
    acks=ACKS_ALL,
    idempotence=True,
)
KAFKA_3_5 = KAFKA_3_1.switched(
    "kafka-3.5",
    "3.5 and 3.6: fenced brokers stay out of the ISR (KIP-841), as do restarted ones that the leader does not know (KIP-903).",
    isr_without_fenced=True,
    broker_epochs=True,
)
KAFKA_3_7 = KAFKA_3_5.switched(
    "kafka-3.7",
    "3.7 to 3.9: the high watermark stays while the ISR is below min ISR (KAFKA-15583).",
    strict_min_isr=True,
)
KAFKA_4_0 = KAFKA_3_7.switched("kafka-4.0", "4.0: KRaft only; eligible leader replicas (KIP-966) are there, but off.")
KAFKA_4_1 = KAFKA_4_0.switched(
    "kafka-4.1", "4.1 and later: eligible leader replicas (KIP-966), on in new clusters.", elr=True
)

VERSIONS = (
    KAFKA_0_8,
    KAFKA_0_11,
    KAFKA_2_0,
    KAFKA_2_1,
    KAFKA_2_7,
    KAFKA_3_1,
    KAFKA_3_5,
    KAFKA_3_7,
    KAFKA_4_0,
    KAFKA_4_1,
)


def version_named(name: str) -> Profile:
    """The version of that name. Raises UnknownNameError."""
    known = {version.name: version for version in VERSIONS}
    if name not in known:
        raise UnknownNameError("version of Kafka", name, known)
    return known[name]
