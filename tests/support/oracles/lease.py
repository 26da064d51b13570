"""Counts the states of the leader lease by a search written by hand, without neverlost.

Time is kept as absolute clocks, cut back to the slowest. A node is (mode, end of its lease by its clock,
votes, requests on the way, answers on the way); a grant is (to whom, end by the clock of the granter), or None.
"""

IDLE = ("idle", None, frozenset(), frozenset(), frozenset())


def put(row, i, value):
    return (*row[:i], value, *row[i + 1 :])


def successors(state, lease, margin, drift, from_answer, grants_early):
    crashes, clocks, nodes, grants = state
    everyone = range(len(nodes))
    for i, (mode, end, votes, requests, answers) in enumerate(nodes):
        now = clocks[i]
        if mode == "idle" and lease > margin:
            until = None if from_answer else now + lease - margin
            yield crashes, clocks, put(nodes, i, ("asks", until, votes, frozenset(everyone), answers)), grants
        for g in requests:
            if not grants[g] or grants[g][0] == i or grants_early:
                candidate = (mode, end, votes, requests - {g}, answers | {g})
                yield crashes, clocks, put(nodes, i, candidate), put(grants, g, (i, clocks[g] + lease))
        for g in answers if mode == "asks" else ():
            heard = votes | {g}
            if 2 * len(heard) > len(nodes):
                until = now + lease - margin if from_answer else end
                yield crashes, clocks, put(nodes, i, ("serves", until, heard, frozenset(), frozenset())), grants
            else:
                yield crashes, clocks, put(nodes, i, (mode, end, heard, requests, answers - {g})), grants
        if mode == "asks":
            yield crashes, clocks, put(nodes, i, IDLE), grants
        if mode != "idle" and crashes:
            yield crashes - 1, clocks, put(nodes, i, IDLE), grants
        if now - min(clocks) < drift:
            later = put(clocks, i, now + 1)
            back = min(later)  # all times count from the slowest clock on
            left = put(nodes, i, IDLE) if end == now + 1 else nodes
            bound = put(grants, i, None) if grants[i] and grants[i][1] == now + 1 else grants
            # the ends of a node are by its own clock, so all move together
            yield (
                crashes,
                tuple(c - back for c in later),
                tuple((m, e if e is None else e - back, v, r, a) for m, e, v, r, a in left),
                tuple(b and (b[0], b[1] - back) for b in bound),
            )


def search(size, lease, margin, drift, crashes, from_answer=False, grants_early=False):
    level = {(crashes, (0,) * size, (IDLE,) * size, (None,) * size)}
    seen, depth, bad = set(level), 0, None
    while level:
        depth += 1
        if bad is None and any(sum(n[0] == "serves" for n in s[2]) > 1 for s in level):
            bad = depth - 1
        level = {t for s in level for t in successors(s, lease, margin, drift, from_answer, grants_early)} - seen
        seen |= level
    return len(seen), depth, bad
