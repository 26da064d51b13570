"""An independent search of the controllers' quorum: counts states by hand, from the rules in Kafka's raft module, without neverlost.

A controller is a `Node`; what is durable is written beside what is in memory. A record is (epoch, what), where `what` is "leader", a
decision ("shrink", "fail-over") or ("voters", controller, directory), with None for a voter that is removed. The committed history has
each record that was exposed first, without the directory, and the epoch of the leader that exposed it.
"""

from __future__ import annotations

from collections import namedtuple

Node = namedtuple("Node", "up directory epoch leader voted role votes log high known fresh cached by_id")
"""`voted` is None or (controller, directory or None); `known` has for each controller (fetch offset, directory).

`fresh` is how many records the running pass has appended and not flushed, `cached` how many before them a killed process had not
flushed. `by_id`: its log was begun by a leader whose voters were those of the configuration.
"""
World = namedtuple("World", "nodes sent committed replaced acknowledged lost budgets")
UNATTACHED, PROSPECTIVE, CANDIDATE, LEADER, FOLLOWER, RESIGNED = "UPCLFR"
FAULTS = ("crashes", "disk_losses", "quorum_state_losses", "restored_copies", "voter_changes", "power_losses")
RELEASES = {
    "3.1": {"pre_vote": False, "keeps_vote": False, "names_directory": False},
    "3.9": {"pre_vote": False, "keeps_vote": False, "names_directory": True},
    "4.0": {"pre_vote": True, "keeps_vote": True, "names_directory": True},
}


