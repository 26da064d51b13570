"""Transactions searched by hand: plain states and rules read from Kafka's sources, with no part of the model.

Two producers with one transactional id, two transactions, two partitions, one record for each. Held up may be requests of producers
(`delays`) and markers (`late_markers`). The coordinator may move twice (`moves`): to a broker that has all of its log, or to one that
lacks what is last in it, if that is not acknowledged. `v2` is transaction version 2; before it, `asks` says that partitions verify
(3.6). `strict` is how a partition of 4.2 takes markers. Epochs have no end here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

PRODUCERS, TXNS, PARTITIONS = (1, 2), (1, 2), ("a", "b")


@dataclass(frozen=True)
class Client:
    """A producer instance: what it does, its epoch, its next sequence numbers; `broken` if it has to abort."""

    doing: str = "new"
    epoch: int | None = None
    numbers: tuple[int, int] = (0, 0)
    broken: bool = False
    then_bump: bool = False


@dataclass(frozen=True)
class Work:
    """A transaction: what its application asked and learned, whose it is, and in which epoch; what is known of each record."""

    asked: str = "nothing"
    by: int | None = None
    epoch: int | None = None
    known: tuple[str, str] = ("unsent", "unsent")
    numbers: tuple[int | None, int | None] = (None, None)
    log: tuple[str, str] = ("absent", "absent")


@dataclass(frozen=True)
class Coordinator:
    """TransactionMetadata: state, epoch, the one before, partitions; while an end is prepared, those of the log, and its version."""

    state: str = "Empty"
    epoch: int | None = None
    last: int | None = None
    waits_for: frozenset[str] = frozenset()
    logged: frozenset[str] = frozenset()
    v2_end: bool = False


@dataclass(frozen=True)
class Log:
    """A partition's state of the producer id: epoch, how many records of that epoch, which coordinator's marker it has."""

    epoch: int | None = None
    count: int = 0
    by: int = 0


@dataclass(frozen=True)
class World:
    """Everything. `mail` holds the messages that are held up, each a tuple that begins with its kind."""

    clients: tuple[Client, Client] = (Client(), Client())
    works: tuple[Work, Work] = (Work(), Work())
    coordinator: Coordinator = Coordinator()
    logs: tuple[Log, Log] = (Log(), Log())
    mail: frozenset[tuple[object, ...]] = frozenset()
    delays: int = 0
    late_markers: int = 0
    timeouts: int = 0
    moves: int = 0
    generation: int = 0
    shorter: Coordinator | None = None
    """What a log says that lacks the last record, while that is not acknowledged and two moves are left."""
    trusts: bool = False
    """Has the coordinator read that record, and takes it for acknowledged?"""
    partial_loads: bool = False
    """May a coordinator lose its log while it reads it?"""
    decision: tuple[str, int | None, bool, frozenset[str]] | None = None
    """The last decision in the log, while such a coordinator and the next one may follow."""


@dataclass(frozen=True)
class Rules:
    """What a release does. `stays` is a client that may give a record up and go on in the same epoch; `fences` is a timeout that raises
    the epoch."""

    v2: bool
    asks: bool
    bumps: bool
    strict: bool
    stays: bool = True
    fences: bool = True


def put(items: tuple[object, object], at: int, item: object) -> tuple[object, object]:
    """A pair with one of its items replaced."""
    return (item, items[1]) if at == 0 else (items[0], item)


def client(w: World, p: int, **changes: object) -> World:
    """The world with a client changed."""
    return replace(w, clients=put(w.clients, p, replace(w.clients[p], **changes)))


def work(w: World, t: int, **changes: object) -> World:
    """The world with a transaction changed."""
    return replace(w, works=put(w.works, t, replace(w.works[t], **changes)))


def known(w: World, t: int, q: int, what: str) -> World:
    """The world with what is known of a record changed."""
    return work(w, t, known=put(w.works[t].known, q, what))


def decide(w: World, **changes: object) -> World:
    """The world with the coordinator changed."""
    return replace(w, coordinator=replace(w.coordinator, **changes))


def appends(w: World, after: World) -> World:
    """The coordinator's log has one more record; all before it are acknowledged."""
    return replace(after, shorter=w.coordinator if w.moves > 1 else None, trusts=False)


