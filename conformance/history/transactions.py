"""Transactions as a history shows them: which sends and reads belong to one, and what became of it."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np

from .columns import FAIL, INFO, OK, UNKNOWN, Column, table

ENDS = ("commit", "abort")
CONTROLS = ("begin", *ENDS)
"""Operations that begin and end a transaction in the simple form."""


@dataclass(frozen=True, kw_only=True)
class Transactions:
    """The transactions, one row each, in the order in which they began: outcome, process, and time, as numbers of operations.

    It cannot have been committed before `asked`: the operation that asked for it. `completed` is the answer to that. `in_parts` if its
    parts are operations with outcomes of their own.
    """

    outcome: Column
    process: Column
    asked: Column
    completed: Column
    in_parts: Column

    def __len__(self) -> int:
        return len(self.outcome)


class TransactionLog:
    """Gathers transactions: of operations with several parts, and of `begin`, `commit` and `abort`."""

    def __init__(self) -> None:
        self.outcome, self.process = array("q"), array("q")
        self.asked, self.completed = array("q"), array("q")
        self.state, self.timed, self.in_parts = array("b"), array("b"), array("b")
        self.current: dict[int, int] = {}
        """The transaction of the simple form that each process is in."""
        self.named = False
        """Does the history say of an operation that it is a transaction?"""

    def add(self, process: int, outcome: int, asked: int, completed: int, *, timed: bool) -> int:
        """A transaction that is one operation; its number."""
        self.outcome.append(outcome)
        self.process.append(process)
        self.asked.append(asked if timed else UNKNOWN)
        self.completed.append(completed if outcome == OK else UNKNOWN)
        self.state.append(ENDED)
        self.timed.append(timed)
        self.in_parts.append(False)
        return len(self.outcome) - 1

    def begin(self, process: int, operation: int, *, timed: bool) -> None:
        """A process begins a transaction, of which nobody has asked for an end."""
        self.named = True
        self.current[process] = self.add(process, INFO, operation, UNKNOWN, timed=timed)
        self.state[-1], self.in_parts[-1] = OPEN, True

    def within(self, process: int) -> int:
        """The transaction that the process is in, and of which it has not asked for an end; UNKNOWN if there is none."""
        number = self.current.get(process, UNKNOWN)
        return number if number >= 0 and self.state[number] == OPEN else UNKNOWN

    def ask(self, process: int, function: str, operation: int, *, timed: bool) -> None:
        """A process asks for the end of its transaction. What nobody has asked to commit, and is aborted, did not happen."""
        number = self.current.get(process)
        if number is None:
            return
        if function == "commit" and self.state[number] == OPEN:
            self.asked[number] = operation if timed and self.timed[number] else UNKNOWN
            self.outcome[number], self.state[number] = INFO, COMMITTING
        elif function == "abort" and self.state[number] == OPEN:
            self.outcome[number], self.state[number] = FAIL, ENDED

    def end(self, process: int, function: str, outcome: int, operation: int) -> None:
        """An end is answered. A commit that did not happen may be asked for again, or be followed by an abort."""
        number = self.current.get(process)
        if number is None:
            return
        if function == "commit" and outcome == OK:
            self.outcome[number], self.completed[number] = OK, operation
        elif function == "commit" and outcome == FAIL:
            self.outcome[number], self.state[number] = FAIL, OPEN
        if outcome == OK:
            self.state[number] = ENDED
            del self.current[process]

    def columns(self, operations: int) -> Transactions:
        """The transactions; none if the history says of no operation that it is one.

        Who writes down when it asks would have written down that it asked for a commit: until the end nobody has.
        """
        if not self.named:
            return table(Transactions, array("q"))
        state, timed = np.array(self.state, np.int8), np.array(self.timed, np.int8)
        asked = np.array(self.asked, np.int64)
        asked[(state == OPEN) & (timed != 0)] = operations
        outcome, process, completed = (np.array(one, np.int64) for one in (self.outcome, self.process, self.completed))
        in_parts = np.array(self.in_parts, np.int8)
        return Transactions(outcome=outcome, process=process, asked=asked, completed=completed, in_parts=in_parts)


OPEN, COMMITTING, ENDED = 0, 1, 2
"""Of a transaction of the simple form: nobody has asked for a commit; somebody has; it has ended."""


def after_transaction(outcome: Column, transaction: Column, transactions: Transactions) -> Column:
    """What became of parts of transactions: what was done in one that was aborted did not happen, and so on."""
    if not len(transactions):
        return outcome
    of = np.where(transaction >= 0, transactions.outcome[transaction], OK)
    unknown = np.where(outcome == FAIL, FAIL, INFO)
    return np.where(of == FAIL, FAIL, np.where(of == INFO, unknown, outcome))
