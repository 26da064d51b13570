"""An independent search of Chang and Roberts on a ring: counts states by hand, without neverlost.

A state is (ids in order of place, started, ids under way, leaders, announcements under way, who knows whom, losses left). A message
under way is a pair (id, place that it goes to). The ring begins empty, and nodes sit down one after the other.
"""


def successors(state, n, forwards=False, any_id=False):
    ids, started, under_way, leaders, news, known, losses = state
    if len(ids) < n:
        for new in set(range(n)) - set(ids):
            yield ((*ids, new), started, under_way, leaders, news, known, losses)
        return
    for p in set(range(n)) - started:
        yield (ids, started | {p}, under_way | {(ids[p], (p + 1) % n)}, leaders, news, known, losses)
    for message in under_way:
        number, p = message
        rest, to, own = under_way - {message}, (p + 1) % n, ids[p]
        if losses:
            yield (ids, started, rest, leaders, news, known, losses - 1)
        if number > own or (forwards and number < own):
            yield (ids, started, rest | {(number, to)}, leaders, news, known, losses)
        elif number < own:
            more = frozenset() if p in started else {(own, to)}
            yield (ids, started | {p}, rest | more, leaders, news, known, losses)
        if number == own or (any_id and p in started):
            heard = known - {k for k in known if k[0] == p} | {(p, own)}
            yield (ids, started, rest, leaders | {p}, news | {(own, to)}, heard, losses)
    for message in news:
        number, p = message
        rest = news - {message}
        if number == ids[p]:
            yield (ids, started, under_way, leaders, rest, known, losses)
        else:
            heard = known - {k for k in known if k[0] == p} | {(p, number)}
            yield (ids, started, under_way, leaders, rest | {(number, (p + 1) % n)}, heard, losses)


def search(n, losses=0, forwards=False, any_id=False):
    """How many states there are, on how many levels, and whether two nodes lead in one of them."""
    none = frozenset()
    level, seen, depth, two = {((), none, none, none, none, none, losses)}, set(), 0, False
    while level:
        depth += 1
        seen |= level
        two = two or any(len(state[3]) > 1 for state in level)
        level = {after for state in level for after in successors(state, n, forwards, any_id)} - seen
    return len(seen), depth, two
