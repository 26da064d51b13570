"""What the model of Apache Kafka has, what it has in a simpler form, and what it leaves out: a reason for every line."""

from __future__ import annotations

MODELLED = {
    "logs with leader epochs; log end and high watermark of each broker": "what is lost is lost from a log, and acknowledged by a high watermark",
    "the leader's knowledge of each follower, from that follower's fetches": "the high watermark rests on it, and it may be stale",
    "fetches one record at a time, whose responses may be lost": "a leader may know more than the follower it knows of",
    "exchanges that are delayed, as many as `--delays` says": "brokers append, look, check, cut and answer under several locks, read the bytes of a response when they send it, and metadata when it has come; without delays every verdict assumes that nothing changes meanwhile",
    "what clears eligible replicas: a change of min ISR, a move between log directories, one replica in partition 0": "then a small ISR is all that is left (KIP-966)",
    "ISR changes, atomic or in flight, and the maximal ISR": "KIP-497 and its holes are about what happens in between",
    "metadata that reaches each broker when it does, or never; in turn with ZooKeeper, several changes as one in KRaft": "deposed leaders go on appending, followers go on fetching, and a leader that missed an epoch believes what was true before it",
    "ISR changes of the controller, with a new leader epoch or without": "releases differ in it, and a leader forgets nothing without a new epoch",
    "brokers that come back before they were fenced": "in KRaft to 3.9 such a broker stays leader and in the ISR, whatever it has lost; with ZooKeeper, if no controller acted while it was away",
    "a broker that is killed between the append of a record and its flush, with flush.messages=1": "it reads the record from the cache when it starts again, counts, and flushes it with its next append; a power loss before that takes it",
    "truncation as of four eras": "KIP-101, KIP-279 and KIP-320 each fix a loss of the era before",
    "clean and unclean election, fencing, ELR and the last known leader": "who leads next decides what survives",
    "process crash, power loss, disk loss, restart, long pause": "each takes something else, and versions differ in what they survive",
    "controlled shutdown, and the mark of a clean one": "leadership moves without a fault, as in every rolling restart; eligible replicas stay so (KIP-966)",
    "acks 0, 1 and all, min ISR before and after the append, time-outs, retries, idempotence": "what the producer is told is what the properties hold Kafka to",
    "what clients make of a first record that is refused (KAFKA-15591): `--acks-earlier` as librdkafka, `--producer-epochs` as Java's from 2.5 on": "a partition that has nothing of an idempotent producer accepts any first number; librdkafka takes the first record for written when a later one is, and Java's producer begins a new epoch, which the partition does not know",
    "fetching from followers, and what a response brings that tells where to cut": "a follower's high watermark may cover what it is about to cut (KAFKA-14704)",
    "compaction, of records that all have one key": "what is cleaned away must have a newer record that stays (KAFKA-13194)",
    "fetches beyond the leader's log, in two requests where brokers make two": "the leader's log may grow in between (KAFKA-2143)",
    "decisions that the controllers lose, as many as `--lost-decisions` says (KRaft from 3.3 on)": "they go back to the leader, epoch, ISR and ELR of before, count on from there, and a broker that has read what was lost must end and start anew; the family quorum says which mishaps do that",
    "one consumer and its successors, committing before, after or at the next poll": "at most once and at least once are about the order of two steps",
}

