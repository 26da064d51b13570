"""Claims about what producers and one consumer see: C-20, C-22 and C-23."""

from __future__ import annotations

from neverlost.model.kafka.replication.state import (
    ACKS_ALL,
    ACKS_NONE,
    ACKS_ONE,
    COMMIT_AFTER,
    COMMIT_AUTO,
    COMMIT_BEFORE,
)
from neverlost.spec.claims import VIOLATED, Case, Claim, Remark, cases

from ..versions import REPLICATING
from .profiles import CLAIM_VERSIONS, claimed, version

C_20 = Claim(
    id="C-20",
    sentence="Committing by hand after each message reduces repeated consumption, but does not exclude it.",
    short="committing after each message does not exclude repetition",
    articles=("004",),
    refuted_by="a version in which no value is processed twice although the consumer dies between processing and committing",
    cases=cases(
        REPLICATING, "consumed_never_repeated", VIOLATED, acks=ACKS_ALL, commit=COMMIT_AFTER, consumer_crashes=1
    ),
    remarks=(
        Remark(
            question="Does it happen with auto-commit too?",
            case=Case(
                profile=version("kafka-4.1"),
                chosen={"commit": COMMIT_AUTO, "consumer_crashes": 1},
                property="consumed_never_repeated",
                speaks_for=VIOLATED,
            ),
        ),
        Remark(
            question="Does committing before processing exclude it?",
            case=Case(
                profile=version("kafka-4.1"),
                chosen={"commit": COMMIT_BEFORE, "consumer_crashes": 2, "crashes": 1},
                property="consumed_never_repeated",
            ),
        ),
        Remark(
            question="Does committing after processing keep every record, also when a broker dies?",
            case=Case(
                profile=version("kafka-4.1"),
                chosen={
                    "acks": ACKS_ALL,
                    "min_isr": 2,
                    "unclean": 0,
                    "commit": COMMIT_AFTER,
                    "consumer_crashes": 1,
                    "crashes": 1,
                },
                property="consumed_never_skipped",
            ),
        ),
    ),
    note="That it happens less often is a matter of time and chance, which the model does not have.",
)
C_22 = Claim(
    id="C-22",
    sentence="NOT_ENOUGH_REPLICAS occurs only with acks=all.",
    short="NOT_ENOUGH_REPLICAS occurs only with acks=all",
    articles=("002",),
    refuted_by="a leader that refuses a value with acks=0 or acks=1, or none that refuses one with acks=all",
    cases=(
        *(
            case
            for acks in (ACKS_NONE, ACKS_ONE)
            for case in cases(
                CLAIM_VERSIONS, "only_followers_refuse",
                acks=acks, min_isr=2, unclean=0, crashes=2, retries=1, lost_responses=1, idempotence=0,
            )
        ),
        *cases(
            CLAIM_VERSIONS, "only_followers_refuse", VIOLATED,
            acks=ACKS_ALL, min_isr=2, unclean=0, crashes=2, retries=1, idempotence=0,
        ),
    ),
    witness="sent",
    remarks=(
        Remark(
            question="Is a record that comes with acks=1 appended although the ISR is too small?",
            case=Case(
                profile=claimed("kafka-4.1"),
                chosen={"acks": ACKS_ONE, "min_isr": 2},
                property="small_isr_takes_nothing",
                speaks_for=VIOLATED,
            ),
        ),
        Remark(
            question="Is one that comes with acks=all never appended then?",
            case=Case(
                profile=claimed("kafka-4.1"),
                chosen={"acks": ACKS_ALL, "min_isr": 2, "crashes": 1},
                property="small_isr_takes_nothing",
            ),
        ),
    ),
)  # fmt: skip
C_23 = Claim(
    id="C-23",
    sentence="With acks=0 a closed connection is the only sign of an error.",
    short="acks=0: a closed connection is the only sign of an error",
    articles=("002",),
    refuted_by="a value sent with acks=0 of which the producer hears more than that it was refused",
    cases=cases(CLAIM_VERSIONS, "acks_none_hears_only_refusals", acks=ACKS_NONE, crashes=1),
    witness="sent",
    remarks=(
        Remark(
            question="Can a value be lost without even that sign?",
            case=Case(
                profile=claimed("kafka-4.1"),
                chosen={"acks": ACKS_NONE, "crashes": 1},
                property="unacknowledged_is_gone",
            ),
        ),
    ),
    note="A refused request stands for the connection that the broker closes: with acks=0 there is no response to carry the error.",
)
CLIENTS = (C_20, C_22, C_23)
