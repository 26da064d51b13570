"""Counts the states of a consumer group by a search written by hand from Kafka's rules, without neverlost.

A state is (events left, group, processes, log). The group is what the coordinator and its log have, see Group. A process is None while
it does not run, or else (its generation or epoch, what it reads: partition -> (processed up to, polled up to, whether a commitSync of
what is processed has no offset of it)). The log has, for each partition, None before it is added, or (whether the group knows it, how
often each record was processed).

Covers: both classic protocols and that of KIP-848; enable.auto.commit, which from 4.2 on the new consumer does also before poll
returns, and commitSync after processing, with a last commit before a partition is given up; crashes, timeouts, members that come
later, orderly closes, added partitions; earliest and latest; heartbeats that fail while a partition is taken; automatic commits of 4.0
and 4.1 that fail; partitions that come while others are taken, from 3.7 to 3.9; coordinators that do not have what was answered before.
"""

from typing import NamedTuple

OUT, IN, JOINED, ANSWERED = "out", "in", "joined", "answered"
NOBODY = (None, 0, False)
BUDGETS = ("adds", "crashes", "failures", "joins", "leaves", "moves", "refusals", "timeouts")


class Group(NamedTuple):
    """What each member and each partition is to the coordinator.

    given: (member, epoch of the assignment, whether it is asked back). older: what counts if the last commit is lost. recorded: the
    members of the last generation in the log that run under the same id. waiting, lost: who may still be answered with a generation
    that the coordinator does not have, and its assignment. late: partitions that came while their member was to take another.
    """

    epoch: int
    rebalances: bool
    standing: tuple
    given: tuple
    committed: tuple
    older: tuple
    recorded: tuple
    waiting: tuple
    lost: tuple
    late: tuple


def put(row, place, value):
    return (*row[:place], value, *row[place + 1 :])


def spent(budget, **events):
    return tuple((name, count - events.get(name, 0)) for name, count in budget.items())


def search(*, protocol, auto, latest, members, partitions, records, generations, release, **budgets):
    """The states of each level, and the level at which a record is first skipped, processed twice, or read by two."""
    group = Search(protocol, auto, latest, members, partitions, records, generations, release, budgets)
    level = {group.start()}
    seen, sizes, found = set(level), [], {}
    while level:
        sizes.append(len(level))
        for name, bad in (("skipped", group.skips), ("repeated", group.repeats), ("shared", group.shares)):
            if name not in found and any(map(bad, level)):
                found[name] = len(sizes) - 1
        level = {group.settled_late(after) for state in level for after in group.steps(state)} - seen
        seen |= level
    return sizes, found


