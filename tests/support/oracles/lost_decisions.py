"""An independent search of a partition whose controllers lose decisions: counts states by hand, without neverlost.

Brokers of KRaft as of 4.0: acks=all, one value, no faults but moves of leadership and the loss of decisions, at most one of these.
A record is its leader epoch. `Controllers` has what they decided, `before` what they would go back to, and the news that brokers may
still hear: a leader for each epoch, and its ISR until that leader has heard.
"""

from __future__ import annotations

from collections import namedtuple

Broker = namedtuple("Broker", "up log high epoch leader isr asked known")
Controllers = namedtuple("Controllers", "leader isr epoch fenced news before ahead lost moves")
World = namedtuple("World", "brokers controllers answer waits exposed must may")
NOBODY = frozenset()


class Partition:
    """The rules, for so many brokers, epochs and slots of the log, and a least size of the ISR."""

    def __init__(self, brokers=2, epochs=3, size=1, min_isr=1, losses=1, moves=0):
        self.all = range(brokers)
        self.epochs, self.size, self.min_isr, self.losses, self.moves = epochs, size, min_isr, losses, moves

    def start(self):
        nothing = (0,) * len(self.all)
        brokers = tuple(Broker(True, (), 0, 0, 0, NOBODY, NOBODY, nothing) for _ in self.all)
        brokers = (brokers[0]._replace(isr=frozenset(self.all)), *brokers[1:])
        controllers = Controllers(
            0, frozenset(self.all), 0, NOBODY, ((0, 0, NOBODY),), None, False, self.losses == 0, self.moves
        )
        return World(brokers, controllers, "unsent", None, False, NOBODY, NOBODY)

    def levels(self, most=10**9):
        """How many states are first reached after 0, 1, 2 ... steps, and after how many the record is lost first."""
        level, seen, counts, lost = {self.start()}, set(), [], None
        while level:
            seen |= level
            counts.append(len(level))
            if lost is None and any(map(self.is_lost, level)):
                lost = len(counts) - 1
            level = {after for world in level for after in self.steps(world)} - seen
            assert len(seen) < most
        return counts, lost

    def is_lost(self, w):
        """Does a leader that the controllers take for one, and that knows it, lack the acknowledged record?"""
        c = w.controllers
        return w.answer == "acknowledged" and c.leader is not None and self.leads_now(w, c.leader) and not any(
            w.brokers[c.leader].log
        )  # fmt: skip

    # What brokers and controllers know

    def leads(self, w, b):
        return w.brokers[b].leader == b

    def leads_now(self, w, b):
        return w.controllers.leader == b and self.leads(w, b) and w.brokers[b].epoch == w.controllers.epoch

    def with_broker(self, w, b, **changes):
        brokers = list(w.brokers)
        brokers[b] = brokers[b]._replace(**changes)
        return w._replace(brokers=tuple(brokers))

    def tidied(self, w):
        """News of an epoch that nobody can hear any more is dropped, but for the newest."""
        c = w.controllers
        epochs = [b.epoch for b in w.brokers if b.epoch is not None]
        kept = tuple(n for n in c.news if n[0] >= c.epoch or any(epoch < n[0] for epoch in epochs))
        kept = tuple(n for n in kept if n[1] is not None)
        return w._replace(controllers=c._replace(news=kept))

    def looked(self, w, b):
        """The leader looks whether its high watermark may rise, and answers."""
        me = w.brokers[b]
        maximal = me.isr | me.asked
        end = min([len(me.log), *(me.known[f] for f in maximal if f != b)])
        if end <= me.high or len(me.isr) < self.min_isr:
            return w
        w = self.with_broker(w, b, high=end)
        w = w._replace(exposed=w.exposed or any(me.log[:end]))
        return self.answered(w, b)

    def answered(self, w, b):
        me = w.brokers[b]
        if w.waits is not None and w.waits[0] == b and w.waits[1] <= me.high:
            enough = len(me.isr | me.asked) >= self.min_isr
            return w._replace(answer="acknowledged" if enough else "after append", waits=None)
        return w

    def failed(self, w, b):
        return w._replace(answer="unknown", waits=None) if w.waits is not None and w.waits[0] == b else w

    # Decisions

    def recorded(self, w, isr):
        c = w.controllers
        before = None if c.lost else (c.epoch, c.leader, c.isr)
        return w._replace(controllers=c._replace(before=before, isr=isr, ahead=False))

    def decided(self, w, leader, isr):
        if w.controllers.epoch + 1 >= self.epochs:
            return None
        w = self.recorded(w, isr)
        c = w.controllers
        news = (*c.news, (c.epoch + 1, leader, isr))
        return self.tidied(w._replace(controllers=c._replace(epoch=c.epoch + 1, leader=leader, news=news)))

    def fenced(self, w, b):
        c = w.controllers
        return w._replace(controllers=c._replace(fenced=c.fenced | {b}))

    # Steps

    def steps(self, w):
        for step in (
            self.producing, self.fetching, self.hearing, self.changing_isr, self.electing, self.losing, self.ending
        ):  # fmt: skip
            yield from (after for after in step(w) if after is not None)

    def producing(self, w):
        for b in self.all if w.answer == "unsent" else ():
            me = w.brokers[b]
            if not me.up:
                continue
            if not self.leads(w, b) or len(me.isr) < self.min_isr:
                yield w._replace(answer="refused")
            elif len(me.log) < self.size:
                after = self.with_broker(w, b, log=(*me.log, me.epoch + 1))
                after = after._replace(answer="waiting", waits=(b, len(me.log) + 1))
                yield self.answered(self.looked(after, b), b)

    def fetching(self, w):
        """A log has leader epochs plus one. A follower learns where to cut by epochs alone."""
        for f in self.all:
            for b in self.all:
                mine, other = w.brokers[f].log, w.brokers[b].log
                if f == b or w.brokers[f].leader != b or not self.leads(w, b):
                    continue
                if w.brokers[f].epoch != w.brokers[b].epoch:
                    continue
                led, last = w.brokers[b].epoch + 1, mine[-1] if mine else 0
                if last > led and len(mine) <= len(other):
                    continue
                if last >= led:
                    shared = min(len(mine), len(other))
                else:
                    known = max((e for e in other if e <= last), default=0)
                    shared = min(len(mine), self.end_of(other, known), self.end_of(mine, known))
                high = w.brokers[b].high
                counted = w
                if shared == len(mine) and w.brokers[b].known[f] != len(mine):
                    known_ends = list(w.brokers[b].known)
                    known_ends[f] = len(mine)
                    counted = self.looked(self.with_broker(w, b, known=tuple(known_ends)), b)
                yield counted
                if shared < len(mine):
                    yield self.with_broker(counted, f, log=mine[:shared], high=min(w.brokers[f].high, shared))
                else:
                    if len(mine) < len(other) and other[len(mine)] <= w.brokers[f].epoch + 1:
                        mine = (*mine, other[len(mine)])
                    yield self.with_broker(counted, f, log=mine, high=min(high, len(mine)))

    def end_of(self, log, epoch):
        return max((i + 1 for i, e in enumerate(log) if e <= epoch), default=0)

    def hearing(self, w):
        c = w.controllers
        for b in self.all:
            me = w.brokers[b]
            for epoch, leader, isr in c.news:
                if not me.up or b in w.must or (me.epoch is not None and epoch <= me.epoch):
                    continue
                if me.epoch is None and epoch != c.epoch:
                    continue
                after = w._replace(may=w.may - {b})
                nothing = (0,) * len(self.all)
                if leader == b:
                    known = me.known if me.leader == b else nothing
                    led = c.isr if me.epoch is None else isr
                    after = self.with_broker(after, b, leader=b, epoch=epoch, isr=led, asked=NOBODY, known=known)
                    news = tuple((e, one, NOBODY if e == epoch else i) for e, one, i in c.news)
                    after = after._replace(controllers=c._replace(news=news))
                    yield self.looked(self.tidied(after), b)
                else:
                    after = self.with_broker(
                        self.failed(after, b), b, leader=leader, epoch=epoch, isr=NOBODY, asked=NOBODY, known=nothing
                    )
                    yield self.tidied(after)

    def changing_isr(self, w):
        c = w.controllers
        for b in self.all:
            me = w.brokers[b]
            if not self.leads(w, b):
                continue
            for f in self.all:
                if f == b or me.asked:
                    continue
                if f in me.isr and me.known[f] < len(me.log):
                    yield self.looked(self.with_broker(w, b, asked=me.isr - {f}), b)
                follower = w.brokers[f]
                begun = next((i for i, e in enumerate(me.log) if e == me.epoch + 1), len(me.log))
                follows = follower.leader == b and follower.epoch == me.epoch
                if follows and f not in me.isr and me.known[f] == len(follower.log) >= max(me.high, begun):
                    yield self.looked(self.with_broker(w, b, asked=me.isr | {f}), b)
            if not self.leads_now(w, b):
                continue
            if me.asked and c.isr == me.isr:
                yield self.with_broker(w, b, asked=NOBODY) if me.asked & c.fenced else self.recorded(w, me.asked)
            if c.ahead:
                continue
            if me.asked and c.isr == me.asked:
                yield self.looked(self.with_broker(w, b, isr=me.asked, asked=NOBODY), b)
            elif c.isr != me.isr and b not in w.must:
                after = self.with_broker(w, b, isr=c.isr, asked=NOBODY)
                yield self.looked(after._replace(may=w.may - {b}), b)

    def electing(self, w):
        c = w.controllers
        live = [b for b in self.all if b not in c.fenced]
        for b in self.all:
            left = c.isr - {b} or c.isr
            if not w.brokers[b].up and b not in c.fenced:
                after = self.fenced(w, b)
                if c.leader == b:
                    others = [s for s in live if s != b and s in c.isr]
                    for successor in others:
                        yield self.decided(after, successor, c.isr - {b})
                    if not others:
                        yield self.decided(after, None, left)
                elif left == c.isr:
                    yield after
                elif c.leader is None:
                    yield self.decided(after, None, left)
                else:
                    after = self.recorded(after, left)
                    if self.leads_now(after, c.leader) and after.brokers[c.leader].isr == left:
                        after = self.with_broker(after, c.leader, asked=NOBODY)
                    yield after
            if c.leader is None and b in live and b in c.isr:
                yield self.decided(w, b, c.isr)
            if c.moves and c.leader not in (None, b) and b in live and b in c.isr:
                yield self.decided(w._replace(controllers=c._replace(moves=c.moves - 1)), b, c.isr)
            if not w.brokers[b].up and b in c.fenced:
                after = self.with_broker(w, b, up=True)
                after = after._replace(controllers=c._replace(fenced=c.fenced - {b}))
                for leader in self.all:
                    me = w.brokers[leader]
                    if b in me.asked - me.isr and self.leads_now(w, leader) and c.isr == me.isr:
                        after = self.with_broker(after, leader, asked=NOBODY)
                yield after

    def losing(self, w):
        """The controllers go back. Who was in a later epoch has read what is lost; every other live broker may have."""
        c = w.controllers
        if c.before is None:
            return
        epoch, leader, isr = c.before
        ahead = c.leader is not None and epoch == c.epoch
        ahead = ahead and self.leads_now(w, c.leader) and w.brokers[c.leader].isr == c.isr
        up = {b for b in self.all if w.brokers[b].up}
        must = frozenset(b for b in up if (w.brokers[b].epoch or 0) > epoch)
        waits = leader is not None and (w.brokers[leader].epoch is None or w.brokers[leader].epoch < epoch)
        news = (*(n for n in c.news if n[0] < epoch), (epoch, leader, isr if waits else NOBODY))
        fenced = frozenset(b for b in c.fenced if b not in up and b != leader and b not in isr)
        c = Controllers(leader, isr, epoch, fenced, news, None, ahead, True, c.moves)
        yield self.tidied(w._replace(controllers=c, must=must, may=frozenset(up) - must))

    def ending(self, w):
        for b in w.must | w.may:
            after = self.with_broker(
                self.failed(w, b), b, up=False, isr=NOBODY, asked=NOBODY, leader=None, epoch=None,
                known=(0,) * len(self.all),
            )  # fmt: skip
            yield self.tidied(after._replace(must=w.must - {b}, may=w.may - {b}))
