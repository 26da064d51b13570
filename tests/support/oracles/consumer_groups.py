"""Counts the states of a consumer group by a search written by hand from Kafka's rules, without neverlost.

A state is (events left, group, processes, log). The group is (generation or epoch, whether it rebalances, what each member is to the
coordinator, the assignment, the committed offsets). A process is None while it does not run, or else (its generation or epoch, what it
reads: partition -> (processed up to, polled up to)). The log has, for each partition, None before it is added, or (whether the group
knows it, how often each record was processed).

Covers: both classic protocols and that of KIP-848; enable.auto.commit, which from 4.2 on the new consumer does also before poll
returns, and commitSync after processing, with a last commit before a partition is given up; crashes, timeouts, members that come
later, orderly closes, added partitions; earliest and latest.
"""

OUT, IN, JOINED, TOLD = "out", "in", "joined", "told"


def put(row, place, value):
    return (*row[:place], value, *row[place + 1 :])


def search(*, protocol, auto, latest, members, partitions, records, generations, **budgets):
    """The states of each level, and the level at which a record is first skipped, processed twice, or read by two."""
    group = Search(protocol, auto, latest, members, partitions, records, generations)
    level = {group.start(budgets)}
    seen, sizes, found = set(level), [], {}
    while level:
        sizes.append(len(level))
        for name, bad in (("skipped", group.skips), ("repeated", group.repeats), ("shared", group.shares)):
            if name not in found and any(map(bad, level)):
                found[name] = len(sizes) - 1
        level = {after for state in level for after in group.steps(state)} - seen
        seen |= level
    return sizes, found


