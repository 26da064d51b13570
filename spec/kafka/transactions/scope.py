"""What the model of transactions has, what it has in a simpler form, and what it leaves out: a reason for every line."""

from __future__ import annotations

MODELLED = {
    "one transactional id: its producers one after the other, their transactions, the coordinator's states and epochs": (
        "who has the newest epoch may write, begin and end"
    ),
    "both ways to end a transaction: in the epoch of all (versions 0 and 1), and in one of its own (version 2)": (
        "a repetition differs from the next request by its epoch alone"
    ),
    "partitions with the newest epoch, sequence numbers, an open transaction and a coordinator epoch": (
        "a partition does not know which transaction a record belongs to"
    ),
    "requests that are held up while the client sends them again: InitProducerId, AddPartitionsToTxn, Produce, EndTxn": (
        "a connection is closed, and the broker still has the request"
    ),
    "markers that are held up while the coordinator sends them again, and coordinators that move meanwhile": (
        "KIP-1228 is about one that arrives late"
    ),
    "the question of a partition to the coordinator, and the append, as two steps with a guard": (
        "a marker may come in between (KAFKA-14884, KAFKA-18575)"
    ),
    "records that are given up, and what clients of each release do then": "KIP-360 is about who may go on",
    "timeouts, and producers that start anew while a transaction is ongoing": "both abort it in a newer epoch",
    "clients that close or ask for a new epoch when EndTxn is not answered": (
        "that is the advice to users before version 2"
    ),
    "a partition that forgets the producer, and one that loses its last marker": (
        "what fenced a record may be forgotten, and what ended it may be lost"
    ),
    "markers without their version from brokers of an earlier release": "a rolling upgrade to 4.2 has them",
    "a coordinator that acts on what its log has not acknowledged, and whose successor does not have it": (
        "a coordinator reads its log beyond the high watermark (TransactionStateManager.loadTransactionMetadata), so two moves may tear"
        " a transaction, though no acknowledged record is lost"
    ),
    "a coordinator that loses its log while it reads it, as `--partial-loads` says": (
        "it takes what it has read for all (loadTransactionMetadata ends when the log end is -1), and sends the markers of the decision"
        " that is last there"
    ),
    "a fetch of committed records that is answered an open one": "up to 2.4 it looks twice for the high watermark (KAFKA-9807)",
}

SIMPLIFIED = {
    "a request, its work and its answer are one step, unless the request is held up": (
        "the client sends no other transactional request meanwhile, and a lost answer is a request that is held up and arrives"
    ),
    "a record for each partition in each transaction, in a batch of its own": (
        "a partition treats what follows the first record of a transaction as that one; gaps between sequence numbers need more"
    ),
    "at most one copy of each request and of each partition's marker is held up at a time": (
        "two copies do what one does, and then nothing"
    ),
    "what the coordinator writes is in its log at once": (
        "until the log has acknowledged it, other requests have to wait; a coordinator that moves before has not answered. That its"
        " successor has it, and the next one has not, is modelled for decisions and for partitions that are added. On a new epoch or a"
        " completed end no successor acts before that is acknowledged"
    ),
    "of a log that is read in part, the last decision of the whole log is acted on": (
        "an older one has an older epoch in version 2, which partitions refuse; in version 0 it does what the last one does"
    ),
    "a fetch that looks twice for the high watermark may be answered a record as long as it is open": (
        "it is answered it while it is appended; who reads it then has read it"
    ),
    "a producer starts when the one before it has its epoch": "of two that start at once, one is the later",
    "an application begins a new transaction only with records, and never reads its own": "an empty one is not sent",
    "the coordinator moves only while an end is prepared, or before its log has acknowledged what it wrote": (
        "elsewhere a successor that reads its log to the end knows all, and partitions only refuse more markers that are held up; the"
        " epoch before the newest is not in the log, so that who asks again for a new epoch then gets the answer that it is fenced"
    ),
    "while an end is prepared, a request of an older epoch or with another result is refused at once": (
        "brokers have it wait (TransactionMetadata.pendingState), and refuse it when the end is complete"
    ),
    "a partition that knows no producer takes any sequence number": (
        "up to 2.4, and from 4.1 on in version 2 (KAFKA-18202), it takes 0 only"
    ),
    "a partition goes without asking only for its own epoch": (
        "from 3.6 to 3.9 an open transaction of any epoch is enough (hasOngoingTransaction); a lost marker or a lost tail leaves one"
    ),
    "of markers, one that ended nothing is never lost": "nobody can know that it was there",
    "a partition that loses a marker forgets all epochs of coordinators": "it knows that of the marker before, if there is one",
    "a question of a partition that is answered with an error leaves nothing behind": (
        "from 3.6 on its sequence number stays, and a later one of the same epoch is refused, for which the application aborts"
        " (VerificationStateEntry.lowestSequence): a transaction less, and no other wrong"
    ),
    "offsets that are sent with a transaction are one more partition": (
        "they end with the others; what a partition of offsets does not check is below"
    ),
    "transaction versions 0 and 1 are one": "they differ in the format of the coordinator's log",
}

