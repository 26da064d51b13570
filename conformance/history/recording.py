"""Operations gathered into columns: what was sent, and what was read, as arrays of numbers."""

from __future__ import annotations

import gc
import re
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from ..malformed import MalformedLine
from .columns import FAIL, INFO, OK, UNKNOWN, Column, column, narrow, table
from .groups import GAINS, LOSSES, UNNAMED, GroupLog, Groups, groups_of
from .malformed import Numbered
from .notation import EDN, Notation
from .operations import HistoryError
from .transactions import CONTROLS, TransactionLog, Transactions, after_transaction

TYPES = ("invoke", "ok", "fail", "info")
OUTCOMES = {"ok": OK, "fail": FAIL, "info": INFO}
MICRO = ("send", "poll", "txn")
SIMPLE = ("produce", "consume")
SESSIONS = ("assign", "subscribe")
OFFSETS = ("commit-offsets", "fetch-offsets")
MOVES = (*GAINS, *LOSSES)
NAMES_FROM = 1 << 61
"""Values that are not whole numbers are numbered from here."""


@dataclass(frozen=True, kw_only=True)
class Sends:
    """The sends, one row each: partition, process, time (as numbers of operations), and outcome.

    `timed` if the history says when the send began. Otherwise `invoked` is the end of the process's operation before it.
    `transaction` is UNKNOWN outside of transactions; within one, the outcome is that of the transaction.
    """

    partition: Column
    value: Column
    offset: Column
    outcome: Column
    process: Column
    invoked: Column
    completed: Column
    timed: Column
    transaction: Column

    def __len__(self) -> int:
        return len(self.partition)


@dataclass(frozen=True, kw_only=True)
class Reads:
    """The reads, one row each, in order. A session is a process with one assignment; `owned` if nothing takes that away.

    The outcome is that of the operation or transaction: what one reads that is aborted was read all the same.
    """

    partition: Column
    value: Column
    offset: Column
    process: Column
    session: Column
    owned: Column
    invoked: Column
    completed: Column
    outcome: Column
    transaction: Column
    group: Column

    def __len__(self) -> int:
        return len(self.partition)


@dataclass(frozen=True, kw_only=True)
class History:
    """A history in columns. Partitions, processes and operations are numbers here, with their names in lists.

    `unknown` counts the operations that no rule reads, by name, if they look as if a client sent or read something.
    """

    name: str
    operations: int
    sends: Sends
    reads: Reads
    transactions: Transactions
    groups: Groups
    partitions: tuple[str, ...]
    processes: tuple[str, ...]
    values: tuple[str, ...]
    indexes: Column | None
    unknown: Mapping[str, int]
    malformed: tuple[MalformedLine, ...]
    malformed_count: int

    def value_name(self, value: int) -> str:
        return self.values[value - NAMES_FROM] if value >= NAMES_FROM else str(value)

    def index_of(self, operation: int) -> int:
        """The operation's number in the history, or else its position in the file, from 0."""
        return operation if self.indexes is None else int(self.indexes[operation])


MOST_NOTED = 1_000
NUMERAL = re.compile(r"[+-]?[0-9]{1,400}(\.[0-9]{0,400})?([eE][+-]?[0-9]{1,2})?")
WORDS_OF_TYPES = {"true": "true", "false": "false", "none": "null", "null": "null", "nil": "null"}
TYPE_WORDS: Mapping[type, str] = {
    int: "a number",
    float: "a number with a decimal point",
    bool: "true or false",
    type(None): "null",
}


