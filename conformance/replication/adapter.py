"""The adapter of the in-process brokers: every action of the Kafka model as the operations that cause it there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from neverlost.model.core import EMPTY, NONE, Model, Step
from neverlost.model.kafka.replication.state import (
    IN_RANGE,
    LOST,
    OUT_OF_RANGE,
    Delay,
    Epoch,
    Offset,
    ProducerEpoch,
    Replica,
    Value,
)

from ..adapter import AdapterError, Capabilities, How, NotPerformed, Part, Partial, known_actions
from ..inprocess.broker import BrokerSettings
from ..inprocess.log import Entry
from ..inprocess.protocol import OFFSETS_TOPIC, TopicPartition, TopicSettings
from ..inprocess.replica import Replica as BrokerReplica
from ..inprocess.stepped_cluster import SteppedCluster
from ..purgatory.adapter import PurgatoryAdapter
from ..timing_wheel.adapter import TimingWheelAdapter
from .clients import COORDINATOR, PARTITION, Reader, Sender
from .delays import Exchanges
from .settings import protocol_of, topic_of

OFFSETS = TopicPartition(topic=OFFSETS_TOPIC)

SEEN = (
    *("up", "log_end", "record_value", "record_epoch", "numbered_anew", "high_watermark", "epoch", "leader", "isr"),
    *("proposed_isr", "led_from"),
    *("known_end", "newest_epoch", "controller_leader", "controller_isr", "eligible", "last_leader", "fenced"),
    *("delivery", "waiting_at", "required_end", "position", "processed_end", "committed_offset", "read", "processed"),
    *("late_kind", "late_broker", "late_follower", "late_offset", "late_end", "late_value", "late_epoch"),
)
"""The fields that are seen: all except news still to arrive, facts that no part of the system knows, and remaining faults.

