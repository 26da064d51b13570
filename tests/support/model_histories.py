"""Runs of models, as the histories that their clients would write: of transactions, and of consumer groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

from transacting import consumed, step
from written_histories import Op, op

from neverlost.explorer.traces.trace import Trace
from neverlost.model.core import Model, Step
from neverlost.model.kafka.groups.state import Group, Member
from neverlost.model.kafka.groups.state import Partition as Source
from neverlost.model.kafka.transactions.state import Fate, Partition, Phase, Producer, Sent, Stage, Transactions, Txn

AUDITOR, LAST = "auditor", "last"


@dataclass(frozen=True)
class Run:
    """States joined by steps: `steps[i]` leads from `states[i]` to `states[i + 1]`."""

    states: list[Any]
    steps: list[Step]

    def keeps(self, model: Model, *names: str) -> bool:
        """Does none of these properties fail in it?"""
        for one in map(model.profile.property_named, names):
            among = zip(self.states, self.states[1:], strict=False) if one.kind == "step_always" else zip(self.states)
            if not all(one.function(*shown) for shown in among):
                return False
        return True


def random_run(model: Model, random: Random, longest: int, beginning: Trace | None = None) -> Run:
    """A random run, or one that goes on at random; every action that is possible has the same chance."""
    words = model.initial_states()[0] if beginning is None else beginning.states[-1]
    found = Run([model.state(words)], []) if beginning is None else run_of(beginning)
    while len(found.states) < longest:
        by_action: dict[str, list[tuple[Step, Any]]] = defaultdict(list)
        for number, after in model.successors(words):
            if after != words:
                by_action[model.steps[number].action.name].append((model.steps[number], after))
        if not by_action:
            break
        step_taken, words = random.choice(by_action[random.choice(sorted(by_action))])
        found.steps.append(step_taken)
        found.states.append(model.state(words))
    return found


def run_of(trace: Trace) -> Run:
    """The run that a search found."""
    return Run(list(trace.unpacked()), list(trace.steps))


class TransactionHistory:
    """What the producers of a run did, and what a reader of committed records got after every step."""

    def __init__(self, *, reads: bool = True) -> None:
        self.operations: list[Op] = []
        self.logs: dict[int, list[tuple[int, int, bool]]] = defaultdict(list)
        """What lies in each partition: offset, transaction, and whether it is a copy."""
        self.ends: dict[int, int] = defaultdict(int)
        self.position: dict[int, int] = defaultdict(int)
        self.reads = reads

    def of(self, states: Sequence[Transactions]) -> list[Op]:
        """The history of a run. In the end a record is appended to every partition and read, where nothing is open."""
        self.operations += step("assign", AUDITOR, [self._key(p) for p in states[0].each(Partition)])
        for before, after in pairwise(states):
            self._write(before, after)
            self._tell(before, after)
            if self.reads:
                self._read(after)
        self._end(states[-1])
        return self.operations

    def _write(self, before: Transactions, after: Transactions) -> None:
        for partition in before.each(Partition):
            ended = False
            for txn in before.each(Txn):
                for is_copy, fates in ((False, (before.record, after.record)), (True, (before.copy, after.copy))):
                    was, now = (fate[txn][partition] for fate in fates)
                    if was == Fate.ABSENT and now != Fate.ABSENT:
                        self.logs[partition].append((self.ends[partition], txn, is_copy))
                        self.ends[partition] += 1
                    ended = ended or (was == Fate.OPEN and now != Fate.OPEN)
            self.ends[partition] += ended

    def _tell(self, before: Transactions, after: Transactions) -> None:
        for txn in before.each(Txn):
            owner = after.owner[txn]
            if owner < 0:
                continue
            process, was, now = Producer.show(owner, after.bounds), before.stage[txn], after.stage[txn]
            if was == Stage.NOT_BEGUN and now != was:
                self.operations += step("begin", process)
            for partition in before.each(Partition):
                self._tell_of_record(process, txn, partition, before, after)
            if was == Stage.BEGUN and now != was:
                function = "commit" if now in (Stage.COMMITTING, Stage.COMMITTED) else "abort"
                self.operations.append(op("invoke", function, process))
            if now in (Stage.COMMITTED, Stage.ABORTED) and now != was:
                self.operations.append(op("ok", "commit" if now == Stage.COMMITTED else "abort", process))
            closed = after.phase[owner] in (Phase.FENCED, Phase.DEAD) and before.phase[owner] != after.phase[owner]
            if closed and now in (Stage.COMMITTING, Stage.ABORTING):
                self.operations.append(op("info", "commit" if now == Stage.COMMITTING else "abort", process))

    def _tell_of_record(
        self, process: str, txn: int, partition: int, before: Transactions, after: Transactions
    ) -> None:
        was, now = before.sent[txn][partition], after.sent[txn][partition]
        asked = {"key": self._key(partition), "value": f"t{txn}"}
        if was == Sent.UNSENT and now != was:
            self.operations.append({**op("invoke", "produce", process), **asked})
        if now != was and now in (Sent.ACKNOWLEDGED, Sent.FAILED, Sent.DROPPED):
            outcome = "ok" if now == Sent.ACKNOWLEDGED else "info"
            known = [offset for offset, other, _ in self.logs[partition] if other == txn]
            at = {"offset": known[0]} if known and outcome == "ok" else {}
            self.operations.append({**op(outcome, "produce", process), **asked, **at})

    def _read(self, s: Transactions) -> None:
        for partition in s.each(Partition):
            for offset, txn, is_copy in self.logs[partition]:
                fate = (s.copy if is_copy else s.record)[txn][partition]
                if fate == Fate.OPEN:
                    break
                if offset >= self.position[partition]:
                    self.position[partition] = offset + 1
                    if fate == Fate.VISIBLE:
                        self.operations += consumed(AUDITOR, self._key(partition), f"t{txn}", offset)

    def _end(self, s: Transactions) -> None:
        self._read(s)
        for partition in s.each(Partition):
            if all(s.record[txn][partition] != Fate.OPEN != s.copy[txn][partition] for txn in s.each(Txn)):
                key, end = self._key(partition), self.ends[partition]
                self.operations += step("produce", LAST, f"end of {key}", key=key, offset=end)
                self.operations += consumed(AUDITOR, key, f"end of {key}", end)

    @staticmethod
    def _key(partition: int) -> str:
        return f"a{partition + 1}"


def transactions_of(run: Run) -> list[Op]:
    """The history of a run of transactions."""
    return TransactionHistory().of(run.states)


class GroupHistory:
    """What the members of a run did, and what one outside of the group reads in the end."""

    def __init__(self) -> None:
        self.operations: list[Op] = []

    def of(self, run: Run) -> list[Op]:
        """The history of a run, in which the values of records are their partitions and offsets. Commits are answered at once."""
        for member in run.states[0].each(Member):
            self._subscribe(member)
        first = run.states[0]
        for partition in first.each(Source):
            if first.committed[partition] >= 0:
                offsets = {self._key(partition): int(first.committed[partition])}
                self.operations += step("commit-offsets", AUDITOR, offsets, group="g")
            for member in first.each(Member):
                if first.owned[member][partition]:
                    self._moved("assigned", self._process(member), partition)
        for taken, before, after in zip(run.steps, run.states, run.states[1:], strict=False):
            for member in before.each(Member):
                self._tell(member, before, after)
            self._commits(taken, before, after)
        last = run.states[-1]
        self.operations += step("assign", AUDITOR, [self._key(p) for p in last.each(Source)])
        for partition in last.each(Source):
            for offset in range(last.end[partition]):
                self.operations += consumed(AUDITOR, self._key(partition), self._value(partition, offset), offset)
        return self.operations

    def _tell(self, member: int, before: Group, after: Group) -> None:
        if not after.up[member]:
            return
        process = self._process(member)
        if not before.up[member]:
            self._subscribe(member)
        for partition in before.each(Source):
            had, has = before.owned[member][partition], after.owned[member][partition]
            if had and not has:
                self._moved("revoked", process, partition)
            had_in_hand = range(before.done[member][partition], before.position[member][partition])
            for offset in sorted(
                {*had_in_hand} - {*range(after.done[member][partition], after.position[member][partition])}
            ):
                if before.processed[partition][offset] < after.processed[partition][offset]:
                    value = self._value(partition, offset)
                    self.operations += consumed(process, self._key(partition), value, offset, group="g")
            if has and not had:
                self._moved("assigned", process, partition)

    def _commits(self, taken: Step, before: Group, after: Group) -> None:
        named = dict(zip((name for name, _ in taken.action.parameters), taken.arguments, strict=True))
        if "member" not in named:
            return
        for partition in before.each(Source):
            if 0 <= after.committed[partition] != before.committed[partition]:
                offsets = {self._key(partition): int(after.committed[partition])}
                self.operations += step("commit-offsets", self._process(named["member"]), offsets, group="g")

    def _subscribe(self, member: int) -> None:
        self.operations += step("subscribe", self._process(member), None, group="g")

    def _moved(self, how: str, process: str, partition: int) -> None:
        self.operations += step(f"partitions-{how}", process, [self._key(partition)], group="g")

    @staticmethod
    def _process(member: int) -> str:
        return f"m{member + 1}"

    @staticmethod
    def _key(partition: int) -> str:
        return f"p{partition + 1}"

    @staticmethod
    def _value(partition: int, offset: int) -> str:
        return f"p{partition + 1} {offset}"


def groups_of(run: Run) -> list[Op]:
    """The history of a run of a group."""
    return GroupHistory().of(run)
