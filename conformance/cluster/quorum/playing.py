"""A run of the model of the quorum on real controllers: a step lets one request through, starts a process, or is a fault.

Before the run all controllers run, brokers are registered, and a topic is made; all logs are equal then. This is where the model
starts. A controller that only waits in the model is not started before its first step. What the model has as a partition is the topic:
b1 and b2 are brokers 1 and 2. b2, and node 100 which is asked for what clients may know, are cut off from the controllers until one
leads that may not know that b2 has left the ISR.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, cast

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.model.core import Model, Packed
from neverlost.model.kafka.quorum.state import Decision, Quorum

from ..cluster import Cluster
from ..control import CONTROLLING, topic_settings
from ..debugging import Debugger
from ..gates import BEGIN_EPOCH, END_EPOCH, FETCH, HEARTBEAT, METADATA_LOG, VOTE, Answer, Frame
from ..log_files import records_of
from ..releases import ClusterError
from ..story_paths import NotDoneError, PathStep, PlayedPath, PlayedStep
from ..topic import ClusterTopic
from ..wire import NO_ERROR, NO_LEADER
from .control import LONG_MS, QuorumControl, node_of
from .observing import Observer

TOPIC, BASE, ALONE = "events", b"v0", b"v1"
STEP_SECONDS, START_SECONDS, REFUSED_SECONDS, HEAL_SECONDS = 45.0, 90.0, 15.0, 120.0
LOOK_SECONDS, REST_SECONDS, PARKED_SECONDS = 0.05, 2.0, 1.5
FLUSHES, FLUSHES_RAFT_LOG = "kafka.raft.KafkaMetadataLog.flush", "org.apache.kafka.raft.internals.KafkaRaftLog.flush"
FIRST_RAFT_LOG = (4, 3)
"""The first release in which the metadata log is written in Java."""
PRODUCE_MS = 30_000
ASKS_MS, ELECTS_MS = 6000, 2500
"""After so long without a leader, or an election, a controller that is to stand does so. A leader resigns when no majority fetches for
one and a half times the first."""
BETWEEN_CONTROLLERS = (VOTE, BEGIN_EPOCH, END_EPOCH, METADATA_LOG)
PARTITION_CHANGE = b"\x01\x05"
"""How a PartitionChangeRecord begins in the metadata log."""


class RefusedError(NotDoneError):
    """Controllers do not do a step, and it was seen why: it did not only fail to come."""


@dataclass(frozen=True, kw_only=True)
class Played(PlayedPath):
    """A run on real controllers, what consumers read in the end, and who votes."""

    read: tuple[str, ...]
    acknowledged: bool
    voters: tuple[str, ...]


class Play:
    """Plays a path on a cluster whose quorum is steered."""

    def __init__(
        self,
        model: Model,
        path: Sequence[PathStep],
        cluster: Cluster,
        *,
        before_flush: bool = False,
        asks_ms: Mapping[str, int] | None = None,
        watch: Watch[str] = UNWATCHED,
    ) -> None:
        self.model, self.path, self.cluster, self.watch = model, path, cluster, watch
        self.control = cast(QuorumControl, cluster.control)
        self.gates, self.wire = cluster.gates, cluster.wire
        self.topic = ClusterTopic(cluster, TOPIC, (1, 2), topic_settings(1), prefix="b")
        self.observer = Observer(control=self.control)
        self.epoch_before = 0
        self.number = 0
        self.acknowledged = self.shrunk = self.failed_over = False
        self.answers: dict[int, list[Frame]] = {}
        """Of each candidate the answers that grant it a vote, which wait to be delivered."""
        self.granted: dict[int, int] = {}
        """Of each candidate how many votes of others it was granted."""
        self.decided: dict[int, int] = {}
        """Of each controller where its log ended when it began to lead."""
        self.ended: list[str] = []
        self.before_flush = before_flush
        self.asks_ms = dict(asks_ms or {})
        self.debugger: Debugger | None = None
        self.produced: Future[int | None] | None = None
        self.flushed = 0

    # The whole

    def play(self) -> Played:
        """Play every step, up to the first that is not done; then let everybody run, and read."""
        steps: list[PlayedStep] = []
        trouble = ""
        try:
            self._begin()
            for at in self.path:
                self.number += 1
                shown = at.step.show(self.model.bounds)
                self.watch.progress(f"{self.number}. {shown}")
                try:
                    said = self._perform(at)
                    steps.append(PlayedStep(step=shown, done=True, said=said))
                except NotDoneError as error:
                    if at.after is None and not isinstance(error, RefusedError):
                        # That something did not come in time must not pass for what the model foretells.
                        raise ClusterError(f"{shown}: {error}") from error
                    steps.append(PlayedStep(step=shown, done=False, said=str(error)))
                self.observer.look(self.number)
                steps[-1] = self._with_ended(steps[-1])
                if not steps[-1].done:
                    break
            if self.failed_over:
                self._read_from_b2()
            read, voters = self._heal()
        except (ClusterError, OSError, LookupError) as error:
            trouble, read, voters = str(error), (), ()
        return Played(
            steps=tuple(steps),
            seen=self.observer.seen,
            read=read,
            acknowledged=self.acknowledged,
            voters=voters,
            trouble=trouble,
        )

    def until(self, look: Callable[[], Any], what: str, seconds: float = STEP_SECONDS) -> Any:
        """Wait until something is seen. Raises NotDoneError. A process that ends by itself is noted."""
        end = time.monotonic() + seconds
        while True:
            if self.watch.interrupted():
                raise KeyboardInterrupt
            self._note_ended()
            self._cut_strays()
            with suppress(OSError, LookupError, ClusterError):
                found = look()
                if found:
                    return found
            if time.monotonic() > end:
                raise NotDoneError(f"{what} did not come within {seconds:g} s")
            time.sleep(LOOK_SECONDS)

    def _with_ended(self, step: PlayedStep) -> PlayedStep:
        """A step with the processes that have ended by themselves in it."""
        self._note_ended()
        said, self.ended = "; ".join([step.said, *self.ended]), []
        return replace(step, said=said)

    def _stays_out(self, look: Callable[[], Any], what: str) -> None:
        """Raises RefusedError if something does not come for a while, as is to be expected; returns if it comes."""
        try:
            self.until(look, what, REFUSED_SECONDS)
        except NotDoneError:
            raise RefusedError(f"{what} does not within {REFUSED_SECONDS:g} s") from None

    def _note_ended(self) -> None:
        for node, process in self.cluster.processes.items():
            if process.has_ended() and node not in self.cluster.dead and isinstance(node, int):
                self.cluster.dead.add(node)
                name = f"c{node - CONTROLLING}" if node > CONTROLLING else f"b{node}"
                self.ended.append(f"{name} ended by itself")

    # Before the run

    def _begin(self) -> None:
        """Make the topic, have all controllers at the same end of the log, end them, and shut the gates."""
        self.topic.create()
        error = self.wire.produce(self.cluster.client_port[1], TOPIC, BASE, -1, wait_ms=10000, timeout=15)
        if error != NO_ERROR:
            raise ClusterError(f"the first record is refused with error {error}")
        self.until(self._at_rest, "equal logs of all controllers")
        for state in filter(None, map(self.control.state_of, self.control.controllers)):
            self.observer.first_directories.update(state.voters)
        self.epoch_before = max(self.control.on_disk(c)["leaderEpoch"] for c in self.control.controllers)
        for controller in self.control.controllers:
            self.control.kill_controller(controller)
        self.observer.look(0)
        for one, other in self._pairs():
            for kind in BETWEEN_CONTROLLERS:
                self.gates.shut(kind, node_of(one), node_of(other))
        if not self.before_flush:
            for one in self.control.controllers:
                for broker in (2, CONTROLLING):
                    self.gates.shut(METADATA_LOG, broker, node_of(one))
                    self.gates.shut(HEARTBEAT, broker, node_of(one))
            self.gates.shut(FETCH, 2, 1)
        for at in self.path:
            if at.step.action.name == "restore_copy":
                self.control.keep_copy(at.step.picks()["controller"] + 1)

    def _pairs(self) -> list[tuple[int, int]]:
        return [(c, d) for c in self.control.controllers for d in self.control.controllers if c != d]

    def _cut_strays(self) -> None:
        """Cut off what is asked at random, or of one that is out of reach: the answer is waited for before the right one is asked."""
        asked = [(kind, node_of(c), node_of(d)) for c, d in self._pairs() for kind in (METADATA_LOG, END_EPOCH)]
        for controller in self.control.controllers:
            for broker in (1, 2, CONTROLLING):
                asked += [(kind, broker, node_of(controller)) for kind in (METADATA_LOG, HEARTBEAT)]
        for place in asked:
            if self.gates.gate(*place).closed:
                self.gates.cut_waiting(*place)

    def _at_rest(self) -> bool:
        ends = {self.control.log_end(c) for c in self.control.controllers}
        states = [s for c in self.control.controllers if (s := self.control.state_of(c)) is not None]
        return len(ends) == 1 and [s.high_watermark for s in states] == list(ends)

    # The steps

    def _perform(self, at: PathStep) -> str:
        picks = {name: value + 1 if name != "decision" else value for name, value in at.step.picks().items()}
        performed: Callable[..., str] = getattr(self, f"_{at.step.action.name}")
        return performed(at, **picks)

    def _state(self, words: Packed | None) -> Quorum:
        assert words is not None
        return cast(Quorum, self.model.state(words))

    def _ensure(self, controller: int) -> None:
        """Start a controller that has only waited so far."""
        if not self.control.runs(controller):
            self._start(controller)

    def _start(self, controller: int, *, eager: bool = False) -> None:
        self.control.eager.pop(controller, None)
        if eager:
            leader = self.control.on_disk(controller).get("leaderId", -1)
            asks_ms = self.asks_ms.get(f"c{controller}", ASKS_MS)
            self.control.eager[controller] = (asks_ms, ELECTS_MS if leader in (-1, node_of(controller)) else LONG_MS)
        self.control.start_controller(controller)
        self.until(lambda: self.control.answers(controller), f"an answer of c{controller}", START_SECONDS)

    def _epoch(self, model_epoch: int) -> int:
        return self.epoch_before + model_epoch

    def _ask_before(self, at: PathStep, controller: int) -> str:
        self._stands(controller)
        return f"c{controller} is to ask whether it would be elected"

    def _stands(self, controller: int) -> None:
        """Start a controller so that it stands soon; one that runs, and would not, starts again. The only one does so at once."""
        self.granted[controller] = 0
        if len(self.control.controllers) > 1 and self.control.runs(controller) and controller not in self.control.eager:
            self.control.kill_controller(controller)
        if not self.control.runs(controller):
            for other in self.control.controllers:
                if other != controller:
                    self.gates.shut(METADATA_LOG, node_of(controller), node_of(other))
                    self.gates.shut(BEGIN_EPOCH, node_of(other), node_of(controller))
            self._start(controller, eager=True)

    def _pre_vote(self, at: PathStep, voter: int, candidate: int) -> str:
        granted = self._ask(at, voter, candidate)
        for frame in self.answers.pop(candidate, []):
            self.gates.release(frame)
        return f"c{voter} would {'' if granted else 'not '}vote for c{candidate}"

    def _stand(self, at: PathStep, controller: int) -> str:
        wanted = self._epoch(self._state(at.before).epoch[controller - 1] + 1)
        if not self._state(at.before).pre_vote:
            self._stands(controller)
        if at.after is None and not self.granted.get(controller, 0):
            self._stays_out(
                lambda: self._has_voted_for_itself(controller, wanted), f"c{controller}, which nobody would vote for,"
            )
        self.until(lambda: self._has_voted_for_itself(controller, wanted), f"c{controller} as candidate of {wanted}")
        return f"c{controller} is a candidate of epoch {wanted}"

    def _has_voted_for_itself(self, controller: int, epoch: int) -> bool:
        disk = self.control.on_disk(controller)
        return bool(disk.get("votedId") == node_of(controller) or disk.get("leaderId") == node_of(controller)) and (
            disk.get("leaderEpoch") == epoch
        )

    def _ask(self, at: PathStep, voter: int, candidate: int) -> bool:
        """Let a candidate's request for a vote pass, and hold the answer if it grants one."""
        self._ensure(voter)
        self._make_way(candidate, voter, VOTE)
        place = (VOTE, node_of(candidate), node_of(voter))
        frame = self.until(lambda: next(iter(self.gates.gate(*place).requests), None), f"a request of c{candidate}")
        self.gates.release(frame, Answer.HELD)
        self.until(lambda: frame in self.gates.gate(*place).answers, f"an answer of c{voter}")
        granted = is_granted(frame)
        self.granted[candidate] = self.granted.get(candidate, 0) + granted
        if granted:
            self.answers.setdefault(candidate, []).append(frame)
        else:
            self.gates.release(frame)
        return granted

    def _make_way(self, source: int, destination: int, wanted: str) -> None:
        """Cut off what is out of date and waits in front of what is wanted: a controller has one connection to another."""
        for kind in BETWEEN_CONTROLLERS:
            if kind != wanted:
                self.gates.cut_waiting(kind, node_of(source), node_of(destination))

    def _vote(self, at: PathStep, voter: int, candidate: int) -> str:
        granted = self._ask(at, voter, candidate)
        if not granted and (at.after is None or self._is_granted_in_model(at, voter, candidate)):
            raise RefusedError(f"c{voter} refuses its vote to c{candidate}")
        return f"c{voter} {'votes for' if granted else 'refuses its vote to'} c{candidate}"

    def _is_granted_in_model(self, at: PathStep, voter: int, candidate: int) -> bool:
        return bool(self._state(at.after).votes[candidate - 1] >> (voter - 1) & 1)

    def _win(self, at: PathStep, controller: int) -> str:
        for frame in self.answers.pop(controller, []):
            self.gates.release(frame)
        if at.after is None and not self.granted.get(controller, 0):
            self._stays_out(lambda: self.control.state_of(controller), f"c{controller}, which nobody has voted for,")
        state = self.until(lambda: self.control.state_of(controller), f"c{controller} as leader")
        if at.after is not None and state.epoch != self._epoch(self._state(at.after).epoch[controller - 1]):
            raise NotDoneError(f"c{controller} leads epoch {state.epoch}")
        self.decided[controller] = self.control.log_end(controller)
        if self.shrunk:
            for broker in (2, CONTROLLING):
                self.gates.open(METADATA_LOG, broker, node_of(controller))
                self.gates.open(HEARTBEAT, broker, node_of(controller))
        return f"c{controller} leads epoch {state.epoch}"

    def _follow(self, at: PathStep, controller: int, leader: int) -> str:
        self._ensure(controller)
        self._make_way(leader, controller, BEGIN_EPOCH)
        self._make_way(controller, leader, METADATA_LOG)
        for other in self.control.controllers:
            # Who follows stands no more, and fetches nothing as long as it waits for a vote.
            self.gates.cut_waiting(VOTE, node_of(controller), node_of(other))
        self.gates.open(BEGIN_EPOCH, node_of(leader), node_of(controller))
        self.gates.open(METADATA_LOG, node_of(controller), node_of(leader))
        epoch = self._epoch(self._state(at.before).epoch[leader - 1])
        if at.after is None and self.control.on_disk(controller).get("leaderEpoch", 0) > epoch:
            self._stays_out(lambda: self._is_follower(controller, leader, epoch), f"c{controller}, in a newer epoch,")
        self.until(
            lambda: self._is_follower(controller, leader, epoch),
            f"c{controller} as follower of c{leader} in epoch {epoch}",
        )
        return f"c{controller} follows c{leader} in epoch {epoch}"

    def _is_follower(self, controller: int, leader: int, epoch: int) -> bool:
        disk = self.control.on_disk(controller)
        return disk.get("leaderId") == node_of(leader) and disk.get("leaderEpoch") == epoch

    def _fetch(self, at: PathStep, controller: int, leader: int) -> str:
        """A controller fetches all there is; the model does so record by record."""
        if at.after is not None and not self._state(at.after).up[controller - 1]:
            self.until(lambda: not self.control.runs(controller), f"the end of c{controller}")
            return f"c{controller} ends"
        self.until(lambda: self._has_log_of(controller, leader), f"the log of c{leader} at c{controller}")
        return f"c{controller} has the log of c{leader} up to {self.control.log_end(controller)}"

    def _has_log_of(self, controller: int, leader: int) -> bool:
        state = self.control.state_of(leader)
        ends = self.control.log_end(controller), self.control.log_end(leader)
        return state is not None and ends == (state.high_watermark, state.high_watermark)

    def _decide(self, at: PathStep, leader: int, decision: int) -> str:
        if decision == Decision.FAIL_OVER:
            self._end_broker(1)
            port, leads = self.cluster.client_port[2], (2,) if at.after is not None else (2, NO_LEADER)
            self.until(lambda: self.wire.partition_state(port, TOPIC).leader in leads, f"a fail-over by c{leader}")
            if self.wire.partition_state(port, TOPIC).leader == NO_LEADER:
                raise RefusedError(f"c{leader} has nobody to elect: b2 hears that nobody leads")
            self.failed_over = True
            return f"c{leader} has decided that b2 leads, as a member of the ISR"
        if self.before_flush:
            return self._decide_before_flush(leader)
        self.until(lambda: self._changes(leader) > 0, f"a decision of c{leader}")
        self.shrunk = True
        return f"c{leader} has written that b2 has left the ISR"

    def _decide_before_flush(self, leader: int) -> str:
        """The leader is asked to shrink the ISR, and stops before it flushes that: it has counted itself, and answers."""
        self._await_rest(leader)
        for broker in (2, CONTROLLING):
            self.gates.shut(METADATA_LOG, broker, node_of(leader))
        # A fetch of b2 that waits at b1 would be answered with the record.
        self.gates.shut(FETCH, 2, 1)
        time.sleep(PARKED_SECONDS)
        self.flushed = self.control.log_end(leader)
        method = FLUSHES if self.cluster.release.number < FIRST_RAFT_LOG else FLUSHES_RAFT_LOG
        self.debugger = self.cluster.debugger(node_of(leader), STEP_SECONDS)
        self.debugger.stop_in(method)
        # b2 is behind, and so leaves the ISR, only when there is a record that it lacks.
        self.produced = ThreadPoolExecutor(1).submit(self._produce)
        thread = self.debugger.stopped(method)
        self.until(lambda: self.control.log_end(leader) > self.flushed, f"a decision of c{leader}")
        self.shrunk = True
        return f"c{leader} has written that b2 has left the ISR; {thread} stops before it flushes that"

    def _await_rest(self, leader: int) -> None:
        """Wait until a leader has written nothing for a while."""
        end, since = self.control.log_end(leader), time.monotonic()
        while time.monotonic() < since + REST_SECONDS:
            time.sleep(LOOK_SECONDS)
            if self.control.log_end(leader) != end:
                end, since = self.control.log_end(leader), time.monotonic()

    def _changes(self, leader: int) -> int:
        """How many changes of the partition a leader has written since its last step."""
        data = b"".join(segment.read_bytes() for segment in sorted(self.control.log_folder(leader).glob("*.log")))
        return sum(
            1
            for record in records_of(data)
            if record.offset >= self.decided[leader] and record.value.startswith(PARTITION_CHANGE)
        )

    def _end_broker(self, broker: int) -> None:
        self.cluster.dead.add(broker)
        self.cluster.processes[broker].kill()
        self.gates.node_died(broker)

    def _produce(self) -> int | None:
        return self.wire.produce(self.cluster.client_port[1], TOPIC, ALONE, -1, wait_ms=PRODUCE_MS, timeout=40)

    def _acknowledge(self, at: PathStep) -> str:
        port = self.cluster.client_port[1]
        if self.debugger is None:
            self.until(lambda: self.wire.partition_state(port, TOPIC).isr == (1,), "the ISR b1 at b1")
            # The controller may have taken b1 for dead before it heard of it the first time.
            self.until(lambda: self.wire.leads(port, TOPIC), "b1 as leader")
        error = self._produce() if self.produced is None else self.produced.result()
        if error != NO_ERROR:
            raise NotDoneError(f"b1 refuses the record with error {error}")
        self.acknowledged = True
        if self.debugger is not None:
            # The thread that would say so is stopped; b1 is answered only when its decision is committed.
            leader = next(c for c in self.control.controllers if self.control.runs(c))
            self.observer.note_committed(leader, self.control.on_disk(leader)["leaderEpoch"], self.number)
        for controller in self.control.controllers:
            self.gates.shut(METADATA_LOG, 1, node_of(controller))
            self.gates.shut(HEARTBEAT, 1, node_of(controller))
        return "b1, the only member of the ISR, acknowledges a record"

    # Faults

    def _crash(self, at: PathStep, controller: int) -> str:
        self._kill(controller)
        return f"c{controller} is killed"

    def _flush(self, at: PathStep, controller: int) -> str:
        self._await_rest(controller)
        return f"c{controller} has written and flushed its first records"

    def _power_loss(self, at: PathStep, controller: int) -> str:
        """The process is killed, and what it had not flushed is cut from its log."""
        self._kill(controller)
        lost = self.control.log_end(controller) - self.flushed
        self.control.lose_tail(controller, self.flushed)
        return f"c{controller} loses power, and the {lost} record(s) that it had not flushed"

    def _kill(self, controller: int) -> None:
        self.control.kill_controller(controller)
        if self.debugger is not None:
            self.debugger.end()
            self.debugger = None

    def _remove_old_entry(self, at: PathStep, leader: int, controller: int) -> str:
        if at.after is None and self._observes(leader, controller):
            self._stays_out(
                lambda: not self._entries(leader, controller), f"c{leader}, with c{controller} as an observer,"
            )
        self.until(lambda: not self._entries(leader, controller), f"voters without c{controller}")
        return f"c{controller}, with its old directory, is no voter any more"

    def _join(self, at: PathStep, leader: int, controller: int) -> str:
        self.until(lambda: self._entries(leader, controller), f"c{controller} among the voters")
        return f"c{controller} is a voter"

    def _observes(self, leader: int, controller: int) -> bool:
        """Does a controller fetch without being a voter, as the leader says?"""
        state = self.control.state_of(leader)
        return state is not None and node_of(controller) in (node for node, _ in state.observers)

    def _entries(self, leader: int, controller: int) -> list[str]:
        """The directories with which a controller is a voter, as the leader says. Raises ClusterError if it does not lead."""
        state = self.control.state_of(leader)
        if state is None:
            raise ClusterError(f"c{leader} does not lead")
        return [directory for node, directory in state.voters if node == node_of(controller)]

    def _disk_loss(self, at: PathStep, controller: int) -> str:
        self.control.kill_controller(controller)
        self.control.lose_directory(controller)
        return f"the directory of c{controller} is lost, and formatted again"

    def _quorum_state_loss(self, at: PathStep, controller: int) -> str:
        self.control.kill_controller(controller)
        self.control.lose_quorum_state(controller)
        return f"the file quorum-state of c{controller} is deleted"

    def _restore_copy(self, at: PathStep, controller: int, end: int) -> str:
        self.control.kill_controller(controller)
        self.control.restore_copy(controller)
        return f"the directory of c{controller} is replaced by the copy from before"

    def _borrow_copy(self, at: PathStep, controller: int, source: int) -> str:
        self.control.kill_controller(controller)
        self.control.borrow_copy(controller, source)
        return f"the directory of c{controller} is replaced by a copy of that of c{source}"

    def _restart(self, at: PathStep, controller: int) -> str:
        # What may join by itself does so after as long as it would wait for its leader.
        may_join = self.control.quorum.kraft_version == 1 and bool(self.model.settings["can_join"])
        self._start(controller, eager=may_join)
        return f"c{controller} starts"

    # The end

    def _heal(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Open every gate, let everybody run, wait for a leader of the partition, and read as a consumer."""
        for frame in [frame for frames in self.answers.values() for frame in frames]:
            self.gates.release(frame)
        self.answers.clear()
        self.gates.open_all()
        self.control.eager = dict.fromkeys(self.control.controllers, (2000, 1000))
        for controller in self.control.controllers:
            self.control.kill_controller(controller)
        for controller in self.control.controllers:
            self.control.start_controller(controller)
        self.until(self._active_port, "an active controller", HEAL_SECONDS)
        self.until(self._is_whole, "brokers that agree on the controllers' decisions", HEAL_SECONDS)
        leader = self.wire.partition_state(self.cluster.client_port[1], TOPIC).leader
        read = self._note_unless_read(leader)
        state = next(s for c in self.control.controllers if (s := self.control.state_of(c)) is not None)
        return read, tuple(sorted(f"c{node - CONTROLLING}" for node, _ in state.voters))

    def _read_from_b2(self) -> None:
        """After a fail-over, read as a consumer from the new leader, who was elected as a member of the ISR."""
        port = self.cluster.client_port[2]
        with suppress(NotDoneError):
            self.until(lambda: self.wire.partition_state(port, TOPIC).leader == 2, "b2 as leader")
            self.until(lambda: self.wire.leads(port, TOPIC), "b2 as leader")
            self._note_unless_read(2)

    def _note_unless_read(self, leader: int) -> tuple[str, ...]:
        read = tuple(
            record.value.decode() for record in self.wire.fetch(self.cluster.client_port[leader], TOPIC).records
        )
        if self.acknowledged and ALONE.decode() not in read:
            self.observer.note_record_lost(self.number, f"b{leader} leads, and has {', '.join(read) or 'nothing'}")
        return read

    def _active_port(self) -> int:
        """As QuorumControl.active_port. A controller that has ended is started again.

        Two that have stored different leaders of one epoch end when they hear of each other (KafkaRaftClient.maybeTransition).
        """
        for controller in self.control.controllers:
            if not self.control.runs(controller):
                self.control.start_controller(controller)
        return self.control.active_port()

    def _is_whole(self) -> bool:
        """Do both brokers know the same leader, with both in the ISR? One that has ended is started again."""
        for node in (CONTROLLING, 1, 2):
            if self.cluster.processes[node].has_ended():
                self.cluster.start_node(node)
        states = [self.wire.partition_state(self.cluster.client_port[broker], TOPIC) for broker in (1, 2)]
        return states[0] == states[1] and states[0].isr == (1, 2) and states[0].leader in (1, 2)


def is_granted(frame: Frame) -> bool:
    """Does an answer to Vote grant it? It has one topic with one partition."""
    reply = frame.reply
    assert reply is not None
    # Correlation, tags, error; one topic, its name, one partition: index, error, leader, epoch.
    name = 4 + 1 + 2 + 1
    at = name + reply[name] + 1 + 4 + 2 + 4 + 4
    return bool(struct.unpack_from(">?", reply, at)[0])
