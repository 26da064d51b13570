"""Claims about what an acknowledgement is worth: C-01 to C-04, C-13 to C-17."""

from __future__ import annotations

from neverlost.model.kafka.replication.state import ACKS_ALL, ACKS_ONE
from neverlost.spec.claims import VIOLATED, Case, Claim, Remark, cases

from ..versions import REPLICATING
from .profiles import (
    ALL_ACKS,
    CLAIM_VERSIONS,
    CLEAN,
    FLUSHED,
    IDEMPOTENT,
    NEEDS_MIN_ISR,
    claimed,
    since,
    version,
)

BEFORE_STRICT = tuple(v for v in CLAIM_VERSIONS if not v.default_settings["strict_min_isr"])
"""0.8 to 3.6: before the high watermark was held back below min ISR."""
STRICT = tuple(v for v in CLAIM_VERSIONS if v.default_settings["strict_min_isr"])

C_01 = Claim(
    id="C-01",
    sentence="With acks=1 an acknowledged message can be lost when the leader fails.",
    short="acks=1: the leader's failure can lose an acknowledged message",
    articles=("000",),
    refuted_by="a version in which, with acks=1 and one crash, no acknowledged value is ever missing at a true leader",
    cases=cases(REPLICATING, "acked_never_lost", VIOLATED, acks=ACKS_ONE, unclean=0, crashes=1),
)
C_02 = Claim(
    id="C-02",
    sentence=(
        "With acks=all an acknowledged message survives the failure of the leader: a remaining member of the ISR is elected,"
        " and consumers can read the message."
    ),
    short="acks=all: an acknowledged message survives the leader's failure",
    articles=("000",),
    refuted_by="an acknowledged value that a later leader does not have, after one failure of a broker",
    cases=(
        *cases(REPLICATING, "acked_never_lost", acks=ACKS_ALL, crashes=1),
        *cases(REPLICATING, "acked_never_lost", acks=ACKS_ALL, power_losses=1),
    ),
    witness="elected_after_acknowledgement",
    assumptions=(CLEAN, NEEDS_MIN_ISR, FLUSHED, since("kafka-0.11"), since("kafka-2.1"), since("kafka-4.1")),
    note=(
        "Each version has its own default of unclean election, and min.insync.replicas is 1, the default of all. A failure is the"
        " crash of a process, which leaves its files alone, or a power loss, which may take what was not flushed."
    ),
)
C_03 = Claim(
    id="C-03",
    sentence="A failure before the response is no loss: the producer was told nothing, and has only to send the message again.",
    short="a failure before the response is no loss: the producer sends again",
    articles=("000",),
    refuted_by=(
        "no run in which an unanswered value vanishes, no run in which it is then sent again, or an acknowledged value that is"
        " lost although values that were not acknowledged are sent again"
    ),
    cases=(
        *cases(CLAIM_VERSIONS, "unacknowledged_is_gone", acks=ACKS_ALL, min_isr=2, unclean=0, crashes=1, retries=1),
        *cases(
            CLAIM_VERSIONS,
            "gone_is_not_sent_again",
            VIOLATED,
            acks=ACKS_ALL,
            min_isr=2,
            unclean=0,
            crashes=1,
            retries=1,
        ),
        *cases(REPLICATING, "acked_never_lost", acks=ACKS_ALL, min_isr=2, unclean=0, crashes=1, retries=1),
    ),
    note="In part a definition of what counts as lost; what can be decided is that the three parts of it do go together.",
)
C_04 = Claim(
    id="C-04",
    sentence="When NOT_ENOUGH_REPLICAS_AFTER_APPEND is returned, the record is in the leader's log.",
    short="after NOT_ENOUGH_REPLICAS_AFTER_APPEND the record is in the log",
    articles=("000", "001"),
    refuted_by="a run in which this error is returned by a leader that does not have the record",
    cases=cases(BEFORE_STRICT, "after_append_is_in_the_log", acks=ACKS_ALL, min_isr=2, unclean=0, crashes=1),
    witness="not_enough_replicas_after_append",
    remarks=(
        Remark(
            question="May consumers read the record all the same?",
            case=Case(
                profile=claimed("kafka-2.1"),
                chosen={"acks": ACKS_ALL, "min_isr": 2},
                property="after_append_is_exposed",
            ),
        ),
        Remark(
            question="May a retry write it a second time?",
            case=Case(
                profile=claimed("kafka-2.1"),
                chosen={"acks": ACKS_ALL, "min_isr": 2, "retries": 1},
                property="after_append_retry_adds_no_copy",
                speaks_for=VIOLATED,
            ),
        ),
        Remark(
            question="Is it written only once if the producer is idempotent?",
            case=Case(
                profile=claimed("kafka-2.1"),
                chosen={"acks": ACKS_ALL, "min_isr": 2, "retries": 1, "idempotence": 1},
                property="after_append_retry_adds_no_copy",
            ),
        ),
        *(
            Remark(
                question="Does the error still occur in this version?",
                case=Case(
                    profile=profile,
                    chosen={"acks": ACKS_ALL, "min_isr": 2, "crashes": 1},
                    property="not_enough_replicas_after_append",
                ),
            )
            for profile in STRICT
        ),
    ),
    note=(
        "From 3.7 on the high watermark stays while the ISR is below min.insync.replicas, so that the delayed produce times out"
        " instead."
    ),
)
C_13 = Claim(
    id="C-13",
    sentence="Cutting the log of a restarting old leader to its high watermark can lose data.",
    short="cutting a log to its high watermark can lose data",
    articles=("004",),
    refuted_by="a search of all states in which no cut takes an acknowledged value, and none is lost",
    cases=(
        *cases((claimed("kafka-0.8"),), "cut_spares_acknowledged", VIOLATED, acks=ACKS_ONE, unclean=0, crashes=1),
        *cases(
            (claimed("kafka-0.8"),), "cut_spares_acknowledged", VIOLATED, acks=ACKS_ALL, min_isr=2, unclean=0, crashes=1
        ),
        *cases((version("kafka-0.8"),), "acked_never_lost", VIOLATED, acks=ACKS_ALL, min_isr=2, unclean=0, crashes=2),
        *cases(
            (version("kafka-0.8"),), "acked_never_lost", VIOLATED, acks=ACKS_ALL, min_isr=2, unclean=0, leader_moves=2
        ),
    ),
    remarks=(
        Remark(
            question=(
                "Does asking the leader for the end of the epoch (KIP-101) keep what 0.8 loses by two moves of leadership, if"
                " followers are kept out of the ISR until the epoch's start (KAFKA-7128)?"
            ),
            case=Case(
                profile=version("kafka-0.11"),
                chosen={"acks": ACKS_ALL, "min_isr": 2, "leader_moves": 2, "epoch_start_guard": 1},
                property="acked_never_lost",
            ),
        ),
    ),
)
C_14 = Claim(
    id="C-14",
    sentence="With acks=1 the producer may hold an acknowledgement for a message that is lost.",
    short="acks=1: the producer may hold an acknowledgement for a lost message",
    articles=("004",),
    refuted_by="a version in which no acknowledged value is lost with acks=1, though leadership only moves and nothing fails",
    cases=(
        *cases(REPLICATING, "acked_never_lost", VIOLATED, acks=ACKS_ONE, unclean=0, crashes=1),
        *cases(REPLICATING, "acked_never_lost", VIOLATED, acks=ACKS_ONE, unclean=0, leader_moves=1),
    ),
)
C_15 = Claim(
    id="C-15",
    sentence="With acks=all and retries a message can be written twice.",
    short="acks=all with retries can write a message twice",
    articles=("004",),
    refuted_by="a version in which no log of a true leader has a value twice, though the producer sends again",
    cases=cases(REPLICATING, "written_once", VIOLATED, acks=ACKS_ALL, min_isr=2, unclean=0, retries=1, idempotence=0),
    remarks=(
        *(
            Remark(
                question="And never if the producer is idempotent, and sends one request at a time?",
                case=Case(
                    profile=version(name),
                    chosen={"acks": ACKS_ALL, "min_isr": 2, "retries": 1, "idempotence": 1, "crashes": 1},
                    property="written_once",
                ),
            )
            for name in ("kafka-0.11", "kafka-2.1", "kafka-4.1")
        ),
        Remark(
            question="And never if Java's producer, from 2.5 on, sends several at a time?",
            case=Case(
                profile=version("kafka-4.1"),
                chosen={
                    "acks": ACKS_ALL,
                    "min_isr": 2,
                    "retries": 1,
                    "idempotence": 1,
                    "pipelined": 1,
                    "producer_epochs": 2,
                },
                property="written_once",
            ),
        ),
    ),
)
C_16 = Claim(
    id="C-16",
    sentence="With min.insync.replicas above 1 a message is in at least two replicas before it counts as sent.",
    short="min.insync.replicas > 1: sent means in at least two replicas",
    articles=("004",),
    refuted_by="a value that is acknowledged while only one log has it",
    cases=(
        *cases(CLAIM_VERSIONS, "two_logs_when_acknowledged", acks=ACKS_ONE, min_isr=2, unclean=0, crashes=1),
        *cases(CLAIM_VERSIONS, "two_logs_when_acknowledged", acks=ACKS_ALL, min_isr=2, unclean=0, crashes=1),
    ),
    witness="acknowledged",
    assumptions=(ALL_ACKS, FLUSHED, IDEMPOTENT, since("kafka-2.1"), since("kafka-3.7")),
    remarks=(
        Remark(
            question="And if a broker may lose power just then?",
            case=Case(
                profile=claimed("kafka-4.1"),
                chosen={"acks": ACKS_ALL, "min_isr": 2, "power_losses": 1},
                property="two_logs_when_acknowledged",
            ),
        ),
    ),
    note="The sentence names no acks, so it is asked with acks=1, the default of that time, and with acks=all.",
)
C_17 = Claim(
    id="C-17",
    sentence="With min.insync.replicas equal to the number of replicas, acknowledgement is much like that of acks=all.",
    short="min.insync.replicas = replicas is much like acks=all",
    articles=("004",),
    refuted_by="a value that is acknowledged while a member of the ISR does not have it",
    cases=cases(CLAIM_VERSIONS, "isr_has_it_when_acknowledged", acks=ACKS_ONE, min_isr=3, unclean=0, crashes=1),
    witness="acknowledged",
    assumptions=(ALL_ACKS, FLUSHED, since("kafka-4.1")),
    remarks=(
        Remark(
            question="Is a value in every log once it is acknowledged, with min.insync.replicas=3 and acks=all?",
            case=Case(
                profile=claimed("kafka-4.1"),
                chosen={"acks": ACKS_ALL, "min_isr": 3, "crashes": 1},
                property="all_logs_when_acknowledged",
            ),
        ),
        Remark(
            question="And with acks=all alone, min.insync.replicas=1?",
            case=Case(
                profile=claimed("kafka-4.1"),
                chosen={"acks": ACKS_ALL, "min_isr": 1, "crashes": 1},
                property="all_logs_when_acknowledged",
            ),
        ),
    ),
    note="Brokers look at min.insync.replicas for acks=all only: it adds to acks=all, and replaces nothing.",
)

DURABILITY = (C_01, C_02, C_03, C_04, C_13, C_14, C_15, C_16, C_17)
