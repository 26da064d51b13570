"""Claims about records without a key: C-25."""

from __future__ import annotations

from neverlost.model.kafka.routing import ROUND_ROBIN, STICKY_PER_BATCH, STICKY_UNTIL_REFRESH
from neverlost.spec.claims import Case, Claim, Remark

from .properties import ROUTING

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

CLAIMS = (C_25,)
