"""The routing of records without a key as a profile, with its properties (R-CLIENT-1, R-CLIENT-2)."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.model.core import Profile, always, contains, sometimes
from neverlost.model.kafka import routing
from neverlost.model.kafka.routing import PartitionNumber, Partitions, Routing


def where_they_went(states: Sequence[Routing]) -> str:
    """Between which refreshes records went to which partitions."""
    last = states[-1]
    return f"Without a refresh in between, records without a key went to {Partitions.show(last.used, last.bounds)}."


@always("Between two refreshes of metadata, all records without a key go to one partition.", story=where_they_went)
def one_partition_until_refresh(s: Routing) -> bool:
    for one in s.each(PartitionNumber):
        for other in s.each(PartitionNumber):
            if one != other and contains(s.used, one) and contains(s.used, other):
                return False
    return True


@sometimes("A record without a key is sent.")
def sent_without_key(s: Routing) -> bool:
    return s.last >= 0


@sometimes("The producer keeps to a partition that has no leader, so that its sends fail.")
def keeps_to_a_partition_without_leader(s: Routing) -> bool:
    return s.failed and s.kept >= 0 and not contains(s.led, s.kept)


ROUTING = Profile(
    name="kafka-routing",
    family="routing",
    statement="Where a producer sends records that have neither a partition nor a key.",
    state=Routing,
    initial=routing.initial,
    actions=(
        routing.send_without_key,
        routing.complete_batch,
        routing.refresh_metadata,
        routing.lose_leader,
        routing.gain_leader,
    ),
    properties=(one_partition_until_refresh, sent_without_key),
    probes=(keeps_to_a_partition_without_leader,),
    default_bounds={"partitions": 3},
)