Of the exchanges under way everything is seen but whether leadership has changed since they began.
"""

ATTEMPTS = ("fetch", "expand_isr", "elect", "elect_unclean", "move_leader", "hand_over", "poll")
"""The actions that are also tried when the model refuses them."""

MESSAGES = ("become_leader", "become_follower", "grant_isr", "learn_isr")
"""The actions whose messages come early, late or again when the model refuses them."""


class InProcessAdapter:
    """One partition on in-process brokers (r1 is broker 1, and so on), driven by the steps of a model of Apache Kafka.

    Raises AdapterError for a model whose settings the brokers cannot have.
    """

    parts: ClassVar[tuple[Part, ...]] = (
        Part(profile="kafka-purgatory", make=PurgatoryAdapter),
        Part(profile="kafka-timing-wheel", make=TimingWheelAdapter, bounds={"slots": 3, "levels": 3, "horizon": 20}),
    )
    """What of the brokers has a model of its own."""

    def __init__(self, model: Model) -> None:
        protocol = protocol_of(model)
        self.model = model
        self.count = Replica.size(model.bounds)
        self.values, self.offsets = Value.size(model.bounds), Offset.size(model.bounds)
        self.producer_epochs = ProducerEpoch.size(model.bounds)
        members = tuple(range(1, self.count + 1))
        self.cluster = SteppedCluster(
            protocol,
            brokers=(*members, COORDINATOR),
            topics={PARTITION.topic: topic_of(model), OFFSETS_TOPIC: TopicSettings(internal=True)},
            settings=BrokerSettings(joins_isr_by_fetch=False),
        )
        for partition, replicas in ((PARTITION, members), (OFFSETS, (COORDINATOR,))):
            self.cluster.create(partition, replicas)
            self.cluster.all_hear(partition)
        self.sender = Sender(self.cluster, model.settings)
        self.reader = Reader(self.cluster, model.settings, offsets=self.offsets, values=self.values)
        self.exchanges = Exchanges(self.cluster, self.sender, Delay.size(model.bounds))
        self.silent: set[int] = set()
        """Brokers that run, and send no heartbeats."""
        self._actions: dict[str, Callable[..., None]] = {
            name.removeprefix("do_"): getattr(self, name) for name in dir(self) if name.startswith("do_")
        }
        self.capabilities = Capabilities(
            actions=dict.fromkeys(known_actions(model, self._actions), How.FORCED),
            fields=SEEN,
            attempts=known_actions(model, ATTEMPTS),
            messages=known_actions(model, MESSAGES),
        )

    def perform(self, step: Step) -> None:
        """Make the step happen. Raises NotPerformed if the brokers do not do it, AdapterError for an unknown action."""
        if step.action.name not in self._actions:
            known = ", ".join(sorted(self._actions))
            raise AdapterError(f"the in-process adapter cannot do {step.action.name}; it can do {known}")
        try:
            self._actions[step.action.name](**step.picks())
        except LookupError as error:
            raise NotPerformed(str(error)) from error

    def attempt(self, step: Step) -> bool:
        """Let a client poll, a follower fetch, a broker ask to shut down, the controller elect, or an old message arrive.

        All that although the model refuses it.

        False if no component would try: a broker fetches only from one that it follows, and elections beyond the model's epochs are
        unknown.
        """
        picks = step.picks()
        match step.action.name:
            case "elect" | "elect_unclean" | "move_leader":
                return self._attempt_to_elect(step.action.name, picks["successor"])
            case "hand_over":
                return self._attempt_to_hand_over(picks["leader"], picks["successor"])
            case "poll":
                return self._attempt_to_poll(**picks)
            case "become_leader":
                leader = picks["replica"]
                return self.cluster.hear_again(self._broker(leader), PARTITION, self._broker(leader), picks["epoch"])
            case "become_follower":
                leader = self._broker(picks["leader"])
                return self.cluster.hear_again(self._broker(picks["replica"]), PARTITION, leader, picks["epoch"])
            case "grant_isr":
                return self._attempt_to_grant(picks["leader"])
            case "learn_isr":
                return self.cluster.learn_again(self._broker(picks["leader"]))
        follower = self._hosted(picks["follower"])
        if follower is None or follower.following is None or follower.following.leader != self._broker(picks["leader"]):
            return False
        if follower.following.out_of_range or follower.following.truncating:
            return False
        if step.action.name == "fetch":
            self.do_fetch(**picks)
            return True
        return self._attempt_to_join(picks["follower"], picks["leader"])

    def _attempt_to_elect(self, how: str, successor: int) -> bool:
        controller = self.cluster.controller
        if not self._has_epochs_left():
            return False
        if how == "move_leader":
            controller.move_leader(PARTITION, self._broker(successor))
        else:
            elect = controller.elect if how == "elect" else controller.elect_unclean
            elect(PARTITION, self._choosing(successor))
        return True

    def _attempt_to_hand_over(self, leader: int, successor: int) -> bool:
        """Let a leader ask to be shut down, if the controller finds either no successor or this one."""
        broker, controller = self._broker(leader), self.cluster.controller
        record = controller.records[PARTITION]
        candidates = record.clean_candidates(controller.live - {broker})
        asks = self._talks_to_controller(broker) and record.leader == broker and self._has_epochs_left()
        if not asks or (candidates and self._broker(successor) not in candidates):
            return False
        controller.let_go(broker, self._choosing(successor))
        return True

    def _talks_to_controller(self, broker: int) -> bool:
        runs = self.cluster.brokers[broker].process is not None
        return runs and broker not in self.silent and broker in self.cluster.controller.live

    def _attempt_to_grant(self, leader: int) -> bool:
        """Let the controller decide on what the leader waits for, and once more on what it has asked for before."""
        leads = self._leadership(leader) is not None
        return leads and self._has_epochs_left() and self.cluster.decide_isr_again(self._broker(leader))

    def _has_epochs_left(self) -> bool:
        return self.cluster.controller.records[PARTITION].leader_epoch + 1 < Epoch.size(self.model.bounds)

    def _attempt_to_poll(self, leader: int, offset: int) -> bool:
        """Let the consumer poll from a broker that hosts the partition, if this is its next poll."""
        if self._hosted(leader) is None or not self.reader.only_reads(offset):
            return False
        self.do_poll(leader, offset)
        return True

    def _attempt_to_join(self, follower: int, leader: int) -> bool:
        """Let the follower fetch from the offset that the leader knows, so that only the ISR may change."""
        leadership = self._leadership(leader)
        known = None if leadership is None else leadership.followers[self._broker(follower)].log_end
        waits = self.exchanges.await_response(self._broker(follower), self._broker(leader))
        if waits or known != self._of(follower).log.end:
            return False
        self.do_expand_isr(leader, follower)
        return True

    def _broker(self, replica: int) -> int:
        return replica + 1

    def _of(self, replica: int) -> BrokerReplica:
        return self.cluster.replica(self._broker(replica), PARTITION)

    def do_produce(self, leader: int, value: int, response: int) -> None:
        self.sender.send(self._broker(leader), value, lose_response=response == LOST)

    def do_retry(self, leader: int, value: int, response: int) -> None:
        self.sender.send(self._broker(leader), value, lose_response=response == LOST)

    def do_begin_producer_epoch(self, leader: int, value: int, producer_epoch: int) -> None:
        self.sender.begin_epoch(self._broker(leader), value)

    def do_refuse_as_not_leader(self, broker: int, value: int) -> None:
        self.sender.send(self._broker(broker), value, lose_response=False)

    def do_time_out(self, value: int) -> None:
        if not self.exchanges.time_out(value):
            self.sender.time_out(value)

    def do_append_first(self, leader: int, value: int, delay: int) -> None:
        self.exchanges.append(self._broker(leader), value, delay)

    def do_make_delayed_produce(self, broker: int, value: int, delay: int) -> None:
        self.exchanges.go_on(delay)

    def do_begin_look(self, leader: int, value: int, delay: int) -> None:
        self.exchanges.begin_look(self._broker(leader), value, delay)

    def do_end_look(self, broker: int, value: int, delay: int) -> None:
        self.exchanges.end_look(delay)

    def do_fetch(self, follower: int, leader: int, response: int) -> None:
        """One exchange of at most one record. If the logs have diverged, it takes several, one per epoch, to find where."""
        exchanges = self._of(follower).log.end if self._has_parted(follower, leader) and response != LOST else 0
        self.cluster.fetch(self._broker(follower), PARTITION, lose_answer=response == LOST, max_records=1)
        for _ in range(exchanges):
            if self._has_parted(follower, leader):
                self.cluster.fetch(self._broker(follower), PARTITION, max_records=1)

    def do_check_fetch(self, follower: int, leader: int, delay: int) -> None:
        self.exchanges.check(self._broker(follower), delay)

    def do_count_fetch(self, leader: int, follower: int, delay: int) -> None:
        self.exchanges.go_on(delay)

    def do_expand_isr_late(self, leader: int, follower: int, delay: int) -> None:
        manager = self._process(leader).manager
        manager.joins_isr_by_fetch = True
        self.exchanges.go_on(delay)
        manager.joins_isr_by_fetch = False

    def do_answer_fetch(self, follower: int, leader: int, delay: int) -> None:
        self.exchanges.answer(self._broker(follower), delay)

    def do_read_slice(self, broker: int, delay: int) -> None:
        self.exchanges.send(delay)

    def do_receive_response(self, broker: int, follower: int, delay: int) -> None:
        self.exchanges.receive(delay)

    def do_cut_a_round(self, follower: int, leader: int, delay: int) -> None:
        self.exchanges.cut_a_round(self._broker(follower), delay)

    def do_grant_before_metadata(self, leader: int, delay: int) -> None:
        self.cluster.decide_isr(self._broker(leader))
        self.exchanges.delay_news(self._broker(leader), delay)

    def do_take_back_proposal(self, leader: int, follower: int, delay: int) -> None:
        self.exchanges.take_back(self._broker(follower), delay)

    def do_grant_taken_back(self, leader: int, follower: int, delay: int) -> None:
        self.exchanges.grant(delay)

    def do_follow_before_cut(self, replica: int, leader: int, epoch: int, delay: int) -> None:
        """Several changes of the epoch of a follower's leader may come before it cuts its log; then it cuts it once."""
        self.cluster.hear(self._broker(replica), PARTITION, epoch, cuts=False)
        self.exchanges.hear(self._broker(replica), self._broker(leader), delay)

    def do_cut_later(self, follower: int, leader: int, delay: int) -> None:
        self.cluster.cut(self._broker(follower), PARTITION)

    def do_handle_out_of_range(self, follower: int, leader: int) -> None:
        self.cluster.fetch(self._broker(follower), PARTITION)

    def _has_parted(self, follower: int, leader: int) -> bool:
        """Whether the leader would find that the logs have diverged. A fetch would change what the leader knows, so it is not used."""
        following, other = self._of(follower).following, self._hosted(leader)
        if following is None or other is None:
            return False
        return other.diverging(following.fetch_position()) is not None

    def do_shrink_isr(self, leader: int, follower: int) -> None:
        replica = self._of(leader)
        isr = replica.led().isr.committed - {self._broker(follower)}
        self._process(leader).isr_changes.change(replica, isr)
        self.cluster.let_clients_hear()

    def do_expand_isr(self, leader: int, follower: int) -> None:
        """Another fetch from the follower's offset shows the leader that it may join; its response does not matter.

        While the response to a fetch is under way, it is that fetch which shows it.
        """
        if self.exchanges.await_response(self._broker(follower), self._broker(leader)):
            known = self._of(leader).followers[self._broker(follower)]
            self._process(leader).isr_changes.add_caught_up(self._of(leader), self._broker(follower), known)
            return
        manager = self._process(leader).manager
        manager.joins_isr_by_fetch = True
        self.cluster.fetch(self._broker(follower), PARTITION, lose_answer=True)
        manager.joins_isr_by_fetch = False

    def _process(self, replica: int) -> Any:
        return self.cluster.brokers[self._broker(replica)].running

    def do_grant_isr(self, leader: int) -> None:
        self.cluster.decide_isr(self._broker(leader))

    def do_refuse_isr(self, leader: int) -> None:
        self.cluster.decide_isr(self._broker(leader))
        self.cluster.learn_isr(self._broker(leader))

    def do_learn_isr(self, leader: int) -> None:
        """The controller's answer; or news of exactly the requested ISR, if the controller itself shrank the ISR to it."""
        if self.cluster.has_answer_to_isr_change(self._broker(leader), PARTITION):
            self.cluster.learn_isr(self._broker(leader))
        else:
            self.cluster.hear_of_isr(self._broker(leader), PARTITION)

    def do_hear_of_isr(self, leader: int) -> None:
        self.cluster.hear_of_isr(self._broker(leader), PARTITION)

    def do_become_leader(self, replica: int, epoch: int) -> None:
        self.cluster.hear(self._broker(replica), PARTITION, epoch)

    def do_become_follower(self, replica: int, leader: int, epoch: int) -> None:
        self.cluster.hear(self._broker(replica), PARTITION, epoch)

    def do_fence_follower(self, replica: int) -> None:
        self.cluster.controller.session_ended(self._broker(replica))
        self._show_shrunk_isr()

    def _show_shrunk_isr(self) -> None:
        """If the ISR returns to the one that the leader knows, only a request of the leader could show that it differed.

        The model drops that request at once, and looks at the high watermark with the next fetch; a broker does both when it hears of
        the ISR. So the broker here only drops its request: the fetch that may follow changes nothing else.
        """
        record = self.cluster.controller.records[PARTITION]
        leadership = None if record.leader is None else self._leadership(record.leader - 1)
        if leadership is not None and leadership.epoch == record.leader_epoch and leadership.isr.proposed is not None:
            changed = record.partition_epoch != leadership.isr.partition_epoch
            if changed and record.isr == leadership.isr.committed:
                self.cluster.lose_isr_news(leadership.broker, PARTITION)
                leadership.isr = leadership.isr.recorded(record.isr, record.partition_epoch)

    def do_fail_over(self, leader: int, successor: int) -> None:
        self.cluster.controller.session_ended(self._broker(leader), self._choosing(successor))

    def do_fail_over_unclean(self, leader: int, successor: int) -> None:
        self.cluster.controller.session_ended(self._broker(leader), self._choosing(successor))

    def do_lose_leader(self, leader: int) -> None:
        self.cluster.controller.session_ended(self._broker(leader))

    def _choosing(self, successor: int) -> Callable[[tuple[int, ...]], int]:
        """The controller may elect any candidate; here it elects the one in the step."""

        def choose(candidates: tuple[int, ...]) -> int:
            if self._broker(successor) not in candidates:
                raise NotPerformed(f"r{successor + 1} is not a candidate: {', '.join(f'r{c}' for c in candidates)}")
            return self._broker(successor)

        return choose

    def _expect(self, happened: bool, what: str) -> None:
        if not happened:
            raise NotPerformed(what)

    def do_elect(self, successor: int) -> None:
        self._expect(
            self.cluster.controller.elect(PARTITION, self._choosing(successor)), "the controller elects nobody"
        )

    def do_elect_unclean(self, successor: int) -> None:
        elected = self.cluster.controller.elect_unclean(PARTITION, self._choosing(successor))
        self._expect(elected, "the controller elects nobody")

    def do_move_leader(self, successor: int) -> None:
        moved = self.cluster.controller.move_leader(PARTITION, self._broker(successor))
        self._expect(moved, "the controller does not move the leader")

    def do_change_controller(self) -> None:
        """Messages in flight are lost when the broker next hears news; nothing else shows it."""

    def do_crash(self, replica: int, checkpoint: int) -> None:
        broker = self.cluster.brokers[self._broker(replica)]
        broker.disk.checkpoint(PARTITION, checkpoint)
        broker.crash()
        self.cluster.forget_messages(self._broker(replica))

    def do_power_loss(self, replica: int, kept: int) -> None:
        """A broker that flushes every record is left with what it did flush; of another the step says what survives.

        Whether a process that was killed had flushed its last record shows only here.
        """
        broker = self.cluster.brokers[self._broker(replica)]
        broker.running.manager.checkpoint()
        log = broker.disk.log(PARTITION)
        if self.model.settings["flush"] and kept < len(log.entries):
            log.flushed_end = kept
        broker.lose_power({} if self.model.settings["flush"] else {PARTITION: kept})
        self.cluster.forget_messages(self._broker(replica))

    def do_disk_loss(self, replica: int) -> None:
        self.cluster.brokers[self._broker(replica)].lose_disk()
        self.cluster.forget_messages(self._broker(replica))

    def do_directory_loss(self, replica: int) -> None:
        """The other directories keep the mark of a clean shutdown."""
        self.cluster.brokers[self._broker(replica)].disk.lose_everything()

    def do_set_min_isr(self, change: int) -> None:
        self.cluster.controller.min_isr_set(PARTITION)

    def do_move_directory(self, move: int) -> None:
        """In which directory a replica is makes no difference to its broker, which here has one."""
        self.cluster.controller.directory_assigned(PARTITION)

    def do_restart(self, replica: int) -> None:
        """ISR changes that would add the broker under its former registration are refused after its restart (KIP-903)."""
        self.silent.discard(self._broker(replica))
        self.cluster.start(self._broker(replica))
        if self.cluster.protocol.checks_broker_epochs:
            for leader in range(self.count):
                if self._proposes_newcomer(leader, self._broker(replica)):
                    self.cluster.decide_isr(self._broker(leader))
                    self.cluster.learn_isr(self._broker(leader))
                else:
                    self._know_again(leader, self._broker(replica))

    def _know_again(self, leader: int, member: int) -> None:
        """A member of the ISR that has restarted, and is one for the controller too, is known to its leader again.

        Until such a member has fetched, a controller refuses every ISR with it (KIP-903), and its leader asks again; in the model it
        refuses only those that would add it.
        """
        leadership = self._leadership(leader)
        recorded = self.cluster.controller.records[PARTITION].isr
        if leadership is not None and member in leadership.isr.maximal & recorded - {leadership.broker}:
            leadership.followers[member].broker_epoch = None
            self.cluster.ask_isr_again(self._broker(leader), leadership)

    def _proposes_newcomer(self, leader: int, broker: int) -> bool:
        """Whether a leader, whose request the controller would accept, wants the broker in its ISR."""
        leadership = self._leadership(leader)
        record = self.cluster.controller.records[PARTITION]
        return (
            leadership is not None
            and leadership.isr.proposed is not None
            and broker in leadership.isr.proposed - leadership.isr.committed
            and (record.leader, record.leader_epoch) == (self._broker(leader), leadership.epoch)
            and record.partition_epoch == leadership.isr.partition_epoch
        )

    def do_pause(self, replica: int) -> None:
        """The broker sends no heartbeats; nothing else shows it until its session ends."""
        self.silent.add(self._broker(replica))

    def do_unfence(self, replica: int) -> None:
        self.silent.discard(self._broker(replica))
        self.cluster.controller.heard_of(self._broker(replica))

    def do_hand_over(self, leader: int, successor: int) -> None:
        let_go = self.cluster.controller.let_go(self._broker(leader), self._choosing(successor))
        self._expect(let_go, "the controller finds no broker to take over")

    def do_leave_isr(self, replica: int) -> None:
        self._expect(
            self.cluster.controller.let_go(self._broker(replica)), "the controller does not allow the shutdown"
        )
        self._show_shrunk_isr()

    def do_shut_down(self, replica: int) -> None:
        """In the model a later power loss may take what a shutdown flushed, because the model does not record flushes."""
        broker = self.cluster.brokers[self._broker(replica)]
        log = broker.disk.log(PARTITION)
        flushed = log.flushed_end
        broker.shut_down()
        log.flushed_end = flushed
        self.cluster.forget_messages(self._broker(replica))

    def do_poll(self, leader: int, offset: int) -> None:
        self.reader.poll(self._broker(leader))

    def do_poll_too_far(self, leader: int, offset: int) -> None:
        self.reader.poll(self._broker(leader), meets_append=True)

    def do_process(self, offset: int, value: int) -> None:
        self.reader.process()

    def do_commit_offset(self) -> None:
        self.reader.commit_processed()

    def do_crash_consumer(self) -> None:
        self.reader.crash()

    def _hosted(self, replica: int) -> BrokerReplica | None:
        return self.cluster.hosted(self._broker(replica), PARTITION)

    def _leadership(self, replica: int) -> Any:
        hosted = self._hosted(replica)
        return None if hosted is None else hosted.leadership

    def observe(self) -> Partial:
        """Everything that the brokers, the controller and the clients know."""
        members = range(self.count)
        record = self.cluster.controller.records[PARTITION]
        waiting = [self.sender.delayed(value) for value in range(self.values)]
        return {
            "up": [int(self.cluster.brokers[self._broker(r)].process is not None) for r in members],
            **self._observed_logs(),
            **self._observed_beliefs(),
            "newest_epoch": record.leader_epoch,
            "controller_leader": NONE if record.leader is None else record.leader - 1,
            "controller_isr": as_mask(record.isr),
            "eligible": as_mask(record.eligible),
            "last_leader": NONE if record.last_known_leader is None else record.last_known_leader - 1,
            "fenced": as_mask(frozenset(self.cluster.controller.fenced)),
            "delivery": [self.sender.delivery(value) for value in range(self.values)],
            "waiting_at": [NONE if one is None else one[0] - 1 for one in waiting],
            "required_end": [0 if one is None else one[1].awaited[PARTITION].required_offset for one in waiting],
            "position": self.reader.position,
            "processed_end": self.reader.processed_end,
            "committed_offset": self.reader.committed(),
            "read": list(self.reader.read),
            "processed": list(self.reader.processed),
            **self.exchanges.observe(),
        }

    def _observed_logs(self) -> dict[str, Any]:
        """Logs and high watermarks; for a broker without a replica in memory, those on its disk."""
        logs, watermarks = [], []
        for replica in range(self.count):
            hosted, disk = self._hosted(replica), self.cluster.brokers[self._broker(replica)].disk
            logs.append(disk.log(PARTITION).entries)
            watermarks.append(disk.checkpointed(PARTITION) if hosted is None else hosted.high_watermark)
        # A log that is longer than any in the model is seen by its end.
        known = [log[: self.offsets] for log in logs]
        free = [[NONE] * (self.offsets - len(log)) for log in known]
        return {
            "log_end": [len(log) for log in logs],
            "record_value": [[int(e.record.value) for e in log] + rest for log, rest in zip(known, free, strict=True)],
            "record_epoch": [[e.leader_epoch for e in log] + rest for log, rest in zip(known, free, strict=True)],
            "numbered_anew": [
                [
                    [int(_epoch_of(e) > number) for e in log] + [0] * len(rest)
                    for log, rest in zip(known, free, strict=True)
                ]
                for number in range(self.producer_epochs)
            ],
            "high_watermark": watermarks,
        }

    def _known_end(self, hosted: BrokerReplica | None, replica: int, other: int) -> int:
        """What a leader knows of a follower's log end; for a follower, whether its leader has found it beyond its log."""
        if hosted is None:
            return 0
        if replica == other:
            out_of_range = hosted.following is not None and hosted.following.out_of_range
            return OUT_OF_RANGE if out_of_range else IN_RANGE
        return 0 if hosted.leadership is None else hosted.leadership.followers[self._broker(other)].log_end

    def _observed_beliefs(self) -> dict[str, Any]:
        """The leader and epoch that each broker believes in, and what a leader knows of the others."""
        members = range(self.count)
        hosted = [self._hosted(replica) for replica in members]
        leaderships = [None if one is None else one.leadership for one in hosted]
        return {
            "epoch": [NONE if one is None or one.leader_epoch is None else one.leader_epoch for one in hosted],
            "leader": [NONE if one is None or one.leader is None else one.leader - 1 for one in hosted],
            "isr": [EMPTY if one is None else as_mask(one.isr.committed) for one in leaderships],
            "proposed_isr": [EMPTY if one is None else as_mask(one.isr.proposed or frozenset()) for one in leaderships],
            "led_from": [0 if one is None else one.starts_at for one in leaderships],
            "known_end": [
                [self._known_end(one, replica, other) for other in members] for replica, one in enumerate(hosted)
            ],
        }


def _epoch_of(entry: Entry) -> int:
    """The epoch in which the producer sent a record; 0 if it does not number its records."""
    return 0 if entry.record.stamp is None else entry.record.stamp.producer_epoch


def as_mask(brokers: frozenset[int]) -> int:
    """A set of brokers as the model writes a set of replicas."""
    return sum(1 << (broker - 1) for broker in brokers)