def acknowledged(w: World) -> World:
    """All of the coordinator's log is acknowledged."""
    return replace(w, shorter=None, trusts=False)


def answered(w: World) -> World:
    """Who wrote the last record answers only when it is acknowledged."""
    return w if w.trusts else acknowledged(w)


def elected(w: World, *, trusts: bool) -> World:
    """Another broker with the same log is the coordinator."""
    c = w.coordinator
    waits_for = c.logged if prepared(w) else c.waits_for
    w = replace(
        w, coordinator=replace(c, last=None, waits_for=waits_for), moves=w.moves - 1, generation=w.generation + 1
    )
    w = replace(w, decision=w.decision if w.moves > 1 else None)
    return replace(w, trusts=True) if trusts else acknowledged(w)


def unanswered(after: World) -> Iterator[World]:
    """Another broker is elected that has the last record, before its request is answered."""
    if after.shorter is not None and not after.trusts:
        yield elected(after, trusts=True)


def later(w: World, *message: object) -> Iterator[World]:
    """The world in which a message is held up, if one may be, and its like is not held up already."""
    if w.delays and message not in w.mail:
        yield replace(w, mail=w.mail | {message}, delays=w.delays - 1)


def arrived(w: World, *message: object) -> World:
    """The world without the message."""
    return replace(w, mail=w.mail - {message})


def prepared(w: World) -> bool:
    """Has the coordinator decided?"""
    return w.coordinator.state.startswith("Prepare")


def is_open(w: World, q: int) -> bool:
    """Is a transaction open in the partition?"""
    return any(one.log[q] == "open" for one in w.works)


def fenced(w: World, rules: Rules) -> World:
    """prepareFenceProducerEpoch and endTransaction(ABORT)."""
    epoch = w.coordinator.epoch
    assert epoch is not None
    last = epoch if rules.v2 else None
    logged = w.coordinator.waits_for
    after = appends(w, decide(w, state="PrepareAbort", epoch=epoch + 1, last=last, v2_end=rules.v2, logged=logged))
    return with_decision(after, "Abort")


def with_decision(w: World, how: str) -> World:
    """The decision is in the log."""
    c = w.coordinator
    return replace(w, decision=(how, c.epoch, c.v2_end, c.logged)) if w.partial_loads and w.moves > 1 else w


def next_epoch(w: World, last: int | None) -> World:
    """prepareIncrementProducerEpoch."""
    epoch = 0 if w.coordinator.epoch is None else w.coordinator.epoch + 1
    return acknowledged(decide(w, state="Empty", epoch=epoch, last=last))


def initialised(w: World, expected: int | None, rules: Rules) -> World | str:
    """handleInitProducerId."""
    if prepared(w):
        return "wait"
    if w.coordinator.state == "Ongoing":
        return fenced(w, rules)
    if expected is None:
        return next_epoch(w, None)
    if expected == w.coordinator.epoch:
        return next_epoch(w, expected)
    return acknowledged(decide(w, state="Empty")) if expected == w.coordinator.last else "fenced"


def adds(w: World, epoch: int, q: int) -> str:
    """handleAddPartitionsToTransaction."""
    c = w.coordinator
    if epoch != c.epoch:
        return "fenced"
    if prepared(w):
        return "wait"
    return "known" if c.state == "Ongoing" and PARTITIONS[q] in c.waits_for else "new"


def added(w: World, q: int) -> World:
    """prepareAddPartitions."""
    return appends(w, decide(w, state="Ongoing", waits_for=w.coordinator.waits_for | {PARTITIONS[q]}))


