"""The published specification of KRaft (KRaft.tla of raft-tlaplus, by J. Vanlightly), action by action, to compare counts with TLC's.

Every message that was ever sent stays, with a number of copies, as in the specification. Epoch t here is epoch t + 1 there; 0 is also
"no epoch" of an empty log. Messages lie in fields that rest on functional dependencies; `unfaithful` is set where one does not hold. At
most two elections, and no restarts: the specification restarts a voter as a follower without a leader, which Kafka does not.
"""

from __future__ import annotations

from neverlost.model.core import (
    NONE,
    Index,
    Profile,
    State,
    SubsetOf,
    action,
    always,
    any_of,
    contains,
    flag,
    only,
    optional,
    per,
    require,
    sometimes,
    up_to,
    with_member,
)


class Server(Index, bound="servers", prefix="n", first=1):
    """A server."""


class Servers(SubsetOf, of=Server):
    """A set of servers."""


class Known(Index, bound="servers", more=1):
    """A leader that a message names, plus one; 0: none."""


class Epoch(Index, bound="elections", more=1):
    """An epoch; 0 is the first."""


class Elected(Index, bound="elections"):
    """An epoch with an election: e is epoch e+1."""


class Later(Index, bound="elections", more=-1):
    """An epoch that is not the first with an election: e is epoch e+2. Nothing is stale or diverges with one election."""


class Value(Index, bound="values"):
    """A value."""


class Offset(Index, bound="values"):
    """An offset."""


class Position(Index, bound="values", more=1):
    """The end of a log."""


class Entries(Index, members=2):
    """How many entries a response has."""


class Status(Index, names=("absent", "sent", "handled")):
    """Of a message that is sent once."""


class Copies(Index, members=4):
    """Of a message that may be sent again: 0 never, else one more than the copies in flight."""


class Role(Index, names=("unattached", "voted", "candidate", "leader", "follower", "illegal")):
    """The state of a server."""


class Acked(Index, names=("nil", "false", "true")):
    """A value is unsent, sent, acknowledged."""


UNATTACHED, VOTED, CANDIDATE, LEADER, FOLLOWER, ILLEGAL = 0, 1, 2, 3, 4, 5
ABSENT, SENT, HANDLED = 0, 1, 2
NIL, UNACKED, ACKED = 0, 1, 2


class Quorum(State):
    """What each server has, and every message."""

    epoch = per(Server, any_of(Epoch))
    role = per(Server, any_of(Role))
    leader = per(Server, optional(Server))
    voted_for = per(Server, optional(Server))
    votes = per(Server, any_of(Servers))
    log_end = per(Server, up_to(Offset))
    log_value = per(Server, Offset, optional(Value))
    log_epoch = per(Server, Offset, any_of(Epoch))
    high_watermark = per(Server, up_to(Offset))
    end_offset = per(Server, Server, up_to(Offset))
    fetching = per(Server, flag())
    fetching_epoch = per(Server, any_of(Epoch))
    fetching_offset = per(Server, up_to(Offset))
    fetching_last = per(Server, any_of(Epoch))
    acked = per(Value, any_of(Acked))
    elections = up_to(Elected)
    vote = per(Elected, Server, Server, any_of(Status))
    vote_last = per(Elected, Server, any_of(Epoch))
    vote_offset = per(Elected, Server, up_to(Offset))
    vote_reply = per(Elected, Server, Server, any_of(Status))
    vote_granted = per(Elected, Server, Server, flag())
    vote_leader = per(Elected, Server, Server, optional(Server))
    vote_fenced = per(Later, Server, Server, Known, any_of(Copies))
    begin = per(Elected, Server, Server, any_of(Status))
    begin_ok = per(Elected, Server, Server, flag())
    begin_fenced = per(Later, Server, Server, any_of(Copies))
    fetch = per(Elected, Server, Position, Epoch, any_of(Copies))
    taken = per(Elected, Server, Position, Entries, Position, any_of(Status))
    taken_last = per(Elected, Position, any_of(Epoch))
    taken_value = per(Elected, Offset, optional(Value))
    taken_epoch = per(Elected, Offset, any_of(Epoch))
    diverging = per(Later, Server, Offset, Position, any_of(Status))
    diverging_end = up_to(Offset)
    rejected = per(Later, Server, Position, Known, Position, any_of(Status))
    unfaithful = flag()


def initial(s: Quorum) -> None:
    """Empty."""


def last_epoch(s: Quorum, i: Server) -> int:
    """The epoch of the last entry; 0 if there is none."""
    if s.log_end[i] == 0:
        return 0
    return s.log_epoch[i][s.log_end[i] - 1]