NOT_MODELLED = {
    "the end of the epochs of a producer id, and producer ids that expire (KAFKA-18660, KAFKA-20090, KAFKA-20310)": (
        "the model has one producer id; a verdict says if its epochs ran out"
    ),
    "a coordinator whose log loses what it has decided": (
        "committed transactions are then undecided again; the settings of __transaction_state and replication's profiles say when"
    ),
    "a coordinator that was replaced, does not know it, and answers from memory": (
        "it writes to no log what changes nothing: with a client of version 0 it may take an EndTxn for that of the transaction before"
        " (no_commit_lost), and tell a partition that an ended transaction goes on (nothing_hangs). In version 2 epochs tell them apart"
    ),
    "what partitions of offsets do not check": (
        "offsets have no sequence numbers: with a client of version 0 a late TxnOffsetCommit is one of the next transaction"
        " (all_or_nothing, no_aborted_read). And they ask the coordinator from 3.7 on only (nothing_hangs, zombie_fenced of 3.6)"
    ),
    "partitions of deleted topics": (
        "the coordinator counts what it does not find as answered (TransactionMarkerChannelManager.addTxnMarkersToBrokerQueue)"
    ),
    "an operator who aborts in one partition (kafka-transactions.sh abort)": (
        "that marker has no version, and ends what is open in its epoch in every release"
    ),
    "records that a partition loses": "that is replication's question; here a partition keeps its records",
    "several transactional ids": "they meet in the last stable offset only, for which one that hangs makes all readers wait",
    "the group coordinator's own state of pending offsets (KAFKA-17507)": "it is not a partition's",
    "clients that change their version in a run, and brokers of several releases but for markers": (
        "from a client of version 0 to one of 2 there is a new epoch (KAFKA-18227)"
    ),
    "an epoch whose append to the coordinator's log failed (KAFKA-9666)": "the model's log takes every record",
    "prepared transactions of two-phase commit (KIP-939)": "not released",
    "the aborted index, and other fetches": (
        "readers see what the last marker says; in a compacted topic a fetch that meets the cleaner may miss an abort, as it looks for"
        " it in segments that have just been replaced (LocalLog.collectAbortedTransactions of 4.3.1, read, not run)"
    ),
    "idempotent producers without transactions": "replication has them",
    "time": "timeouts and expiry may come at any moment, so every timing is covered",
}


def notes() -> str:
    """All of it as text, a line for each."""
    parts = {"Modelled": MODELLED, "Simplified": SIMPLIFIED, "Not modelled": NOT_MODELLED}
    return "\n\n".join(
        f"{title}\n" + "\n".join(f"* {what}: {why}." for what, why in lines.items()) for title, lines in parts.items()
    )
