"""What the model of consumer groups has, what it has in a simpler form, and what it leaves out: a reason for every line."""

from __future__ import annotations

MODELLED = {
    "the classic protocol, eager and cooperative: joining, a generation, its assignment, timeouts, leaving": (
        "who owns a partition decides who reads it"
    ),
    (
        "the new protocol (KIP-848): the group's epoch, each member's, what a member must give up first, and its "
        "reconciliation"
    ): "there is no barrier, and a member learns of its epoch later than the coordinator",
    (
        "commits by enable.auto.commit, commitSync and commitAsync, before and after processing, in other threads, "
        "before a partition is given up"
    ): "what is committed and what is processed are two things",
    "the checks of a commit: the member, its generation or epoch, from 4.3 on the epoch of the partition": (
        "they keep those out that were expelled"
    ),
    "with KIP-848 a commit of a member that knows that it is not in the group": (
        "it names no epoch, and the coordinator accepts that if the group has no members: the offset goes back"
    ),
    "with KIP-848 a member that was expelled and joins again in the background, with a record in hand": (
        "without a ConsumerRebalanceListener, so with --forgets-on-revoke or --commit before, its commit names the new epoch, and the"
        " coordinator does not ask who owns the partition: the offset goes back, or who commits first processes a record again"
    ),
    "where a consumer begins: the committed offset, or auto.offset.reset": "it decides what is skipped",
    "offsets that expire, as of three eras (KIP-211, KAFKA-13636)": "then there is no committed offset",
    "partitions added, records removed by retention, truncations with and without leader epochs (KIP-320)": (
        "a committed offset may mean nothing any more, or something else"
    ),
    "members that come later, are closed, fail, crash, are expelled although they run": (
        "each ends with something in hand"
    ),
    "a record whose processing fails: its consumer is closed, or a framework goes on behind it": (
        "Spring's error handler, LogAndContinue of Kafka Streams and errors.tolerance=all of Connect pass it over"
    ),
    "a commit that is held up on a connection that breaks": "it arrives after newer ones, and takes the offset back",
    "a coordinator without the last assignment, which members have been answered": (
        "by KAFKA-20634, KAFKA-5059 or KAFKA-5600 when it moves once; when it moves twice, where it answers what it has only read"
    ),
    "an automatic commit before a reconciliation that fails and is repeated, with KIP-848": (
        "it has what poll has returned meanwhile: a record in hand is committed, and skipped if its member dies"
    ),
    "a partition that is assigned while its member fetches the committed offset of another, with KIP-848 from 3.7 to 3.9": (
        "it begins where auto.offset.reset says, although an offset is committed (KAFKA-17674)"
    ),
    "a partition whose onPartitionsAssigned runs while a heartbeat fails, with KIP-848": (
        "the coordinator takes it for given up, and may give it to another: two readers"
    ),
    "a commitAsync that is refused because the coordinator moves": "an application that repeats it takes the offset back",
    "a commit that fails: not written; or written, so that it counts at once, to 3.9 when another coordinator loads its log": (
        "an application that repeats it, or a new owner that began before it, takes the offset back"
    ),
}