def at_least(offset: int, epoch: int, other_offset: int, other_epoch: int) -> bool:
    """Is one end of a log at or behind another?"""
    return epoch > other_epoch or (epoch == other_epoch and offset >= other_offset)


def leader_of(s: Quorum, e: Elected) -> int:
    """Who announced to lead an epoch."""
    found = NONE
    for i in s.each(Server):
        for j in s.each(Server):
            if s.begin[e][i][j] != ABSENT:
                found = i
    return found


def no_fetch(s: Quorum, i: Server) -> None:
    """No fetch is pending."""
    s.fetching[i] = False
    s.fetching_epoch[i] = 0
    s.fetching_offset[i] = 0
    s.fetching_last[i] = 0


def consistent(s: Quorum, i: Server, leader: int, epoch: int) -> bool:
    """Does a leader and an epoch agree with what a server knows?"""
    if leader == i:
        return s.role[i] == LEADER
    return epoch != s.epoch[i] or leader == NONE or s.leader[i] == NONE or s.leader[i] == leader


def become(s: Quorum, i: Server, role: int, epoch: int, leader: int) -> None:
    """A transition."""
    s.role[i] = role
    s.epoch[i] = epoch
    s.leader[i] = leader


def to_follower(s: Quorum, i: Server, leader: int, epoch: int) -> None:
    """TransitionToFollower."""
    if s.epoch[i] == epoch and (s.role[i] == FOLLOWER or s.role[i] == LEADER):
        become(s, i, ILLEGAL, 0, NONE)
    else:
        become(s, i, FOLLOWER, epoch, leader)


def maybe_transition(s: Quorum, i: Server, leader: int, epoch: int) -> None:
    """MaybeTransition."""
    if not consistent(s, i, leader, epoch):
        become(s, i, ILLEGAL, 0, NONE)
    elif epoch > s.epoch[i]:
        if leader == NONE:
            become(s, i, UNATTACHED, epoch, NONE)
        else:
            to_follower(s, i, leader, epoch)
    elif leader != NONE and s.leader[i] == NONE:
        to_follower(s, i, leader, epoch)


def handled(s: Quorum, i: Server, leader: int, epoch: int, error: bool) -> bool:
    """Does MaybeHandleCommonResponse handle it?"""
    return epoch != s.epoch[i] or error or (leader != NONE and s.leader[i] == NONE)


def handle_common(s: Quorum, i: Server, leader: int, epoch: int, error: bool) -> None:
    """What MaybeHandleCommonResponse does."""
    if epoch < s.epoch[i]:
        return
    if epoch > s.epoch[i] or error:
        maybe_transition(s, i, leader, epoch)
    elif leader != NONE and s.leader[i] == NONE:
        become(s, i, FOLLOWER, epoch, leader)


@action("RequestVote")
def request_vote(s: Quorum, i: Server) -> None:
    """RequestVote."""
    require(s.elections < s.size(Elected))
    require(s.role[i] == FOLLOWER or s.role[i] == CANDIDATE or s.role[i] == UNATTACHED)

    e = s.epoch[i]
    s.role[i] = CANDIDATE
    s.epoch[i] += 1
    s.leader[i] = NONE
    s.voted_for[i] = i
    s.votes[i] = only(i)
    no_fetch(s, i)
    s.elections += 1
    s.vote_last[e][i] = last_epoch(s, i)
    s.vote_offset[e][i] = s.log_end[i]
    for j in s.each(Server):
        if j != i:
            s.vote[e][i][j] = SENT


@action("HandleRequestVoteRequest")
def handle_vote(s: Quorum, e: Elected, j: Server, i: Server) -> None:
    """HandleRequestVoteRequest."""
    require(s.vote[e][j][i] == SENT)

    s.vote[e][j][i] = HANDLED
    epoch = e + 1
    if epoch < s.epoch[i]:
        s.vote_fenced[s.epoch[i] - 2][i][j][s.leader[i] + 1] = (
            max(1, s.vote_fenced[s.epoch[i] - 2][i][j][s.leader[i] + 1]) + 1
        )
    else:
        before = s.role[i]
        if epoch > s.epoch[i]:
            become(s, i, UNATTACHED, epoch, NONE)
        log_ok = at_least(s.vote_offset[e][j], s.vote_last[e][j], s.log_end[i], last_epoch(s, i))
        grant = (s.role[i] == UNATTACHED or (s.role[i] == VOTED and s.voted_for[i] == j)) and log_ok
        if grant:
            if s.role[i] == UNATTACHED:
                become(s, i, VOTED, epoch, NONE)
            s.voted_for[i] = j
        if before != s.role[i]:
            no_fetch(s, i)
        if s.vote_reply[e][i][j] != ABSENT:
            s.unfaithful = True
        s.vote_reply[e][i][j] = SENT
        s.vote_granted[e][i][j] = grant
        s.vote_leader[e][i][j] = s.leader[i]


