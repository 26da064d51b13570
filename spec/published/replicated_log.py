"""Bare logs as a profile, with its properties.

Source: hachikuji/kafka-specification, module FiniteReplicatedLog.
"""

from __future__ import annotations

from neverlost.model.core import Profile, always, sometimes
from neverlost.model.published import replicated_log
from neverlost.model.published.replicated_log import Logs, Offset, Replica


@always("Every slot below a log end holds a value, and every other slot is empty.")
def type_ok(s: Logs) -> bool:
    for replica in s.each(Replica):
        for offset in s.each(Offset):
            if (s.value[replica][offset] >= 0) != (offset < s.log_end[replica]):
                return False
    return True


@sometimes("Every log is full.")
def all_logs_full(s: Logs) -> bool:
    for replica in s.each(Replica):
        if s.log_end[replica] < s.size(Offset):
            return False
    return True


REPLICATED_LOG = Profile(
    name="published/replicated-log",
    family="published",
    statement="Logs that are appended to, cut and copied freely: what the protocols are built on.",
    state=Logs,
    initial=replicated_log.initial,
    actions=(replicated_log.append, replicated_log.truncate_to, replicated_log.replicate_to),
    properties=(type_ok, all_logs_full),
    default_bounds={"replicas": 2, "log_size": 2, "records": 2},
)
