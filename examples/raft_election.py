"""Leader election of Raft (Ongaro and Ousterhout, 2014, section 5.2): can a term have two leaders?

Only elections: there are no logs, so every candidate is up to date, and no heartbeats. The network keeps all that was ever sent: a
message may arrive late, many times, or never. Term and vote are on disk, the rest is lost in a crash.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from neverlost.modelling import (
    EMPTY,
    NONE,
    Index,
    Message,
    Profile,
    State,
    SubsetOf,
    action,
    always,
    any_of,
    budget,
    contains,
    counter,
    eventually,
    flag,
    lemma,
    messages,
    only,
    optional,
    per,
    require,
    sends,
    setting,
    sometimes,
    step_always,
    up_to,
    with_member,
)


class Server(Index, bound="servers", prefix="s", first=1, symmetric=True):
    """A server."""


class Servers(SubsetOf, of=Server):
    """A set of servers."""


class Term(Index, bound="terms", more=1):
    """A term. All begin in term 0, in which nobody is elected."""


class Role(Index, names=("follower", "candidate", "leader")):
    """What a server is."""


class Crash(Index, members=3):
    """A crash of a server."""


class RequestVote(Message):
    """A candidate asks all servers for their votes in a term."""

    term: Term
    candidate: Server


class Vote(Message):
    """A server votes for a candidate in a term."""

    term: Term
    candidate: Server
    voter: Server


class Cluster(State):
    """The servers, and all messages that were ever sent."""

    writes_vote = setting(flag(), off="forgets_vote")
    """Does a server write its vote to disk before it answers?"""
    votes_once = setting(flag(), off="votes_twice")
    """Does a server vote for at most one candidate in a term?"""
    crashes = budget(up_to(Crash), singular="crash", whose="a server")
    """How many times servers may crash."""
    crashes_left = counter(crashes)
    """How many times they still may."""

    term = per(Server, any_of(Term))
    """The term of each server."""
    voted_for = per(Server, optional(Server))
    """For whom it has voted in its term."""
    role = per(Server, any_of(Role))
    """What it is."""
    votes = per(Server, any_of(Servers))
    """The votes that it has heard in its term."""
    requests = messages(RequestVote)
    """Every RequestVote that was ever sent."""
    granted = messages(Vote)
    """Every vote that was ever sent."""
    elected = per(Term, any_of(Servers))
    """The servers that were ever leader in each term: only properties read it."""

    owners: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "network": ("requests", "granted"),
        "history": ("elected",),
    }


def initial(s: Cluster) -> None:
    """Every server is a follower in term 0, and has voted for nobody."""
    s.crashes_left = s.crashes


def is_majority(s: Cluster, servers: Servers) -> bool:
    """More than half of the servers."""
    members = sum(1 for server in s.each(Server) if contains(servers, server))
    return members + members > s.size(Server)


@action("section 5.2")
def time_out(s: Cluster, server: Server) -> None:
    """A server that hears of no leader begins a term, votes for itself and asks the others."""
    require(s.role[server] != Role.LEADER)
    require(s.term[server] < s.size(Term) - 1)

    s.term[server] += 1
    s.role[server] = Role.CANDIDATE
    s.voted_for[server] = server
    s.votes[server] = only(server)
    s.requests.send(RequestVote(term=s.term[server], candidate=server))
    s.granted.send(Vote(term=s.term[server], candidate=server, voter=server))


@action("section 5.1", sends("request.candidate", "server", "RequestVote, term {request.term}"))
def learn_term(s: Cluster, server: Server, request: RequestVote) -> None:
    """A server receives RequestVote of a later term, and follows in that term. It has not voted in it yet."""
    require(request in s.requests)
    require(request.term > s.term[server])

    s.term[server] = request.term
    s.role[server] = Role.FOLLOWER
    s.voted_for[server] = NONE
    s.votes[server] = EMPTY


@action("section 5.2", sends("server", "candidate", "vote, term {term[server]}"))
def vote(s: Cluster, server: Server, candidate: Server) -> None:
    """A server votes for a candidate of its term: for the first that asks."""
    require(RequestVote(term=s.term[server], candidate=candidate) in s.requests)
    require(s.role[server] == Role.FOLLOWER)
    require(s.voted_for[server] == NONE or s.voted_for[server] == candidate or not s.votes_once)

    s.voted_for[server] = candidate
    s.granted.send(Vote(term=s.term[server], candidate=candidate, voter=server))


@action("section 5.2")
def hear_vote(s: Cluster, candidate: Server, voter: Server) -> None:
    """A candidate hears a vote for it in its term."""
    require(s.role[candidate] == Role.CANDIDATE)
    require(Vote(term=s.term[candidate], candidate=candidate, voter=voter) in s.granted)

    s.votes[candidate] = with_member(s.votes[candidate], voter)


@action("section 5.2")
def lead(s: Cluster, candidate: Server) -> None:
    """A candidate with the votes of a majority leads."""
    require(s.role[candidate] == Role.CANDIDATE)
    require(is_majority(s, s.votes[candidate]))

    s.role[candidate] = Role.LEADER
    s.elected[s.term[candidate]] = with_member(s.elected[s.term[candidate]], candidate)


@action("crash")
def crash(s: Cluster, server: Server) -> None:
    """A server crashes and comes back as a follower, with what is on its disk."""
    require(s.crashes_left > 0)

    s.crashes_left -= 1
    s.role[server] = Role.FOLLOWER
    s.votes[server] = EMPTY
    if not s.writes_vote:
        s.voted_for[server] = NONE


def who_leads(states: Sequence[Cluster]) -> str:
    """The story of a trace at whose end a term has two leaders."""
    last = states[-1]
    for term, servers in enumerate(last.elected):
        names = [f"s{server + 1}" for server in range(len(last.term)) if contains(servers, server)]
        if len(names) > 1:
            return f"After step {len(states) - 1}, {' and '.join(names)} were elected in term {term}."
    return ""


@always("A term has at most one leader.", story=who_leads)
def election_safety(s: Cluster) -> bool:
    return all(sum(1 for server in s.each(Server) if contains(s.elected[t], server)) <= 1 for t in s.each(Term))


@step_always("The term of a server never goes back, and in one term its vote never changes.")
def votes_stand(before: Cluster, after: Cluster) -> bool:
    for server in before.each(Server):
        if after.term[server] < before.term[server]:
            return False
        if after.term[server] == before.term[server] and before.voted_for[server] != NONE:
            if after.voted_for[server] != before.voted_for[server]:
                return False
    return True


@sometimes("Every server follows one leader, or is it, in the last term.")
def one_leads_all(s: Cluster) -> bool:
    return s.elected[s.size(Term) - 1] != EMPTY and terms_agree(s)


@sometimes("A leader is replaced in a later term, while it still leads.")
def two_lead_at_once(s: Cluster) -> bool:
    return sum(1 for server in s.each(Server) if s.role[server] == Role.LEADER) >= 2


def terms_agree(s: Cluster) -> bool:
    """All servers are in the same term."""
    return all(all(s.term[a] == s.term[b] for a in s.each(Server)) for b in s.each(Server))


def terms_differ(s: Cluster) -> bool:
    """Some server is behind."""
    return not terms_agree(s)


@eventually("A server that is behind hears of the latest term.", after=terms_differ, weak=learn_term)
def all_catch_up(s: Cluster) -> bool:
    return terms_agree(s)


@lemma("A server sends a vote in its term, and its vote, which is on disk, stands as long as it is in that term.")
def votes_are_on_disk(s: Cluster, vote: Vote) -> bool:
    if vote not in s.granted:
        return True
    in_term = s.term[vote.voter] == vote.term
    return s.term[vote.voter] > vote.term or (in_term and s.voted_for[vote.voter] == vote.candidate)


@lemma("A server votes once in a term.")
def one_vote(s: Cluster, vote: Vote, other: Server) -> bool:
    if vote not in s.granted or vote.candidate == other:
        return True
    return Vote(term=vote.term, candidate=other, voter=vote.voter) not in s.granted


@lemma("A candidate hears only votes that were sent to it in its term.")
def heard_votes_were_sent(s: Cluster, candidate: Server) -> bool:
    return all(
        Vote(term=s.term[candidate], candidate=candidate, voter=voter) in s.granted
        for voter in s.each(Server)
        if contains(s.votes[candidate], voter)
    )


@lemma("Whoever was elected in a term has got the votes of a majority in it.")
def elected_by_majority(s: Cluster, t: Term, server: Server) -> bool:
    if not contains(s.elected[t], server):
        return True
    votes = sum(1 for vote in s.granted if vote.term == t and vote.candidate == server)
    return votes + votes > s.size(Server)


RAFT_ELECTION = Profile(
    name="raft-election",
    statement="Servers elect a leader for each term, by the votes of a majority.",
    state=Cluster,
    initial=initial,
    actions=(time_out, learn_term, vote, hear_vote, lead, crash),
    properties=(election_safety, votes_stand, one_leads_all, two_lead_at_once),
    on_request=(all_catch_up,),
    lemmas=(votes_are_on_disk, one_vote, heard_votes_were_sent, elected_by_majority),
    default_bounds={"servers": 3, "terms": 2},
    settings={"writes_vote": 1, "votes_once": 1},
)
