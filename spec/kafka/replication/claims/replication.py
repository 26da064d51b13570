"""Claims about the high watermark, the ISR and elections: C-05 to C-08, C-11, C-12, C-18, C-19, C-24."""

from __future__ import annotations

from neverlost.model.kafka.replication.state import ACKS_ALL, EVERY_SHRINK, KIP_101, KIP_279
from neverlost.spec.claims import VIOLATED, Assumption, Case, Claim, Remark, cases

from ..versions import REPLICATING
from .profiles import (
    CLAIM_VERSIONS,
    NEEDS_MIN_ISR,
    ONE_AT_A_TIME,
    but,
    claimed,
    since,
    version,
)

OF_MANY_EPOCHS = tuple(v for v in CLAIM_VERSIONS if v.default_settings["epoch_per_shrink"] == EVERY_SHRINK)
"""Every smaller ISR is a leader epoch there: until a replica outside the ISR leads, it takes one more."""
OF_FEW_EPOCHS = tuple(v for v in CLAIM_VERSIONS if v not in OF_MANY_EPOCHS)

C_05 = Claim(
    id="C-05",
    sentence="acks=all ensures that all members of the ISR have the same log end offset when a message is acknowledged.",
    short="acks=all: all members of the ISR have the same log end",
    articles=("001",),
    refuted_by="a value that is acknowledged while logs of live members of the ISR end at different offsets, though nothing fails",
    cases=cases(CLAIM_VERSIONS, "isr_ends_equal_when_acknowledged", acks=ACKS_ALL, pipelined=1),
    witness="acknowledged",
    assumptions=(ONE_AT_A_TIME, NEEDS_MIN_ISR, since("kafka-4.1")),
    remarks=(
        Remark(
            question="Does every live member of the ISR at least have the acknowledged record?",
            case=Case(
                profile=claimed("kafka-4.1"),
                chosen={"acks": ACKS_ALL, "pipelined": 1, "crashes": 1},
                property="isr_has_it_when_acknowledged",
            ),
        ),
    ),
    note="What a leader has appended since then, others cannot have yet: so the moment of the acknowledgement is what is asked of.",
)
C_06 = Claim(
    id="C-06",
    sentence="The high watermark is the smallest log end offset in the ISR.",
    short="the high watermark is the smallest log end in the ISR",
    articles=("003",),
    refuted_by="a state in which a true leader's high watermark is another one, though nothing fails",
    cases=cases(CLAIM_VERSIONS, "high_watermark_is_smallest_end", acks=ACKS_ALL),
    witness="exposed",
    assumptions=(NEEDS_MIN_ISR, ONE_AT_A_TIME, since("kafka-2.1"), since("kafka-3.1"), since("kafka-4.1")),
    remarks=(
        *(
            Remark(
                question="Is it ever above the smallest, when brokers crash?",
                case=Case(
                    profile=profile,
                    chosen={"acks": ACKS_ALL, "unclean": 0, "crashes": 1},
                    property="high_watermark_at_most_smallest_end",
                    speaks_for=VIOLATED,
                ),
            )
            for profile in (claimed("kafka-0.8"), claimed("kafka-0.11"), claimed("kafka-4.1"))
        ),
        *(
            Remark(
                question="Is it the smallest that the leader knows of, though nothing fails?",
                case=Case(
                    profile=profile,
                    chosen={"acks": ACKS_ALL},
                    property="high_watermark_is_smallest_known_end",
                ),
            )
            for profile in (claimed("kafka-2.1"), claimed("kafka-2.7"), claimed("kafka-3.1"))
        ),
    ),
    note="A leader learns of a follower's log end only from its next fetch: until then the high watermark is behind.",
)
C_07 = Claim(
    id="C-07",
    sentence="Growth of the high watermark means that a majority of the replicas have the message.",
    short="growth of the high watermark means a majority has the message",
    articles=("003",),
    refuted_by="a step in which a high watermark grows past a record that no more than half of the replicas have",
    cases=(
        *cases(CLAIM_VERSIONS, "high_watermark_growth_has_majority", acks=ACKS_ALL, unclean=0),
        *cases(CLAIM_VERSIONS, "high_watermark_growth_has_majority", acks=ACKS_ALL, unclean=0, crashes=1),
    ),
    witness="exposed",
    assumptions=(
        NEEDS_MIN_ISR,
        since("kafka-2.7"),
        since("kafka-3.7"),
        since("kafka-4.1"),
    ),
    note="Kafka counts the ISR, not a majority: an ISR of one is enough for the high watermark, until 3.7 ties it to min ISR.",
)
C_08 = Claim(
    id="C-08",
    sentence="A produce request that times out was not fetched by the followers.",
    short="a produce that times out was not fetched by the followers",
    articles=("003",),
    refuted_by="a request that times out though a follower has its record, and nothing fails",
    cases=cases(CLAIM_VERSIONS, "timed_out_was_not_fetched", acks=ACKS_ALL, min_isr=2),
    witness="timed_out",
    assumptions=(ONE_AT_A_TIME, since("kafka-2.1"), since("kafka-4.1")),
    remarks=(
        Remark(
            question="Was it at least not fetched by every member of the ISR?",
            case=Case(
                profile=claimed("kafka-4.1"),
                chosen={"acks": ACKS_ALL, "min_isr": 2},
                property="timed_out_was_not_fetched_by_all",
            ),
        ),
    ),
)
C_11 = Claim(
    id="C-11",
    sentence="The high watermark keeps leader and followers consistent for consumers when the leader fails.",
    short="the high watermark keeps reads consistent when leaders fail",
    articles=("004",),
    refuted_by="a later leader that exposes another record, or none, where consumers could read one before",
    cases=(
        *cases(REPLICATING, "consistent_read", acks=ACKS_ALL, min_isr=2, unclean=0, crashes=1),
        *cases(REPLICATING, "consistent_read", acks=ACKS_ALL, min_isr=2, unclean=0, crashes=2),
        *cases(REPLICATING, "consistent_read", acks=ACKS_ALL, min_isr=2, unclean=0, crashes=1, leader_moves=1),
    ),
    witness="exposed",
    assumptions=(since("kafka-0.11"), since("kafka-2.0"), since("kafka-2.1"), since("kafka-2.7"), since("kafka-4.1")),
)
C_12 = Claim(
    id="C-12",
    sentence="A restarting old leader that cuts its log to its high watermark is consistent with the new leader.",
    short="an old leader that cuts its log to its high watermark is consistent",
    articles=("004",),
    refuted_by="a restarted broker that has cut its log so, and has another record at an offset than the leader that it follows",
    cases=cases(CLAIM_VERSIONS[:1], "restarted_follower_agrees", acks=ACKS_ALL, min_isr=2, unclean=0, crashes=2),
    witness="elected_after_acknowledgement",
    assumptions=(Assumption(words="at most one crash", chosen={"crashes": 1}),),
    remarks=tuple(
        Remark(
            question=question,
            case=Case(
                profile=claimed("kafka-0.8"),
                chosen={"acks": ACKS_ALL, "min_isr": 2, "unclean": 0, "crashes": 2, "truncation": truncation},
                property="restarted_follower_agrees",
            ),
        )
        for question, truncation in (
            ("And if logs are cut where the leader's epoch ends instead (KIP-101)?", KIP_101),
            ("And if logs are compared from the tail instead (KIP-279)?", KIP_279),
        )
    ),
)
C_18 = Claim(
    id="C-18",
    sentence="When a follower times out it leaves the ISR, and the high watermark advances.",
    short="a follower that times out leaves the ISR, and the high watermark moves",
    articles=("004",),
    refuted_by="a leader whose ISR has shrunk and whose high watermark is below what all that are left have, as it knows",
    cases=(
        *cases(CLAIM_VERSIONS, "shrinking_moves_high_watermark", acks=ACKS_ALL, min_isr=1),
        *cases(CLAIM_VERSIONS, "shrinking_moves_high_watermark", acks=ACKS_ALL, min_isr=2),
    ),
    witness="exposed",
    assumptions=(
        but("not 2.7 to 3.0", "kafka-2.7", "kafka-2.8.0", "kafka-2.8"),
        Assumption(words="min.insync.replicas is 1", chosen={"min_isr": 1}),
        but("3.6 or earlier", "kafka-3.9-zk", "kafka-3.7", "kafka-4.0", "kafka-4.1"),
    ),
    remarks=tuple(
        Remark(
            question="Can the high watermark advance because a follower is dropped?",
            case=Case(
                profile=profile,
                chosen={"acks": ACKS_ALL, "min_isr": 1},
                property="shrinking_raises_no_high_watermark",
                speaks_for=VIOLATED,
            ),
        )
        for profile in (claimed("kafka-0.8"), claimed("kafka-2.7"), claimed("kafka-4.1"))
    ),
    note=(
        "2.7 to 3.0 do not look at the high watermark when the change of the ISR is answered (KAFKA-13091); from 3.7 on it stays"
        " while the ISR is below min.insync.replicas."
    ),
)
C_19 = Claim(
    id="C-19",
    sentence="With no live member in the ISR, unclean election may choose a leader from outside it.",
    short="unclean election may choose a leader from outside the ISR",
    articles=("004",),
    refuted_by="a version in which every leader was in the ISR, or eligible, although unclean election is on",
    cases=(
        *cases(OF_FEW_EPOCHS, "leaders_come_from_the_isr", VIOLATED, acks=ACKS_ALL, min_isr=2, unclean=1, crashes=2),
        *cases(
            OF_MANY_EPOCHS,
            "leaders_come_from_the_isr",
            VIOLATED,
            acks=ACKS_ALL,
            min_isr=2,
            unclean=1,
            crashes=2,
            leader_epochs=5,
        ),
    ),
    remarks=(
        *(
            Remark(
                question="At the price of acknowledged values, with acks=all and min.insync.replicas=2?",
                case=Case(
                    profile=version(name),
                    chosen={"acks": ACKS_ALL, "min_isr": 2, "unclean": 1, "crashes": 2},
                    property="acked_never_lost",
                    speaks_for=VIOLATED,
                ),
            )
            for name in ("kafka-0.8", "kafka-3.5", "kafka-4.1")
        ),
        Remark(
            question="And with min.insync.replicas=1?",
            case=Case(
                profile=version("kafka-4.1"),
                chosen={"acks": ACKS_ALL, "min_isr": 1, "unclean": 1, "crashes": 2},
                property="acked_never_lost",
                speaks_for=VIOLATED,
            ),
        ),
        Remark(
            question="Never if unclean election is off?",
            case=Case(
                profile=claimed("kafka-4.0"),
                chosen={"acks": ACKS_ALL, "min_isr": 2, "unclean": 0, "crashes": 2},
                property="leaders_come_from_the_isr",
            ),
        ),
    ),
)
C_24 = Claim(
    id="C-24",
    sentence="An append may advance the high watermark by itself, since the ISR may be the leader alone.",
    short="an append may advance the high watermark by itself",
    articles=("002",),
    refuted_by="a version in which no append moves its leader's high watermark in the same step",
    cases=cases(CLAIM_VERSIONS, "appending_raises_no_high_watermark", VIOLATED, acks=ACKS_ALL, min_isr=1),
    remarks=tuple(
        Remark(
            question="And with min.insync.replicas=2 and acks=1?",
            case=Case(
                profile=profile,
                chosen={"acks": 1, "min_isr": 2},
                property="appending_raises_no_high_watermark",
                speaks_for=VIOLATED,
            ),
        )
        for profile in (claimed("kafka-3.5"), claimed("kafka-3.7"))
    ),
)

REPLICATION = (C_05, C_06, C_07, C_08, C_11, C_12, C_18, C_19, C_24)