@action("HandleRequestVoteResponse")
def handle_vote_reply(s: Quorum, e: Elected, j: Server, i: Server) -> None:
    """HandleRequestVoteResponse."""
    require(s.vote_reply[e][j][i] == SENT)
    require(handled(s, i, s.vote_leader[e][j][i], e + 1, False) or s.role[i] == CANDIDATE)

    s.vote_reply[e][j][i] = HANDLED
    if handled(s, i, s.vote_leader[e][j][i], e + 1, False):
        handle_common(s, i, s.vote_leader[e][j][i], e + 1, False)
    elif s.vote_granted[e][j][i]:
        s.votes[i] = with_member(s.votes[i], j)


@action("HandleRequestVoteResponse")
def handle_vote_fenced(s: Quorum, e: Later, j: Server, i: Server, known: Known) -> None:
    """HandleRequestVoteResponse."""
    require(s.vote_fenced[e][j][i][known] > 1)

    s.vote_fenced[e][j][i][known] -= 1
    handle_common(s, i, known - 1, e + 2, True)


@action("BecomeLeader")
def become_leader(s: Quorum, i: Server) -> None:
    """BecomeLeader."""
    require(s.role[i] == CANDIDATE)
    require(is_quorum(s, s.votes[i]))

    e = s.epoch[i] - 1
    if leader_of(s, e) != NONE:
        s.unfaithful = True
    s.role[i] = LEADER
    s.leader[i] = i
    for j in s.each(Server):
        s.end_offset[i][j] = 0
        if j != i:
            s.begin[e][i][j] = SENT


def is_quorum(s: Quorum, members: int) -> bool:
    """A majority?"""
    count = 0
    for i in s.each(Server):
        if contains(members, i):
            count += 1
    return count + count > s.size(Server)


@action("HandleBeginQuorumRequest")
def handle_begin(s: Quorum, e: Elected, j: Server, i: Server) -> None:
    """HandleBeginQuorumRequest."""
    require(s.begin[e][j][i] == SENT)

    s.begin[e][j][i] = HANDLED
    if e + 1 < s.epoch[i]:
        s.begin_fenced[s.epoch[i] - 2][i][j] = max(1, s.begin_fenced[s.epoch[i] - 2][i][j]) + 1
    else:
        maybe_transition(s, i, j, e + 1)
        no_fetch(s, i)
        s.begin_ok[e][i][j] = True


@action("ClientRequest")
def client_request(s: Quorum, i: Server, v: Value) -> None:
    """ClientRequest."""
    require(s.role[i] == LEADER)
    require(s.acked[v] == NIL)

    s.log_value[i][s.log_end[i]] = v
    s.log_epoch[i][s.log_end[i]] = s.epoch[i]
    s.log_end[i] += 1
    s.acked[v] = UNACKED


@action("SendFetchRequest")
def send_fetch(s: Quorum, i: Server, j: Server) -> None:
    """SendFetchRequest."""
    require(i != j)
    require(s.role[i] == FOLLOWER)
    require(s.leader[i] == j)
    require(not s.fetching[i])

    e = s.epoch[i] - 1
    if leader_of(s, e) != j:
        s.unfaithful = True
    s.fetching[i] = True
    s.fetching_epoch[i] = s.epoch[i]
    s.fetching_offset[i] = s.log_end[i]
    s.fetching_last[i] = last_epoch(s, i)
    last = last_epoch(s, i)
    s.fetch[e][i][s.log_end[i]][last] = max(1, s.fetch[e][i][s.log_end[i]][last]) + 1


@action("RejectFetchRequest")
def reject_fetch(s: Quorum, to: Later, e: Elected, j: Server, i: Server, at: Position, last: Epoch) -> None:
    """RejectFetchRequest."""
    require(s.fetch[e][j][at][last] > 1)
    require(leader_of(s, e) == i)
    require(s.role[i] != LEADER or s.epoch[i] != e + 1)
    require(s.epoch[i] == to + 2)
    require(s.rejected[to][j][at][s.leader[i] + 1][s.high_watermark[i]] == ABSENT)

    s.fetch[e][j][at][last] -= 1
    s.rejected[to][j][at][s.leader[i] + 1][s.high_watermark[i]] = SENT
    if e != 0 or s.epoch[i] != 2 or (last == 1) != (at > 0) or (s.role[i] == LEADER) != (s.leader[i] == i):
        s.unfaithful = True


