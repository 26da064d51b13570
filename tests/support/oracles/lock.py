"""Counts the states of the lock with fencing tokens by a search written by hand, without neverlost."""


def successors(state, clients, tokens, fenced, durable):
    pauses, crashes, holder, following, held, paused, sent, written, newest, last = state
    held = dict(held)  # client -> token; sent and written are sets of (token, client)

    def made(**new):
        now = {
            "pauses": pauses,
            "crashes": crashes,
            "holder": holder,
            "following": following,
            "held": held,
            "paused": paused,
            "sent": sent,
            "written": written,
            "newest": newest,
            "last": last,
        } | new
        return (*(v if k != "held" else frozenset(v.items()) for k, v in now.items()),)

    def lost(client):
        return {c: t for c, t in held.items() if c != client}

    if holder:
        yield made(holder=None, held=held if holder in paused else lost(holder))
    if crashes:
        yield made(crashes=crashes - 1, holder=None, following=following if durable else 1)
    for c in clients:
        if c in paused:
            yield made(paused=paused - {c})
        elif c in held:
            if pauses:
                yield made(pauses=pauses - 1, paused=paused | {c})
            yield made(held=lost(c), holder=None if holder == c else holder)
            yield made(sent=sent | {(held[c], c)})
        elif not holder and following <= tokens:
            yield made(holder=c, held=held | {c: following}, following=following + 1)
    for token, c in sent:
        if token >= newest or not fenced:
            yield made(written=written | {(token, c)}, newest=max(newest, token), last=token)


def search(clients, tokens, pauses, crashes, fenced=True, durable=True):
    none = frozenset()
    level = {(pauses, crashes, None, 1, none, none, none, none, 0, 0)}
    seen, depth, bad = set(level), 0, {}
    while level:
        depth += 1
        for s in level:
            if s[8] != s[9]:
                bad.setdefault("no_stale_write", depth - 1)
            if len({token for token, _ in s[7]}) < len(s[7]):
                bad.setdefault("one_writer_for_a_token", depth - 1)
        names = [f"c{n}" for n in range(clients)]
        level = {t for s in level for t in successors(s, names, tokens, fenced, durable)} - seen
        seen |= level
    return len(seen), depth, bad
