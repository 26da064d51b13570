"""A suite against an implementation: every case from the start, with an adapter of its own, and what came of it."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from neverlost.model.core import Model, NeverlostError

from ..adapter import Adapter, AdapterError
from ..divergence import Divergence, drive
from .cases import Case


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A case that did not pass: the implementation differs from the model, or the adapter failed."""

    case: Case
    divergence: Divergence | None
    fault: str = ""
    """What is wrong with the adapter."""

    @property
    def kind(self) -> str:
        """What failures have in common that are likely one mistake: the action, and the field that differs."""
        if self.divergence is None:
            return "the adapter failed"
        step = self.divergence.step
        action = "the start" if step is None else step.action.name
        if self.divergence.refusal:
            return f"{action}: not done"
        fields = dict.fromkeys(difference.place.split("[")[0] for difference in self.divergence.differences)
        return f"{action}: {', '.join(fields)}"


@dataclass(frozen=True, kw_only=True)
class Conformance:
    """How a suite came out."""

    cases: int
    steps: int
    failures: tuple[Failure, ...]
    complete: bool

    @property
    def kinds(self) -> Counter[str]:
        """How often each kind of failure was seen."""
        return Counter(failure.kind for failure in self.failures)


def conform(
    model: Model,
    cases: Iterable[Case],
    make: Callable[[Model], Adapter],
    *,
    until: str = "first",
    seconds: float | None = None,
    progress: Callable[[int, int], None] = lambda cases, failures: None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Conformance:
    """Run cases until the first failure, or with `until` "all" all of them. `seconds` is how long a case may take."""
    failures: list[Failure] = []
    ran = steps = 0
    for case in cases:
        if interrupted():
            return Conformance(cases=ran, steps=steps, failures=tuple(failures), complete=False)
        failure = _run(model, case, make, seconds)
        ran, steps = ran + 1, steps + len(case.steps)
        if failure is not None:
            failures.append(failure)
        progress(ran, len(failures))
        if failures and until == "first":
            break
    return Conformance(cases=ran, steps=steps, failures=tuple(failures), complete=True)


def _run(model: Model, case: Case, make: Callable[[Model], Adapter], seconds: float | None) -> Failure | None:
    try:
        with _within(seconds):
            divergence = drive(make(model), model, case.steps)
    except AdapterError as error:
        return Failure(case=case, divergence=None, fault=str(error))
    except NeverlostError:
        raise
    except Exception as error:
        return Failure(case=case, divergence=None, fault=f"it raised {type(error).__name__}: {error}")
    return None if divergence is None else Failure(case=case, divergence=divergence)


@contextmanager
def _within(seconds: float | None) -> Iterator[None]:
    """Raises AdapterError if what is inside takes longer. Only the main thread of a process can be interrupted so."""
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(number: int, frame: FrameType | None) -> None:
        raise AdapterError(f"it took longer than {seconds:g} s for one case; is it waiting for what does not come?")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
