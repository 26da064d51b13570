"""What the lemmas assume of the settings, each by its name: where one is not so, no proof says anything of losses."""

from __future__ import annotations

from neverlost.model.core import lemma
from neverlost.model.kafka.replication.controller import elects_uncleanly
from neverlost.model.kafka.replication.faults import returns_unfenced
from neverlost.model.kafka.replication.state import KIP_279, Delay, LostDecision, Partition


def fences_fetches(s: Partition) -> bool:
    """Do leaders and followers heed each other only in the same epoch, and compare their logs by epochs?"""
    return s.fencing and s.truncation >= KIP_279


def forgets_known_ends(s: Partition) -> bool:
    """Does a leader forget what it knew of its followers?"""
    return not s.keeps_known_ends


def counts_what_is_held(s: Partition) -> bool:
    """Does a fetch count for nothing if it is only told where to cut the log?"""
    return not s.counts_diverging_fetch


def leads_once(s: Partition) -> bool:
    """Does a broker that returns hear of a leadership of its own only in a new epoch?"""
    return not returns_unfenced(s)


def keeps_every_record(s: Partition) -> bool:
    """Does no cleaner take records away?"""
    return not s.compacted


def counts_in_its_epoch(s: Partition) -> bool:
    """Is a fetch counted only in the epoch in which it was checked?"""
    return s.size(Delay) == 0 or s.fetches_know_epoch == 1


def obeys_in_its_epoch(s: Partition) -> bool:
    """Does a follower obey a response only in the epoch in which it asked?"""
    return s.size(Delay) == 0 or (s.responses_know_epoch == 1 and s.cuts_know_epoch == 1)


def keeps_proposals(s: Partition) -> bool:
    """Does a leader wait for whom it has asked for, until it learns what the controller has decided?"""
    return s.size(Delay) == 0 or not s.takes_back_proposals


def sends_what_was_checked(s: Partition) -> bool:
    """Does a response bring what was in the log when the fetch was checked?"""
    return s.size(Delay) == 0 or s.responses_keep_bytes == 1


def responds_in_its_epoch(s: Partition) -> bool:
    """Does a response do when it arrives what it would have done at once?"""
    return obeys_in_its_epoch(s) and sends_what_was_checked(s)


def answers_in_its_epoch(s: Partition) -> bool:
    """Is a produce acknowledged only in the epoch in which it was appended?"""
    return s.size(Delay) == 0 or s.produces_know_epoch == 1


def fenced_by_epoch(s: Partition) -> bool:
    """Is an epoch a world of its own? What was said and known in another counts for nothing."""
    return (
        fences_fetches(s)
        and counts_in_its_epoch(s)
        and responds_in_its_epoch(s)
        and keeps_proposals(s)
        and forgets_known_ends(s)
        and counts_what_is_held(s)
        and leads_once(s)
        and keeps_every_record(s)
    )


def exposes_what_is_committed(s: Partition) -> bool:
    """Does no follower expose what it is about to cut? Only who fetches from followers sees it."""
    return not s.exposes_diverging or not s.fetch_from_followers


def reads_what_is_exposed(s: Partition) -> bool:
    """Does the consumer read nothing above a high watermark?"""
    return not s.reads_past_high_watermark


def waits_for_both(s: Partition) -> bool:
    """Does the high watermark wait for the replicas of both ISRs while a change is in flight?"""
    return s.maximal_isr


def bars_until_epoch_start(s: Partition) -> bool:
    """Must a follower reach the start of the leader's epoch before it enters the ISR?"""
    return s.epoch_start_guard


def elects_cleanly(s: Partition) -> bool:
    """Is only a member of the ISR elected, or of an ELR that comes with what KIP-966 has beside it?"""
    return not elects_uncleanly(s) and (not s.elr or (s.strict_min_isr and s.isr_without_fenced))


def keeps_disks(s: Partition) -> bool:
    """Is nothing lost that was written? Processes may die, or power may fail if all was flushed, but not both: a process may die before
    it flushes."""
    return s.disk_losses == 0 and (s.power_losses == 0 or (s.flush == 1 and s.crashes == 0))


def keeps_decisions(s: Partition) -> bool:
    """Do the controllers lose no decision?"""
    return s.size(LostDecision) == 0


def keeps_its_log(s: Partition) -> bool:
    """Does no follower drop its whole log?"""
    return not s.starts_over


def assumed(s: Partition) -> bool:
    """What the lemmas assume of the settings: nothing of acks, min ISR, retries, or how often processes die or pause."""
    return (
        fenced_by_epoch(s)
        and waits_for_both(s)
        and bars_until_epoch_start(s)
        and elects_cleanly(s)
        and keeps_disks(s)
        and keeps_decisions(s)
        and exposes_what_is_committed(s)
        and keeps_its_log(s)
    )


ASSUMPTIONS = tuple(
    lemma(reason)(function)
    for function, reason in (
        (
            fences_fetches,
            "Fetches of another leader epoch are refused (KIP-320), and logs are compared by epochs (KIP-279).",
        ),
        (
            forgets_known_ends,
            "A leader forgets what it knew of its followers with every new epoch; no release from 0.9 on does.",
        ),
        (
            counts_in_its_epoch,
            "No fetch is delayed over a change of leadership, or it is counted only in the leader epoch in which it was checked.",
        ),
        (
            obeys_in_its_epoch,
            "No response is delayed over a change of leadership, or followers drop those of an earlier epoch, also when they cut.",
        ),
        (
            sends_what_was_checked,
            "No response is delayed over a change of leadership, or it brings what was in the log when the fetch was checked.",
        ),
        (
            answers_in_its_epoch,
            "No produce is delayed over a change of leadership, or it fails when the leader epoch changes after the append.",
        ),
        (
            keeps_proposals,
            "No metadata of an ISR is delayed, or a leader takes back no proposal because of an ISR that it knows.",
        ),
        (counts_what_is_held, "A fetch that is only told where to cut the log counts for nothing (KAFKA-13141)."),
        (leads_once, "A broker that returns before it was fenced leads no more, and leaves the ISR (KAFKA-18106)."),
        (keeps_every_record, "No log is compacted."),
        (
            waits_for_both,
            "While an ISR change is in flight the high watermark waits for the replicas of both ISRs (KIP-497).",
        ),
        (
            bars_until_epoch_start,
            "A follower enters the ISR only with the start of the leader's epoch in its log (KAFKA-7128).",
        ),
        (elects_cleanly, "Nobody outside the ISR is elected, nor of the ELR without what KIP-966 has beside it."),
        (
            keeps_disks,
            "No disk is lost, and no power, unless every record is flushed before it counts and no process is killed.",
        ),
        (keeps_decisions, "The controllers lose no decision."),
        (keeps_its_log, "A follower that is beyond its leader's log does not drop all of its own (KAFKA-2143)."),
        (exposes_what_is_committed, "No follower exposes what it is about to cut (KAFKA-14704)."),
        (reads_what_is_exposed, "Consumers read nothing above the high watermark (KAFKA-9835)."),
    )
)
"""What has to be so of the settings: where one of these is not, the lemmas say nothing of losses."""
