"""What the model of Apache Kafka has, what it has in a simpler form, and what it leaves out: a reason for every line."""

from __future__ import annotations

MODELLED = {
    "logs with leader epochs; log end and high watermark of each broker": "what is lost is lost from a log, and acknowledged by a high watermark",
    "the leader's knowledge of each follower, from that follower's fetches": "the high watermark rests on it, and it may be stale",
    "fetches one record at a time, whose responses may be lost": "a leader may know more than the follower it knows of",
    "ISR changes, atomic or in flight, and the maximal ISR": "KIP-497 and its holes are about what happens in between",
    "metadata that reaches each broker when it does, or never": "deposed leaders go on appending, followers go on fetching",
    "truncation as of four eras": "KIP-101, KIP-279 and KIP-320 each mend a loss of the era before",
    "clean and unclean election, fencing, ELR and the last known leader": "who leads next decides what survives",
    "process crash, power loss, disk loss, restart, long pause": "each takes something else, and versions differ in what they survive",
    "acks 0, 1 and all, min ISR before and after the append, time-outs, retries, idempotence": "what the producer is told is what the properties hold Kafka to",
    "one consumer and its successors, committing before, after or at the next poll": "at most once and at least once are about the order of two steps",
}

SIMPLIFIED = {
    "sending and appending are one step": "a request that is lost on its way was never sent, as far as any log can tell",
    "acks=1 is acknowledged at the append": "nothing can come in between that another order of steps does not show",
    "a delayed produce completes in the step that moves the high watermark": "purgatory and its watchers are R-DP-3's own matter; the answer is the same",
    "a delayed produce reaches its deadline only where the producer then does something": "elsewhere waiting longer shows the same losses in fewer states",
    "becoming follower and the truncation that asks the leader are one step": "until it has cut its log, a broker neither fetches nor serves",
    "a broker that starts again hears of the newest epoch only": "it asks for all of the metadata before it takes part",
    "a broker starts again only after it was fenced, and is unfenced by that": "a registration replaces the old session",
    "a crash keeps the high watermark as checkpointed, any earlier value where truncation uses it": "elsewhere a lower one only hides records from consumers for a while",
    "a power loss leaves any prefix of the log, or all of it with flush": "what of the tail was on disk is the operating system's choice",
    "every decision of the controller on leader or ISR is a new leader epoch": "from 3.6 on, some of the controller's own ISR changes are not; brokers that hear of them only cut less often",
    "elections take a broker that the controller believes live, though it may be down": "the session has yet to end",
    "idempotence reads the log instead of a table of the last five batches": "the table is rebuilt from the log, and the producer here has fewer values than that",
    "a committed offset is never lost": "the offsets topic is a log like this one; its losses are the same question asked again",
    "the epoch-start guard (KAFKA-7128) is on in every version": "releases before 2.0.1 lack it; `--no-epoch-start-guard` shows them",
}

NOT_MODELLED = {
    "several partitions, reassignment, topic deletion (case A of R-DP-1)": "durability of a record is decided within its partition",
    "storage errors other than a lost disk (case C.1)": "a broker that halts on one is a crash",
    "clean and controlled shutdown": "it flushes and hands over first: fewer faults than a crash; it matters to ELR only as the good case",
    "the controller's own log and its failover": "its quorum is a replicated log of its own, with other rules (Raft)",
    "transactions, log compaction, retention, tiered storage": "other questions than whether an acknowledged record stays",
    "unclean recovery manager (KIP-966's second part)": "not released as of 4.1",
    "fetching from followers (KIP-392)": "a follower's high watermark is never above what a leader exposed",
    "time": "lag, sessions and deadlines may end at any moment, so every timing is covered",
}


def notes() -> str:
    """All of it as text, a line for each."""
    parts = {"Modelled": MODELLED, "Simplified": SIMPLIFIED, "Not modelled": NOT_MODELLED}
    return "\n\n".join(
        f"{title}\n" + "\n".join(f"* {what}: {why}." for what, why in lines.items()) for title, lines in parts.items()
    )