class Search:
    def __init__(self, protocol, auto, latest, members, partitions, records, generations):
        self.protocol, self.auto, self.latest = protocol, auto, latest
        self.members, self.partitions = range(members), range(partitions)
        self.records, self.last = records, generations - 1

    def start(self, budgets):
        there = [m for m in self.members if m < len(self.members) - budgets.get("joins", 0)]
        known = [p for p in self.partitions if p < len(self.partitions) - budgets.get("adds", 0)]
        given = tuple(there[p % len(there)] if p in known else None for p in self.partitions)
        processes = tuple(
            (0, tuple((0, 0) if given[p] == m else None for p in self.partitions)) if m in there else None
            for m in self.members
        )
        standing = tuple((IN, 0) if m in there else (OUT, 0) for m in self.members)
        group = (
            0,
            False,
            standing,
            tuple((g, 0, False) for g in given),
            tuple(0 if p in known else None for p in self.partitions),
        )
        left = tuple(
            sorted((name, budgets.get(name, 0)) for name in ("crashes", "timeouts", "joins", "leaves", "adds"))
        )
        return left, group, processes, tuple((True, ()) if p in known else None for p in self.partitions)

    # what the assignor would do

    def wanted(self, standing, partition):
        there = [m for m in self.members if standing[m][0] != OUT]
        return there[partition % len(there)] if there else None

    # commits and positions

    def accepted(self, group, member, named):
        epoch, _, standing, _, _ = group
        if standing[member][0] == OUT:
            return False
        return named == (standing[member][1] if self.protocol == "consumer" else epoch)

    def commit(self, group, partition, offset):
        return (*group[:4], put(group[4], partition, offset))

    def last_commit(self, group, member, process, partition):
        """Before a partition is given up; in the poll loop what is polled is processed by then."""
        done, _ = process[1][partition]
        return self.commit(group, partition, done) if self.accepted(group, member, process[0]) else group

    def begin(self, group, log, partition):
        committed = group[4][partition]
        if committed is None:
            committed = len(log[partition][1]) if self.latest else 0
        return committed, committed

    def idle(self, process):
        """Is everything processed that was polled, so that poll may be called?"""
        return all(place is None or place[0] == place[1] for place in process[1])

    # steps

    def steps(self, state):
        left, group, processes, log = state
        budget = dict(left)

        def spent(name):
            return tuple(sorted({**budget, name: budget[name] - 1}.items()))

        for p in self.partitions:
            if log[p] is None:
                if budget["adds"]:
                    yield spent("adds"), group, processes, put(log, p, (False, ()))
            else:
                known, times = log[p]
                if len(times) < self.records:
                    yield left, group, processes, put(log, p, (known, (*times, 0)))
                if not known and any(s[0] != OUT for s in group[2]) and group[0] < self.last:
                    consumer = self.protocol == "consumer"
                    told = (group[0] + 1, *group[1:]) if consumer else (group[0], True, *group[2:])
                    yield left, told, processes, put(log, p, (True, times))
        for m in self.members:
            process = processes[m]
            if process is None:
                if m < len(self.members) - budget["joins"] and group[2][m][0] == OUT:
                    yield left, group, put(processes, m, self.fresh()), log
                if budget["joins"] and m == len(self.members) - budget["joins"]:
                    yield spent("joins"), group, put(processes, m, self.fresh()), log
            else:
                for after_group, after_process, after_log in self.of_process(group, m, process, log):
                    yield left, after_group, put(processes, m, after_process), after_log
                if budget["crashes"]:
                    yield spent("crashes"), group, put(processes, m, None), log
                if budget["leaves"] and self.idle(process) and group[0] < self.last:
                    closed = group
                    for p in self.partitions:
                        if process[1][p] is not None and group[2][m][0] not in (JOINED, TOLD):
                            closed = self.last_commit(closed, m, process, p)
                    if closed[2][m][0] != OUT:
                        closed = self.without(closed, m)
                    yield spent("leaves"), closed, put(processes, m, None), log
            can_expel = self.protocol != "consumer" or group[0] < self.last
            if group[2][m][0] != OUT and can_expel:
                if process is None:
                    yield left, self.without(group, m), processes, log
                elif budget["timeouts"]:
                    yield spent("timeouts"), self.without(group, m), processes, log
        if self.protocol != "consumer" and (after := self.completed(group, processes, log)):
            yield left, after, processes, log

    def fresh(self):
        return 0, (None,) * len(self.partitions)

    def without(self, group, member):
        """The coordinator drops a member."""
        epoch, _, standing, given, committed = group
        standing = put(standing, member, (OUT, 0))
        if self.protocol == "consumer":
            given = tuple((None, 0, False) if g[0] == member else g for g in given)
            return epoch + 1, False, standing, given, committed
        return epoch, any(s[0] != OUT for s in standing), standing, given, committed

    def of_process(self, group, m, process, log):
        epoch, rebalancing, standing, given, committed = group
        named, reads = process
        for p in self.partitions:
            if reads[p] is None:
                continue
            done, polled = reads[p]
            if done < polled:
                known, times = log[p]
                yield (
                    group,
                    (named, put(reads, p, (done + 1, polled))),
                    put(log, p, (known, put(times, done, min(2, times[done] + 1)))),
                )
            if self.idle(process) and polled < len(log[p][1]):
                yield group, (named, put(reads, p, (done, polled + 1))), log
            free = standing[m][0] not in (JOINED, TOLD)
            offset = polled if self.auto else done
            if (
                free
                and offset != committed[p]
                and self.accepted(group, m, named)
                and (not self.auto or self.protocol == "consumer" or self.idle(process))
            ):
                yield self.commit(group, p, offset), process, log
        if self.protocol == "consumer":
            yield from self.of_new_member(group, m, process, log)
            return
        if not self.idle(process):
            return
        if standing[m][0] != JOINED and (rebalancing or standing[m][0] == OUT) and epoch < self.last:
            after, kept = group, reads
            for p in self.partitions:
                if reads[p] is not None:
                    if standing[m][0] != OUT and (self.protocol == "eager" or self.auto):
                        after = self.last_commit(after, m, process, p)
                    if self.protocol == "eager" or standing[m][0] == OUT:
                        kept = put(kept, p, None)
            yield (epoch, True, put(standing, m, (JOINED, 0)), given, after[4]), (named, kept), log
        if standing[m][0] == TOLD and not rebalancing:
            after, kept, again = (*group[:2], put(standing, m, (IN, 0)), *group[3:]), reads, False
            for p in self.partitions:
                if reads[p] is not None and given[p][0] != m:
                    if not self.auto:
                        after = self.last_commit(after, m, (epoch, reads), p)
                    kept, again = put(kept, p, None), True
                elif reads[p] is None and given[p][0] == m:
                    kept = put(kept, p, self.begin(group, log, p))
            yield (epoch, again, *after[2:]), (epoch, kept), log

    def completed(self, group, processes, log):
        """All have joined; what somebody still owns is nobody's in this generation, unless it stays his."""
        epoch, rebalancing, standing, _, committed = group
        there = [m for m in self.members if standing[m][0] != OUT]
        if not rebalancing or not there or any(standing[m][0] != JOINED for m in there) or epoch >= self.last:
            return None
        given = []
        for p in self.partitions:
            owners = [(processes[m][0], -m) for m in there if processes[m] and processes[m][1][p] is not None]
            owner, wanted = -max(owners)[1] if owners else None, self.wanted(standing, p)
            known = log[p] is not None and log[p][0]
            given.append((wanted if known and owner in (None, wanted) else None, 0, False))
        standing = tuple((TOLD, 0) if s[0] == JOINED else s for s in standing)
        return epoch + 1, False, standing, tuple(given), committed

    def of_new_member(self, group, m, process, log):
        epoch, _, standing, given, committed = group
        named, reads = process
        if standing[m][0] == OUT:
            if self.idle(process) and epoch < self.last:
                yield (
                    (epoch + 1, False, put(standing, m, (IN, epoch + 1)), given, committed),
                    (named, (None,) * len(reads)),
                    log,
                )
            return
        if not any(given[p][0] == m and given[p][2] and reads[p] is not None for p in self.partitions):
            told = [(None, 0, False) if g[0] == m and g[2] else g for g in given]
            moving = [p for p in self.partitions if told[p][0] == m and self.wanted(standing, p) != m]
            reached = standing[m][1] if moving else epoch
            for p in self.partitions:
                if p in moving:
                    told[p] = (m, told[p][1], True)
                elif not moving and told[p][0] is None and log[p] and log[p][0] and self.wanted(standing, p) == m:
                    told[p] = (m, epoch, False)
            yield (epoch, False, put(standing, m, (IN, reached)), tuple(told), committed), process, log
        if self.idle(process):
            heard, kept, after = standing[m][1], reads, group
            for p in self.partitions:
                mine = given[p][0] == m and not given[p][2]
                if reads[p] is not None and not mine:
                    after = self.last_commit(after, m, (heard, reads), p)
                    kept = put(kept, p, None)
            for p in self.partitions:
                mine = given[p][0] == m and not given[p][2]
                if reads[p] is None and mine:
                    kept = put(kept, p, self.begin(after, log, p))
            yield after, (heard, kept), log

    # what must not be

    def skips(self, state):
        _, group, processes, log = state
        for p in self.partitions:
            for offset, times in enumerate(log[p][1] if log[p] else ()):
                readers = [process[1][p] for process in processes if process and process[1][p] is not None]
                if times == 0 and all(offset < done for done, _ in readers):
                    begin = self.begin(group, log, p)[0]
                    if begin > offset and (group[4][p] is not None or readers):
                        return True
        return False

    def repeats(self, state):
        return any(2 in log[1] for log in state[3] if log)

    def shares(self, state):
        return any(
            sum(process is not None and process[1][p] is not None for process in state[2]) > 1 for p in self.partitions
        )