class _Names:
    """Names as numbers, in the order of their first use."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}

    def number(self, name: Any) -> int:
        found = self.numbers.get(name)
        if found is None:
            found = self.numbers[name] = len(self.numbers)
        return found

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(map(str, self.numbers))


class _Begun(NamedTuple):
    """An operation that was begun: when, by whom, on which line, and in which transaction of the simple form."""

    invoked: int
    process: int
    function: str
    value: Any
    line: int
    transaction: int


class _WrongOperation(Exception):
    """A part of an operation is wrong: what is wrong, and what was expected."""


class Recorder:
    """Takes operations in their order, and records what they sent and read."""

    def __init__(self, notation: Notation = EDN) -> None:
        self.notation, self.key, self.show = notation, notation.key, notation.show
        self.sends, self.polls = array("q"), array("q")
        self.read_values, self.read_offsets = array("q"), array("q")
        self.partitions, self.processes, self.values = _Names(), _Names(), _Names()
        self.types: dict[int, type] = {}
        """The types of values that are neither text nor small whole numbers."""
        self.transactions, self.groups = TransactionLog(), GroupLog()
        self.open: dict[tuple[int, str], _Begun] = {}
        self.ended: dict[int, int] = {}
        self.owned: dict[int, bool] = {}
        self.assigned: set[int] = set()
        self.session: dict[int, dict[int, int]] = {}
        """The session of each partition that a process reads, by process."""
        self.sessions = 0
        self.rebalances: Any = None
        """The rebalance log of the operation that is being read."""
        self.count = 0
        self.known = False
        self.indexes: array[int] | None = None
        self.unknown: dict[str, int] = {}
        """How many operations have a name that is not known, though they look as if a client sent or read something; by name."""
        self.malformed: list[MalformedLine] = []
        self.malformed_count = 0

    def note(self, malformed: MalformedLine) -> None:
        self.malformed_count += 1
        if len(self.malformed) < MOST_NOTED:
            self.malformed.append(malformed)

    def take(self, forms: Iterable[Numbered]) -> None:
        """Record every operation; wrong ones are noted and left out."""
        collecting = gc.isenabled()
        # Operations are trees that are freed after recording: a search for cycles takes time, and finds none.
        gc.disable()
        try:
            for line, form in forms:
                try:
                    self._operation(form, line)
                except _WrongOperation as wrong:
                    self.note(MalformedLine(line=line, what=wrong.args[0], expected=wrong.args[1]))
                self.count += 1
        finally:
            if collecting:
                gc.enable()

    def _operation(self, form: Any, line: int) -> None:
        if type(form) is not dict:
            raise _WrongOperation(f"{self.show(form)} is not {self.notation.form}", self.notation.operation)
        function, kind = form.get("f"), form.get("type")
        index = form.get("index")
        if index is not None and (self.indexes is not None or index != self.count):
            self._index(index)
        if type(function) is not str or function not in KNOWN:
            if type(function) in (list, dict):
                raise _WrongOperation(f"{self.key('f')} is {self.show(function)}", "the name of an operation")
            if function is None and kind is None:
                raise _WrongOperation(f"it has neither {self.key('type')} nor {self.key('f')}", self.notation.operation)
            if _may_be_of_a_client(form):
                self.unknown[str(function)] = self.unknown.get(str(function), 0) + 1
            return
        self.known = True
        if kind not in TYPES:
            raise _WrongOperation(f"{self.key('type')} is {self.show(kind)}", "invoke, ok, fail or info")
        named = form.get("process")
        if type(named) not in (int, str):
            what = (
                f"{self.key('process')} is {self.show(named)}"
                if "process" in form
                else f"{self.key('process')} is missing"
            )
            raise _WrongOperation(what, "the number or name of a client")
        process = self.processes.number(named)
        value = form.get("value") if function not in SIMPLE else form
        # A producer may send a record before the previous one is answered: in the simple form the record shows which answer is whose.
        answers = (process, f"{form.get('key')} {form.get('value')}" if function == "produce" else "")
        if form.get("seek-to-beginning?"):
            self.assigned.discard(process)
        if (group := form.get("group")) is not None:
            if type(group) not in (int, str):
                raise _WrongOperation(f"{self.key('group')} is {self.show(group)}", "the name of a consumer group")
            self.groups.join(process, group)
        if kind == "invoke":
            self.open[answers] = self._begun(process, function, value, line)
            return
        begun = self.open.pop(answers, None)
        timed = begun is not None
        if begun is None:
            begun = self._begun(process, function, value, line, at=self.ended.get(process, UNKNOWN))
        self.rebalances = form.get("rebalance-log")
        self._completed(begun, OUTCOMES[kind], begun.value if value is None else value, timed=timed)
        self.ended[process] = self.count

    def _begun(self, process: int, function: str, value: Any, line: int, at: int | None = None) -> _Begun:
        """An operation begins, or was begun at an operation that the history does not have."""
        timed = at is None
        invoked = self.count if at is None else at
        if function == "txn":
            self.transactions.named = True
        elif function == "begin":
            self.transactions.begin(process, self.count, timed=timed)
        elif function in CONTROLS:
            self.transactions.ask(process, function, self.count, timed=timed)
        transaction = self.transactions.within(process) if self.transactions.current else UNKNOWN
        return _Begun(invoked, process, function, value, line, transaction)

    def _index(self, index: Any) -> None:
        if type(index) is not int or not -NAMES_FROM < index < NAMES_FROM:
            raise _WrongOperation(f"{self.key('index')} is {self.show(index)}", "a whole number of at most 61 bits")
        if self.indexes is None:
            self.indexes = array("q", range(self.count))
        while len(self.indexes) < self.count:
            self.indexes.append(len(self.indexes))
        self.indexes.append(index)

    def _completed(self, begun: _Begun, outcome: int, value: Any, *, timed: bool) -> None:
        function, process = begun.function, begun.process
        if function in MICRO:
            self._parts(begun, outcome, value, timed=timed)
        elif function in SESSIONS:
            self._begin(begun, outcome, value, at=begun.invoked if timed else self.count)
        elif function in CONTROLS:
            self._controlled(begun, outcome)
        elif function in OFFSETS:
            self._offsets(begun, outcome, value, timed=timed)
        elif function in MOVES:
            if outcome == OK or (outcome == INFO and function in LOSSES):
                self._moved(function, process, value, begun.invoked if timed else self.count)
        elif function == "produce":
            self._ensure_key(value)
            self._send(value.get("key"), value.get("value"), value.get("offset"), outcome, begun, timed=timed)
        elif function == "consume":
            if outcome == OK and (value.get("offset") is not None or "value" in value):
                self._ensure_key(value)
                pairs = [(value.get("offset"), value.get("value"))]
                self._read(value.get("key"), pairs, OK, begun, owned=False)
            elif outcome == INFO:
                self.groups.miss(process, begun.invoked)
                self.session[process] = {}

    def _ensure_key(self, form: dict[Any, Any]) -> None:
        """Who writes one record an operation often calls its partition so."""
        if form.get("key") is None:
            instead = f", and {self.key('partition')} instead" if "partition" in form else ""
            raise _WrongOperation(f"it has no {self.key('key')}{instead}", f"the partition as {self.key('key')}")

    def _parts(self, begun: _Begun, outcome: int, parts: Any, *, timed: bool) -> None:
        process = begun.process
        if parts is None:
            if outcome == INFO and begun.function != "send":
                self.groups.miss(process, begun.invoked)
            return
        if type(parts) is not list:
            raise _WrongOperation(f"{self.key('value')} is {self.show(parts)}", self.notation.parts)
        if begun.function == "txn" or (begun.function == "send" and len(parts) > 1):
            number = self.transactions.add(process, outcome, begun.invoked, self.count, timed=timed)
            begun = begun._replace(transaction=number)
        if self.rebalances:
            self._rebalanced(begun)
        for one in parts:
            self._part(one, outcome, begun, timed=timed)
        if outcome == INFO and begun.function != "send":
            # Nobody knows where the reader is now.
            self.session[process] = {}

    def _controlled(self, begun: _Begun, outcome: int) -> None:
        if begun.function != "begin":
            self.transactions.end(begun.process, begun.function, outcome, self.count)
        elif outcome == FAIL:
            self.transactions.current.pop(begun.process, None)

    def _offsets(self, begun: _Begun, outcome: int, value: Any, *, timed: bool) -> None:
        """Offsets that a client commits, or gets as committed, by partition.

        Without an invocation this began at the earliest when the operation of the process before it had ended.
        """
        if value is None and (begun.function == "fetch-offsets" or outcome != OK):
            return
        if type(value) is not dict:
            raise _WrongOperation(f"{self.key('value')} is {self.show(value)}", self.notation.offsets)
        offsets = [(self._partition(name), self._offset(offset)) for name, offset in value.items()]
        if begun.function == "commit-offsets":
            known = [(partition, offset) for partition, offset in offsets if offset >= 0]
            completed = self.count if outcome == OK else UNKNOWN
            times = (begun.invoked, completed, begun.transaction, timed)
            self.groups.commit(begun.process, known, outcome, times)
        elif outcome == OK:
            self.groups.fetch(begun.process, offsets, begun.invoked, self.count)

    def _rebalanced(self, begun: _Begun) -> None:
        """What the group did with the partitions of a process during an operation, as far as the history says it."""
        log = self.rebalances
        for event in log if type(log) is list else ():
            if type(event) is dict and type(event.get("keys")) is list:
                self._moved(f"partitions-{event.get('type')}", begun.process, event["keys"], begun.invoked)

    def _moved(self, function: str, process: int, names: Any, asked: int) -> None:
        if type(names) is not list:
            raise _WrongOperation(f"{self.key('value')} is {self.show(names)}", "a list of partitions")
        for partition in map(self._partition, names):
            if function in GAINS:
                self.groups.gain(process, partition, asked, self.count)
            elif function in LOSSES:
                self.groups.lose(process, partition, asked)

    def _begin(self, begun: _Begun, outcome: int, partitions: Any, *, at: int) -> None:
        """A process assigns itself partitions, or subscribes: from where it reads is known only for a partition that it keeps.

        SubscriptionState.assignFromUser of Kafka keeps the position of a partition that was assigned before.
        """
        function, process = begun.function, begun.process
        before, kept = self.session.get(process, {}), dict[int, int]()
        self.groups.leave(process, at)
        if outcome != OK:
            self.groups.of.pop(process, None)
        elif function == "assign":
            self.groups.stay_outside(process)
        elif not self.groups.is_member(process):
            self.groups.join(process, UNNAMED)
        if function == "assign" and outcome == OK and type(partitions) is list:
            names = {str(name) for name in partitions}
            if process in self.assigned:
                kept = {
                    number: before[number] for number in map(self.partitions.numbers.get, names) if number in before
                }
            self.assigned.add(process)
        else:
            self.assigned.discard(process)
        self.session[process], self.owned[process] = kept, function == "assign"

    def _part(self, one: Any, outcome: int, begun: _Begun, *, timed: bool) -> None:
        process = begun.process
        if type(one) is list and len(one) == 3 and one[0] == "send":
            sent, offset = one[2], None
            if type(sent) is list and len(sent) == 2:
                offset, sent = sent
            self._send(one[1], sent, offset, outcome, begun, timed=timed)
        elif type(one) is list and one and one[0] == "poll":
            if len(one) < 2 or one[1] is None:
                if outcome == INFO:
                    self.groups.miss(process, begun.invoked)
                return
            if type(one[1]) is not dict:
                raise _WrongOperation(f"{self.show(one)} is not a poll", self.notation.poll)
            if self.rebalances and self.owned.get(process) is False:
                # The group took a partition away, or gave one: this poll may begin anywhere.
                self.session[process] = {}
            for partition, pairs in one[1].items():
                self._read(partition, pairs, outcome, begun, owned=True)
        else:
            raise _WrongOperation(f"{self.show(one)} is neither a send nor a poll", self.notation.part)

    def _send(self, partition: Any, value: Any, offset: Any, outcome: int, begun: _Begun, *, timed: bool) -> None:
        offset = self._offset(offset)
        completed = self.count if outcome == OK else UNKNOWN
        place = (self._partition(partition), self._value(value), offset, outcome)
        self.sends.extend((*place, begun.process, begun.invoked, completed, timed, begun.transaction))

    def _read(self, partition: Any, pairs: Any, outcome: int, begun: _Begun, *, owned: bool) -> None:
        """Record what a poll got. `owned` is what counts for a process that has neither assigned itself partitions nor subscribed."""
        number, process = self._partition(partition), begun.process
        owned = self.owned.setdefault(process, owned)
        sessions = self.session.setdefault(process, {})
        if number not in sessions:
            self.sessions += 1
            sessions[number] = self.sessions
        if type(pairs) is not list:
            raise _WrongOperation(f"{self.show(pairs)} was polled", self.notation.pairs)
        values, offsets = self.read_values, self.read_offsets
        began = len(values)
        try:
            for offset, value in pairs:
                plain = type(value) is int and -NAMES_FROM < value < NAMES_FROM
                offsets.append(offset if type(offset) is int and 0 <= offset < NAMES_FROM else self._offset(offset))
                values.append(value if plain else self._value(value))
        except (TypeError, ValueError):
            raise _WrongOperation(f"{self.show(pairs)} was polled", self.notation.pairs) from None
        finally:
            del offsets[len(values) :]
            known = (number, process, sessions[number], owned, begun.invoked, self.count, outcome)
            self.polls.extend((*known, begun.transaction, self.groups.group(process), len(values) - began))

    def _offset(self, offset: Any) -> int:
        if offset is None:
            return UNKNOWN
        if type(offset) is not int or not 0 <= offset < NAMES_FROM:
            expected = f"a whole number from 0, of at most 61 bits, or {self.notation.null}"
            raise _WrongOperation(f"the offset is {self.show(offset)}", expected)
        return offset

    def _partition(self, name: Any) -> int:
        if type(name) not in (int, str):
            raise _WrongOperation(f"the partition is {self.show(name)}", "a number or a name")
        return self.partitions.number(str(name))

    def _value(self, value: Any) -> int:
        if type(value) is int and -NAMES_FROM < value < NAMES_FROM:
            return value
        number = self.values.number(str(value))
        if type(value) is not str:
            self.types[number] = type(value)
        return NAMES_FROM + number

    def history(self, name: str) -> History:
        """The recorded history. Sends without an answer count as indeterminate."""
        self.rebalances = None
        for begun in sorted(self.open.values(), key=lambda begun: (begun.invoked, begun.process)):
            if begun.value is not None and begun.function not in (*SESSIONS, *MOVES):
                try:
                    self._completed(begun, INFO, begun.value, timed=True)
                except _WrongOperation as wrong:
                    self.note(MalformedLine(line=begun.line, what=wrong.args[0], expected=wrong.args[1]))
            elif begun.function in POLLING:
                self.groups.miss(begun.process, begun.invoked)
        if self.count > self.malformed_count and not self.known:
            raise HistoryError(
                f"{name} holds no operation that can be judged: no {self.key('f')} is one of {', '.join(sorted(KNOWN))}"
            )
        if not self.count or (self.malformed_count >= self.count and not self.known):
            first = f": {self.malformed[0].show()}" if self.malformed else ""
            raise HistoryError(f"{name} is not a history: it holds no operation{first}")
        transactions = self.transactions.columns(self.count)
        sends, reads = self._sends(transactions), self._reads(transactions)
        self._ensure_one_type(name, sends, reads)
        return History(
            name=name,
            operations=self.count,
            sends=sends,
            reads=reads,
            transactions=transactions,
            groups=groups_of(self.groups, transactions),
            partitions=self.partitions.texts,
            processes=self.processes.texts,
            values=self.values.texts,
            indexes=None if self.indexes is None else self._indexes(),
            unknown=dict(self.unknown),
            malformed=tuple(self.malformed),
            malformed_count=self.malformed_count,
        )

    def _ensure_one_type(self, name: str, sends: Sends, reads: Reads) -> None:
        """Producers and consumers write a value alike. Raises HistoryError if one is of different types: 5 and "5", 1 and 1.0."""
        sent, read = np.unique(sends.value), np.unique(reads.value)
        alike: dict[Decimal | str, list[int]] = {}
        for number, text in enumerate(self.values.texts, start=NAMES_FROM):
            meant = _meant(text)
            if meant is not None:
                whole = [int(meant)] if isinstance(meant, Decimal) and _is_whole(meant) else []
                alike.setdefault(meant, whole).append(number)
        for written in alike.values():
            only_sent = [one for one in written if _holds(sent, one) and not _holds(read, one)]
            only_read = [one for one in written if _holds(read, one) and not _holds(sent, one)]
            if only_sent and only_read:
                one, other = self._typed(only_sent[0]), self._typed(only_read[0])
                raise HistoryError(
                    f"{name}: {one[0]} was sent as {one[1]}, and {other[0]} was read as {other[1]}; "
                    "let producers and consumers write the values of records in the same way"
                )

    def _typed(self, value: int) -> tuple[str, str]:
        """How a value is written, and of which type it is."""
        if value < NAMES_FROM:
            return str(value), "a number"
        text, kind = self.values.texts[value - NAMES_FROM], self.types.get(value - NAMES_FROM, str)
        return (f'"{text}"', "text") if kind is str else (text, TYPE_WORDS.get(kind, "something else"))

    def _sends(self, transactions: Transactions) -> Sends:
        sends = table(Sends, self.sends)
        outcome, within = _within(transactions, sends)
        completed = np.where(outcome == OK, sends.completed, UNKNOWN) if len(transactions) else sends.completed
        return replace(sends, outcome=outcome, completed=completed, transaction=within)

    def _reads(self, transactions: Transactions) -> Reads:
        *columns, times = column(self.polls).reshape(-1, len(POLL) + 1).T
        rows = {name: np.repeat(narrow(one), times) for name, one in zip(POLL, columns, strict=True)}
        reads = Reads(value=column(self.read_values), offset=column(self.read_offsets), **rows)
        outcome, within = _within(transactions, reads)
        return replace(reads, outcome=outcome, transaction=within)

    def _indexes(self) -> Column:
        assert self.indexes is not None
        while len(self.indexes) < self.count:
            self.indexes.append(len(self.indexes))
        return column(self.indexes)


KNOWN = frozenset((*MICRO, *SIMPLE, *SESSIONS, *CONTROLS, *OFFSETS, *MOVES))
NEMESIS, OF_JEPSEN = "nemesis", ("crash", "debug-topic-partitions")
"""Who does faults in Jepsen; operations of its clients that say nothing of a record that a poll does not say."""
POLLING = ("poll", "txn", "consume")
POLL = ("partition", "process", "session", "owned", "invoked", "completed", "outcome", "transaction", "group")
"""The common part of all reads in one poll of a partition."""


def _may_be_of_a_client(form: dict[Any, Any]) -> bool:
    """Does an operation of unknown name say something of records? A nemesis and Jepsen's own operations have values too."""
    if form.get("offset") is not None or form.get("key") is not None:
        return True
    return form.get("value") is not None and form.get("process") != NEMESIS and form.get("f") not in OF_JEPSEN


def _within(transactions: Transactions, rows: Sends | Reads) -> tuple[Column, Column]:
    """Outcome and transaction of each row; a history that names no transaction has none."""
    if not len(transactions):
        return rows.outcome, np.full(len(rows), UNKNOWN, np.int32)
    # A part of its own outcome that is unknown need not share the fate of a transaction that went on without it.
    alone = (rows.transaction >= 0) & (rows.outcome == INFO) & (transactions.in_parts[rows.transaction] != 0)
    within = np.where(alone, UNKNOWN, rows.transaction)
    return after_transaction(rows.outcome, rows.transaction, transactions), within


def _meant(text: str) -> Decimal | str | None:
    """What a text stands for, if it could be another type's: a number, true, false or null."""
    return Decimal(text) if NUMERAL.fullmatch(text) else WORDS_OF_TYPES.get(text.lower())


def _is_whole(number: Decimal) -> bool:
    return abs(number) < NAMES_FROM and number == number.to_integral_value()


def _holds(ordered: Column, value: int) -> bool:
    at = int(np.searchsorted(ordered, value))
    return at < len(ordered) and int(ordered[at]) == value
