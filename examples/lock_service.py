"""A lock service with fencing tokens: can the storage take a write of a client whose lock is long gone?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

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
    is_subset,
    lemma,
    optional,
    per,
    require,
    sends,
    setting,
    sometimes,
    step_always,
    suffices,
    up_to,
    with_member,
    without,
)


class Client(Index, bound="clients", prefix="c", first=1, symmetric=True):
    """A client that wants the lock."""


class Clients(SubsetOf, of=Client):
    """A set of clients."""


class Token(Index, bound="tokens"):
    """A fencing token."""


class Fault(Index, members=2):
    """A fault."""


class Lock(State):
    """A lock service, its clients, a storage, and all writes that were ever sent."""

    checks_tokens = setting(flag(), off="unfenced")
    """Does the storage refuse a token lower than one that it has seen?"""
    keeps_counter = setting(flag(), off="forgetful")
    """Does the service write the next token to disk before it grants?"""
    pauses = budget(up_to(Fault), singular="pause of a client", whose="a client")
    """How many times a client may pause."""
    pauses_left = counter(pauses)
    """How many times one still may."""
    service_crashes = budget(up_to(Fault), singular="service crash", whose="the service")
    """How many times the service may crash."""
    crashes_left = counter(service_crashes)
    """How many times it still may."""

    holder = optional(Client)
    """Who has the lock, as the service knows."""
    next_token = up_to(Token)
    """The token of the next grant."""
    token = per(Client, optional(Token))
    """The token of the lock that a client believes to hold."""
    paused = any_of(Clients)
    """The clients that stand still."""
    sent = per(Token, any_of(Clients))
    """The clients that ever sent a write with this token."""
    accepted = per(Token, any_of(Clients))
    """The clients whose write with this token was accepted."""
    newest = up_to(Token)
    """One more than the highest token that was accepted; 0 if none was."""
    last = up_to(Token)
    """One more than the token of the last write that was accepted; 0 if none was."""

    owners: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "service": ("holder", "next_token"),
        "clients": ("paused",),
        "storage": ("newest", "last"),
    }


def initial(s: Lock) -> None:
    """The lock is free, nothing is written."""
    s.pauses_left = s.pauses
    s.crashes_left = s.service_crashes


@action("grant", sends("service", "client", "lock"))
def grant(s: Lock, client: Client) -> None:
    """The service gives the free lock, and a new token, to a client that runs and has none."""
    require(s.holder == NONE and s.next_token < s.size(Token))
    require(s.token[client] == NONE and not contains(s.paused, client))

    s.holder = client
    s.token[client] = s.next_token
    s.next_token += 1


@action("expiry")
def expire(s: Lock) -> None:
    """The lock runs out. Its holder notices, unless it is paused."""
    require(s.holder != NONE)

    if not contains(s.paused, s.holder):
        s.token[s.holder] = NONE
    s.holder = NONE


@action("pause")
def pause(s: Lock, client: Client) -> None:
    """A client that believes to hold the lock stands still."""
    require(s.pauses_left > 0)
    require(s.token[client] != NONE and not contains(s.paused, client))

    s.pauses_left -= 1
    s.paused = with_member(s.paused, client)


@action("pause")
def resume(s: Lock, client: Client) -> None:
    """It goes on, and believes what it believed before."""
    require(contains(s.paused, client))

    s.paused = without(s.paused, client)


@action("release")
def release(s: Lock, client: Client) -> None:
    """A client gives up its lock, or notices that it is gone."""
    require(s.token[client] != NONE and not contains(s.paused, client))

    s.token[client] = NONE
    if s.holder == client:
        s.holder = NONE


@action("write", sends("client", "storage", "write with token {token[client]}"))
def send_write(s: Lock, client: Client) -> None:
    """A client that believes to hold the lock sends a write."""
    require(s.token[client] != NONE and not contains(s.paused, client))

    s.sent[s.token[client]] = with_member(s.sent[s.token[client]], client)


@action("fencing")
def accept(s: Lock, client: Client, token: Token) -> None:
    """The storage receives a write, early or late or again, and accepts it."""
    require(contains(s.sent[token], client))
    require(token + 1 >= s.newest or not s.checks_tokens)

    s.accepted[token] = with_member(s.accepted[token], client)
    s.newest = max(s.newest, token + 1)
    s.last = token + 1


@action("crash")
def crash_service(s: Lock) -> None:
    """The service crashes and comes back. It forgets who holds the lock, and knows what is on disk."""
    require(s.crashes_left > 0)

    s.crashes_left -= 1
    s.holder = NONE
    if not s.keeps_counter:
        s.next_token = 0


def who_was_late(states: Sequence[Lock]) -> str:
    """The story of a trace at whose end an old write was accepted."""
    end = states[-1]
    return f"Step {len(states) - 1} accepts a write with token {end.last - 1} after one with token {end.newest - 1}."


@always("No write is accepted after one with a newer token.", story=who_was_late)
def no_stale_write(s: Lock) -> bool:
    return s.last == s.newest


@always("With one token only one client writes.")
def one_writer_for_a_token(s: Lock) -> bool:
    return all(sum(1 for c in s.each(Client) if contains(s.accepted[t], c)) <= 1 for t in s.each(Token))


@sometimes("Two clients believe at once that they hold the lock.")
def two_believe(s: Lock) -> bool:
    return sum(1 for c in s.each(Client) if s.token[c] != NONE) >= 2


@sometimes("Writes with two tokens are accepted.")
def two_tokens(s: Lock) -> bool:
    return s.newest >= 2


@step_always("The newest token that was accepted never becomes lower.")
def never_back(before: Lock, after: Lock) -> bool:
    return before.newest <= after.newest


def is_sent(s: Lock) -> bool:
    """Some write was sent."""
    return any(s.sent[t] != EMPTY for t in s.each(Token))


@eventually("Once a write was sent, some write is accepted.", after=is_sent, weak=(accept,))
def some_write_accepted(s: Lock) -> bool:
    return s.newest > 0


@suffices("tokens", "A token is left.")
def tokens_suffice(s: Lock) -> bool:
    return s.next_token < s.size(Token)


@lemma("A token that a client holds was given out, and the counter is on disk.")
def held_was_given(s: Lock, c: Client) -> bool:
    return s.token[c] < s.next_token


@lemma("A write is sent with a token that was given out.")
def sent_was_given(s: Lock, t: Token) -> bool:
    return s.sent[t] == EMPTY or t < s.next_token


@lemma("Each grant has a token of its own.")
def one_holder_for_a_token(s: Lock, a: Client, b: Client) -> bool:
    return a == b or s.token[a] == NONE or s.token[a] != s.token[b]


@lemma("Whoever sent a write with a token has this token, or nobody has it any more.")
def sender_had_the_token(s: Lock, a: Client, b: Client, t: Token) -> bool:
    return a == b or not contains(s.sent[t], a) or s.token[b] != t


@lemma("Writes with one token are of one client.")
def one_sender_for_a_token(s: Lock, a: Client, b: Client, t: Token) -> bool:
    return a == b or not contains(s.sent[t], a) or not contains(s.sent[t], b)


@lemma("What is accepted was sent.")
def written_was_sent(s: Lock, t: Token) -> bool:
    return is_subset(s.accepted[t], s.sent[t])


LOCK_SERVICE = Profile(
    name="lock-service",
    statement="A lock that may be lost, and a storage that checks tokens.",
    state=Lock,
    initial=initial,
    actions=(grant, expire, pause, resume, release, send_write, accept, crash_service),
    properties=(no_stale_write, one_writer_for_a_token, two_believe, two_tokens, never_back),
    probes=(tokens_suffice,),
    on_request=(some_write_accepted,),
    lemmas=(
        held_was_given,
        sent_was_given,
        one_holder_for_a_token,
        sender_had_the_token,
        one_sender_for_a_token,
        written_was_sent,
    ),
    default_bounds={"clients": 2, "tokens": 2},
    settings={"checks_tokens": 1, "keeps_counter": 1, "pauses": 1},
)
