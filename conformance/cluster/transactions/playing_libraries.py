"""A run of the model of transactions by client libraries: every request waits at a gate until its step, and what is not answered in
time the library sends again by itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from neverlost.explorer.process.watch import UNWATCHED, Watch
from neverlost.explorer.traces.trace import Trace
from neverlost.model.core import NONE, Step
from neverlost.model.kafka.transactions.producer import give_up_in_the_same_epoch
from neverlost.model.kafka.transactions.state import Numbering, Phase, Result, Sent, Stage, Transactions, Txn, Way

from ..cluster import Cluster
from ..gates import END_TXN, INIT_PRODUCER_ID, PRODUCE, Frame
from ..releases import ClusterError
from ..steered_clients import Call
from ..wire import NO_ERROR
from .libraries import Library, Patience, producer_of
from .playing import ARRIVES_SECONDS, RETRY_SECONDS, Key, NotDoneError, Play
from .requests import CONCURRENT, FIRST_END_WITH_EPOCH, RETRIABLE, Reply
from .stories import TV2

SLOW_SECONDS = 15.0
"""How much longer a library is waited for than it may take to send again, or to give a record up."""
LAST_RETRY, SUSPENDED = Patience(request_ms=4000, delivery_ms=30_000, retries=1), Patience(4000, 12_000)
"""How patient a producer is that gives a record up after its last retry, or while it is suspended; the next record may wait a while."""
WAITS_FOR_A_MOVE = Patience(request_ms=10_000, delivery_ms=30_000)
"""How patient a producer is whose request is answered when the coordinator has moved: it does not send it again before."""
COMMITS_SECONDS = 0.3
"""How long a library takes to begin a commit."""

PURGED, FENCED_CALL = "_PURGE_QUEUE", "a record of a producer that is fenced"


def _patience(trace: Trace) -> Patience:
    """How patient the producers of a run are."""
    if trace.model.settings["coordinator_moves"]:
        return WAITS_FOR_A_MOVE
    given_up = [step.picks()["numbering"] for step in trace.steps if step.action is give_up_in_the_same_epoch]
    if not given_up:
        return Patience()
    return SUSPENDED if Numbering.AGAIN in given_up else LAST_RETRY


def _phase_after(error: str) -> int:
    """In what phase a producer is after an error of its library, by what it is called in Java, or in librdkafka."""
    fenced = any(
        word in error for word in ("ProducerFenced", "InvalidProducerEpoch", "FENCED", "INVALID_PRODUCER_EPOCH")
    )
    return Phase.FENCED if fenced else Phase.DEAD


class LibraryPlay(Play):
    """A trace on a cluster, whose producers are those of a library."""

    def __init__(
        self, trace: Trace, cluster: Cluster, client: str, library: str, watch: Watch[str] = UNWATCHED
    ) -> None:
        super().__init__(trace, cluster, client, watch=watch)
        self.library = library
        self.libraries: dict[int, Library] = {}
        self.patience = _patience(trace)
        self.calls: dict[tuple[int, str], Call] = {}
        """The calls that have not returned, each by its producer and what it is about."""

    def close(self) -> None:
        """End the producers."""
        super().close()
        for library in self.libraries.values():
            library.close()

    def _is_compared(self, step: Step) -> bool:
        # The library adds no partition without sending the record.
        return step.action.name != "add_partition" or step is self.trace.steps[-1]

    # How requests go

    def _places(self, producer: int) -> list[tuple[str, str, int]]:
        """The gates at which a producer's requests wait."""
        name = self._name(producer)
        ours = [(kind, name, broker) for kind in (INIT_PRODUCER_ID, END_TXN) for broker in self.cluster.brokers]
        return [*ours, *((PRODUCE, name, leader) for leader in self.leaders.values())]

    def _frame(self, kind: str, producer: int, to: int, seconds: float = ARRIVES_SECONDS) -> Frame:
        """The request that waits at a gate, or comes. Raises NotDoneError if none does."""
        try:
            return self.gates.waiting(kind, self._name(producer), to, seconds)
        except ClusterError as error:
            raise NotDoneError(str(error)) from error

    def _hold_up_the_first(self, kind: str, key: Key, producer: int, to: int) -> str:
        """Hold a request until its library has waited long enough and sends it again; the first stays on its way."""
        first = self._frame(kind, producer, to)
        gate = self.gates.gate(kind, self._name(producer), to)

        def sent_again() -> bool:
            return any(frame is not first for frame in gate.requests)

        try:
            self.gates.wait(sent_again, self.patience.request_ms / 1000 + SLOW_SECONDS, "the same request again")
        except ClusterError as error:
            raise NotDoneError(str(error)) from error
        self.gates.hold_up(first)
        self.held[key] = first
        return "held up; the library has no answer in time, and sends it again"

    def _let_pass(self, kind: str, producer: int, to: int, ended: Callable[[Reply | None], bool]) -> Reply | None:
        """Let the requests of a producer pass, one after the other, until something has ended; the last answer.

        A coordinator that has moved is asked first. Raises NotDoneError if it does not end in time.
        """
        brokers = (to,) if kind == PRODUCE else self.cluster.brokers
        gates = [self.gates.gate(kind, self._name(producer), broker) for broker in brokers]
        end = time.monotonic() + ARRIVES_SECONDS
        reply = None
        while not ended(reply):
            frame = next((frame for gate in gates for frame in gate.requests), None)
            if frame is not None:
                self.gates.release(frame)
                reply = self._answer(frame)
                self._compare_protocol(frame)
                end = time.monotonic() + ARRIVES_SECONDS
            elif time.monotonic() > end:
                raise NotDoneError(f"no answer within {ARRIVES_SECONDS:g} s; the last was {reply and reply.in_words}")
            time.sleep(RETRY_SECONDS / 5)
        return reply

    def _passed(self, kind: str, producer: int) -> Callable[[], Reply | None]:
        """Let the request pass that waits for the coordinator: what waits for its answer.

        There is none if the library has heard of the next coordinator before, and closed its connection (librdkafka).
        """
        frame = self._frame(kind, producer, self.requests.coordinator)
        self.gates.release(frame)
        self._compare_protocol(frame)

        def answer() -> Reply | None:
            over = "the answer to a request, or the end of its connection"
            self.gates.wait(lambda: frame.reply is not None or frame.connection.closed, ARRIVES_SECONDS, over)
            return None if frame.reply is None else self._answer(frame)

        return answer

    def _compare_protocol(self, frame: Frame) -> None:
        """Raises ClusterError if a library does not speak the transaction version that it is taken to."""
        if frame.kind == END_TXN and (frame.version >= FIRST_END_WITH_EPOCH) != (self.client == TV2):
            raise ClusterError(
                f"{self.library} sends EndTxn in version {frame.version}, not as a client of {self.client}"
            )

    def _call(self, producer: int, what: str, *command: str) -> Call:
        """A call that has not returned yet, or a new one."""
        key = (producer, what)
        if key not in self.calls:
            self.calls[key] = self.libraries[producer].call(*command)
        return self.calls[key]

    def _returned(self, producer: int, what: str) -> str:
        """The error that a call returned with; it is over."""
        return self.calls.pop((producer, what)).wait(ARRIVES_SECONDS)

    # Producers

    def do_start(self, after: Transactions, producer: int, way: int) -> str:
        """Start a producer, which asks for its epoch."""
        if producer not in self.libraries:
            for place in self._places(producer):
                self.gates.shut(*place)
            made = producer_of(
                self.library,
                self.cluster,
                self._name(producer),
                self.requests.id,
                self.topic,
                self.requests.timeout_ms,
                self.patience,
            )
            self.libraries[producer] = made
        call, to = self._call(producer, "init", "init"), self.requests.coordinator
        self.seen.phase[producer] = Phase.STARTING
        if way == Way.LATE:
            return self._hold_up_the_first(INIT_PRODUCER_ID, ("InitProducerId", producer, NONE), producer, to)
        if self._is_left_unacknowledged(after):
            return self._write_unacknowledged(partial(self._passed, INIT_PRODUCER_ID, producer))
        fences = after.phase[producer] == Phase.STARTING
        reply = self._let_pass(
            INIT_PRODUCER_ID,
            producer,
            to,
            lambda reply: call.has_ended or (fences and reply is not None and reply.error == CONCURRENT),
        )
        if fences and not call.has_ended:
            return "the answer is CONCURRENT_TRANSACTIONS"
        return self._has_epoch(producer, reply, self._returned(producer, "init"))

    def _has_epoch(self, producer: int, reply: Reply | None, error: str) -> str:
        if error or reply is None or reply.error != NO_ERROR:
            self.seen.phase[producer] = Phase.DEAD
            raise NotDoneError(f"the library says {error or 'nothing'}")
        self._learns_epoch(producer, reply)
        self.seen.phase[producer] = Phase.READY
        return f"producer id {reply.producer_id}, epoch {reply.epoch}"

    def do_bump_epoch(self, after: Transactions, producer: int, way: int) -> str:
        """The library asks for another epoch by itself, and the call that ended the transaction returns."""
        if way == Way.LATE:
            raise NotDoneError("no library is made to ask for another epoch twice")
        call = self._call(producer, "end", "abort")
        reply = self._let_pass(INIT_PRODUCER_ID, producer, self.requests.coordinator, lambda _: call.has_ended)
        return self._has_epoch(producer, reply, self._returned(producer, "end"))

    def do_begin(self, after: Transactions, producer: int, txn: int) -> str:
        """Nothing is sent."""
        said = super().do_begin(after, producer, txn)
        error = self.libraries[producer].call("begin").wait(ARRIVES_SECONDS)
        if error:
            raise NotDoneError(f"the library says {error}")
        return said

    def do_add_partition(self, after: Transactions, producer: int, txn: int, partition: int, way: int) -> str:
        """The library sends it with the record."""
        self._in_phase(producer, Phase.IN_TRANSACTION)
        if self.client == TV2:
            raise NotDoneError("a client of transaction version 2 does not send it")
        if way == Way.LATE:
            raise NotDoneError("no library is made to send it alone")
        if after.phase[producer] == Phase.FENCED:
            value = Txn.show(txn, self.model.bounds)
            error = self._call(producer, FENCED_CALL, "send", str(partition), value).wait(ARRIVES_SECONDS)
            # librdkafka purges the record for its fatal error, and says that at the next call.
            error = self.libraries[producer].call("commit").wait(ARRIVES_SECONDS) if error == PURGED else error
            self.seen.phase[producer] = _phase_after(error)
            return f"the library says {error or 'nothing'}"
        if self.seen.sent[txn][partition] == Sent.UNSENT:
            self.seen.sent[txn][partition] = Sent.ADDED
            self._send(producer, txn, partition)
            self._frame(PRODUCE, producer, self.leaders[partition])
        return "the library does it before it sends the record, which waits"

    def do_produce(self, after: Transactions, producer: int, txn: int, partition: int, way: int) -> str:
        """The record of the transaction, and before it what the library sends by itself."""
        one = self._in_phase(producer, Phase.IN_TRANSACTION)
        if self.seen.number[txn][partition] == NONE:
            self.seen.number[txn][partition] = one.numbers.get(partition, 0)
            one.numbers[partition] = self.seen.number[txn][partition] + 1
        call, leader = self._send(producer, txn, partition), self.leaders[partition]
        if way == Way.LATE:
            self.seen.sent[txn][partition] = Sent.UNANSWERED
            return self._hold_up_the_first(PRODUCE, ("Produce", txn, partition), producer, leader)
        self._let_pass(PRODUCE, producer, leader, lambda _: call.has_ended)
        error = self._returned(producer, self._record(txn, partition))
        self.seen.sent[txn][partition] = Sent.FAILED if error else Sent.ACKNOWLEDGED
        return f"the library says {error}" if error else "acknowledged"

    def _record(self, txn: int, partition: int) -> str:
        """What the call is about that sends a record."""
        return f"send {Txn.show(txn, self.model.bounds)} {partition}"

    def _send(self, producer: int, txn: int, partition: int) -> Call:
        """The call that sends a record."""
        return self._call(
            producer, self._record(txn, partition), "send", str(partition), Txn.show(txn, self.model.bounds)
        )

    def do_give_up(self, after: Transactions, producer: int, txn: int, partition: int) -> str:
        """The library has sent the record as long as it may. What it sent again goes nowhere."""
        try:
            error = self.calls.pop((producer, self._record(txn, partition))).wait(
                self.patience.given_up_seconds + SLOW_SECONDS
            )
        except ClusterError as problem:
            raise NotDoneError(str(problem)) from problem
        self.gates.cut_waiting(PRODUCE, self._name(producer), self.leaders[partition])
        super().do_give_up(after, producer, txn, partition)
        return f"the library says {error}"

    def do_give_up_in_the_same_epoch(
        self, after: Transactions, producer: int, txn: int, partition: int, numbering: int
    ) -> str:
        """The application commits while the record is not answered, and the record is given up meanwhile.

        A record that expires as a retry would make its producer ask for another epoch (Sender.sendProducerData). So it is given up
        after the last of its retries, or when its last error comes after delivery.timeout.ms: a process that was suspended for that
        long handles the errors first, and gives the next record the same number (Sender.completeBatch, failBatch).
        """
        commit = self.libraries[producer].call("commit")
        if numbering == Numbering.AGAIN:
            time.sleep(COMMITS_SECONDS)
            self.libraries[producer].suspend(self.patience.given_up_seconds)
            self.clients[producer].numbers[partition] = after.next_number[producer][partition]
        said = self.do_give_up(after, producer, txn, partition)
        return f"{said}; of the commit it says {commit.wait(self.patience.given_up_seconds + SLOW_SECONDS)}"

    def do_end(self, after: Transactions, producer: int, txn: int, result: int, way: int) -> str:
        """Commit or abort."""
        self._in_phase(producer, Phase.IN_TRANSACTION, Phase.ENDING)
        commit, to = result == Result.COMMIT, self.requests.coordinator
        call = self._call(producer, "end", "commit" if commit else "abort")
        self.seen.phase[producer] = Phase.ENDING
        self.seen.stage[txn] = Stage.COMMITTING if commit else Stage.ABORTING
        if way == Way.LATE:
            return self._hold_up_the_first(END_TXN, ("EndTxn", txn, NONE), producer, to)
        if way == Way.UNACKNOWLEDGED:
            return self._write_and_move(partial(self._passed, END_TXN, producer))
        bumps = after.phase[producer] == Phase.BUMPING

        def ended(reply: Reply | None) -> bool:
            answered = reply is not None and reply.error not in RETRIABLE
            return (answered and bumps) or call.has_ended

        reply = self._let_pass(END_TXN, producer, to, ended)
        error = "" if bumps and not call.has_ended else self._returned(producer, "end")
        if error or reply is None:
            self.seen.phase[producer] = _phase_after(error)
            return f"the library says {error or 'nothing'}"
        self.seen.stage[txn] = Stage.COMMITTED if commit else Stage.ABORTED
        self.seen.phase[producer] = Phase.BUMPING if bumps else Phase.READY
        if reply.producer_id != NONE:
            self._learns_epoch(producer, reply)
            return f"the call returns; epoch {reply.epoch}"
        return "the answer is no error; the library asks for another epoch" if bumps else "the call returns"