def end_for_epoch(s: Quorum, i: Server, last: int) -> int:
    """EndOffsetForEpoch."""
    end = 0
    for o in s.each(Offset):
        if o < s.log_end[i] and s.log_epoch[i][o] <= last:
            end = o + 1
    return end


def epoch_at(s: Quorum, i: Server, end: int) -> int:
    """The epoch of the entry before an end."""
    if end == 0:
        return 0
    return s.log_epoch[i][end - 1]


def valid(s: Quorum, i: Server, at: int, last: int) -> bool:
    """ValidFetchPosition."""
    end = end_for_epoch(s, i, last)
    return (at == 0 and last == 0) or (at <= end and last == epoch_at(s, i, end))


@action("DivergingFetchRequest")
def diverging_fetch(s: Quorum, e: Later, j: Server, i: Server, at: Offset, last: Epoch) -> None:
    """DivergingFetchRequest."""
    require(s.fetch[e + 1][j][at + 1][last] > 1)
    require(leader_of(s, e + 1) == i)
    require(s.role[i] == LEADER)
    require(s.epoch[i] == e + 2)
    require(not valid(s, i, at + 1, last))
    require(s.diverging[e][j][at][s.high_watermark[i]] == ABSENT)

    s.fetch[e + 1][j][at + 1][last] -= 1
    s.diverging[e][j][at][s.high_watermark[i]] = SENT
    s.diverging_end = end_for_epoch(s, i, last)
    if e != 0 or last != 1 or epoch_at(s, i, end_for_epoch(s, i, last)) != (1 if end_for_epoch(s, i, last) > 0 else 0):
        s.unfaithful = True


def new_high_watermark(s: Quorum, i: Server) -> int:
    """NewHighwaterMark."""
    agreed = 0
    for o in s.each(Offset):
        if o < s.log_end[i]:
            count = 1
            for k in s.each(Server):
                if k != i and s.end_offset[i][k] > o:
                    count += 1
            if count + count > s.size(Server):
                agreed = o + 1
    if agreed > 0 and epoch_at(s, i, agreed) == s.epoch[i]:
        return agreed
    return s.high_watermark[i]


@action("AcceptFetchRequest")
def accept_fetch(s: Quorum, e: Elected, j: Server, i: Server, at: Position, last: Epoch) -> None:
    """AcceptFetchRequest."""
    require(s.fetch[e][j][at][last] > 1)
    require(leader_of(s, e) == i)
    require(s.role[i] == LEADER)
    require(s.epoch[i] == e + 1)
    require(valid(s, i, at, last))

    old = s.high_watermark[i]
    s.end_offset[i][j] = at
    new = new_high_watermark(s, i)
    s.high_watermark[i] = new
    for o in s.each(Offset):
        if old <= o < new and s.log_value[i][o] != NONE and s.acked[s.log_value[i][o]] == UNACKED:
            s.acked[s.log_value[i][o]] = ACKED
    entries = 1 if at < s.log_end[i] else 0
    require(s.taken[e][j][at][entries][min(new, at + 1)] == ABSENT)
    s.taken[e][j][at][entries][min(new, at + 1)] = SENT
    s.fetch[e][j][at][last] -= 1
    s.taken_last[e][at] = last
    if entries == 1:
        if s.taken_value[e][at] != NONE and s.taken_value[e][at] != s.log_value[i][at]:
            s.unfaithful = True
        s.taken_value[e][at] = s.log_value[i][at]
        s.taken_epoch[e][at] = s.log_epoch[i][at]


def awaits(s: Quorum, i: Server, epoch: int, at: int, last: int) -> bool:
    """Is this the fetch that is pending?"""
    return s.fetching[i] and s.fetching_epoch[i] == epoch and s.fetching_offset[i] == at and s.fetching_last[i] == last


@action("HandleSuccessFetchResponse, HandleErrorFetchResponse")
def handle_taken(s: Quorum, e: Elected, i: Server, at: Position, entries: Entries, high: Position) -> None:
    """HandleSuccessFetchResponse, HandleErrorFetchResponse."""
    require(s.taken[e][i][at][entries][high] == SENT)
    require(awaits(s, i, e + 1, at, s.taken_last[e][at]))

    s.taken[e][i][at][entries][high] = HANDLED
    no_fetch(s, i)
    if handled(s, i, leader_of(s, e), e + 1, False):
        handle_common(s, i, leader_of(s, e), e + 1, False)
    else:
        s.high_watermark[i] = high
        if entries == 1:
            s.log_value[i][s.log_end[i]] = s.taken_value[e][at]
            s.log_epoch[i][s.log_end[i]] = s.taken_epoch[e][at]
            s.log_end[i] += 1


