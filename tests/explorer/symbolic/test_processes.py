"""Work spread over processes: all of it is done, whatever a process raises is raised, and a dead process is noticed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from neverlost.explorer.symbolic.processes import WorkerDiedError, spread


def twice(number: int) -> Iterator[int]:
    yield number
    yield -number


def raising(number: int) -> Iterator[int]:
    yield number
    if number == 3:
        raise ValueError("three")


def dying(number: int) -> Iterator[int]:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    yield number


@pytest.mark.parametrize("workers", [1, 2, 9])
def test_every_task_is_worked_on_once(workers: int) -> None:
    assert sorted(spread(range(1, 6), twice, workers)) == [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]


def test_nothing_to_do_is_done() -> None:
    assert list(spread([], twice, 2)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_what_the_work_raises_is_raised(workers: int) -> None:
    with pytest.raises(ValueError, match="three"):
        list(spread(range(6), raising, workers))


def test_a_process_that_is_killed_is_an_error_and_no_end_of_the_work() -> None:
    with pytest.raises(WorkerDiedError, match="ended with status -9 before its work was done"):
        list(spread(range(6), dying, 2))


def test_an_interrupt_ends_it() -> None:
    assert list(spread(range(1000), twice, 2, interrupted=lambda: True)) == []