SIMPLIFIED = {
    "sending and appending are one step": "a request that is lost on its way was never sent, as far as any log can tell, and what follows the append may last, with delays; one that is held up, and is appended after the producer gave it up, is not there: without idempotence it changes the order",
    "a late response brings one record": "a real one may bring several, which two delays allow one after the other",
    "from 3.3 on a fetch that is counted late is lost if its leader has followed, but for the ISR": "the broker forgets its followers when it follows, and counts into what it has forgotten; in KRaft from 3.5 on, the ISR too needs one more fetch, which is not asked for here",
    "any change of min ISR of a topic clears its eligible replicas": "so does any setting of the cluster's default, of all topics; and up to 4.2 the first assignment of a replica to a directory",
    "acks=1 is acknowledged at the append": "nothing can come in between that another order of steps does not show",
    "a delayed produce completes in the step that moves the high watermark": "what is below it is committed, so its answer may come later; that it does not know its leader epoch is a delay",
    "a delayed produce reaches its deadline only where the producer then does something": "elsewhere waiting longer shows the same losses in fewer states",
    "becoming follower and the truncation that asks the leader are one step without delays": "until it has cut its log, a broker neither fetches nor serves; it may lead again, with a delay",
    "a late answer to where an epoch ends is not obeyed": "brokers from 0.11 to 2.1.0 obey it; 2.1.1 compares epochs (KAFKA-7786)",
    "a broker that starts without one of its log directories has no eligible replica in 4.1 and 4.2": "its log's new place is a move between directories, which clears them there",
    "a broker that starts again hears of the newest epoch only": "it asks for all of the metadata before it takes part",
    "a broker that starts again is unfenced by that": "a registration replaces the old session",
    "a crash keeps the high watermark as checkpointed, any earlier value where something depends on it": "truncation does, to KIP-101, and a leader that comes back in its own epoch; elsewhere a lower one only hides records from consumers for a while",
    "the leader epochs of a log are those of its records, and the leader's own from 2.0.1 on": "followers ask only for epochs of records; what a broker noted as a leader without a record is never asked for",
    "a fetch that meets an append takes in one record above the high watermark": "KAFKA-9835 is about one such fetch; what is appended later is read by another",
    "the cleaner may come at any time to any record but the newest": "segments and lags only make it come later",
    "a power loss leaves any prefix of the log, or with flush all of it but a record that a killed process has not flushed": "what of the tail was on disk is the operating system's choice",
    "a min ISR that is set counts at the leader at once": "the controller may have a raised one before the leader: who leaves the ISR stays eligible, the leader acknowledges alone, and is succeeded cleanly by one that lacks the record (acked_never_lost with --min-isr-changes, from 4.1 on)",
    "a leader that counts a record alone has flushed it": "killed before that, it counts it when it starts again, and a power loss takes it: committed_never_lost with --flush, --crashes and --power-losses, and acked_never_lost with --retries too, which is answered from the log",
    "what a shutdown flushes, a later power loss may take all the same": "the model keeps no account of what is flushed, and so takes no less than a machine does",
    "a shutdown is that of a broker that has started": "one that is to end while it still starts, as a startup probe makes it, neither flushes nor leaves the mark of a clean shutdown (BrokerServer.shutdown returns unless the broker has started): that is a crash",
    "in KRaft to 3.2 a leader's epoch starts once, where its log ended when it became the leader": "there it starts anew whenever the leader hears of an ISR: followers join later, and no more is lost",
    "a leader that nobody may succeed shuts down as a leader": "KRaft leaves the partition without a leader first, or elects uncleanly where that is allowed: the same, a moment earlier",
    "with ZooKeeper only a new controller misses that a broker was away": "up to 2.1 any controller may, if the broker is registered again before it looks who lives (KAFKA-1120); from 2.2 on it compares broker epochs (KIP-380)",
    "elections take a broker that the controller believes live, though it may be down": "the session has yet to end",
    "idempotence reads the log instead of a table of the last five batches": "the table is rebuilt from the log, and the producer here has fewer values than that; that the table forgets is not there",
    "an answer to a later record does not come between a refusal and the new epoch of the producer": "it comes after it, and what is written is the same: only the numbers differ",
    "to be refused for its number takes no retry": "each costs an attempt of its record, of which there are 2147483647 by default",
    "a consumer's group has a committed offset from the start on": "a new group that begins at the latest record, and whose consumer dies before its first commit, leaves records out: the models of consumer groups ask that (`--new-group`)",
    "a committed offset is never lost": "the offsets topic is a log like this one; its losses are the same question asked again",
    "a broker that has lost news of leader epochs hears of one of them next, and then of all in turn": "where controllers send them in turn it is the newest; which one it is makes a difference only together with another change of controller at that moment",
    "in KRaft a restarted broker is unfenced before it hears of the newest epoch": "brokers know it by then; while they are fenced they fetch, which only brings them nearer to the leader",
    "a fetch brings the high watermark as it was before": "an idle fetch waits and brings the new one: two fetches here",
    "the high watermark does not wait for caught-up brokers outside the ISR": "brokers wait for these for a while; to go on at once loses no less",
    "a leader asks for any caught-up follower to be taken into the ISR": "from 3.3 on a leader asks only for those that it sees unfenced; the controller refuses the others",
    "a dead leader is never the last known leader that is elected": "brokers before KAFKA-19522 may elect one that is dead: nobody leads then, and nothing is written",
    "the checkpointed high watermark is as old as it can be after a crash only, not after a power loss": "a power loss cuts the log as well, which takes more",
    "a leader drops one slow follower at a time": "brokers drop all that are slow at once; the ISR comes to the same",
    "the last known leader (KIP-966) stays known until the ISR is large enough again": "it is asked for only when ISR and ELR are both empty",
    "a live broker that has not heard of a lost decision may have read it, or anything that came after it": "what else the controllers lost is not told apart, so it may have to end, or go on",
    "a broker that has read a lost decision ends up to 3.4.0 too": "there only the thread ends that reads metadata, and the broker goes on until someone starts it anew; it may go on as long here",
    "who was fenced by a lost decision is not any more": "the new active controller gives every member a whole session; who is dead is fenced again",
    "a leader that knows two lost ISRs hears of the second decision after that": "it skips what has a partition epoch below its own, as if it had not heard yet",
    "a leader of an epoch that was issued before starts, for the ISR, at the first record of that number in its log": "Kafka takes the log end when it became leader, which lets fewer into the ISR",
    "where a log's epochs go back, an epoch that the leader's cache has dropped is still looked up in its records": "the cache drops it when an older epoch starts (LeaderEpochFileCache.assign); it takes a third leader epoch to matter",
    "the idempotence of 3.0's producers comes with 3.1 here": "a profile stands for a range of releases of brokers; what producers ask for is an option by itself",
}