@action("HandleDivergingFetchResponse, HandleErrorFetchResponse")
def handle_diverging(s: Quorum, e: Later, i: Server, at: Offset, high: Position) -> None:
    """HandleDivergingFetchResponse, HandleErrorFetchResponse."""
    require(s.diverging[e][i][at][high] == SENT)
    require(awaits(s, i, 2, at + 1, 1))

    s.diverging[e][i][at][high] = HANDLED
    no_fetch(s, i)
    if handled(s, i, leader_of(s, 1), 2, False):
        handle_common(s, i, leader_of(s, 1), 2, False)
    else:
        epoch = 1 if s.diverging_end > 0 else 0
        keep = 0
        for o in s.each(Offset):
            if o < s.log_end[i] and at_least(s.diverging_end, epoch, o + 1, s.log_epoch[i][o]):
                keep = o + 1
        for o in s.each(Offset):
            if o >= keep:
                s.log_value[i][o] = NONE
                s.log_epoch[i][o] = 0
        s.log_end[i] = keep


@action("HandleErrorFetchResponse")
def handle_rejected(s: Quorum, e: Later, i: Server, at: Position, known: Known, high: Position) -> None:
    """HandleErrorFetchResponse."""
    require(s.rejected[e][i][at][known][high] == SENT)
    require(awaits(s, i, 1, at, 1 if at > 0 else 0))

    s.rejected[e][i][at][known][high] = HANDLED
    no_fetch(s, i)
    handle_common(s, i, known - 1, 2, True)


@always("No server is in an illegal state.")
def no_illegal_state(s: Quorum) -> bool:
    """No server is in an illegal state."""
    return all(s.role[i] != ILLEGAL for i in s.each(Server))


@always("The encoding is faithful.")
def faithful(s: Quorum) -> bool:
    """The encoding is faithful."""
    return not s.unfaithful


@always("No log divergence.")
def no_log_divergence(s: Quorum) -> bool:
    """No log divergence."""
    for i in s.each(Server):
        for j in s.each(Server):
            for o in s.each(Offset):
                same = s.log_value[i][o] == s.log_value[j][o] and s.log_epoch[i][o] == s.log_epoch[j][o]
                if o < min(s.high_watermark[i], s.high_watermark[j]) and not same:
                    return False
    return True


@always("Never two leaders in the same epoch.")
def never_two_leaders(s: Quorum) -> bool:
    """Never two leaders in the same epoch."""
    for i in s.each(Server):
        for j in s.each(Server):
            if s.leader[i] != NONE and s.leader[j] != NONE and s.leader[i] != s.leader[j] and s.epoch[i] == s.epoch[j]:
                return False
    return True


def has(s: Quorum, i: Server, v: Value) -> bool:
    """Is a value in a log?"""
    return any(s.log_value[i][o] == v for o in s.each(Offset))


@always("Leader has all acked values.")
def leader_has_all_acked(s: Quorum) -> bool:
    """Leader has all acked values."""
    newest = 0
    for i in s.each(Server):
        newest = max(newest, s.epoch[i])
    for v in s.each(Value):
        if s.acked[v] == ACKED:
            for i in s.each(Server):
                if s.role[i] == LEADER and s.epoch[i] == newest and not has(s, i, v):
                    return False
    return True


@sometimes("A value is acked.")
def acks(s: Quorum) -> bool:
    """A value is acked."""
    return s.acked[0] == ACKED


PUBLISHED_KRAFT = Profile(
    name="published-kraft",
    statement="KRaft as it was specified in TLA+.",
    state=Quorum,
    initial=initial,
    actions=(
        request_vote,
        handle_vote,
        handle_vote_reply,
        handle_vote_fenced,
        become_leader,
        handle_begin,
        client_request,
        send_fetch,
        reject_fetch,
        diverging_fetch,
        accept_fetch,
        handle_taken,
        handle_diverging,
        handle_rejected,
    ),
    properties=(faithful, no_illegal_state, no_log_divergence, never_two_leaders, leader_has_all_acked, acks),
    default_bounds={"servers": 2, "elections": 1, "values": 1},
)