SIMPLIFIED = {
    "the coordinator is one object whose log only loses the last commit of a partition": (
        "or its last assignment. That it forgets a rebalance under way of which nobody was answered is not seen: the members join again"
    ),
    "the assignor is a fixed function of who is in the group, round robin": (
        "another moves more or fewer partitions, by the same rules"
    ),
    "a request and its response are one step, but for commitAsync and the heartbeats of KIP-848": (
        "the ledger of steps says for each why nothing is lost by it, or what is"
    ),
    "a member that waits for others to join may be expelled for its silence": (
        "a coordinator waits for it as long as its request does; so the model expels more often"
    ),
    "commitSync and commitAsync may commit a position where nothing is processed, and need not": (
        "with offsets of what was processed there is none for it, without offsets there is; the last commit before a partition is given"
        " up has none, so that a new group that begins at the latest record may skip one"
    ),
    "an assignment that is forgotten is the last one, of one member with KIP-848": (
        "several members may have such answers at a time, and the log may lose more; this takes more moves here"
    ),
    "a member that joins again is not alone, leads or does not lead as it may, and has one assignor": (
        "only who does not lead is answered without another rebalance; one with two assignors never is (the default from 3.0 on), nor"
        " one that names its generation (KIP-792). Clients that do not name it are as Java's to 3.3, with every broker"
    ),
    "a cooperative member that gives something up by a generation that is lost learns of the loss before it joins again": (
        "it may join at once, and keep the rest: then an offset may go back (never_back, with three members, two moves and a timeout)"
    ),
    "a member that takes a partition while its heartbeat fails begins at the committed offset": (
        "the coordinator does not tell it to a member that has not heard of its epoch: to 4.1 such a member reads with"
        " enable.auto.commit, or from a position of its own; on 4.3.1 it was seen to read without these"
    ),
    "a partition is reset beside one that its member is taking, from 3.7 to 3.9 with KIP-848": (
        "also beside one whose position is reset or validated, in a moment between two calls; and of what is taken while a heartbeat"
        " fails, or by an answer that is lost, none is. Without auto.offset.reset poll fails"
    ),
    "a member that learns that its generation or epoch is lost keeps its id": (
        "to 3.1 it joins the classic group under another, and the coordinator waits until the old one is expelled. With KIP-848 it is"
        " refused until then, before KAFKA-19233"
    ),
    "a coordinator of 3.7 to 3.9 answers the classic protocol as the old one does": (
        "where the preview of the new one is switched on, it is that of 4.0 for these groups too, KAFKA-20634 included"
    ),
    "a coordinator that moves loses one commit at most, by KAFKA-20634, KAFKA-5600 or a high watermark that is behind": (
        "0.11.0.0 forgets all that was committed in later parts of the log, and up to 0.10.2 a coordinator what its followers have yet"
        " to fetch, until the next one loads it. Between 0.9 and 3.9 an old coordinator that does"
        " not know of its successor may still answer an older offset, so that records are processed again; one that loses its log while"
        " it reads it answers that there is none, which is below"
    ),
    "a rebalance that a member asks for, or new partitions ask for, begins at once": (
        "in Kafka with the member's JoinGroup: until then another may still get its assignment of the generation before, which here"
        " it gets before the one that asks"
    ),
    "of a process that dies while it joins, nobody heeds what it owned": (
        "Kafka's assignor does, so that it is free one generation later"
    ),
    "with KIP-848 a member gets its first assignment with its second heartbeat": (
        "with the first one, unless group.consumer.assignment.interval.ms (4.3) has yet to pass"
    ),
    "with KIP-848 a commit names a newer epoch once the member has reconciled": (
        "in Kafka once it is answered: fewer commits are refused. From 3.8 to 4.1 a member that must give up more comes to the next"
        " epoch before, so that more are. 3.7 gives back what a member is asked for, if it is meant for it again"
    ),
    "every position has the epoch of its record": (
        "not one that was reset, or committed without: a truncation below it goes unnoticed. With such commits, or with latest, records"
        " are skipped here too, without a truncation"
    ),
    "a consumer without auto.offset.reset that notices a truncation does not own the partition any more, and goes on with others": (
        "in Kafka its poll fails (LogTruncationException), for all of its partitions. What it has processed of the partition by then"
        " it may commit, and here not: the offset goes back, which is right, or more is processed again here"
    ),
    "a member does not own a partition of which nothing says where to begin": (
        "in Kafka it does, and its poll fails: nobody else is assigned the partition either"
    ),
    "two cooperative members that claim one partition: that of the later generation counts": (
        "to 2.8.0 claims have no generation, and the assignor may fail, so that nobody gets anything (KAFKA-12984)"
    ),
    "of the commits of a partition that were written and failed, to 3.9, the newest is known": (
        "a coordinator that loads its log reads the newest; one whose log loses that too may read another of them"
    ),
    "the last commit before a partition is given up, or before a consumer is closed, does not fail": (
        "one that fails leaves more to be processed again, as a member does that dies before it"
    ),
    "a commit of one partition is a step": "a real one has all of them, which several steps show",
    "commitSync and commitAsync commit what is processed": (
        "called without offsets they commit all that poll has returned: between two records of one poll they are as `auto-threads`"
    ),
    "at most two commitAsync of a member are under way": "more are the same again",
    "the callback of a failed commitAsync runs before a partition is given up, or in a later generation": (
        "a delay between is not seen; it repeats an older offset, as here"
    ),
    "a consumer notices at once that its partition was truncated, if it compares epochs": (
        "its fetches are refused until it has compared"
    ),
    "an offset that was truncated is known by a mark, not by epochs": (
        "an epoch that retention has removed is not seen (KAFKA-19902)"
    ),
    "offsets of an empty group expire all at once": (
        "they do for each partition. With the classic protocol the time counts from when the group became empty; with KIP-848"
        " from the commit, so that an offset that is old enough expires as soon as the group is empty for a moment"
        " (ConsumerGroup.offsetExpirationCondition)"
    ),
    "brokers and consumers are of one release": (
        "what a consumer does is its own release's: what polls commit (KAFKA-2942, KAFKA-14196, KAFKA-18641, KAFKA-19589),"
        " epochs (KIP-320), the assignor (KAFKA-14639)"
    ),
    "a record that retention removes before it is processed is not skipped": "it is not in the partition any more",
    "whoever is closed gives its partitions up with a last commit, as onPartitionsRevoked does": (
        "to 2.3 close() calls no listener; an application that does not commit before it repeats what it has processed"
    ),
    "a member gives a partition up in poll, with nothing of it in hand, but for other threads": (
        "from 3.7 to 4.2.0 the new consumer of an application without a listener and without enable.auto.commit gives it up in"
        " the background (KAFKA-20332): what is in hand is processed twice. In 4.2.0 poll may return records of what is given"
        " up, with enable.auto.commit too"
    ),
    "a member that was expelled loses what it owned when it joins again": (
        "from 2.4 to 2.7.1, and in 2.8.0, a cooperative one that is expelled while it joins keeps it (KAFKA-12983): it reads on"
        " beside another, and what it commits takes the offset back"
    ),
    "a member takes partitions only when its other threads have finished what they had of those that it gave up": (
        "an application that does not wait may also disturb itself"
    ),
    "with KIP-848 a member has one record in hand when it joins again in the background": (
        "a poll may have returned more, of which the same is true"
    ),
    "with KIP-848 a consumer that is not in the group is closed without a last commit": (
        "with enable.auto.commit it sends one without an epoch, as another automatic commit just before, which is here"
    ),
    "with KIP-848 a commit without an epoch that is held up is dropped when its member joins again": (
        "it may arrive later, if the group has no members again: an offset goes back where commits are held up anyway"
    ),
    "a restarted process joins after its predecessor was expelled": "until then the group waits for the predecessor",
}