def ends(w: World, epoch: int, how: str, rules: Rules) -> str:
    """endTransactionWithTV1, and endTransaction with its table."""
    c = w.coordinator
    assert c.epoch is not None
    if not rules.v2:
        if epoch != c.epoch:
            return "fenced"
        return {"Ongoing": "ends", f"Prepare{how}": "wait", f"Complete{how}": "ended"}.get(c.state, "wrong")
    retry, current = epoch + 1 == c.epoch, epoch == c.epoch
    if c.state == "Ongoing":
        return "ends" if current else "fenced"
    if c.state == "Empty":
        return "fenced" if not current else "ends" if how == "Abort" else "wrong"
    if prepared(w):
        if not retry:
            return "wait" if current else "fenced"
        return "wait" if c.state == f"Prepare{how}" else "wrong"
    if not retry and not current:
        return "fenced"
    if retry:
        return "ended" if c.state == f"Complete{how}" else "wrong"
    return "ends" if how == "Abort" else "wrong"


def ended(w: World, how: str, rules: Rules) -> World:
    """prepareAbortOrCommit."""
    c = w.coordinator
    assert c.epoch is not None
    if rules.v2:
        after = decide(w, state=f"Prepare{how}", epoch=c.epoch + 1, last=c.epoch, v2_end=True, logged=c.waits_for)
    else:
        after = decide(w, state=f"Prepare{how}", logged=c.waits_for)
    return with_decision(appends(w, after), how)


def ongoing(w: World, t: int, q: int) -> bool:
    """hasOngoingTransaction."""
    return is_open(w, q) and w.logs[q].epoch == w.works[t].epoch


def is_asked(w: World, t: int, q: int, rules: Rules) -> bool:
    """Does the leader ask the coordinator? From 4.0 on, which is `v2` here, it refuses an older epoch first."""
    epoch, seen = w.works[t].epoch, w.logs[q].epoch
    assert epoch is not None
    older = rules.v2 and seen is not None and epoch < seen
    return (rules.v2 or rules.asks) and not ongoing(w, t, q) and not older


def verified(w: World, t: int, q: int, rules: Rules) -> str:
    """What the partition's leader hears before it appends: `new` adds the partition in version 2."""
    if not is_asked(w, t, q, rules):
        return "known" if ongoing(w, t, q) or not (rules.v2 or rules.asks) else "fenced"
    epoch = w.works[t].epoch
    assert epoch is not None
    answer = adds(w, epoch, q)
    return "wrong" if answer == "new" and not rules.v2 else answer


def takes(w: World, t: int, q: int) -> str:
    """checkProducerEpoch and checkSequence, and the batches that are kept to find duplicates."""
    log, epoch, number = w.logs[q], w.works[t].epoch, w.works[t].numbers[q]
    assert epoch is not None
    assert number is not None
    if log.epoch is not None and epoch < log.epoch:
        return "fenced"
    if epoch == log.epoch:
        return "there" if number < log.count else "appends" if number == log.count else "wrong"
    return "appends" if log.epoch is None or number == 0 else "wrong"


def appended(w: World, t: int, q: int) -> World:
    """The record is in the log, open. A verified record of another needs no guard any more: it is as if it came now."""
    mail = frozenset(("produce", m[1], m[2]) if m[0] == "verified" and m[2] == q else m for m in w.mail)
    w = replace(w, mail=mail)
    number = w.works[t].numbers[q]
    assert number is not None
    w = replace(w, logs=put(w.logs, q, replace(w.logs[q], epoch=w.works[t].epoch, count=number + 1)))
    return work(w, t, log=put(w.works[t].log, q, "open"))


def takes_marker(w: World, q: int, epoch: int, v2_end: bool, rules: Rules) -> bool:
    """checkProducerEpoch of a marker, as of 4.2 if that is asked for."""
    seen = w.logs[q].epoch
    if seen is None or epoch > seen:
        return True
    return epoch == seen and not (v2_end and rules.strict and is_open(w, q))