NOT_MODELLED = {
    "a partition that forgets an idempotent producer": "it does so after producer.id.expiration.ms, counted from the timestamps of records; a record that is sent again is then written again, and one that is refused may be overtaken, as a first record may",
    "a broker that has started again, and recognises only the last batch of an idempotent producer": "its snapshot has no more (ProducerStateManager.writeSnapshot): an earlier request that is sent again is refused, and Java's producer, from 2.5 on, writes what is not answered once more; what `--producer-epochs` has comes to the same in other ways",
    "a new topic of which a broker has yet to hear": "a first record is refused there without a move of the leader; to 4.4 the next one may be written before it (KAFKA-15591)",
    "an idempotent producer that begins a new epoch, as Java's does from 2.5 on when a record is refused for good (KAFKA-14034)": "records before it that were written and not answered are then written again: no record of the producer here is refused for good",
    "several partitions, reassignment, topic deletion (case A of R-DP-1)": "a request for several partitions makes its delayed produce late, which delays allow; a removed replica that stays eligible is not seen",
    "storage errors other than a lost disk (case C.1)": "a broker that halts on one is a crash",
    "the controllers' own log and its failover": "its quorum is a replicated log of its own, with other rules (Raft): a family of its own; here only what a lost decision does",
    "a lost decision that no broker notices, because another lies at its offset in the same epoch of the controllers": "two leaders of one controllers' epoch write so; brokers then count on from other decisions than the controllers do",
    "a lost topic, registration, configuration or producer id": "only decisions about the leader and the ISR are lost here; a topic that was never created has no acknowledged records to compare with",
    "a broker whose own snapshot of the metadata has the lost decision": "it cannot start until its metadata directory is deleted, which is a broker that stays down",
    "what ZooKeeper loses, and what KRaft did as a preview up to 3.2": "these versions refuse `--lost-decisions`; their verdicts assume that no decision is lost",
    "exchanges that are delayed while decisions are lost": "`--delays` and `--lost-decisions` are refused together: what lasts knows nothing of epochs that are issued twice",
    "transactions, retention, tiered storage": "other questions than whether an acknowledged record stays",
    "unclean recovery manager (KIP-966's second part)": "not released as of 4.1",
    "time": "lag, sessions and deadlines may end at any moment, so every timing is covered",
}


def notes() -> str:
    """All of it as text, a line for each."""
    parts = {"Modelled": MODELLED, "Simplified": SIMPLIFIED, "Not modelled": NOT_MODELLED}
    return "\n\n".join(
        f"{title}\n" + "\n".join(f"* {what}: {why}." for what, why in lines.items()) for title, lines in parts.items()
    )