NOT_MODELLED = {
    "static membership (`group.instance.id`)": "it avoids rebalances, and is the next thing to add",
    "`auto.offset.reset=by_duration` (4.0)": "the model has no time",
    "transactions, and offsets that are committed in them": "a family of its own",
    "topics that are deleted and made anew; several topics": "the coordinator forgets offsets of a deleted topic",
    "share groups (KIP-932)": "another protocol",
    "upgrades from the classic to the new protocol, with members of both": "each protocol by itself",
    "pause, seek and assign; commits of partitions that a member does not own any more": (
        "what an application does with positions by itself"
    ),
    "offsets out of range that are none: KAFKA-9835 and its kin, reads from followers": (
        "then auto.offset.reset decides although nothing was truncated; the replication family has what brokers show"
    ),
    "exceptions of deserializers before 0.10.2.1 (KAFKA-5075)": (
        "poll had moved on, and what it had taken in before the exception was lost"
    ),
    "offsets of an older format, after an upgrade to 2.1.0 or 2.1.1 (KAFKA-8069)": (
        "with an older inter.broker.protocol.version they expire as soon as the group is empty"
    ),
    "a group that is loaded and unloaded in the wrong order, before 2.8.1 (KAFKA-10614)": (
        "its coordinator may answer as if nothing was committed"
    ),
    "a classic coordinator that loses its log while it reads it, to 3.9": (
        "it takes the part that it has read for all, and says that nothing is committed until it has unloaded that, behind other loads"
        " (GroupMetadataManager.doLoadGroupsAndOffsets ends when the log end is -1). On 3.9.1 a consumer that had assigned itself a"
        " partition, with latest, began at its end so"
    ),
    "offsets as of a commit that was checked and is written later, in 0.9 and 0.10": "named in the ledger of steps",
}


def notes() -> str:
    """All of it as text, a line for each."""
    parts = {"Modelled": MODELLED, "Simplified": SIMPLIFIED, "Not modelled": NOT_MODELLED}
    return "\n\n".join(
        f"{title}\n" + "\n".join(f"* {what}: {why}." for what, why in lines.items()) for title, lines in parts.items()
    )
