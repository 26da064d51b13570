"""ISR changes in flight as a profile, with its properties.

Source: hachikuji/kafka-specification, module AsyncIsr.
"""

from __future__ import annotations

from neverlost.model.core import Profile, always, contains, sometimes
from neverlost.model.published import async_isr
from neverlost.model.published.async_isr import AsyncIsr, Offset, Replica, high_watermark

from .picture import ASYNC_ISR as PICTURE


@always("Every variable stays within its type; no version is pending, or one that was issued.")
def type_ok(s: AsyncIsr) -> bool:
    for replica in s.each(Replica):
        if not 0 <= s.log_end[replica] <= s.size(Offset):
            return False
    return s.pending_version >= -1


@always(
    "Every variable stays within its type, word for word as published: a pending version is a number, so false at the start."
)
def type_ok_as_published(s: AsyncIsr) -> bool:
    return s.pending_version >= 0


@always("Every member of the controller's ISR has reached the leader's high watermark.")
def valid_high_watermark(s: AsyncIsr) -> bool:
    for replica in s.each(Replica):
        if contains(s.controller_isr, replica) and s.log_end[replica] < high_watermark(s):
            return False
    return True


@sometimes("The high watermark has risen above 0.")
def high_watermark_rises(s: AsyncIsr) -> bool:
    return high_watermark(s) > 0


ASYNC_ISR = Profile(
    name="published/async-isr",
    family="published",
    statement="ISR changes in flight between a leader and the controller (KIP-497).",
    state=AsyncIsr,
    initial=async_isr.initial,
    actions=(
        async_isr.controller_shrink_isr,
        async_isr.controller_handle_request,
        async_isr.leader_request_shrink_isr,
        async_isr.leader_request_expand_isr,
        async_isr.leader_write,
        async_isr.leader_handle_update,
        async_isr.follower_replicate,
    ),
    properties=(type_ok, valid_high_watermark, high_watermark_rises),
    probes=(type_ok_as_published,),
    picture=PICTURE,
    default_bounds={"replicas": 3, "log_size": 2, "versions": 3},
)
