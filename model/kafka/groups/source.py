"""The partitions that the group reads: records appended, removed, lost, and partitions added."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require

from .state import Group, Member, Offset, Partition, Reset, Slot, Times


@action("the producer")
def produce(s: Group, partition: Partition) -> None:
    """A record is appended to a partition, and committed there. Producers may know a new partition before the group does."""
    require(s.exists[partition])
    require(s.end[partition] < s.size(Offset))

    s.end[partition] += 1


@action("CreatePartitions")
def add_partition(s: Group, partition: Partition) -> None:
    """A partition is added to the topic."""
    require(s.partition_adds_left > 0)
    require(not s.exists[partition])

    s.partition_adds_left -= 1
    s.exists[partition] = True


@action("retention.ms, DeleteRecords")
def remove(s: Group, partition: Partition) -> None:
    """Retention removes the oldest record of a partition."""
    require(s.removals_left > 0)
    require(s.start[partition] < s.end[partition])

    s.removals_left -= 1
    s.start[partition] += 1


@action("an unclean election of the source, KIP-320")
def truncate(s: Group, partition: Partition) -> None:
    """A partition loses its last record; another may come in its place.

    Consumers that compare leader epochs go back to where the partition was cut: at once where they read it, else when they begin at a
    committed offset with its epoch. Without auto.offset.reset they fail, and read the partition no more (LogTruncationException). The
    others do not notice once there are new records.

    Source: Fetcher.validateOffsetsIfNeeded, SubscriptionState.maybeCompleteValidation.
    """
    require(s.truncations_left > 0)
    require(s.end[partition] > s.start[partition])

    s.truncations_left -= 1
    cut = s.end[partition] - 1
    s.end[partition] = cut
    s.processed[partition][cut] = Times.NEVER
    if s.checks_epoch and s.commits_epoch and s.committed[partition] > cut:
        if s.cut_at[partition] == NONE or s.cut_at[partition] > cut:
            s.cut_at[partition] = cut
    for member in s.each(Member):
        if s.position[member][partition] > cut:
            if s.checks_epoch and s.owned[member][partition]:
                s.position[member][partition] = cut
                s.done[member][partition] = min(s.done[member][partition], cut)
                if s.reset == Reset.NONE:
                    s.owned[member][partition] = False
            else:
                s.done[member][partition] = s.position[member][partition]
        for k in s.each(Slot):
            if s.checks_epoch and s.commits_epoch and s.sent[member][k] == partition:
                s.sent_offset[member][k] = min(s.sent_offset[member][k], cut)
    if s.checks_epoch and s.commits_epoch and s.unseen[partition] != NONE:
        s.unseen[partition] = min(s.unseen[partition], cut)
    if s.checks_epoch and s.commits_epoch and s.late == partition:
        s.late_offset = min(s.late_offset, cut)