class Quorum:
    """The rules of a release, for so many controllers, within bounds."""

    def __init__(self, release, n=3, epochs=2, size=4, dynamic=False, in_file=0, **budgets):
        self.n, self.epochs, self.size, self.dynamic, self.in_file = n, epochs, size, dynamic, in_file
        self.budgets = tuple(budgets.get(name, 0) for name in FAULTS)
        self.rules = RELEASES[release]

    def start(self):
        node = Node(True, 0, 0, None, None, UNATTACHED, frozenset(), (), 0, self.nothing_known(), 0, 0, False)
        return World((node,) * self.n, frozenset(), (), False, False, False, self.budgets)

    def nothing_known(self):
        return ((0, 0),) * self.n

    def has_ids_only(self, node):
        """A formatted directory has no voters of its own: where the configuration names some, they are these."""
        return bool(self.in_file) and self.dynamic and node.directory != 0

    def up_to_date(self, candidate, voter):
        """After an upgrade of kraft.version each log has a first VotersRecord, but for one that was formatted later and is empty."""
        bare = [self.has_ids_only(node) and not node.log for node in (candidate, voter)]
        if self.in_file == 2 and bare == [True, False]:
            return False
        return self.tail(candidate.log) >= self.tail(voter.log)

    def voters(self, world, node):
        """The directory with which each controller is a voter by a log; by its id alone, it is one with any directory."""
        if node.by_id or (self.has_ids_only(node) and not node.log):
            return {k: other.directory for k, other in enumerate(world.nodes)}
        found = dict.fromkeys(range(self.n), 0)
        for _, what in node.log:
            if what[0] == "voters":
                _, voter, directory = what
                found.pop(voter, None)
                if directory is not None:
                    found[voter] = directory
        return found

    def in_set(self, voters, controller, directory):
        return controller in voters and (not self.dynamic or voters[controller] == directory)

    def moved(self, node, role, epoch, leader):
        """Another state in the quorum: memory is gone, and the vote too if the epoch is another."""
        voted = node.voted if node.epoch == epoch else None
        return node._replace(
            role=role, epoch=epoch, leader=leader, voted=voted, votes=frozenset(), known=self.nothing_known()
        )

    def down(self, node):
        return node._replace(up=False, role=UNATTACHED, high=0, votes=frozenset(), known=self.nothing_known(), fresh=0)

    @staticmethod
    def cut(node, end):
        """A log that is cut: what is on the disk stays there up to the cut, and what is not is cut first."""
        on_disk = min(end, len(node.log) - node.cached)
        return node._replace(log=node.log[:end], cached=end - on_disk, by_id=node.by_id and end > 0)

    @staticmethod
    def tail(log):
        return (log[-1][0] if log else 0, len(log))

    def appended(self, world, i, what):
        node = world.nodes[i]
        fresh = 1 if world.budgets[FAULTS.index("power_losses")] else 0
        by_id = node.by_id if node.log else self.has_ids_only(node)
        longer = node._replace(log=(*node.log, (node.epoch, what)), fresh=fresh, by_id=by_id)
        return self.advanced(put(world, i, longer), i)

    def advanced(self, world, i):
        """The high watermark: the highest offset that a majority of the voters has, if a record of the leader's epoch is below it."""
        node = world.nodes[i]
        voters = self.voters(world, node)
        ends = []
        for voter in voters:
            end, directory = (len(node.log), node.directory) if voter == i else node.known[voter]
            ends.append(min(end, len(node.log)) if self.in_set(voters, voter, directory) else 0)
        ends.sort(reverse=True)
        agreed = ends[len(ends) // 2]
        start = next((at for at, (epoch, _) in enumerate(node.log) if epoch == node.epoch), len(node.log))
        high = max(node.high, agreed) if agreed > start else node.high
        committed, replaced, lost = world.committed, world.replaced, world.lost
        for at in range(high):
            epoch, what = node.log[at]
            shown = (epoch, what[:2])
            if at < len(committed):
                replaced = replaced or committed[at][0] != shown
            else:
                committed = (*committed, (shown, node.epoch))
            lost = lost or (what == ("fail-over",) and world.acknowledged)
        after = put(world, i, node._replace(high=high))
        return after._replace(committed=committed, replaced=replaced, lost=lost)

    def decided(self, world, decision):
        return any(shown[1] == (decision,) for shown, _ in world.committed)

    def successors(self, world):
        for i, node in enumerate(world.nodes):
            if node.fresh:
                yield put(world, i, node._replace(fresh=0, cached=0))
            if node.up:
                yield from self.elections(world, i, node)
                yield from self.leading(world, i, node)
                for j in range(self.n):
                    if j != i and world.nodes[j].up:
                        yield from self.messages(world, i, node, j, world.nodes[j])
            else:
                yield put(world, i, self.restarted(i, node))
            yield from self.faults(world, i, node)
        if not world.acknowledged and self.decided(world, "shrink") and not self.decided(world, "fail-over"):
            yield world._replace(acknowledged=True)

    def elections(self, world, i, node):
        voters = self.voters(world, node)
        votes = sum(1 for voter in node.votes if voter in voters)
        majority = 2 * votes > len(voters)
        eligible = self.in_set(voters, i, node.directory)
        if self.rules["pre_vote"]:
            if eligible and node.role not in (LEADER, PROSPECTIVE):
                if node.role != RESIGNED or len(voters) == 1:
                    yield put(
                        world, i, self.moved(node, PROSPECTIVE, node.epoch, node.leader)._replace(votes=frozenset({i}))
                    )
                elif node.epoch < self.epochs:
                    yield put(
                        world, i, self.moved(node, PROSPECTIVE, node.epoch + 1, None)._replace(votes=frozenset({i}))
                    )
            if node.role == PROSPECTIVE and node.leader != i:
                calmed = UNATTACHED if node.leader is None else FOLLOWER
                yield put(world, i, self.moved(node, calmed, node.epoch, node.leader))
        asks = node.role == PROSPECTIVE and majority if self.rules["pre_vote"] else node.role != LEADER
        if asks and eligible and node.epoch < self.epochs:
            stood = self.moved(node, CANDIDATE, node.epoch + 1, None)
            yield put(world, i, stood._replace(voted=self.vote_for(i, node), votes=frozenset({i})))
        if node.role == CANDIDATE and majority and len(node.log) < self.size:
            led = self.moved(node, LEADER, node.epoch, i)._replace(high=0)
            yield self.appended(put(world, i, led), i, ("leader",))

    def vote_for(self, candidate, node):
        return (candidate, node.directory if self.rules["names_directory"] else None)

    def leading(self, world, i, node):
        if node.role != LEADER or len(node.log) == self.size or node.fresh:
            return
        known = {what[0] for _, what in node.log}
        if not known & {"shrink", "fail-over"}:
            for decision in {"shrink", "fail-over"} - world.sent:
                yield self.appended(world._replace(sent=world.sent | {decision}), i, (decision,))
        changes = world.budgets[FAULTS.index("voter_changes")]
        quiet = all(what[0] != "voters" for _, what in node.log[node.high :])
        if self.dynamic and changes and node.high and quiet and not node.by_id:
            voters = self.voters(world, node)
            spent = spend(world, "voter_changes")
            for j, other in enumerate(world.nodes):
                if j in voters and len(voters) > 1:
                    yield self.appended(spent, i, ("voters", j, None))
                follows = other.up and other.role == FOLLOWER and other.leader == i and other.epoch == node.epoch
                if j not in voters and follows and node.known[j][1] == other.directory:
                    yield self.appended(spent, i, ("voters", j, other.directory))

    def messages(self, world, i, node, j, other):
        """What j, the other, asks i: for a vote, to follow; and what i, a follower, fetches from j."""
        if node.fresh:
            return
        listed = i in self.voters(world, other)
        if other.role in (CANDIDATE, PROSPECTIVE) and listed and i not in other.votes and other.epoch >= node.epoch:
            heard = self.moved(node, UNATTACHED, other.epoch, None) if other.epoch > node.epoch else node
            named = self.in_set(self.voters(world, other), i, node.directory)
            grants = self.pre_grants if other.role == PROSPECTIVE else self.grants
            if grants(heard, j, other) and named:
                if other.role == CANDIDATE:
                    heard = heard._replace(voted=self.vote_for(j, other))
                yield put(put(world, i, heard), j, other._replace(votes=other.votes | {i}))
            elif heard != node or (grants(heard, j, other) and other.epoch == node.epoch):
                yield put(world, i, heard)
        if other.role == LEADER:
            newer = other.epoch > node.epoch
            if newer or (other.epoch == node.epoch and node.leader is None):
                follower = self.moved(node, FOLLOWER, other.epoch, j)
                yield put(world, i, follower if self.rules["keeps_vote"] else follower._replace(voted=None))
            waits = other.known[i] == (len(node.log), node.directory) and len(node.log) + 1 == len(other.log)
            if node.role == FOLLOWER and node.leader == j and node.epoch == other.epoch and (waits or not other.fresh):
                after = self.fetched(world, i, node, j, other)
                yield after
                appended = len(after.nodes[i].log) > len(node.log)
                if appended and min(world.budgets[FAULTS.index(name)] for name in ("crashes", "power_losses")):
                    killed = self.down(after.nodes[i])._replace(cached=node.cached + 1)
                    yield put(spend(after, "crashes"), i, killed)

    def pre_grants(self, node, j, other):
        return node.role != LEADER and self.up_to_date(other, node)

    def grants(self, node, j, other):
        if node.role not in (UNATTACHED, PROSPECTIVE):
            return False
        if node.voted is not None:
            return node.voted[0] == j and node.voted[1] in (None, other.directory)
        return node.leader is None and self.up_to_date(other, node)

    def fetched(self, world, i, node, j, other):
        """The leader looks where its log has the epoch of the follower's last record, and says where they part if they do."""
        last = self.tail(node.log)[0]
        upto = [epoch for epoch, _ in other.log if epoch <= last]
        at = upto[-1] if upto else 0
        if at != last or len(upto) < len(node.log):
            local = [epoch for epoch, _ in node.log if epoch <= at]
            keep = 0 if at == 0 else min(len(local), len(upto)) if local and local[-1] == at else len(local)
            return put(world, i, self.down(node) if min(keep, len(upto)) < node.high else self.cut(node, keep))
        known = tuple((len(node.log), node.directory) if k == i else end for k, end in enumerate(other.known))
        world = self.advanced(put(world, j, other._replace(known=known)), j)
        log = (*node.log, *world.nodes[j].log[len(node.log) : len(node.log) + 1])
        high = world.nodes[j].high
        cached = node.cached if len(log) == len(node.log) else 0
        node = node._replace(by_id=node.by_id if node.log or not log else other.by_id)
        if high and min(high, len(log)) < node.high:
            return put(world, i, self.down(node._replace(log=log, cached=cached)))
        return put(world, i, node._replace(log=log, high=min(high, len(log)) if high else node.high, cached=cached))

    def restarted(self, i, node):
        """The state that the file quorum-state and the log tell; with kraft.version 0 the file names no directory."""
        if not self.dynamic and node.voted is not None:
            node = node._replace(voted=(node.voted[0], None))
        node, last = node._replace(up=True), self.tail(node.log)[0]
        if node.epoch < last:
            return self.moved(node, UNATTACHED, last, None)
        if node.leader == i:
            return node._replace(role=RESIGNED)
        if node.voted is not None and node.voted[0] == i and node.voted[1] in (None, node.directory):
            return node._replace(role=CANDIDATE, leader=None, votes=frozenset({i}))
        return node._replace(role=UNATTACHED if node.leader is None else FOLLOWER)

    def faults(self, world, i, node):
        left = dict(zip(FAULTS, world.budgets, strict=True))
        if left["crashes"] and node.up:
            yield put(spend(world, "crashes"), i, self.down(node)._replace(cached=node.cached + node.fresh))
        if left["power_losses"] and node.up:
            kept = node.log[: len(node.log) - node.cached - node.fresh]
            yield put(spend(world, "power_losses"), i, self.down(node)._replace(log=kept, cached=0))
        blank = self.down(node)._replace(epoch=0, leader=None, voted=None)
        if left["disk_losses"]:
            directory = node.directory + (1 if self.rules["names_directory"] else 0)
            if directory < 3:
                yield put(
                    spend(world, "disk_losses"), i, blank._replace(log=(), cached=0, by_id=False, directory=directory)
                )
        if left["quorum_state_losses"]:
            yield put(spend(world, "quorum_state_losses"), i, blank)
        if left["restored_copies"]:
            for end in range(min(len(node.log), self.size - 1) + 1):
                older = self.cut(blank, end)._replace(epoch=self.tail(node.log[:end])[0])
                yield put(spend(world, "restored_copies"), i, older)


def put(world, i, node):
    return world._replace(nodes=(*world.nodes[:i], node, *world.nodes[i + 1 :]))


def spend(world, name):
    at = FAULTS.index(name)
    left = world.budgets
    return world._replace(budgets=(*left[:at], left[at] - 1, *left[at + 1 :]))


def two_leaders(world):
    epochs = [node.epoch for node in world.nodes if node.role == LEADER]
    return len(epochs) > len(set(epochs))


WRONG = {
    "one_leader_per_epoch": two_leaders,
    "committed_never_lost": lambda world: world.replaced,
    "acked_never_lost": lambda world: world.lost,
}


def search(release, **bounds):
    """The states of each level, and on which level something is wrong first."""
    quorum = Quorum(release, **bounds)
    level, seen, levels, first = {quorum.start()}, set(), [], {}
    while level:
        for name, wrong in WRONG.items():
            if name not in first and any(map(wrong, level)):
                first[name] = len(levels)
        levels.append(len(level))
        seen |= level
        level = {after for world in level for after in quorum.successors(world)} - seen
    return levels, first