def marked(w: World, q: int, epoch: int, how: str, generation: int, rules: Rules) -> World:
    """A marker is written: all that is open is decided, and guards are cleared."""
    for t in (0, 1):
        if w.works[t].log[q] == "open":
            w = work(w, t, log=put(w.works[t].log, q, "visible" if how == "Commit" else "skipped"))
    count = w.logs[q].count if w.logs[q].epoch == epoch else 0
    w = replace(w, logs=put(w.logs, q, Log(epoch, count, generation)))
    for m in w.mail:
        if m[0] == "verified" and m[2] == q and not (rules.v2 and w.works[m[1]].epoch == epoch):
            w = replace(w, mail=w.mail - {m})
    return w


def stopped(w: World, p: int, doing: str) -> World:
    """The producer can only be closed."""
    return replace(w, clients=put(w.clients, p, Client(doing=doing)))


def with_epoch(w: World, p: int) -> World:
    """The producer has the coordinator's epoch, and counts from 0."""
    return client(w, p, doing="ready", epoch=w.coordinator.epoch, numbers=(0, 0))


def must_abort(w: World, p: int, rules: Rules) -> World:
    """A record failed."""
    bumps = w.clients[p].then_bump or (rules.bumps and not rules.v2)
    return client(w, p, broken=True, then_bump=bumps)


def knows_end(w: World, p: int, t: int, how: str, rules: Rules) -> World:
    """The client knows that its transaction has ended."""
    w = work(w, t, asked="committed" if how == "Commit" else "aborted")
    bumps = w.clients[p].then_bump
    w = client(w, p, broken=False, then_bump=False)
    if rules.v2:
        return with_epoch(w, p)
    return client(w, p, doing="bumping" if bumps else "ready")


def of_client(w: World, p: int, rules: Rules) -> Iterator[World]:
    """What a client may do next."""
    c = w.clients[p]
    if c.doing in ("new", "starting") and (p == 0 or w.clients[0].doing not in ("new", "starting")):
        yield from (client(one, p, doing="starting") for one in later(w, "init", p))
        found = initialised(w, None, rules)
        if isinstance(found, World):
            yield client(found, p, doing="starting") if w.coordinator.state == "Ongoing" else with_epoch(found, p)
    if c.doing == "bumping":
        yield from later_bump(w, p)
        found = initialised(w, c.epoch, rules)
        if found == "fenced":
            yield stopped(answered(w), p, "fenced")
        elif isinstance(found, World):
            yield found if w.coordinator.state == "Ongoing" else with_epoch(found, p)
    if c.doing == "ready":
        t = next((t for t in (0, 1) if w.works[t].asked == "nothing"), None)
        if t is not None:
            yield work(client(w, p, doing="in"), t, asked="begun", by=p, epoch=c.epoch)
    for t in (0, 1):
        if w.works[t].by == p and w.works[t].asked in ("begun", "committing", "aborting"):
            if c.doing == "in":
                for q in (0, 1):
                    yield from of_record(w, p, t, q, rules)
                yield from unstarted(w, p, t, rules)
            if c.doing in ("in", "ending"):
                yield from of_end(w, p, t, rules)


def later_bump(w: World, p: int) -> Iterator[World]:
    """An InitProducerId with an expected epoch is held up, one of each producer at a time."""
    if not any(m[:2] == ("bump", p) for m in w.mail):
        yield from later(w, "bump", p, w.clients[p].epoch)


