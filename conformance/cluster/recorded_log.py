"""An event log made from what was seen of a partition. An event is written where it is certain when it happened; the rest is hidden."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import Any

from neverlost.model.core import Profile
from neverlost.model.kafka.replication.state import KIP_101, TO_HIGH_WATERMARK

from ..validation.event_log import Header, header_line
from .log_files import LogRecord
from .releases import ClusterError
from .sightings import SESSION_ENDS, AskedIsr, Decision, Exchange, Happened, LeaderAndIsr, Seen, Sent
from .wire import NO_ERROR, NO_LEADER, NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND, NOT_LEADER, PartitionState

RETURNS = ("restart", "unfence")
ISR_CHANGES = ("shrink_isr", "expand_isr")
MILLISECOND = 0.001
BEFORE = 1e-6
"""An event that must have come before another, of which alone the time is known, is written so much earlier."""
KNOWN_OUTCOMES = {
    NO_ERROR: "acknowledged",
    NOT_ENOUGH_REPLICAS: "refused",
    NOT_ENOUGH_REPLICAS_AFTER_APPEND: "not-enough-replicas-after-append",
}
"""What a client knows of a value after an error code; after any other it knows nothing."""
HIDDEN = ("fetch", "become_leader", "become_follower", "learn_isr", "hear_of_isr", "refuse_isr", "time_out")
"""What may happen without being seen, or not in time: most of it are fetches that bring no record."""
HIDDEN_STEPS = 4


class RecordingError(ClusterError):
    """What was seen cannot be written as steps of the model."""


@dataclass(kw_only=True)
class _Event:
    """An event, when it is taken to have happened, and since when it may have happened."""

    at: float
    began: float
    name: str
    parameters: dict[str, Any]
    observed: dict[str, Any] = field(default_factory=dict)
    note: str = ""

    def line(self) -> str:
        values = {"event": self.name, "parameters": self.parameters, "observed": self.observed, "note": self.note}
        return json.dumps({key: value for key, value in values.items() if value})


def log_lines(seen: Seen, profile: Profile, settings: Mapping[str, Any], brokers: Sequence[int]) -> list[str]:
    """The lines of the log: a header for `neverlost validate`, and the events in their order. Raises RecordingError."""
    return _Writing(seen, profile, settings, brokers).lines()


class _Writing:
    def __init__(self, seen: Seen, profile: Profile, settings: Mapping[str, Any], brokers: Sequence[int]) -> None:
        self.seen, self.profile, self.settings, self.brokers = seen, profile, settings, tuple(brokers)
        self.events: list[_Event] = []
        self.hidden = [name for name in HIDDEN if any(action.name == name for action in profile.actions)]
        self.exchanges = sorted(seen.exchanges, key=lambda exchange: exchange.began)
        self.first_epoch = seen.decisions[0].state.leader_epoch
        self.sessions_ended = sorted(
            (one for one in seen.happened if one.action == SESSION_ENDS), key=lambda one: one.at
        )
        """Ends of sessions of which no decision is known yet."""
        self.asked = list(seen.asked)
        """Requests for another ISR of which no decision is known yet."""
        self.became: dict[tuple[int, int], float] = {}
        """When a broker came to be in a leader epoch, as far as that is known."""

    def lines(self) -> list[str]:
        self._faults()
        self._decisions()
        self._hearing()
        self._fetches()
        self._produces()
        self.events.sort(key=lambda event: event.at)
        self._answers()
        self._end()
        return [self._header(), *(event.line() for event in self.events)]

    def _add(
        self,
        at: float,
        name: str,
        parameters: dict[str, Any],
        observed: dict[str, Any] | None = None,
        note: str = "",
        began: float | None = None,
    ) -> None:
        event = _Event(at=at, began=at if began is None else began, name=name, parameters=parameters, note=note)
        event.observed.update(observed or {})
        self.events.append(event)

    def _replica(self, broker: int) -> str:
        return f"r{self.brokers.index(broker) + 1}"

    def _epoch(self, real: int) -> int:
        return real - self.first_epoch

    def _log_of(self, broker: int, records: Iterable[LogRecord], end: int) -> dict[str, Any]:
        """What is observed of a broker's log: where it ends, and some records."""
        replica = self._replica(broker)
        found: dict[str, Any] = {"log_end": {replica: end}}
        values = {str(record.offset): self.values[record.number] for record in records}
        epochs = {str(record.offset): self._epoch(record.epoch) for record in records if record.epoch is not None}
        for name, row in (("record_value", values), ("record_epoch", epochs)):
            if row:
                found[name] = {replica: row}
        return found

    # Faults

    def _faults(self) -> None:
        for one in self.seen.happened:
            if one.action == SESSION_ENDS:
                continue
            parameters: dict[str, Any] = {"replica": self._replica(one.broker)}
            observed = self._log_of(one.broker, one.log, len(one.log)) if one.action == "crash" else None
            if one.action == "crash" and self.profile.settings.get("truncation", TO_HIGH_WATERMARK) <= KIP_101:
                # Later followers do not cut their logs at what was checkpointed, so the model need not know it.
                parameters["checkpoint"] = one.checkpoint
            self._add(one.at, one.action, parameters, observed)

    # The controller

    def _decisions(self) -> None:
        for before, after in pairwise(self.seen.decisions):
            self._decision(before.state, after.state, self._decided_at(after))
        for session in self.sessions_ended:
            self._add(self._heard_by_then(session), "fence_follower", {"replica": self._replica(session.broker)})
        for request in self.asked:
            if request.error != NO_ERROR:
                known = next(one.state.isr for one in reversed(self.seen.decisions) if one.at <= request.began)
                self._ask(request, known)

    def _heard_by_then(self, session: Happened) -> float:
        """When the controller has heard of the end of a session at the latest: before the broker returns, or enters the ISR again.

        The broker neither led nor was in the ISR. So nothing was decided on the partition that would show the time.
        """
        returns = [one.at for one in self.seen.happened if one.broker == session.broker and one.action in RETURNS]
        enters = [self._decided_at(one) for one in self.seen.decisions if session.broker in one.state.isr]
        return min((at - BEFORE for at in (*returns, *enters) if at > session.at), default=session.at)

    def _decided_at(self, decision: Decision) -> float:
        """ZooKeeper and KRaft give the time in milliseconds; if a broker has heard of it, it was decided before."""
        sent = [one.began for one in self.seen.leader_and_isr if one.leader_epoch == decision.state.leader_epoch]
        return min([decision.at, *(sent if self._first_in(decision.state.leader_epoch) is decision else [])]) - BEFORE

    def _first_in(self, epoch: int) -> Decision:
        return next(one for one in self.seen.decisions if one.state.leader_epoch == epoch)

    def _decision(self, old: PartitionState, new: PartitionState, at: float) -> None:
        if new.leader_epoch > old.leader_epoch + 1:
            raise RecordingError(
                f"decisions between leader epochs {old.leader_epoch} and {new.leader_epoch} were not seen"
            )
        if new.leader != old.leader:
            self._new_leader(old, new, at)
        elif new.leader_epoch == old.leader_epoch:
            self._new_isr(old, new, at)
        else:
            session = self._end_of_session(set(old.isr) - set(new.isr), at)
            if session is None:
                raise RecordingError(f"the controller changed {old} to {new}, which no step of the model does")
            self._add(at, "fence_follower", {"replica": self._replica(session.broker)})

    def _new_leader(self, old: PartitionState, new: PartitionState, at: float) -> None:
        if old.leader == NO_LEADER:
            self._add(at, "elect", {"successor": self._replica(new.leader)})
            return
        session = self._end_of_session({old.leader}, at)
        leader = {"leader": self._replica(old.leader)}
        if new.leader == NO_LEADER:
            self._add(at, "lose_leader", leader)
        elif session is not None:
            self._add(at, "fail_over", leader | {"successor": self._replica(new.leader)})
        else:
            self._add(at, "move_leader", {"successor": self._replica(new.leader)})

    def _new_isr(self, old: PartitionState, new: PartitionState, at: float) -> None:
        leader = {"leader": self._replica(new.leader)}
        request = next((one for one in self.asked if _may_have_led_to(one, new, at)), None)
        if request is not None:
            self.asked.remove(request)
            self._ask(request, old.isr)
            self._add(max(at, request.began), "grant_isr", leader)
            return
        session = self._end_of_session(set(old.isr) - set(new.isr), at)
        if session is not None:
            self._add(at, "fence_follower", {"replica": self._replica(session.broker)})
        elif self.profile.settings.get("isr_in_flight"):
            # The leader ended before it was answered, and its request was not kept.
            self.hidden += [name for name in ISR_CHANGES if name not in self.hidden]
            self._add(at, "grant_isr", leader)
        else:
            self._change_isr(at, leader, old.isr, new.isr)

    def _ask(self, request: AskedIsr, known: Sequence[int]) -> None:
        self._change_isr(request.began - BEFORE, {"leader": self._replica(request.leader)}, known, request.isr)

    def _change_isr(self, at: float, leader: dict[str, str], old: Sequence[int], new: Sequence[int]) -> None:
        for follower in sorted(set(old) ^ set(new)):
            name = "shrink_isr" if follower in old else "expand_isr"
            self._add(at, name, leader | {"follower": self._replica(follower)})

    def _end_of_session(self, brokers: set[int], at: float) -> Happened | None:
        """The first end of a session of one of the brokers before a decision that no decision followed yet."""
        ended = (one for one in self.sessions_ended if one.at < at + MILLISECOND)
        found = next((one for one in ended if one.broker in brokers), None)
        if found is not None:
            self.sessions_ended.remove(found)
        return found

    # What brokers hear

    def _hearing(self) -> None:
        for decision in self.seen.decisions:
            epoch, leader = decision.state.leader_epoch, decision.state.leader
            if epoch == self.first_epoch or leader == NO_LEADER or self._first_in(epoch) is not decision:
                continue
            for broker in (leader, *(other for other in self.brokers if other != leader)):
                sent = next(
                    (x for x in self.seen.leader_and_isr if (x.broker, x.leader_epoch) == (broker, epoch)), None
                )
                news = _News(
                    epoch=epoch,
                    leader_and_isr=sent,
                    since=self._decided_at(decision) if sent is None else sent.began,
                    until=next((one.at for one in self.seen.decisions if one.state.leader_epoch > epoch), inf),
                )
                at = self._led(broker, news) if broker == leader else self._followed(broker, leader, news)
                if at is None:
                    continue
                self.became[broker, epoch] = at
                parameters = {"replica": self._replica(broker), "epoch": self._epoch(epoch)}
                if broker == leader:
                    self._add(at, "become_leader", parameters)
                else:
                    self._add(at, "become_follower", parameters | {"leader": self._replica(leader)})

    def _led(self, broker: int, news: _News) -> float | None:
        """When a broker began to lead: before it first answered a follower or took a value in this epoch."""
        if news.leader_and_isr is not None and self._leader_before(news.epoch) == broker:
            return news.since
        signs = [] if news.leader_and_isr is None else [news.leader_and_isr.ended]
        signs += [
            one.began
            for one in self.exchanges
            if one.leader == broker and one.error == NO_ERROR and news.covers(one.began, one.epoch)
        ]
        signs += [
            one.began
            for one in self.seen.sent
            if one.broker == broker and one.began > news.since and self.epoch_of.get(one.value) == news.epoch
        ]
        # A broker that still refuses a value has not heard of the epoch, though a follower may have asked it already.
        refusals = [one.began + 3 * BEFORE for one in self._refusals(broker, news) if not self._was_appended(one)]
        return max([min(signs) - 3 * BEFORE, *refusals]) if signs else None

    def _followed(self, broker: int, leader: int, news: _News) -> float | None:
        """When a broker began to follow: before the leader first answered it, or it said that it does not lead."""
        if (
            news.leader_and_isr is not None
            and self._leader_before(news.epoch) == leader
            and not self._had_restarted(broker, news)
        ):
            return news.since
        fetches = [
            one.began
            for one in self.exchanges
            if (one.follower, one.leader, one.error) == (broker, leader, NO_ERROR) and news.covers(one.began, one.epoch)
        ]
        refusals = [one.ended for one in self._refusals(broker, news)]
        if not fetches:
            return None
        return max(min([fetches[0], *refusals]) - 2 * BEFORE, self.became.get((leader, news.epoch), 0) + BEFORE)

    def _refusals(self, broker: int, news: _News) -> Iterator[Sent]:
        """The values of which a broker said in this epoch that it does not lead."""
        for one in self.seen.sent:
            if one.broker == broker and one.error == NOT_LEADER and news.since < one.ended < news.until:
                yield one

    def _leader_before(self, epoch: int) -> int:
        return self._first_in(epoch - 1).state.leader

    def _had_restarted(self, broker: int, news: _News) -> bool:
        """Was it down in the epoch before? Then this is not about a leader that it follows already."""
        since = self._decided_at(self._first_in(news.epoch - 1))
        return any(one.broker == broker and one.action == "restart" and one.at > since for one in self.seen.happened)

    # Fetches with a record, or with a new high watermark

    def _fetches(self) -> None:
        shown: dict[int, int] = {}
        answered = self._answered()
        for number, one in enumerate(self.exchanges):
            if one.error != NO_ERROR or not self._was_taken_in(number, one):
                continue
            watermark = min(one.high_watermark, one.end)
            if not one.records and shown.get(one.follower) == watermark:
                continue
            shown[one.follower] = watermark
            at = self._while_up(one.leader, one.began, self._while_up(one.follower, one.began, answered[number]))
            watermark_seen = {"high_watermark": {self._replica(one.follower): watermark}}
            for record in one.records[:-1]:
                self._fetch(at, one, self._log_of(one.follower, [record], record.offset + 1))
            last = self._log_of(one.follower, one.records[-1:], one.end) if one.records else {}
            self._fetch(at, one, last | watermark_seen)

    def _answered(self) -> dict[int, float]:
        """When each exchange was answered, by its number.

        A leader's high watermark only grows. So an answer with a smaller one was made earlier, though it may have passed later.
        """
        signs = [
            (sent.broker, sent.offset + 1, sent.ended)
            for sent in self.seen.sent
            if sent.error == NO_ERROR and sent.offset is not None and self.settings["acks"] == "all"
        ]
        found = {}
        for number, one in sorted(enumerate(self.exchanges), key=lambda row: -row[1].high_watermark):
            later = [
                at - BEFORE
                for leader, high_watermark, at in signs
                if leader == one.leader and high_watermark > one.high_watermark and at > one.began
            ]
            found[number] = min([one.ended, *later])
            signs.append((one.leader, one.high_watermark, found[number]))
        return found

    def _fetch(self, at: float, one: Exchange, observed: dict[str, Any]) -> None:
        parties = {
            "follower": self._replica(one.follower),
            "leader": self._replica(one.leader),
            "response": "delivered",
        }
        note = f"offset {one.offset}, high watermark {one.high_watermark}"
        self._add(at, "fetch", parties, observed, note, min(at, one.began))

    def _was_taken_in(self, number: int, one: Exchange) -> bool:
        """Does the follower's next fetch from the same leader, or its disk, show that it has what it got?"""
        following = next((later for later in self.exchanges[number + 1 :] if later.follower == one.follower), None)
        death = self._death(one.follower, one.began)
        if death is not None and (following is None or following.began > death.at):
            return bool(one.records) and len(death.log) == one.end
        return (
            following is not None
            and (following.leader, following.offset, following.epoch) == (one.leader, one.end, one.epoch)
            and not any(
                one.began < at < following.began for (broker, _), at in self.became.items() if broker == one.follower
            )
        )

    def _death(self, broker: int, since: float) -> Happened | None:
        crashes = (one for one in self.seen.happened if one.action == "crash" and one.broker == broker)
        return next((one for one in crashes if one.at > since), None)

    def _while_up(self, broker: int, began: float, ended: float) -> float:
        """The end of something that a broker took part in: not after its death."""
        death = self._death(broker, began)
        return ended if death is None else min(ended, death.at - BEFORE)

    # The client

    @cached_property
    def epoch_of(self) -> dict[int, int | None]:
        """The values that were seen in a log, with the leader epoch in which each was written."""
        return {record.number: record.epoch for record in self._written()}

    def _written(self) -> Iterator[LogRecord]:
        for one in self.exchanges:
            yield from one.records
        for happened in self.seen.happened:
            yield from happened.log
        for state in self.seen.brokers.values():
            yield from state.log

    @cached_property
    def values(self) -> dict[int, int]:
        """The values that reached a broker, and what the model calls them: 0, 1 and so on, in the order of sending."""
        answers = (*KNOWN_OUTCOMES, NOT_LEADER)
        reached = [one.value for one in self.seen.sent if self._was_appended(one) or one.error in answers]
        return {value: number for number, value in enumerate(reached)}

    def _was_appended(self, sent: Sent) -> bool:
        """Was a value in a log, or does an error come with its offset? It may be cut off before anybody sees it."""
        return sent.value in self.epoch_of or (sent.offset is not None and sent.offset >= 0)

    @property
    def known(self) -> Iterator[tuple[Sent, str, str]]:
        """The requests of which the client knows the outcome, each with the name of its value and the outcome."""
        for sent in self.seen.sent:
            if sent.value in self.values and isinstance(sent.error, int) and sent.error in KNOWN_OUTCOMES:
                yield sent, str(self.values[sent.value]), KNOWN_OUTCOMES[sent.error]

    def _produces(self) -> None:
        for sent in self.seen.sent:
            if sent.value not in self.values or sent.broker is None:
                continue
            value, broker = self.values[sent.value], self._replica(sent.broker)
            if sent.error == NOT_LEADER and not self._was_appended(sent):
                leads = (when - BEFORE for (other, _), when in self.became.items() if other == sent.broker)
                at = min([sent.ended, *(when for when in leads if when > sent.began)])
                self._add(at, "refuse_as_not_leader", {"broker": broker, "value": value})
                continue
            refused = {"delivery": {str(value): "refused"}} if sent.error == NOT_ENOUGH_REPLICAS else {}
            parameters = {"leader": broker, "value": value, "response": "delivered"}
            self._add(self._appended_at(sent, sent.broker), "produce", parameters, refused, f"answer: {sent.error}")

    def _appended_at(self, sent: Sent, broker: int) -> float:
        """When a value was appended: not before its leader began to lead, nor after it heard of the next epoch."""
        epoch = self.epoch_of.get(sent.value)
        if epoch is None:
            return sent.began
        at = max(sent.began, self.became.get((broker, epoch), 0) + BEFORE)
        later = [when for (other, heard), when in self.became.items() if other == broker and heard > epoch]
        return min([at, *(when - BEFORE for when in later)])

    def _answers(self) -> None:
        """What the client knows of a value is seen from the first event after the answer on."""
        for sent, value, outcome in self.known:
            event = next((one for one in self.events if one.began > sent.ended), None)
            if event is not None:
                event.observed.setdefault("delivery", {})[value] = outcome

    # The end

    def _end(self) -> None:
        """When all is quiet: one more fetch that brings nothing, with everything that can be seen."""
        last, brokers = self.seen.decisions[-1].state, self.seen.brokers
        observed: dict[str, Any] = {
            "controller_leader": self._replica(last.leader),
            "controller_isr": [self._replica(broker) for broker in last.isr],
            "newest_epoch": self._epoch(last.leader_epoch),
            "high_watermark": {self._replica(broker): state.high_watermark for broker, state in brokers.items()},
            "delivery": {value: outcome for _, value, outcome in self.known},
        }
        for broker, state in brokers.items():
            for name, row in self._log_of(broker, state.log, len(state.log)).items():
                observed.setdefault(name, {}).update(row)
        follower = next(broker for broker in self.brokers if broker != last.leader)
        parties = {"follower": self._replica(follower), "leader": self._replica(last.leader), "response": "delivered"}
        self._add(inf, "fetch", parties, observed, "all is quiet")

    def _header(self) -> str:
        bounds = {
            "replicas": len(self.brokers),
            "log_size": max(len(self.values), 1),
            # One more than are sent: the model lets the last value of all wait for ever.
            "values": len(self.values) + 1,
            "leader_epochs": self._epoch(self.seen.decisions[-1].state.leader_epoch) + 2,
        }
        return header_line(
            Header(
                profile=self.profile.name,
                bounds=bounds,
                settings=self.settings,
                hidden=tuple(self.hidden),
                hidden_steps=HIDDEN_STEPS,
            )
        )


@dataclass(frozen=True, kw_only=True)
class _News:
    """A leader epoch as a broker hears of it: by a controller on ZooKeeper or not, and the time until the next epoch."""

    epoch: int
    leader_and_isr: LeaderAndIsr | None
    since: float
    until: float

    def covers(self, at: float, epoch: int | None) -> bool:
        """Is what a follower asks then in this epoch? Fetches have their epoch from 2.1 on."""
        return at > self.since and (epoch == self.epoch if epoch is not None else at < self.until)


def _may_have_led_to(request: AskedIsr, state: PartitionState, at: float) -> bool:
    """Did the leader ask for this ISR before the controller decided on it?"""
    asked_before = request.began < at + MILLISECOND
    return asked_before and (request.leader, request.isr, request.error) == (state.leader, state.isr, NO_ERROR)
