"""A leader lease: can two nodes serve reads at once, though their clocks do not tick alike?"""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.modelling import (
    EMPTY,
    NONE,
    Index,
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
    one_to,
    optional,
    per,
    require,
    sends,
    setting,
    sometimes,
    up_to,
    with_member,
    without,
)


class Node(Index, bound="nodes", prefix="n", first=1, symmetric=True):
    """A node: it grants leases, and may ask for one."""


class Nodes(SubsetOf, of=Node):
    """A set of nodes."""


class Role(Index, names=("idle", "asking", "serving")):
    """What a node does."""


class Tick(Index, members=4):
    """A tick of a clock."""


class Drift(Index, members=2):
    """A tick that a clock may be ahead of another."""


class Crash(Index, members=2):
    """A crash of a node."""


class Cluster(State):
    """Nodes with clocks of their own, and all messages of the last request of each."""

    from_request = setting(flag(), off="from_answer")
    """Does a leader count its lease from its request, or from the answer that completes it?"""
    keeps_grants = setting(flag(), off="grants_early")
    """Does a node wait until its grant has run out before it grants to another?"""
    lease = setting(one_to(Tick))
    """For how many ticks of its own clock a node is bound by its grant."""
    margin = setting(up_to(Tick))
    """How many ticks less a leader counts."""
    drift = setting(one_to(Drift))
    """How many ticks a clock may be ahead of the slowest."""
    crashes = budget(up_to(Crash), singular="crash of a node", whose="a node")
    """How many times a node may crash."""
    crashes_left = counter(crashes)
    """How many times one still may."""

    ahead = per(Node, up_to(Drift))
    """How many ticks the clock of a node is ahead of the slowest."""
    role = per(Node, any_of(Role))
    """What each node does."""
    lease_left = per(Node, up_to(Tick))
    """For how many ticks of its clock a node still counts on its lease."""
    votes = per(Node, any_of(Nodes))
    """The nodes whose grant this node has heard."""
    requested = per(Node, any_of(Nodes))
    """The nodes to which a request of this node is on its way."""
    answered = per(Node, any_of(Nodes))
    """The nodes whose grant for this node is on its way."""
    bound_to = per(Node, optional(Node))
    """To whom a node has granted its lease."""
    bound_for = per(Node, up_to(Tick))
    """For how many ticks of its clock it is still bound."""


def initial(s: Cluster) -> None:
    """All clocks are alike, and nobody is bound."""
    s.crashes_left = s.crashes


def is_majority(s: Cluster, nodes: Nodes) -> bool:
    """Are these more than half of the nodes?"""
    return sum(1 for n in s.each(Node) if contains(nodes, n)) > sum(1 for n in s.each(Node) if not contains(nodes, n))


def stop(s: Cluster, node: Node) -> None:
    """A node is idle. Answers to an earlier request are ignored: they are as good as lost."""
    s.role[node] = Role.IDLE
    s.lease_left[node] = 0
    s.votes[node] = EMPTY
    s.requested[node] = EMPTY
    s.answered[node] = EMPTY


@action("ask")
def ask(s: Cluster, node: Node) -> None:
    """An idle node asks all nodes for a lease, and looks at its clock."""
    require(s.role[node] == Role.IDLE and s.lease > s.margin)

    s.role[node] = Role.ASKING
    s.requested[node] = s.all_of(Node)
    if s.from_request:
        s.lease_left[node] = s.lease - s.margin


@action("grant", sends("candidate", "node", "may I lead?"))
def grant(s: Cluster, node: Node, candidate: Node) -> None:
    """A node that is not bound to another binds itself, by its own clock, and answers."""
    require(contains(s.requested[candidate], node))
    require(not s.keeps_grants or s.bound_for[node] == 0 or s.bound_to[node] == candidate)

    s.requested[candidate] = without(s.requested[candidate], node)
    s.answered[candidate] = with_member(s.answered[candidate], node)
    s.bound_to[node] = candidate
    s.bound_for[node] = s.lease


@action("hear", sends("node", "candidate", "granted"))
def hear(s: Cluster, candidate: Node, node: Node) -> None:
    """A node hears a grant. With a majority it serves."""
    require(s.role[candidate] == Role.ASKING and contains(s.answered[candidate], node))

    s.answered[candidate] = without(s.answered[candidate], node)
    s.votes[candidate] = with_member(s.votes[candidate], node)
    if is_majority(s, s.votes[candidate]):
        s.role[candidate] = Role.SERVING
        s.requested[candidate] = EMPTY
        s.answered[candidate] = EMPTY
        if not s.from_request:
            s.lease_left[candidate] = s.lease - s.margin


