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
    "where a consumer begins: the committed offset, or auto.offset.reset": "it decides what is skipped",
    "offsets that expire, as of three eras (KIP-211, KAFKA-13636)": "then there is no committed offset",
    "partitions added, records removed by retention, truncations with and without leader epochs (KIP-320)": (
        "a committed offset may mean nothing any more, or something else"
    ),
    "members that come later, are closed, fail, crash, are expelled although they run": (
        "each ends with something in hand"
    ),
}

SIMPLIFIED = {
    "the coordinator is one object whose log only loses its last commit": (
        "a coordinator that moves reads all of its log again; that it forgets a rebalance under way is not seen, "
        "after which the members join again"
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
    "a commit of one partition is a step": "a real one has all of them, which several steps show",
    "at most two commitAsync of a member are under way": "more are the same again",
    "the callback of a failed commitAsync runs before a partition is given up, or in a later generation": (
        "a delay between is not seen; it repeats an older offset, as here"
    ),
    "a consumer notices at once that its partition was truncated, if it compares epochs": (
        "its fetches are refused until it has compared"
    ),
    "an offset that was truncated is told by a mark, not by epochs": (
        "an epoch that retention has removed is not seen (KAFKA-19902)"
    ),
    "offsets of an empty group expire all at once": (
        "they do for each partition; the time counts from when the group became empty"
    ),
    "a member takes partitions only when its other threads have finished what they had of those that it gave up": (
        "an application that does not wait may also disturb itself"
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
    "what a coordinator forgets of a rebalance when it moves": "see above",
    "pause, seek and assign": "what an application does with positions by itself",
    "offsets as of a commit that was checked and is written later, in 0.9 and 0.10": "named in the ledger of steps",
}


def notes() -> str:
    """All of it as text, a line for each."""
    parts = {"Modelled": MODELLED, "Simplified": SIMPLIFIED, "Not modelled": NOT_MODELLED}
    return "\n\n".join(
        f"{title}\n" + "\n".join(f"* {what}: {why}." for what, why in lines.items()) for title, lines in parts.items()
    )
