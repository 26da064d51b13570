"""What the model of the quorum has, what it has in a simpler form, and what it leaves out: a reason for every line."""

from __future__ import annotations

MODELLED = {
    "logs with epochs, log end and high watermark of each controller": (
        "a decision is lost from a log, and committed by a high watermark"
    ),
    "elections with the check of logs, votes on disk, and PreVote from 4.0 on": "who may lead decides what survives",
    "fetches, with what a leader knows of each id and directory": (
        "the high watermark rests on it, and it may be of a lost directory"
    ),
    "epoch, leader and vote in the file quorum-state, and how a controller starts from them": (
        "what the file forgets can be promised twice"
    ),
    "voters by id, or by id and directory; one change at a time, by an operator or by auto-join": (
        "KIP-853 is about who still counts"
    ),
    "crash, power loss, lost directory, deleted quorum-state, older copy, copy of another's directory": (
        "each forgets something else"
    ),
    "what a process that was killed had not flushed, which a power loss after its next start takes": (
        "a log is not flushed when it is loaded, and the leader learns its end"
    ),
    "controller.quorum.voters beside kraft.version 1": "they are the voters of an empty log",
    "what a directory is formatted as, and when the controller is started": "operators choose both",
    "one partition with an ISR and a fail-over": "it shows what a lost decision costs",
}

SIMPLIFIED = {
    "a request, what it does, and its response are one step": (
        "a late vote counts in its epoch only, in which a candidate's log is what it was; a late response of another "
        "epoch is ignored; a fetch that is counted late shows what it would have shown earlier"
    ),
    "a vote request does not reach a voter after its candidate has gone on to another state": (
        "such a vote counts for nobody; the voter is only less free in that epoch, which it is too if it was asked "
        "before"
    ),
    "a fetch brings one record": "a real one brings several, which several steps do",
    "a leader flushes one record at a time": (
        "what it appends without a flush in between is lost together, as if the rest was never appended"
    ),
    "all logs are empty at the start": (
        "in a cluster that runs they have the same records, which a formatted directory lacks too: a story in which it is elected for "
        "having as much as a voter is longer there"
    ),
    "a leader's file and its first record are one step": (
        "killed in between it has resigned without that record, and its log says less for it"
    ),
    "a controller that starts as a candidate may have records of its epoch": (
        "a real one is refused, and ends (INVALID_REQUEST): who would elect it has no vote left, or has forgotten it"
    ),
    "with controller.quorum.voters beside kraft.version 1 all logs are empty at the start": (
        "or, after an upgrade, all but those that are formatted later are taken to have a VotersRecord"
    ),
    "a file quorum-state is deleted with the controller down": "one that runs writes it anew at its next change",
    "an older copy has the epoch of its last record and no vote": "one that is less old forgets less",
    "a copy of another's directory gets the own node id, and in kraft.version 1 a directory id that is no voter's": (
        "with the node id of the other a controller does not start"
    ),
    "a follower that has fetched from its leader may grant a pre-vote": (
        "it may miss the leader at any time, and may then"
    ),
    "a voter that is to be added need not have caught up in the last hour": (
        "it must have fetched; the model has no time"
    ),
    "what a lost directory had fetched counts until the new one fetches": (
        "the leader of 4 or more voters may count it for longer; the lost directory never votes again"
    ),
    "a leader neither resigns by itself nor when it is removed": (
        "another can be elected at any time; itself it would be with all that it has committed; a removed leader commits only what a "
        "majority of the voters has"
    ),
    "a controller that hears of a second leader in its epoch goes on": (
        "it ends with an exception (maybeTransition), which is a crash"
    ),
    "an active controller may decide before its first record is committed": (
        "a real one waits for that (KafkaRaftClient, maybeFireLeaderChange): the same happens to it with the fetches in between, so "
        "its runs are longer"
    ),
    "each of the two decisions is made once": (
        "the model asks whether a decision is lost, not how often brokers repeat it"
    ),
}

NOT_MODELLED = {
    "availability": (
        "a quorum that has lost a majority of its directories elects nobody. That nothing is replaced there does not "
        "say that it goes on: the probe committed_is_held says whether any controller still has what was committed"
    ),
    "snapshots, and the metadata log's retention": (
        "a snapshot is a committed prefix, which fetches bring too; what is deleted before a snapshot holds it "
        "(KAFKA-14238) is not seen, nor that up to 3.5.1 a snapshot is not synced (KAFKA-15312): that a power loss costs nothing "
        "is not said of a controller that had just fetched or made one"
    ),
    "an edit of controller.quorum.voters": (
        "a controller that is new there has an empty log and a vote, as if it had lost its directory: one that becomes three is two "
        "lost directories of three. From 3.8 on the old one does not refuse that its file names others"
    ),
    "an answer to a fetch that is read from the leader's log after another leader has cut it": (
        "up to 3.9.0 and 4.0.0 (KAFKA-18723) a follower takes records of an epoch that it does not know. With three voters none of "
        "them can, with five one may: a 'holds' with more than four controllers is of later releases"
    ),
    "the migration from ZooKeeper": "who decides then, and what brokers still take from ZooKeeper, is not asked",
    "controllers of several releases in one quorum": (
        "one that does not know PreVote makes the others do without; votes of 3.9 and of earlier ones name no directory to each other"
    ),
    "the upgrade from kraft.version 0 to 1 (KAFKA-16538, 4.1)": "kraft.version is the same in the whole run",
    "more than two later directories of a controller": (
        "the probe directories_suffice says in how many states that mattered"
    ),
    "more than two changes of the voters by an operator, and controllers that are no voters at the start": (
        "each change rests on the one before: majorities of neighbouring sets of voters overlap. Longer chains are not searched, and "
        "a proof has at most one removed voter"
    ),
    "brokers as observers, and where they read metadata": (
        "they do not vote; that they see a deposed leader's log is not asked"
    ),
    "a loss other than that of an ISR": (
        "a lost TopicRecord makes replicas stray, a lost ConfigRecord changes min.insync.replicas"
    ),
    "a forged directory: meta.properties that is edited by hand": (
        "with its old id a directory is what initial-controllers makes of it"
    ),
    "time": "elections and sessions may end at any moment, so every timing is covered",
}


def notes() -> str:
    """All of it as text, a line for each."""
    parts = {"Modelled": MODELLED, "Simplified": SIMPLIFIED, "Not modelled": NOT_MODELLED}
    return "\n\n".join(
        f"{title}\n" + "\n".join(f"* {what}: {why}." for what, why in lines.items()) for title, lines in parts.items()
    )
