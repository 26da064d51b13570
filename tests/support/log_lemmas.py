"""Lemmas about bare logs: true ones, false ones, one that leaves a domain, and one that is true but needs another beside it."""

from __future__ import annotations

from neverlost.model.core import always, lemma
from neverlost.model.published.replicated_log import Logs, Offset, Replica


@lemma("Appending fills the slot at the log end, cutting empties those from the new end on.")
def values_lie_below_the_end(s: Logs, replica: Replica, offset: Offset) -> bool:
    return (s.value[replica][offset] >= 0) == (offset < s.log_end[replica])


@lemma("True, but a value further beyond the end would come to lie at it: that there is none says another lemma.")
def nothing_lies_at_the_end(s: Logs, replica: Replica, offset: Offset) -> bool:
    return offset != s.log_end[replica] or s.value[replica][offset] < 0


@lemma("Wrong: two replicas may write different values.")
def logs_agree(s: Logs, one: Replica, other: Replica, offset: Offset) -> bool:
    return offset >= s.log_end[one] or offset >= s.log_end[other] or s.value[one][offset] == s.value[other][offset]


@lemma("Wrong: when a log is full, there is no slot at its end to look at.")
def slot_at_the_end_is_empty(s: Logs, replica: Replica) -> bool:
    return s.value[replica][s.log_end[replica]] < 0


@lemma("Wrong: nothing is wrong with a full log.")
def some_log_has_room(s: Logs) -> bool:
    for replica in s.each(Replica):  # noqa: SIM110 (Model Python)
        if s.log_end[replica] < s.size(Offset):
            return True
    return False


@always("No log ends before its start.")
def ends_are_numbers(s: Logs) -> bool:
    for replica in s.each(Replica):  # noqa: SIM110 (Model Python)
        if s.log_end[replica] < 0:
            return False
    return True


LOG_LEMMAS = (
    values_lie_below_the_end,
    nothing_lies_at_the_end,
    logs_agree,
    slot_at_the_end_is_empty,
    some_log_has_room,
)