class Search:
    def __init__(self, protocol, auto, latest, members, partitions, records, generations, release, budgets):
        self.protocol, self.auto, self.latest = protocol, auto, latest
        self.members, self.partitions = range(members), range(partitions)
        self.records, self.last = records, generations - 1
        self.budgets = {name: budgets.get(name, 0) for name in BUDGETS}
        self.consumer = protocol == "consumer"
        self.assigns_by_epoch = release >= (4, 3)  # KIP-1251
        self.drops_what_is_taken = self.consumer and release >= (3, 8)
        self.loses_commits = (  # KAFKA-20634
            ((4, 0) if not self.consumer else (3, 7)) <= release < (4, 2, 2) or release == (4, 3, 0)
        )
        self.resets_late = self.consumer and (3, 7) <= release < (4, 0)  # KAFKA-17674
        self.waits_for_commits = self.consumer and (4, 0) <= release < (4, 2)  # KAFKA-18641
        answers_at_once = release < (3, 9) if self.consumer else (0, 11) <= release < (3, 4)
        self.moves_to_forget = 1 if self.loses_commits else 2 if answers_at_once else None
        self.rejoins_quietly = release < (3, 4)  # KIP-792

    def start(self):
        there = [m for m in self.members if m < len(self.members) - self.budgets["joins"]]
        known = [p for p in self.partitions if p < len(self.partitions) - self.budgets["adds"]]
        given = tuple(there[p % len(there)] if p in known else None for p in self.partitions)
        processes = tuple(
            (0, tuple((0, 0, False) if given[p] == m else None for p in self.partitions)) if m in there else None
            for m in self.members
        )
        committed = tuple(0 if p in known else None for p in self.partitions)
        group = Group(
            epoch=0,
            rebalances=False,
            standing=tuple((IN, 0) if m in there else (OUT, 0) for m in self.members),
            given=tuple((g, 0, False) for g in given),
            committed=committed,
            older=committed if self.budgets["moves"] else (None,) * len(self.partitions),
            recorded=tuple(m in there and self.may_forget(self.budgets) for m in self.members),
            waiting=(False,) * len(self.members),
            lost=(None,) * len(self.partitions),
            late=(False,) * len(self.partitions),
        )
        left = tuple(self.budgets.items())
        return left, group, processes, tuple((True, ()) if p in known else None for p in self.partitions)

    def may_forget(self, budget):
        return self.moves_to_forget is not None and budget["moves"] >= self.moves_to_forget

    # what the assignor would do

    def wanted(self, standing, partition):
        there = [m for m in self.members if standing[m][0] != OUT]
        return there[partition % len(there)] if there else None

    def claims(self, standing, m, log):
        """The partitions that the coordinator knows and that are meant for a member."""
        return [p for p in self.partitions if log[p] and log[p][0] and self.wanted(standing, p) == m]

    # commits and positions

    def accepted(self, group, member, partition, named):
        if group.standing[member][0] == OUT:  # with KIP-848 it names no epoch, and a group without members takes that
            return self.consumer and all(kind == OUT for kind, _ in group.standing)
        if not self.consumer:
            return named == group.epoch
        owner, since, _ = group.given[partition]
        if self.assigns_by_epoch and owner == member:
            return since <= named <= group.standing[member][1]
        return named == group.standing[member][1]

    def commit(self, group, partition, offset):
        if self.budgets["moves"]:
            group = group._replace(older=put(group.older, partition, group.committed[partition]))
        return group._replace(committed=put(group.committed, partition, offset))

    def last_commit(self, group, member, process, partition):
        """Before a partition is given up; in the poll loop what is polled is processed by then."""
        done, _, fresh = process[1][partition]
        refused = fresh or group.standing[member][0] == OUT or not self.accepted(group, member, partition, process[0])
        return group if refused else self.commit(group, partition, done)

    def begin(self, group, log, partition, *, late=False):
        committed = group.committed[partition]
        if committed is not None and not late:
            return committed, committed, False
        reset = len(log[partition][1]) if self.latest else 0
        return reset, reset, self.latest and not self.auto and reset != committed

    def idle(self, process):
        """Is everything processed that was polled, so that poll may be called?"""
        return all(place is None or place[0] == place[1] for place in process[1])

    def fenced(self, group, m, process):
        """Has the process a generation or epoch that the coordinator has not?"""
        kind, epoch = group.standing[m]
        return kind in (IN, ANSWERED) and process[0] > (epoch if self.consumer else group.epoch)

    # steps

    def steps(self, state):
        left, group, processes, log = state
        budget = dict(left)
        yield from self.of_partitions(budget, group, processes, log)
        for m in self.members:
            process = processes[m]
            if process is None:
                fresh = group._replace(recorded=put(group.recorded, m, False))
                if m < len(self.members) - budget["joins"] and group.standing[m][0] == OUT:
                    yield left, fresh, put(processes, m, self.fresh()), log
                if budget["joins"] and m == len(self.members) - budget["joins"]:
                    yield spent(budget, joins=1), fresh, put(processes, m, self.fresh()), log
            else:
                for after_group, after_process, after_log in self.of_process(group, m, process, log):
                    yield left, after_group, put(processes, m, after_process), after_log
                yield from self.of_ending_process(budget, group, m, processes, log)
                if self.consumer:
                    yield from self.of_failures(budget, group, m, processes, log)
            if group.standing[m][0] != OUT and (not self.consumer or group.epoch < self.last):
                if process is None:
                    yield left, self.without(group, m), processes, log
                elif budget["timeouts"]:
                    yield spent(budget, timeouts=1), self.without(group, m), processes, log
        if not self.consumer and (after := self.completed(group, processes, log)):
            recorded = tuple(s[0] != OUT and self.may_forget(budget) for s in after.standing)
            yield left, self.nobody_waits(after)._replace(recorded=recorded), processes, log
            if self.may_forget(budget):
                left_after = spent(budget, moves=self.moves_to_forget)
                forgotten = self.forgotten(group, after, processes)
                if not self.may_forget(dict(left_after)):  # then what is in the log does not matter any more
                    forgotten = forgotten._replace(recorded=(False,) * len(self.members))
                yield left_after, forgotten, processes, log

    def of_partitions(self, budget, group, processes, log):
        left = spent(budget)
        for p in self.partitions:
            if log[p] is None:
                if budget["adds"]:
                    yield spent(budget, adds=1), group, processes, put(log, p, (False, ()))
                continue
            known, times = log[p]
            if len(times) < self.records:
                yield left, group, processes, put(log, p, (known, (*times, 0)))
            if not known and any(s[0] != OUT for s in group.standing) and group.epoch < self.last:
                after = group._replace(epoch=group.epoch + 1) if self.consumer else group._replace(rebalances=True)
                yield left, after, processes, put(log, p, (True, times))
            if self.loses_commits and budget["moves"] and group.older[p] != group.committed[p]:
                back = group._replace(committed=put(group.committed, p, group.older[p]))
                reads = self.uncommitted(group, processes, p) if back.committed[p] is None else processes
                yield spent(budget, moves=1), back, reads, log

    def of_ending_process(self, budget, group, m, processes, log):
        """A process dies, or closes its consumer."""
        gone, process = self.answered(group, m), processes[m]
        gone = gone._replace(recorded=put(gone.recorded, m, False))
        if budget["crashes"]:
            yield spent(budget, crashes=1), gone, put(processes, m, None), log
        if budget["leaves"] and self.idle(process) and group.epoch < self.last:
            for p in self.partitions:
                if process[1][p] is not None and self.settled(group, m):
                    gone = self.last_commit(gone, m, process, p)
            if gone.standing[m][0] != OUT:
                gone = self.without(gone, m)
            yield spent(budget, leaves=1), gone, put(processes, m, None), log

    def of_failures(self, budget, group, m, processes, log):
        """With KIP-848: heartbeats that fail, and heartbeats of which the next coordinator knows nothing."""
        failure = "failures" if budget["failures"] else "moves"  # a move may serve for more than a failure
        if self.drops_what_is_taken and budget[failure]:
            for after, process in self.taken_unseen(group, m, processes[m], log):
                yield spent(budget, **{failure: 1}), after, put(processes, m, process), log
        if self.waits_for_commits and self.auto:
            yield from self.of_failed_commits(budget, group, m, processes, log)
        if self.may_forget(budget):
            for timeouts, process in self.heard_in_vain(group, m, processes, log):
                if timeouts <= budget["timeouts"]:
                    left = spent(budget, moves=self.moves_to_forget, timeouts=timeouts)
                    yield left, group, put(processes, m, process), log

    def of_failed_commits(self, budget, group, m, processes, log):
        """A commit that is written and refused; one before an assignment is followed, which has a polled record the second time."""
        named, reads = processes[m]
        mine = [given[0] == m and not given[2] for given in group.given]
        new = [p for p in self.partitions if mine[p] and reads[p] is None]
        lacks = any(reads[p] is not None and not mine[p] for p in self.partitions)
        late = any(group.given[p][1] < group.standing[m][1] for p in new)  # by then its epoch is another
        event = "refusals" if budget["refusals"] else "moves"
        for p in self.partitions:
            if reads[p] is None or reads[p][1] == group.committed[p]:
                continue
            after = self.commit(group, p, reads[p][1])
            if budget["refusals"] and self.idle(processes[m]) and self.accepted(group, m, p, named):
                yield spent(budget, refusals=1), after, processes, log
            there = group.standing[m][0] != OUT and not self.fenced(group, m, processes[m])
            if there and (new or lacks) and mine[p] and reads[p][0] < reads[p][1] and (late or budget[event]):
                yield (spent(budget) if late else spent(budget, **{event: 1})), after, processes, log

    def uncommitted(self, group, processes, p):
        """Nothing counts any more: with latest, who has committed all that it has processed has nothing to commit again."""
        for m, process in enumerate(processes):
            if self.latest and not self.auto and process and process[1][p] and process[1][p][0] == group.committed[p]:
                place = (*process[1][p][:2], True)
                processes = put(processes, m, (process[0], put(process[1], p, place)))
        return processes

    def fresh(self):
        return 0, (None,) * len(self.partitions)

    def settled(self, group, m):
        return group.standing[m][0] not in (JOINED, ANSWERED) and not group.waiting[m]

    def answered(self, group, m):
        """A member does not wait any more."""
        lost = tuple(None if owner == m else owner for owner in group.lost)
        return group._replace(waiting=put(group.waiting, m, False), lost=lost)

    def nobody_waits(self, group):
        """What was answered of an older generation comes too late."""
        return group._replace(waiting=(False,) * len(self.members), lost=(None,) * len(self.partitions))

    def without(self, group, member):
        """The coordinator drops a member."""
        standing = put(group.standing, member, (OUT, 0))
        if self.consumer:
            given = tuple(NOBODY if g[0] == member else g for g in group.given)
            return group._replace(epoch=group.epoch + 1, rebalances=False, standing=standing, given=given)
        if group.standing[member][0] in (JOINED, ANSWERED) and not group.waiting[member]:
            group = group._replace(recorded=put(group.recorded, member, False))
        left = any(s[0] != OUT for s in standing)
        if not left:  # that the group is empty is in the log
            group = self.nobody_waits(group)._replace(recorded=(False,) * len(self.members))
        return group._replace(rebalances=left, standing=standing)

    def of_process(self, group, m, process, log):
        named, reads = process
        for p in self.partitions:
            if reads[p] is None:
                continue
            done, polled, fresh = reads[p]
            if done < polled:
                known, times = log[p]
                yield (
                    group,
                    (named, put(reads, p, (done + 1, polled, False))),
                    put(log, p, (known, put(times, done, min(2, times[done] + 1)))),
                )
            if self.idle(process) and polled < len(log[p][1]):
                yield group, (named, put(reads, p, (done, polled + 1, fresh))), log
            offset = polled if self.auto else done
            if (
                self.settled(group, m)
                and offset != group.committed[p]
                and self.accepted(group, m, p, named)
                and (not self.auto or (self.consumer and not self.waits_for_commits) or self.idle(process))
            ):
                yield self.commit(group, p, offset), process, log
        if not self.idle(process):
            if self.consumer and group.standing[m][0] != OUT:
                yield from self.heartbeat(group, m, process, log)
        elif self.consumer:
            yield from self.of_new_member(group, m, process, log)
        else:
            yield from self.of_classic_member(group, m, process, log)

    # the classic protocols

    def of_classic_member(self, group, m, process, log):
        named, reads = process
        kind = group.standing[m][0]
        knows_nothing = kind == OUT or self.fenced(group, m, process)
        if kind != JOINED and (group.rebalances or knows_nothing or group.waiting[m]) and group.epoch < self.last:
            after, kept = group, reads
            for p in self.partitions:
                if reads[p] is not None:
                    if not knows_nothing and not group.waiting[m] and (self.protocol == "eager" or self.auto):
                        after = self.last_commit(after, m, process, p)
                    if self.protocol == "eager" or knows_nothing:
                        kept = put(kept, p, None)
            after = self.answered(after, m)._replace(rebalances=True, standing=put(group.standing, m, (JOINED, 0)))
            if kind == OUT:
                after = after._replace(recorded=put(after.recorded, m, False))
            yield after, (named, kept), log
        known = put(group.standing, m, (IN, 0)) if kind == ANSWERED else group.standing
        alone = sum(s[0] != OUT for s in group.standing) == 1
        quietly = self.rejoins_quietly and self.protocol == "eager" and not alone
        if kind == ANSWERED and not group.rebalances and (quietly or not group.waiting[m]):
            owners = [given[0] for given in group.given]
            after, learned, log = self.follows(group._replace(standing=known), m, group.epoch, reads, owners, log)
            yield self.answered(after, m), learned, log
        leads = self.moves_to_forget == 2 and sum(group.waiting) == 1  # its JoinGroup begins another rebalance
        if group.waiting[m] and not leads:
            after, learned, log = self.follows(group, m, group.epoch + 1, reads, group.lost, log)
            yield self.answered(after, m)._replace(rebalances=group.rebalances, standing=known), learned, log

    def follows(self, group, m, epoch, reads, owners, log):
        """A member has its assignment: it gives up what it has not got, and asks for another rebalance if it had to."""
        after, kept, again = group, reads, group.rebalances
        for p in self.partitions:
            if reads[p] is not None and owners[p] != m:
                if not self.auto:
                    after = self.last_commit(after, m, (epoch, reads), p)
                kept, again = put(kept, p, None), True
            elif reads[p] is None and owners[p] == m:
                kept = put(kept, p, self.begin(group, log, p))
        return after._replace(rebalances=again), (epoch, kept), log

    def completed(self, group, processes, log):
        """All have joined; what somebody still owns is nobody's in this generation, unless it stays his."""
        there = [m for m in self.members if group.standing[m][0] != OUT]
        joined = there and all(group.standing[m][0] == JOINED for m in there)
        if not group.rebalances or not joined or group.epoch >= self.last:
            return None
        given = []
        for p in self.partitions:
            owners = [(processes[m][0], -m) for m in there if processes[m] and processes[m][1][p] is not None]
            owner, wanted = -max(owners)[1] if owners else None, self.wanted(group.standing, p)
            known = log[p] is not None and log[p][0]
            given.append((wanted if known and owner in (None, wanted) else None, 0, False))
        standing = tuple((ANSWERED, 0) if s[0] == JOINED else s for s in group.standing)
        return group._replace(epoch=group.epoch + 1, rebalances=False, standing=standing, given=tuple(given))

    def forgotten(self, group, after, processes):
        """The next coordinator has the group as its last record has it; who has joined waits for the answer of the one before."""
        joined = [m for m in self.members if group.standing[m][0] == JOINED and processes[m]]
        return group._replace(
            rebalances=False,
            standing=tuple(((ANSWERED if m in joined else IN) if group.recorded[m] else OUT, 0) for m in self.members),
            given=tuple(g if g[0] is not None and group.recorded[g[0]] else NOBODY for g in group.given),
            waiting=tuple(m in joined for m in self.members),
            lost=tuple(g[0] if g[0] in joined else None for g in after.given),
        )

    # KIP-848

    def of_new_member(self, group, m, process, log):
        named, _reads = process
        if group.standing[m][0] == OUT:
            if group.epoch < self.last:
                forgets = named > group.epoch + 1  # it was in an epoch that is lost
                yield self.joined(group, m), (0 if forgets else named, self.fresh()[1]), log
            return
        if self.fenced(group, m, process):
            yield group, self.fresh(), log
            return
        yield from self.heartbeat(group, m, process, log)
        yield *self.reconciled(group, m, process, log), log
        if any(group.late):
            yield *self.reconciled(group, m, process, log, late=group.late), log

    def joined(self, group, m):
        return group._replace(epoch=group.epoch + 1, standing=put(group.standing, m, (IN, group.epoch + 1)))

    def heartbeat(self, group, m, process, log):
        """What was asked back and is given up is free; then more is asked back, or the member is in the group's epoch."""
        reads = process[1]
        if self.fenced(group, m, process):
            return
        if any(group.given[p][0] == m and group.given[p][2] and reads[p] is not None for p in self.partitions):
            return
        given = [NOBODY if g[0] == m and g[2] else g for g in group.given]
        moving = [p for p in self.partitions if given[p][0] == m and self.wanted(group.standing, p) != m]
        for p in moving:
            given[p] = (m, given[p][1], True)
        group = group._replace(given=tuple(given))
        yield group if moving else self.reached(group, m, log, reads), process, log

    def reached(self, group, m, log, reads):
        """A member that has nothing to give up is in the group's epoch, and is assigned what is free and meant for it."""
        given, late = group.given, group.late
        fetches = self.resets_late and any(given[p][0] == m and reads[p] is None for p in self.partitions)
        for p in self.claims(group.standing, m, log):
            if given[p][0] is None:
                given, late = put(given, p, (m, group.epoch, False)), put(late, p, fetches)
        return group._replace(standing=put(group.standing, m, (IN, group.epoch)), given=given, late=late)

    def settled_late(self, state):
        """A partition is late until its member reads it, or it is nobody's."""
        left, group, processes, log = state
        late = list(group.late)
        for p, (owner, _, _) in enumerate(group.given):
            if owner is None or (processes[owner] and processes[owner][1][p] is not None):
                late[p] = False
        return left, group._replace(late=tuple(late)), processes, log

    def reconciled(self, group, m, process, log, *, late=()):
        heard, kept, after = group.standing[m][1], process[1], group
        mine = [group.given[p][0] == m and not group.given[p][2] for p in self.partitions]
        for p in self.partitions:
            if kept[p] is not None and not mine[p]:
                after = self.last_commit(after, m, (heard, kept), p)
                kept = put(kept, p, None)
        for p in self.partitions:
            if kept[p] is None and mine[p]:
                kept = put(kept, p, self.begin(after, log, p, late=any(late) and late[p]))
        return after, (heard, kept)

    def taken_unseen(self, group, m, process, log):
        """A heartbeat fails while partitions are taken: the next one does not name them, as if they were given up."""
        moves = [self.wanted(group.standing, p) != m for p in self.partitions]
        mine = [group.given[p][0] == m and not group.given[p][2] for p in self.partitions]
        held = [mine[p] and process[1][p] is not None for p in self.partitions]
        taken = [mine[p] and not held[p] and moves[p] for p in self.partitions]
        if group.standing[m][0] == OUT or not self.idle(process) or self.fenced(group, m, process):
            return
        if not any(taken) or any(held[p] and moves[p] for p in self.partitions):
            return
        after, process = self.reconciled(group, m, process, log)
        given = tuple(
            NOBODY if taken[p] or (after.given[p][0] == m and after.given[p][2]) else after.given[p]
            for p in self.partitions
        )
        yield self.reached(after._replace(given=given), m, log, process[1]), process

    def heard_in_vain(self, group, m, processes, log):
        """A member gets partitions by a heartbeat of which the next coordinator knows nothing: (timeouts, the process after).

        Another may have been expelled just before, which the next coordinator does not know either.
        """
        if not self.idle(processes[m]) or self.fenced(group, m, processes[m]):
            return
        for gone in self.members:
            there = group
            if gone != m:
                if group.standing[gone][0] == OUT:
                    continue
                there = self.without(there, gone)
            reads = processes[m][1]
            if group.standing[m][0] == OUT:
                there, reads = self.joined(there, m), self.fresh()[1]
            there = there._replace(
                given=tuple(NOBODY if g[0] == m and g[2] and reads[p] is None else g for p, g in enumerate(there.given))
            )
            if there.epoch > self.last or any(
                g[0] == m and (g[2] or self.wanted(there.standing, p) != m) for p, g in enumerate(there.given)
            ):
                continue
            there = self.reached(there, m, log, reads)
            new = [p for p in self.partitions if there.given[p][0] == m and reads[p] is None]
            for p in new:
                reads = put(reads, p, self.begin(group, log, p))
            if new:
                yield int(gone != m and processes[gone] is not None), (there.epoch, reads)

    # what must not be

    def skips(self, state):
        _, group, processes, log = state
        for p in self.partitions:
            for offset, times in enumerate(log[p][1] if log[p] else ()):
                readers = [process[1][p] for process in processes if process and process[1][p] is not None]
                if times == 0 and all(offset < done for done, _, _ in readers):
                    begin = self.begin(group, log, p)[0]
                    if begin > offset and (group.committed[p] is not None or readers):
                        return True
        return False

    def repeats(self, state):
        return any(2 in log[1] for log in state[3] if log)

    def shares(self, state):
        return any(
            sum(process is not None and process[1][p] is not None for process in state[2]) > 1 for p in self.partitions
        )
