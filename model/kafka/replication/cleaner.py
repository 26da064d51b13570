"""Log compaction: only the newest record of each key stays. Here every record has the same key."""

from __future__ import annotations

from neverlost.model.core import NONE, action, require

from .state import Offset, Partition, Replica, Value


def is_superseded(s: Partition, replica: Replica, offset: Offset, end: int) -> bool:
    """Does the log have a record with the same key at a later offset, below `end`?"""
    for later in s.each(Offset):
        if offset < later < end and s.record_value[replica][later] != NONE:
            return True
    return False


def cleaned_rightly(s: Partition, replica: Replica, offset: Offset) -> bool:
    """Was the record at this offset cleaned away, while a newer record of its key is still there?"""
    return (
        s.compacted
        and s.record_value[replica][offset] == NONE
        and s.record_epoch[replica][offset] != NONE
        and is_superseded(s, replica, offset, s.log_end[replica])
    )


def holds_newest(s: Partition, replica: Replica, value: Value) -> bool:
    """Is the value in the broker's log or, if only the newest record of a key is kept, a value sent after it?"""
    for offset in s.each(Offset):
        held = s.record_value[replica][offset]
        if held == value or (s.compacted and held > value):
            return True
    return False


@action("R-CLEAN-1, KAFKA-13194")
def clean(s: Partition, replica: Replica, offset: Offset) -> None:
    """The cleaner removes a record because a newer one of its key is below the high watermark; up to 3.0, anywhere in the log."""
    require(s.compacted)
    require(s.up[replica])
    require(s.record_value[replica][offset] != NONE)
    require(is_superseded(s, replica, offset, s.log_end[replica]))
    require(s.cleans_uncommitted or is_superseded(s, replica, offset, s.high_watermark[replica]))

    s.record_value[replica][offset] = NONE
