"""Claims about the timer, and about what producers and consumers see: C-09, C-10, C-20 to C-23, C-25."""

from __future__ import annotations

from neverlost.model.kafka.routing import ROUND_ROBIN, STICKY_PER_BATCH, STICKY_UNTIL_REFRESH
from neverlost.model.kafka.state import ACKS_ALL, ACKS_NONE, ACKS_ONE, COMMIT_AFTER, COMMIT_AUTO, COMMIT_BEFORE

from ..routing import ROUTING
from ..timing_wheel import TIMING_WHEEL
from ..versions import REPLICATING
from .form import VIOLATED, Assumption, Case, Claim, Remark, cases
from .profiles import CLAIM_VERSIONS, claimed, version

ALL_DELAYS = {"slots": 20, "levels": 5, "horizon": 160400, "starts": 1}
"""The wheels of tick 1 and 20 slots, with every delay up to beyond 160,000."""
SOME_VERSIONS = tuple(version(name) for name in ("kafka-0.8", "kafka-2.1", "kafka-4.1"))
SOME_CLAIMED = tuple(claimed(name) for name in ("kafka-0.8", "kafka-2.1", "kafka-4.1"))

C_09 = Claim(
    id="C-09",
    sentence="With tick 1 and 20 slots, level 3 of the timing wheel covers delays from 400 to 160,000.",
    short="tick 1, 20 slots: level 3 of the wheel covers [400, 160000)",
    articles=("003",),
    refuted_by="a delay within that range whose task waits in another level",
    cases=(Case(profile=TIMING_WHEEL, chosen=ALL_DELAYS, property="level_three_reaches_160000"),),
    witness="waits_in_level_three",
    remarks=(
        Remark(
            question="Does it cover [400, 8000), one turn of level 3, and nothing else?",
            case=Case(profile=TIMING_WHEEL, chosen=ALL_DELAYS, property="level_three_is_one_turn"),
        ),
        Remark(
            question="Does the task due in 450 wait in level 3, then 2, then 1, and fire?",
            case=Case(profile=TIMING_WHEEL, chosen=ALL_DELAYS, property="goes_down_three_levels"),
        ),
        Remark(
            question="Does every task fire exactly at its deadline, at whatever time it is inserted?",
            case=Case(profile=TIMING_WHEEL, property="fires_on_time"),
        ),
    ),
    note="160,000 is where level 4 ends: its tick is 8,000, and it has 20 slots.",
)
C_10 = Claim(
    id="C-10",
    sentence="Inserting into the timing wheel and removing from it take constant time, O(1).",
    short="insert and remove in the timing wheel are O(1)",
    articles=("003",),
    refuted_by="an insertion that looks at more wheels than another because its task is due later",
    cases=(Case(profile=TIMING_WHEEL, chosen=ALL_DELAYS, property="insert_looks_at_one_wheel"),),
    witness="inserted",
    assumptions=(Assumption(words="every delay is below one turn of the lowest wheel", chosen={"horizon": 19}),),
    remarks=(
        Remark(
            question="Does an insertion look at one wheel more for every factor of 20 in the delay, and no more?",
            case=Case(profile=TIMING_WHEEL, chosen=ALL_DELAYS, property="insert_grows_with_the_logarithm"),
        ),
        Remark(
            question="Is a task inserted at most once in each level on its way down?",
            case=Case(profile=TIMING_WHEEL, property="inserted_once_a_level"),
        ),
    ),
    note=(
        "Constant in the number of tasks that wait, since nothing of another task is looked at: the model's insertion and removal"
        " touch one bucket. In the delay it is the logarithm to the base of the slots. Not modelled: a bucket that becomes used"
        " enters a queue ordered by expiration, which takes the logarithm of the number of buckets in use."
    ),
)
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
    ),
    note="That it happens less often is a matter of time and chance, which the model does not have.",
)
C_21 = Claim(
    id="C-21",
    sentence="With auto-commit off and a commit after processing, consumption is reliable.",
    short="committing after processing makes consumption reliable",
    articles=("004",),
    refuted_by="a committed offset with a record below it that no consumer has processed",
    cases=cases(
        SOME_VERSIONS,
        "consumed_never_skipped",
        acks=ACKS_ALL,
        min_isr=2,
        unclean=0,
        commit=COMMIT_AFTER,
        consumer_crashes=1,
        crashes=1,
    ),
    witness="exposed",
    remarks=(
        Remark(
            question="Does it exclude that a record is processed twice?",
            case=Case(
                profile=version("kafka-4.1"),
                chosen={"commit": COMMIT_AFTER, "consumer_crashes": 1},
                property="consumed_never_repeated",
            ),
        ),
        Remark(
            question="Does auto-commit skip records that other threads were still to process?",
            case=Case(
                profile=version("kafka-4.1"),
                chosen={"commit": COMMIT_AUTO, "consumer_crashes": 1},
                property="consumed_never_skipped",
                speaks_for=VIOLATED,
            ),
        ),
        *(
            Remark(
                question="Does the consumer really process and commit something here?",
                case=Case(
                    profile=profile,
                    chosen={"acks": ACKS_ALL, "commit": COMMIT_AFTER, "consumer_crashes": 1},
                    property="consumed",
                ),
            )
            for profile in SOME_CLAIMED
        ),
    ),
    note="Reliable is read as at least once: nothing is skipped.",
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
C_25 = Claim(
    id="C-25",
    sentence="All messages without a key go to one partition until the next refresh of metadata.",
    short="messages without a key go to one partition until the next refresh",
    articles=("002",),
    refuted_by="two partitions that get records without a key between two refreshes",
    cases=(Case(profile=ROUTING, chosen={"strategy": STICKY_UNTIL_REFRESH}, property="one_partition_until_refresh"),),
    witness="sent_without_key",
    remarks=(
        Remark(
            question="Even to a partition that has lost its leader?",
            case=Case(
                profile=ROUTING,
                chosen={"strategy": STICKY_UNTIL_REFRESH},
                property="keeps_to_a_partition_without_leader",
            ),
        ),
        Remark(
            question="And of a producer that takes turns, as article 004 has it?",
            case=Case(profile=ROUTING, chosen={"strategy": ROUND_ROBIN}, property="one_partition_until_refresh"),
        ),
        Remark(
            question="And of a producer from 2.4 on, which keeps to a partition for one batch?",
            case=Case(profile=ROUTING, chosen={"strategy": STICKY_PER_BATCH}, property="one_partition_until_refresh"),
        ),
    ),
    note="The article reads the Scala producer of 0.8.2, and that is what is asked of.",
)

CLIENTS = (C_09, C_10, C_20, C_21, C_22, C_23, C_25)
