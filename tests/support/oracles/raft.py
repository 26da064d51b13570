"""An independent search of Raft's leader election: counts states by hand, without neverlost.

A state is (servers, messages, elected, crashes left). A server is (term, voted for, role, votes heard). A message that was ever sent is
("ask", term, candidate) or ("vote", term, candidate, voter). `elected` has every pair (term, leader) that there ever was.
"""

FOLLOWER, CANDIDATE, LEADER = "follower", "candidate", "leader"


def successors(state, n, terms, forgets=False, twice=False):
    servers, messages, elected, crashes = state

    def put(i, server):
        return (*servers[:i], server, *servers[i + 1 :])

    for i, (term, voted, role, votes) in enumerate(servers):
        if role != LEADER and term < terms:
            sent = {("ask", term + 1, i), ("vote", term + 1, i, i)}
            yield put(i, (term + 1, i, CANDIDATE, frozenset({i}))), messages | sent, elected, crashes
        if role == CANDIDATE and 2 * len(votes) > n:
            yield put(i, (term, voted, LEADER, votes)), messages, elected | {(term, i)}, crashes
        if crashes:
            kept = None if forgets else voted
            yield put(i, (term, kept, FOLLOWER, frozenset())), messages, elected, crashes - 1
        for kind, at, candidate, *voter in messages:
            if kind == "ask" and at > term:
                yield put(i, (at, None, FOLLOWER, frozenset())), messages, elected, crashes
            if kind == "ask" and at == term and role == FOLLOWER and (twice or voted in (None, candidate)):
                answer = {("vote", term, candidate, i)}
                yield put(i, (term, candidate, role, votes)), messages | answer, elected, crashes
            if kind == "vote" and at == term and candidate == i and role == CANDIDATE:
                yield put(i, (term, voted, role, votes | set(voter))), messages, elected, crashes


def search(n, terms, crashes=0, forgets=False, twice=False):
    """How many states there are, on how many levels, and on which first a term has two leaders."""
    none = frozenset()
    level, seen, depth, two = {(((0, None, FOLLOWER, none),) * n, none, none, crashes)}, set(), 0, None
    while level:
        depth += 1
        seen |= level
        if two is None and any(len({t for t, _ in state[2]}) < len(state[2]) for state in level):
            two = depth - 1
        level = {after for state in level for after in successors(state, n, terms, forgets, twice)} - seen
    return len(seen), depth, two