def of_record(w: World, p: int, t: int, q: int, rules: Rules) -> Iterator[World]:
    """AddPartitionsToTxn before version 2, Produce, and giving up."""
    c, one = w.clients[p], w.works[t]
    state, epoch = one.known[q], one.epoch
    assert epoch is not None
    if not rules.v2 and state in ("unsent", "adding") and not c.broken:
        yield from (known(x, t, q, "adding") for x in later(w, "add", t, q))
        answer = adds(w, epoch, q)
        if answer == "new":
            yield from (known(x, t, q, "adding") for x in unanswered(added(w, q)))
        if answer == "fenced":
            yield stopped(answered(w), p, "fenced")
        elif answer != "wait":
            yield known(answered(added(w, q) if answer == "new" else w), t, q, "added")
    first = "unsent" if rules.v2 else "added"
    if state == "unanswered" or (state == first and not c.broken):
        sent = w
        if state == first:
            sent = work(sent, t, numbers=put(one.numbers, q, c.numbers[q]))
            sent = client(sent, p, numbers=put(c.numbers, q, c.numbers[q] + 1))
        if ("verified", t, q) not in w.mail:
            yield from (known(x, t, q, "unanswered") for x in later(sent, "produce", t, q))
        heard = verified(sent, t, q, rules)
        if heard == "new":
            yield from (known(x, t, q, "unanswered") for x in unanswered(added(sent, q)))
        if heard != "wait":
            answer = takes(sent, t, q) if heard in ("new", "known") else heard
            done = added(sent, q) if heard == "new" else sent
            if is_asked(sent, t, q, rules):
                done = answered(done)
            if answer == "appends":
                yield known(appended(done, t, q), t, q, "acknowledged")
            elif answer == "there":
                yield known(done, t, q, "acknowledged")
            else:
                yield must_abort(known(done, t, q, "failed"), p, rules)
    if state == "adding":
        yield must_abort(known(w, t, q, "dropped"), p, rules)
    if state == "unanswered":
        failed = known(w, t, q, "failed")
        yield must_abort(failed, p, rules) if rules.bumps or rules.v2 else stopped(failed, p, "dead")
        if rules.stays and not rules.v2:
            number = one.numbers[q]
            assert number is not None
            yield client(failed, p, broken=True)
            yield client(failed, p, broken=True, numbers=put(c.numbers, q, number))


def unstarted(w: World, p: int, t: int, rules: Rules) -> Iterator[World]:
    """An abort of what the coordinator never heard of, as the client believes."""
    if w.clients[p].broken and all(state in ("unsent", "dropped") for state in w.works[t].known):
        yield knows_end(w, p, t, "Abort", rules)


def of_end(w: World, p: int, t: int, rules: Rules) -> Iterator[World]:
    """EndTxn."""
    c, one = w.clients[p], w.works[t]
    assert one.epoch is not None
    states = one.known
    if c.doing == "ending":
        hows = ["Commit" if one.asked == "committing" else "Abort"]
    elif any(state in ("adding", "unanswered") for state in states) or all(s in ("unsent", "dropped") for s in states):
        hows = []
    else:
        clean = not c.broken and all(state in ("unsent", "acknowledged") for state in states)
        hows = ["Commit", "Abort"] if clean else ["Abort"]
    for how in hows:
        asked = work(client(w, p, doing="ending"), t, asked="committing" if how == "Commit" else "aborting")
        if not any(m[:2] == ("end", t) for m in w.mail):
            yield from later(asked, "end", t, how)
        answer = ends(w, one.epoch, how, rules)
        if answer == "ends" and w.coordinator.state == "Ongoing":
            yield from unanswered(ended(asked, how, rules))
        if answer == "fenced":
            yield stopped(answered(asked), p, "fenced")
        elif answer == "wrong":
            yield stopped(answered(asked), p, "dead")
        elif answer != "wait":
            yield knows_end(answered(ended(asked, how, rules) if answer == "ends" else asked), p, t, how, rules)


def of_coordinator(w: World, rules: Rules) -> Iterator[World]:
    """Timeouts, moves, markers and completion."""
    c = w.coordinator
    if c.state == "Ongoing" and w.timeouts:
        after = fenced(w, rules) if rules.fences else ended(w, "Abort", rules)
        yield replace(after, timeouts=w.timeouts - 1)
    writes = w.shorter is not None and not w.trusts
    if w.moves and (prepared(w) or writes):
        yield elected(w, trusts=writes)
    if w.moves and w.trusts:
        assert w.shorter is not None
        yield elected(acknowledged(replace(w, coordinator=w.shorter)), trusts=False)
    if w.decision is not None:
        how, epoch, v2_end, to = w.decision
        sent = {("marker", q, how, epoch, v2_end, w.generation + 1) for q in (0, 1) if PARTITIONS[q] in to}
        if sent and not any(m[0] == "marker" and PARTITIONS[m[1]] in to for m in w.mail):
            after = acknowledged(replace(w, mail=w.mail | sent))
            yield elected(elected(after, trusts=False), trusts=False)
    if not prepared(w):
        return
    assert c.epoch is not None
    how = c.state.removeprefix("Prepare")
    for q in (0, 1):
        if PARTITIONS[q] in c.waits_for:
            if w.late_markers and not any(m[:2] == ("marker", q) for m in w.mail):
                mail = w.mail | {("marker", q, how, c.epoch, c.v2_end, w.generation)}
                yield answered(replace(w, mail=mail, late_markers=w.late_markers - 1))
            if takes_marker(w, q, c.epoch, c.v2_end, rules):
                after = marked(w, q, c.epoch, how, w.generation, rules)
                yield answered(decide(after, waits_for=c.waits_for - {PARTITIONS[q]}))
    if not c.waits_for:
        yield acknowledged(decide(w, state=f"Complete{how}", v2_end=False, logged=frozenset()))


