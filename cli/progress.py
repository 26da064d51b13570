"""What a long run shows while it runs, and how Ctrl-C ends it."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from neverlost.explorer.answers.questions import Answer, Question
from neverlost.explorer.process.alarm import alarm
from neverlost.explorer.search import Progress
from neverlost.explorer.symmetry import symmetry_of
from neverlost.model.core import Model, Property
from neverlost.model.core.profile import show_bounds
from neverlost.reports.quantities import show_bytes, show_seconds

if TYPE_CHECKING:
    from rich.live import Live

T = TypeVar("T")

FIRST_LINE_SECONDS = 0.5
LIVE_SECONDS = 0.1
PLAIN_SECONDS = 10.0
"""How often a run without a terminal reports its progress."""


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """A flag that the first Ctrl-C sets; the second one kills the process."""
    seen = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal seen
        seen = True
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: seen
    finally:
        signal.signal(signal.SIGINT, before)


def until_interrupted(found: Iterable[T]) -> Iterator[T]:
    """What is found before the user interrupts."""
    with suppress(KeyboardInterrupt):
        yield from found


class TimeIsUpError(Exception):
    """The time limit passed for work that cannot be asked to stop."""


def within(seconds: float | None) -> AbstractContextManager[None]:
    """Raises TimeIsUpError in the middle of the block when so many seconds have passed; never if None is given."""
    return alarm(seconds, TimeIsUpError)


def announce_compilation(model: Model, properties: Sequence[Property], symmetry: bool | Sequence[str]) -> None:
    """Say that the first seconds compile, if the kernel is not in the cache."""
    from neverlost.explorer.compile.cache import first_text, is_cached
    from neverlost.explorer.compile.generate import kernel_source

    if not is_cached(first_text(kernel_source(model, symmetry_of(model, symmetry, properties)))):
        bounds = f" for {show_bounds(model.bounds)}" if model.bounds else ""
        print(f"compiling {model.profile.name}{bounds}, once; this takes some seconds", file=sys.stderr, flush=True)


class StatusLine:
    """Shows the progress of a long run on standard error: one live line on a terminal, and a plain line now and then elsewhere."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet, self.on_terminal = quiet, sys.stderr.isatty()
        self.began = time.perf_counter()
        self.live: Live | None = None
        self.next_seconds = FIRST_LINE_SECONDS if self.on_terminal else PLAIN_SECONDS

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live is not None:
            self.live.stop()

    @property
    def seconds(self) -> float:
        """How long the run takes so far."""
        return time.perf_counter() - self.began

    def say(self, text: str) -> None:
        """Show a text, if a line is due."""
        self.show(self.seconds, lambda: text)

    def show(self, seconds: float, line: Callable[[], str]) -> None:
        """Show a line if it is due, so many seconds after the start."""
        if self.quiet or seconds < self.next_seconds:
            return
        if self.on_terminal:
            self.next_seconds = seconds + LIVE_SECONDS
            self._show_live(line())
        else:
            self.next_seconds = seconds + PLAIN_SECONDS
            print(line(), file=sys.stderr, flush=True)

    def _show_live(self, line: str) -> None:
        if self.live is None:
            from rich.live import Live

            from .terminal import TextConsole

            self.live = Live(console=TextConsole(to_error=True), transient=True, auto_refresh=False)
            self.live.start()
        self.live.update(line, refresh=True)


class AnswersShown(StatusLine):
    """Shows how many questions of a study are answered, and what is compiled."""

    def begins(self, questions: Sequence[Question]) -> None:
        """Announce each kernel that has to be compiled."""
        distinct = {} if self.quiet else {tuple(q.model.bounds.items()): q for q in questions}
        for question in distinct.values():
            announce_compilation(question.model, [], question.symmetric)

    def answered(self, label: str, answer: Answer, done: int, total: int) -> None:
        """Show the latest answer, if a line is due."""
        self.show(self.seconds, lambda: f"{done} of {total} answered | {label}: {answer.verdict}")


class SearchStatus(StatusLine):
    """Shows the progress of a search."""

    def __init__(self, quiet: bool) -> None:
        super().__init__(quiet)
        self.level, self.level_began = 0, 0.0

    def search(self, progress: Progress) -> None:
        """Show the progress, if a line is due."""
        if progress.depth != self.level:
            self.level, self.level_began = progress.depth, progress.seconds
        self.show(progress.seconds, lambda: progress_line(progress, progress.seconds - self.level_began))


def progress_line(progress: Progress, level_seconds: float) -> str:
    """The progress of a search. The number of levels is unknown, so only the end of this level is estimated."""
    rate = progress.distinct / progress.seconds if progress.seconds else 0.0
    done = progress.expanded / progress.frontier if progress.frontier else 0.0
    left = f", {show_seconds(level_seconds / done - level_seconds)} to go" if done >= 0.1 and level_seconds > 1 else ""
    return (
        f"depth {progress.depth}: {done:.0%} of {progress.frontier:,}{left} | {progress.distinct:,} distinct |"
        f" {rate:,.0f} states/s | {show_bytes(progress.memory_bytes)} | {show_seconds(progress.seconds)}"
    )