@action("give up")
def give_up(s: Cluster, node: Node) -> None:
    """A node no longer waits for answers."""
    require(s.role[node] == Role.ASKING)

    stop(s, node)


@action("tick")
def tick(s: Cluster, node: Node) -> None:
    """The clock of a node ticks, unless it would be too far ahead of another."""
    require(s.ahead[node] < s.drift)

    s.ahead[node] += 1
    if all(s.ahead[n] > 0 for n in s.each(Node)):
        for n in s.each(Node):
            s.ahead[n] -= 1
    if s.bound_for[node] > 0:
        s.bound_for[node] -= 1
        if s.bound_for[node] == 0:
            s.bound_to[node] = NONE
    if s.lease_left[node] > 0:
        s.lease_left[node] -= 1
        if s.lease_left[node] == 0:
            stop(s, node)


@action("crash")
def crash(s: Cluster, node: Node) -> None:
    """A node crashes and comes back. Its grant is on disk."""
    require(s.crashes_left > 0 and s.role[node] != Role.IDLE)

    s.crashes_left -= 1
    stop(s, node)


def who_serve(states: Sequence[Cluster]) -> str:
    """The story of a trace at whose end two nodes serve."""
    serving = [f"n{n + 1}" for n, role in enumerate(states[-1].role) if role == Role.SERVING]
    return f"After step {len(states) - 1}, {' and '.join(serving)} serve at once."


@always("No two nodes serve at once.", story=who_serve)
def one_serves(s: Cluster) -> bool:
    return sum(1 for n in s.each(Node) if s.role[n] == Role.SERVING) <= 1


@sometimes("A node serves.")
def somebody_serves(s: Cluster) -> bool:
    return any(s.role[n] == Role.SERVING for n in s.each(Node))


@sometimes("A node serves while another, which is not bound by the same lease, asks.")
def another_asks(s: Cluster) -> bool:
    return somebody_serves(s) and any(s.role[n] == Role.ASKING for n in s.each(Node))


def first_serves(s: Cluster) -> bool:
    """The first node serves."""
    return s.role[0] == Role.SERVING


@eventually("A leader that never asks again stops serving.", after=first_serves, weak=(tick,))
def lease_ends(s: Cluster) -> bool:
    return s.role[0] != Role.SERVING


@eventually("Some node serves.", weak=(ask, grant, hear, tick))
def elected_in_the_end(s: Cluster) -> bool:
    return somebody_serves(s)


@lemma("The slowest clock is at most `drift` behind.")
def clocks_are_near(s: Cluster, n: Node) -> bool:
    return s.ahead[n] <= s.drift


@lemma("A node counts its lease, from its request on, as long as it asks or serves.")
def counts_while_active(s: Cluster, n: Node) -> bool:
    return (s.role[n] == Role.IDLE) == (s.lease_left[n] == 0) and s.lease_left[n] + s.margin <= s.lease


@lemma("An idle node has no grants.")
def idle_has_nothing(s: Cluster, n: Node) -> bool:
    return s.role[n] != Role.IDLE or (s.votes[n] == EMPTY and s.answered[n] == EMPTY and s.requested[n] == EMPTY)


@lemma(
    "Who grants is bound for longer than the candidate counts: it began later, and clocks may have come apart by twice the drift."
)
def bound_for_longer(s: Cluster, n: Node, g: Node) -> bool:
    if not contains(s.votes[n], g) and not contains(s.answered[n], g):
        return True
    return s.bound_to[g] == n and s.bound_for[g] + s.ahead[g] + s.drift >= s.lease_left[n] + s.ahead[n] + s.margin


@lemma("Who serves has heard a majority.")
def serves_by_majority(s: Cluster, n: Node) -> bool:
    return s.role[n] != Role.SERVING or is_majority(s, s.votes[n])


LEADER_LEASE = Profile(
    name="leader-lease",
    statement="A leader serves reads while it believes in a lease of a majority.",
    state=Cluster,
    initial=initial,
    actions=(ask, grant, hear, give_up, tick, crash),
    properties=(one_serves, somebody_serves, another_asks),
    on_request=(lease_ends, elected_in_the_end),
    lemmas=(clocks_are_near, counts_while_active, idle_has_nothing, bound_for_longer, serves_by_majority),
    default_bounds={"nodes": 3},
    settings={"from_request": 1, "keeps_grants": 1, "lease": 3, "margin": 2},
)
