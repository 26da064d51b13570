"""Work spread over processes."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import wait
from typing import Any, TypeVar

from neverlost.model.arguments import argument
from neverlost.model.core import NeverlostError

Task = TypeVar("Task")
Result = TypeVar("Result")

POLL_SECONDS = 0.2
"""How often the waiting process checks for an interrupt."""


class WorkerDiedError(NeverlostError):
    """A process ended before its work was done."""


def spread(
    tasks: Sequence[Task],
    work: Callable[[Task], Iterator[Result]],
    workers: int,
    interrupted: Callable[[], bool] = lambda: False,
) -> Iterator[Result]:
    """What the work on each task yields, in any order. The work stops if the caller stops reading, or interrupts.

    The processes are forked, so they have all that was prepared before.
    Raises what the work raises, and WorkerDiedError if a process is killed.
    """
    if workers == 1:
        for task in tasks:
            yield from work(task)
        return
    context = multiprocessing.get_context("fork")
    next_task = context.Value("q", 0)
    processes: dict[Any, Any] = {}
    try:
        for _ in range(min(workers, len(tasks))):
            mine, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(tasks, work, next_task, theirs), daemon=True)
            process.start()
            theirs.close()
            processes[mine] = process
        yield from _received(dict(processes), interrupted)
    finally:
        for process in processes.values():
            process.terminate()
            process.join()


def _received(working: dict[Any, Any], interrupted: Callable[[], bool]) -> Iterator[Any]:
    """What the processes send, until each has reported its end."""
    while working:
        ready = wait([*working, *(process.sentinel for process in working.values())], timeout=POLL_SECONDS)
        if interrupted():
            return
        for connection, process in list(working.items()):
            if connection not in ready and process.sentinel not in ready:
                continue
            try:
                message = connection.recv() if connection.poll() else _died(process)
            except EOFError:
                message = _died(process)
            if message is None:
                del working[connection]
            elif isinstance(message, Exception):
                raise message
            else:
                yield message[0]


def _died(process: Any) -> WorkerDiedError:
    process.join()
    return WorkerDiedError(
        f"a worker process ended with status {process.exitcode} before its work was done; was it killed, or out of memory?"
        f" Use fewer workers ({argument('workers')}) or lower bounds"
    )


def _work(tasks: Sequence[Task], work: Callable[[Task], Iterator[Result]], next_task: Any, answers: Any) -> None:
    # Ctrl-C reaches every process of the terminal; the one that reads the answers decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        while True:
            with next_task.get_lock():
                number = next_task.value
                next_task.value += 1
            if number >= len(tasks):
                break
            for result in work(tasks[number]):
                answers.send((result,))
        answers.send(None)
    except Exception as error:
        answers.send(error)
