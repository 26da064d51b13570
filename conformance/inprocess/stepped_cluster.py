"""A cluster in which nothing happens by itself: the caller delivers or loses each message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from .broker import BrokerSettings
from .cluster import Components
from .controller import CONTROLLER
from .delayed_produce import DelayedProduce
from .errors import ErrorCode
from .exchanges import HeldRequest, LateResponse, number_of
from .fetchers import broker_name
from .following import Following
from .leadership import Leadership
from .messages import AlterPartitionRequest, AlterPartitionResponse, EpochEndResponse, LeaderAndIsr
from .network import Call, Closed, Envelope, Reply
from .protocol import Protocol, TopicPartition, TopicSettings, Truncation
from .replica import Replica

LARGE = 1_000_000


@dataclass(eq=False)
class ClientRequest:
    """A client's request, and its outcome: an answer, a closed connection, or nothing yet."""

    connection: str
    answer: object = None
    closed: bool = False

    @property
    def open(self) -> bool:
        """Is there no outcome yet?"""
        return self.answer is None and not self.closed


class SteppedCluster(Components):
    """Components whose every move the caller asks for. Each client request has its own connection."""

    def __init__(
        self,
        protocol: Protocol,
        *,
        brokers: Iterable[int] = (1, 2, 3),
        topics: Mapping[str, TopicSettings] | None = None,
        settings: BrokerSettings | None = None,
    ) -> None:
        chosen = replace(settings or BrokerSettings(), fetch_wait_ms=0)
        super().__init__(protocol, brokers, topics or {}, chosen)
        self._asked: dict[int, ClientRequest] = {}
        self._taken: list[Envelope] = []
        """Messages from and to the controller that have been taken in, or that newer ones have overtaken: they may come again."""
        self._held: list[HeldRequest] = []
        self._late: list[LateResponse] = []
        """Leaders' responses to fetches that have not arrived."""
        self._late_news: list[Envelope] = []
        """Metadata with ISRs that leaders read only after the controller's answer."""
        self._looks: list[tuple[int, DelayedProduce]] = []
        """Delayed produces, with their brokers, that a thread is held up with while it looks."""

    def ask(self, broker: int, body: object, *, lose_answer: bool = False) -> ClientRequest:
        """A client sends a request to a broker, which handles it at once; an immediate answer may be lost."""
        asked, call = self._call(broker, body)
        self._arrive(call)
        if lose_answer:
            self.network.lose_all(target=asked.connection)
        self.let_clients_hear()
        return asked

    def _call(self, broker: int, body: object) -> tuple[ClientRequest, Envelope]:
        connection = f"client-{len(self._asked) + 1}"
        asked = ClientRequest(connection)
        self.network.attach(connection, self._hear_as_client)
        call = self.network.call(connection, broker_name(broker), body)
        self._asked[number_of(call)] = asked
        return asked, call

    def ask_and_hold(self, broker: int, body: object) -> tuple[ClientRequest, HeldRequest]:
        """A client sends a request; its handler does the first step, and is held up. Raises LookupError if it has no other step."""
        asked, call = self._call(broker, body)
        held = self._hold(broker, call)
        self.let_clients_hear()
        return asked, held

    def _hold(self, broker: int, call: Envelope) -> HeldRequest:
        self.network.deliver(call)
        process = self.brokers[broker].running
        work = process.pool.begin()
        if work is None:
            raise LookupError(f"the request {call.body!r} is done in one step")
        held = HeldRequest(broker=self.brokers[broker], process=process, call=call, work=work)
        self._held.append(held)
        return held

    def go_on(self, held: HeldRequest) -> None:
        """The handler of a request that was held up does the rest; who has given up waiting does not get the response."""
        held.work.held = False
        held.broker.act(held.process.pool.run)
        self._held.remove(held)
        self._send()
        reply = self._answer_to(held.call)
        if reply is not None and not held.call.source.startswith("client-"):
            self.network.lose(reply)
        self.let_clients_hear()

    def begin_look(self, broker: int, partition: TopicPartition, produce: DelayedProduce) -> None:
        """A thread begins to look at a delayed produce, and is held up. Raises LookupError if the broker does not lead."""
        produce.begin_look(partition)
        self._looks.append((broker, produce))

    def end_look(self, broker: int, produce: DelayedProduce) -> None:
        """The thread goes on with its look."""
        self._looks.remove((broker, produce))
        self.brokers[broker].act(produce.end_look)
        self.let_clients_hear()

    def _hear_as_client(self, envelope: Envelope) -> None:
        match envelope.body:
            case Reply(number=number, body=answer):
                self._asked[number].answer = answer
            case Closed(number=number):
                self._asked[number].closed = True

    def let_clients_hear(self) -> None:
        """Every answer to a client is sent, and arrives."""
        self._send()
        for envelope in list(self.network.in_flight):
            if envelope.target.startswith("client-"):
                self.network.deliver(envelope)

    def _send(self) -> None:
        """Network threads send all responses that are not held back; a connection that breaks is noticed."""
        held_back = [late.queued for late in self._late]
        for broker in self.brokers.values():
            channel = None if broker.process is None else broker.process.channel
            for response in [] if channel is None else list(channel.queued):
                if channel is not None and response not in held_back:
                    channel.send(response)
        self._let_brokers_hear_of_closed()

    def _let_brokers_hear_of_closed(self) -> None:
        for envelope in list(self.network.in_flight):
            if isinstance(envelope.body, Closed) and not envelope.target.startswith("client-"):
                self.network.deliver(envelope)

    def _arrive(self, envelope: Envelope) -> None:
        """A request arrives at a broker, whose handlers continue until nothing is left to do."""
        self._handle(envelope)
        self._send()

    def _handle(self, envelope: Envelope) -> None:
        self.network.deliver(envelope)
        for broker in self.brokers.values():
            if broker.name == envelope.target and broker.process is not None:
                broker.act(broker.running.pool.run)

    def hosted(self, broker: int, partition: TopicPartition) -> Replica | None:
        """The replica of a running broker; None while it is down, and until it has heard of the partition."""
        process = self.brokers[broker].process
        return None if process is None else process.manager.replicas.get(partition)

    def news(self, broker: int, partition: TopicPartition) -> list[Envelope]:
        """The decisions on a partition that are in flight to a broker, the oldest first."""
        return [
            e
            for e in self.network.in_flight
            if e.target == broker_name(broker) and isinstance(e.body, LeaderAndIsr) and e.body.partition == partition
        ]

    def hear(
        self, broker: int, partition: TopicPartition, leader_epoch: int | None = None, *, cuts: bool = True
    ) -> None:
        """A broker hears of a leader epoch, by default the newest; older news no longer reaches it. It cuts its log if it must.

        Without `cuts`, a follower that has to ask its leader where to cut its log has yet to ask. If the epoch has several ISRs, it
        hears of the first, or of the last if it has just started. Raises LookupError if no news of that epoch is in flight.
        """
        on_their_way = self.news(broker, partition)
        chosen = [e for e in on_their_way if leader_epoch in (None, epoch_of(e))]
        if not chosen:
            raise LookupError(f"broker {broker} has no news of {partition} in epoch {leader_epoch} to hear")
        replica = self.brokers[broker].running.manager.replicas.get(partition)
        starts = leader_epoch is None or replica is None or replica.leader_epoch is None
        heard = chosen[-1] if starts else chosen[0]
        older = on_their_way[: on_their_way.index(heard)]
        for envelope in older:
            self.network.lose(envelope)
        self.network.deliver(heard)
        self._taken += [*older, heard]
        self.let_clients_hear()
        self._let_late_end(broker, partition)
        following = self.replica(broker, partition).following if self.hosted(broker, partition) else None
        if cuts and following is not None and following.asks_anew:
            self.cut(broker, partition)

    def hear_of_isr(self, broker: int, partition: TopicPartition) -> None:
        """A broker hears of the newest ISR in the leader epoch that it is in; its earlier requests come too late for an effect.

        Raises LookupError if no news of it is in flight.
        """
        chosen = self._isr_news(broker, partition)
        if not chosen:
            raise LookupError(f"broker {broker} has no news of an ISR of {partition} to hear")
        self._lose(chosen[:-1], broker)
        self.network.deliver(chosen[-1])
        self._taken += chosen
        self.let_clients_hear()

    def hear_again(self, broker: int, partition: TopicPartition, leader: int, leader_epoch: int) -> bool:
        """Old news of the leader epoch that a broker is in, or of an earlier one, reaches it once more. False if there is none."""
        replica = self.hosted(broker, partition)
        if replica is None or replica.leader_epoch is None or leader_epoch > replica.leader_epoch:
            return False
        again = [
            e
            for e in self._taken
            if e.target == broker_name(broker)
            and isinstance(e.body, LeaderAndIsr)
            and (e.body.partition, e.body.leader, e.body.leader_epoch) == (partition, leader, leader_epoch)
            and not self._takes_proposal_back(replica, e.body)
        ]
        before = replica.following
        self._deliver_again(again)
        if replica.following is not before:
            self.cut(broker, partition)
        return bool(again)

    def _takes_proposal_back(self, replica: Replica, news: LeaderAndIsr) -> bool:
        """Would the leader forget a proposal by metadata that it has read before? A broker reads each piece of metadata once."""
        leadership = replica.leadership
        known = None if leadership is None else (leadership.epoch, leadership.isr.partition_epoch)
        return self.protocol.takes_back_proposals and known == (news.leader_epoch, news.partition_epoch)

    def learn_again(self, broker: int) -> bool:
        """The controller's old answers to a broker's ISR changes reach it once more. False if there is none.

        So do its refusals of requests that the broker sent in an earlier leader epoch.
        """
        again = [
            e
            for e in self._taken
            if e.target == broker_name(broker)
            and isinstance(e.body, AlterPartitionResponse)
            and (not e.body.error or e.body.leader_epoch != self._leader_epoch(broker, e.body.partition))
        ]
        self._deliver_again(again)
        return bool(again)

    def forget_messages(self, broker: int) -> None:
        """Messages to a process that has ended do not reach the next one, nor its own the controller.

        Clients learn that their connection is closed.
        """
        name = broker_name(broker)
        for request in self._isr_requests(broker):
            self.network.lose(request)
        self.network.lose_all(target=name)
        self._taken = [message for message in self._taken if name not in (message.source, message.target)]
        for held in [held for held in self._held if held.call.source == name]:
            held.drop()
        for late in [late for late in self._late if late.follower == name]:
            late.lose()
        self._held = [held for held in self._held if held.open]
        self._late = [late for late in self._late if late.open]
        self.let_clients_hear()

    def _deliver_again(self, messages: Iterable[Envelope]) -> None:
        for message in messages:
            self.network.deliver(self.network.send(message.source, message.target, message.body))
        self.let_clients_hear()

    def lose_isr_news(self, broker: int, partition: TopicPartition) -> None:
        """News of ISRs for a broker and answers to its requests are lost; its requests come too late for an effect."""
        self._lose(self._isr_news(broker, partition), broker)

    def _isr_news(self, broker: int, partition: TopicPartition) -> list[Envelope]:
        """News for a broker in the leader epoch that it is in."""
        replica = self.brokers[broker].running.manager.replicas.get(partition)
        return [e for e in self.news(broker, partition) if replica and epoch_of(e) == replica.leader_epoch]

    def _lose(self, news: Sequence[Envelope], broker: int) -> None:
        for lost in (*news, *self._answers_to_isr_changes(broker)):
            self.network.lose(lost)
        for request in self._isr_requests(broker):
            self.network.lose(request)
            self._decide(request)

    def all_hear(self, partition: TopicPartition) -> None:
        """Every broker that is up hears the newest decisions, leaders first, so that followers find them."""
        waiting = [b for b, broker in self.brokers.items() if broker.process is not None and self.news(b, partition)]
        for broker in sorted(waiting, key=lambda b: self.controller.records[partition].leader != b):
            self.hear(broker, partition)

    def cut(self, broker: int, partition: TopicPartition) -> None:
        """A new follower asks its leader where to cut its log, until that is settled or the leader does not say.

        The first answer is an error, as that of a leader that has not heard of its election yet.
        """
        replica = self.brokers[broker].running.manager.replicas.get(partition)
        if replica is not None and replica.following is not None:
            replica.following.settle_if_empty()
        for question in range(0 if replica is None else replica.log.end + 3):
            if replica is not None and replica.following is not None and replica.following.truncating:
                if question == 0:
                    self._refuse_to_answer(broker, partition)
                else:
                    self.fetch(broker, partition)

    def _refuse_to_answer(self, follower: int, partition: TopicPartition) -> None:
        """A follower that asks where to cut its log gets an error."""
        asked = self.brokers[follower].running.fetchers.send(partition)
        if asked is not None:
            self.network.lose(asked)
            answer = EpochEndResponse(error=ErrorCode.NOT_LEADER_OR_FOLLOWER)
            self.network.deliver(
                self.network.send(asked.target, asked.source, Reply(number=number_of(asked), body=answer))
            )

    def fetch(
        self, follower: int, partition: TopicPartition, *, lose_answer: bool = False, max_records: int = LARGE
    ) -> None:
        """A follower's next request reaches the leader, and the answer the follower, unless it is lost.

        A lost answer may arrive after all when the follower has heard of another leader epoch: it comes too late.
        """
        if lose_answer:
            late = self.fetch_and_wait(follower, partition, max_records=max_records)
            if late is not None:
                late.lost = True
            return
        call = self._ask_leader(follower, partition, max_records)
        if call is None:
            return
        self._arrive(call)
        reply = self._answer_to(call)
        if reply is not None:
            self.network.deliver(reply)
        self.let_clients_hear()

    def _ask_leader(self, follower: int, partition: TopicPartition, max_records: int) -> Envelope | None:
        """A follower's next request, if it may send one: it stops to wait for a response that is lost."""
        process = self.brokers[follower].running
        following = process.manager.replica(partition).following
        lost = [
            late
            for late in self._late
            if late.lost and (late.follower, late.partition) == (broker_name(follower), partition)
        ]
        for late in lost:
            if following is not None and late.broker.broker == following.leader:
                self._late.remove(late)
                late.lose()
                process.fetchers.give_up(partition)
        return process.fetchers.send(partition, max_records=max_records)

    def fetch_and_hold(self, follower: int, partition: TopicPartition) -> HeldRequest | None:
        """The leader checks a follower's fetch, and its handler is held up before it counts it. The follower's connection breaks.

        None if the follower does not fetch now.
        """
        call = self._ask_leader(follower, partition, LARGE)
        if call is None:
            return None
        process = self.brokers[follower].running
        held = self._hold(self._number_of(call.target), call)
        process.fetchers.give_up(partition)
        return held

    def fetch_and_wait(
        self, follower: int, partition: TopicPartition, *, max_records: int = LARGE
    ) -> LateResponse | None:
        """The leader handles a follower's fetch; its response waits for a network thread. None if the follower does not fetch now."""
        call = self._ask_leader(follower, partition, max_records)
        if call is None:
            return None
        broker = self.brokers[self._number_of(call.target)]
        self._handle(call)
        process = broker.process
        queued = (
            []
            if process is None
            else [q for q in process.channel.queued if q.request.connection == connection_of(call)]
        )
        if process is None or not queued:
            self.let_clients_hear()
            return None
        late = LateResponse(
            network=self.network,
            broker=broker,
            process=process,
            follower=broker_name(follower),
            partition=partition,
            leader_epoch=self._leader_epoch(follower, partition),
            call=call,
            queued=queued[0],
        )
        self._late.append(late)
        self.let_clients_hear()
        return late

    def _number_of(self, name: str) -> int:
        return next(number for number, broker in self.brokers.items() if broker.name == name)

    def send_late(self, late: LateResponse) -> None:
        """A network thread sends a response, with the bytes that the log has now. If it has too few, the connection breaks."""
        if late.unsent:
            late.process.channel.send(late.queued)
        self._let_brokers_hear_of_closed()

    def check_late(self, late: LateResponse) -> None:
        """A follower sees that a response counts, frees the lock, and is held up before it obeys."""
        follower = self._number_of(late.follower)
        self.brokers[follower].running.fetchers.check_early(late.partition)
        late.checked = True

    def receive_late(self, late: LateResponse) -> None:
        """A response arrives at the follower, sent only now if it was not."""
        self.send_late(late)
        self._late.remove(late)
        reply = late.reply
        if reply is not None:
            self.network.deliver(reply)
        self.let_clients_hear()

    def _leader_epoch(self, broker: int, partition: TopicPartition) -> int | None:
        replica = self.hosted(broker, partition)
        return None if replica is None else replica.leader_epoch

    def _obeys_late(self, late: LateResponse, following: Following | None) -> bool:
        """Does a follower obey a response to a fetch of an earlier leader epoch, if its log ends where it did?"""
        if following is None or following.leader != late.broker.broker:
            return False
        if not self.protocol.responses_know_epoch:
            return True
        asks = self.protocol.truncation in (Truncation.LAST_EPOCH, Truncation.SHARED_EPOCH)
        return asks and not following.truncating

    def _let_late_end(self, broker: int, partition: TopicPartition) -> None:
        """A broker has heard of a leader epoch: what it knows to be of an earlier one has no effect, so it may come now.

        A response that it would still obey, though it comes too late, is lost: it could have come before.
        """
        if self.protocol.produces_know_epoch:
            self._go_on_at(broker, lambda held: held.call.source.startswith("client-"))
            for where, produce in [look for look in self._looks if look[0] == broker]:
                self.end_look(where, produce)
        if self.protocol.fetches_know_epoch:
            self._go_on_at(broker, lambda held: not held.call.source.startswith("client-"))
        now, name = self._leader_epoch(broker, partition), broker_name(broker)
        process, hosted = self.brokers[broker].running, self.hosted(broker, partition)
        following = None if hosted is None else hosted.following
        for late in [late for late in self._late if late.follower == name and late.leader_epoch != now]:
            if not late.lost and (late.checked or not self.protocol.responses_know_epoch):
                continue
            if self._obeys_late(late, following):
                self._late.remove(late)
                late.lose()
                process.fetchers.give_up(partition)
            else:
                self.receive_late(late)

    def _go_on_at(self, broker: int, which: Callable[[HeldRequest], bool]) -> None:
        for held in [held for held in self._held if held.broker.broker == broker and which(held)]:
            self.go_on(held)

    def _answer_to(self, request: Envelope) -> Envelope | None:
        number = number_of(request)
        answers = [e for e in self.network.in_flight if isinstance(e.body, Reply | Closed) and e.body.number == number]
        return answers[0] if answers else None

    def decide_isr(self, leader: int) -> None:
        """The controller receives the leader's latest request for another ISR, earlier ones before it. LookupError if none."""
        requests = self._isr_requests(leader)
        if not requests:
            raise LookupError(f"broker {leader} has no ISR change on its way to the controller")
        for request in requests[:-1]:
            self.network.lose(request)
            self._decide(request)
        self.network.deliver(requests[-1])
        self._taken.append(requests[-1])

    def decide_isr_again(self, leader: int) -> bool:
        """The controller gets a leader's old requests once more, and decides early on the one that is on its way, which stays there.

        Old requests are those after which the ISR has changed; the oldest comes last. False if there is no request.
        """
        again = [e for e in self._taken if e.source == broker_name(leader) and self._is_old(e.body)]
        requests = [*reversed(again), *self._isr_requests(leader)[-1:]]
        for request in requests:
            self._decide(request)
        return bool(requests)

    def ask_isr_again(self, leader: int, leadership: Leadership) -> None:
        """A leader's request for another ISR is on its way anew, with the registrations that the leader knows now (KIP-903)."""
        for request in self._isr_requests(leader):
            if isinstance(request.body, AlterPartitionRequest):
                self.network.lose(request)
                body = replace(request.body, broker_epochs=leadership.broker_epochs(request.body.isr))
                self.network.send(request.source, request.target, body)

    def _is_old(self, body: object) -> bool:
        return (
            isinstance(body, AlterPartitionRequest)
            and body.partition_epoch < self.controller.records[body.partition].partition_epoch
        )

    def _decide(self, request: Envelope) -> None:
        """The controller decides on a request; the leader may get a refusal much later, and never gets another answer."""
        if isinstance(request.body, AlterPartitionRequest):
            answer = self.controller.alter_partition(request.body)
            if answer.error:
                self._taken.append(Envelope(CONTROLLER, request.source, answer))

    def learn_isr(self, leader: int) -> None:
        """The leader receives the controller's latest answer; earlier ones never arrive. Raises LookupError if there is none."""
        answers = self._answers_to_isr_changes(leader)
        if not answers:
            raise LookupError(f"broker {leader} has no answer to an ISR change on its way")
        for answer in answers[:-1]:
            self.network.lose(answer)
        self.network.deliver(answers[-1])
        if isinstance(answers[-1].body, AlterPartitionResponse) and not answers[-1].body.error:
            self._taken.append(answers[-1])
            self._read_metadata_of(answers[-1].body, leader)
        self.let_clients_hear()

    def _read_metadata_of(self, learned: AlterPartitionResponse, leader: int) -> None:
        """The metadata of an ISR that a leader learns comes before its next proposal, and so makes no difference, unless it is late."""
        for news in self._isr_news(leader, learned.partition):
            epoch = partition_epoch_of(news)
            if epoch < learned.partition_epoch or (epoch == learned.partition_epoch and news not in self._late_news):
                self.network.lose(news)

    def delay_isr_news(self, leader: int, partition: TopicPartition) -> Envelope:
        """The metadata of the newest ISR is read late, after its leader has the answer. Raises LookupError if there is none."""
        news = self._isr_news(leader, partition)
        if not news:
            raise LookupError(f"broker {leader} has no metadata of an ISR of {partition} to read")
        self._late_news.append(news[-1])
        return news[-1]

    def is_to_read(self, news: Envelope) -> bool:
        """Has the broker yet to read this metadata, and is none newer?"""
        body = news.body
        newest = isinstance(body, LeaderAndIsr) and self.controller.records[body.partition].news() == body
        return newest and any(one is news for one in self.network.in_flight)

    def take_back(self, leader: int, news: Envelope) -> Envelope:
        """A leader reads late metadata. Returns the request for another ISR that it has on its way, which comes late too.

        Raises LookupError if it has none.
        """
        requests = self._isr_requests(leader)
        if not requests:
            raise LookupError(f"broker {leader} has no ISR change on its way to the controller")
        for request in requests:
            self.network.lose(request)
        self.network.deliver(news)
        self.let_clients_hear()
        return requests[-1]

    def grant_late(self, leader: int, partition: TopicPartition, request: Envelope) -> Envelope:
        """The controller decides on a late request, and its answer is lost. Returns the metadata, which comes late too."""
        self._decide(request)
        return self.delay_isr_news(leader, partition)

    def has_answer_to_isr_change(self, leader: int, partition: TopicPartition) -> bool:
        """Is an answer of the controller in flight to the leader, to a request of its own leader epoch?"""
        replica = self.hosted(leader, partition)
        leadership = None if replica is None else replica.leadership
        return leadership is not None and any(
            isinstance(answer.body, AlterPartitionResponse) and answer.body.leader_epoch == leadership.epoch
            for answer in self._answers_to_isr_changes(leader)
        )

    def _answers_to_isr_changes(self, leader: int) -> list[Envelope]:
        return self._between(CONTROLLER, broker_name(leader), lambda body: isinstance(body, AlterPartitionResponse))

    def _isr_requests(self, leader: int) -> list[Envelope]:
        return self._between(broker_name(leader), CONTROLLER, lambda body: isinstance(body, AlterPartitionRequest))

    def _between(self, source: str, target: str, kind: Callable[[object], bool]) -> list[Envelope]:
        return [e for e in self.network.in_flight if (e.source, e.target) == (source, target) and kind(e.body)]

    def pass_time(self, duration_ms: int) -> None:
        """Let time pass, millisecond by millisecond; deadlines come, and nothing else happens."""
        for time_ms in range(self.clock.now_ms + 1, self.clock.now_ms + duration_ms + 1):
            self.clock.advance_to(time_ms)
            for broker in self.brokers.values():
                if broker.process is not None:
                    broker.running.reaper.reap()
        self.let_clients_hear()


def epoch_of(envelope: Envelope) -> int:
    """The leader epoch in a message. Raises TypeError for another message."""
    if not isinstance(envelope.body, LeaderAndIsr):
        raise TypeError(f"{envelope.body!r} tells of no leader epoch")
    return envelope.body.leader_epoch


def partition_epoch_of(envelope: Envelope) -> int:
    """The partition epoch in a message. Raises TypeError for another message."""
    if not isinstance(envelope.body, LeaderAndIsr):
        raise TypeError(f"{envelope.body!r} tells of no partition epoch")
    return envelope.body.partition_epoch


def connection_of(call: Envelope) -> str:
    """The connection of a call. Raises TypeError for another message."""
    if not isinstance(call.body, Call):
        raise TypeError(f"{call.body!r} is no call")
    return call.body.connection or call.source