def of_mail(w: World, message: tuple[object, ...], rules: Rules) -> Iterator[World]:
    """A message that was held up arrives, if it changes anything."""
    kind, rest = message[0], message[1:]
    without = arrived(w, *message)
    if kind in ("init", "bump"):
        expected = None if kind == "init" else rest[1]
        found = initialised(without, expected, rules)
        if isinstance(found, World):
            yield found
        return
    if kind == "marker":
        q, how, epoch, v2_end, generation = rest
        if takes_marker(w, q, epoch, v2_end, rules) and generation >= w.logs[q].by:
            yield marked(without, q, epoch, how, generation, rules)
        return
    t = rest[0]
    epoch = w.works[t].epoch
    assert epoch is not None
    if kind == "end":
        how = rest[1]
        if ends(w, epoch, how, rules) == "ends":
            yield ended(without, how, rules)
        return
    q = rest[1]
    if kind == "add" and adds(w, epoch, q) == "new":
        yield added(without, q)
    if kind in ("produce", "verified"):
        must_ask = (rules.v2 or rules.asks) and not ongoing(w, t, q)
        if kind == "produce" and must_ask:
            heard = verified(w, t, q, rules)
            if heard in ("new", "known"):
                asked = answered(added(without, q) if heard == "new" else without)
                yield replace(asked, mail=asked.mail | {("verified", t, q)})
        if (kind == "verified" or not must_ask) and takes(w, t, q) == "appends":
            yield appended(without, t, q)


def following(w: World, rules: Rules) -> Iterator[World]:
    """Every state after one step."""
    for p in (0, 1):
        yield from of_client(w, p, rules)
    yield from of_coordinator(w, rules)
    for message in w.mail:
        yield from of_mail(w, message, rules)


def wrong(w: World) -> Iterator[str]:
    """What is wrong with a state, in one word each."""
    for one in w.works:
        if "visible" in one.log and "skipped" in one.log:
            yield "torn"
        if "visible" in one.log and one.asked not in ("committing", "committed"):
            yield "aborted read"
        if one.asked == "committed":
            for q in (0, 1):
                if one.known[q] == "acknowledged" and one.log[q] in ("absent", "skipped"):
                    yield "commit lost"
    for q in (0, 1):
        if is_open(w, q) and PARTITIONS[q] not in w.coordinator.waits_for:
            yield "hangs"


def search(
    rules: Rules,
    *,
    delays: int = 0,
    late_markers: int = 0,
    timeouts: int = 0,
    coordinator_moves: int = 0,
    partial_loads: int = 0,
) -> tuple[list[int], dict[str, int]]:
    """The sizes of the levels, and the first level in which each wrong is."""
    budgets = {"delays": delays, "late_markers": late_markers, "timeouts": timeouts, "moves": coordinator_moves}
    level = {World(**budgets, partial_loads=bool(partial_loads))}
    seen = set(level)
    sizes: list[int] = []
    found: dict[str, int] = {}
    while level:
        for w in level:
            for word in wrong(w):
                found.setdefault(word, len(sizes))
        sizes.append(len(level))
        level = {after for w in level for after in following(w, rules)} - seen
        seen |= level
    return sizes, found
