"""Many questions about models: each is a search for one property, asked once, answered from a store when it was answered before.

An answer in the store is a file of its own, named by a digest of everything that it depends on: the text of the kernel, which holds
the model's functions and bounds, the settings, and the property. So a run that was interrupted goes on where it was, and an
answer of another model is never taken for one of this.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from neverlost.model.core import Model, NeverlostError

from .json_text import json_text
from .result import UNDECIDED
from .search import Limits, explore
from .symmetry import symmetric_domains, symmetry_of
from .trace import Trace, replay
from .trace_json import read_trace, trace_values

FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class Question:
    """Does the property hold of the model?

    `beside` names an `always` property whose violating states are counted, when the search is complete: a sign that the bounds
    hide something.
    """

    model: Model
    property: str
    beside: str | None = None

    @cached_property
    def key(self) -> str:
        """A digest of everything that the answer depends on."""
        from .compile.generate import kernel_source

        symmetry = self.symmetry()
        parts = (FORMAT, kernel_source(self.model, symmetry), self.model.settings, self.property, self.beside)
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def symmetry(self) -> Any:
        """The symmetry to search by: every one that the model declares."""
        names = [name for name in (self.property, self.beside) if name is not None]
        wanted = bool(symmetric_domains(self.model))
        return symmetry_of(self.model, wanted, [self.model.profile.property_named(name) for name in names])


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a search answered. `hidden` counts the states that violate what was asked beside; None if the search was cut short."""

    verdict: str
    distinct: int
    depth: int
    complete: bool
    hidden: int | None
    trace: Trace | None

    @property
    def steps(self) -> int | None:
        """The steps of the deciding trace."""
        return None if self.trace is None else len(self.trace.steps)

    @property
    def trace_length(self) -> int | None:
        """The states of the deciding trace, the initial one included."""
        return None if self.trace is None else len(self.trace)


def ask(question: Question, limits: Limits, interrupted: Callable[[], bool] = lambda: False) -> Answer:
    """Search for the answer. A search that was cut short answers `undecided`."""
    result = explore(
        question.model,
        properties=[question.property],
        beside=[question.beside] if question.beside is not None else [],
        symmetry=bool(symmetric_domains(question.model)),
        limits=limits,
        interrupted=interrupted,
    )
    finding = result.findings[question.property]
    if finding.trace is not None:
        replay(finding.trace)
    beside = None if question.beside is None else result.findings[question.beside].violating_states
    return Answer(
        verdict=finding.verdict,
        distinct=result.distinct,
        depth=result.depth,
        complete=result.complete,
        hidden=beside,
        trace=finding.trace,
    )


class Answers:
    """A store of answers in a folder, and the search for those that it has not."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.kept: dict[str, Answer] = {}

    def known(self, question: Question) -> Answer | None:
        """The answer if it was given before; a file that cannot be read, or whose trace does not replay, is none."""
        if question.key in self.kept:
            return self.kept[question.key]
        path = self._path(question)
        if path is None or not path.is_file():
            return None
        try:
            found = self._read(path, question)
        except (OSError, ValueError, KeyError, NeverlostError):
            return None
        self.kept[question.key] = found
        return found

    def keep(self, question: Question, answer: Answer) -> None:
        """Keep an answer, in the store unless it is undecided: another search may get further."""
        self.kept[question.key] = answer
        path = self._path(question)
        if path is None or answer.verdict == UNDECIDED:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        values = {
            "verdict": answer.verdict,
            "distinct": answer.distinct,
            "depth": answer.depth,
            "complete": answer.complete,
            "hidden": answer.hidden,
            "trace": None if answer.trace is None else trace_values(answer.trace),
        }
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as draft:
            draft.write(json_text(values))
        os.replace(draft.name, path)

    def ask_all(
        self,
        questions: Sequence[Question],
        *,
        limits: Limits | None = None,
        workers: int = 2,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[Question, Answer]]:
        """Every question with its answer, in the order in which they become known; the same question is searched for once."""
        asked: dict[str, list[Question]] = {}
        for question in questions:
            asked.setdefault(question.key, []).append(question)
        open_ones = []
        for same in asked.values():
            found = self.known(same[0])
            if found is None:
                open_ones.append(same)
                continue
            yield from ((question, found) for question in same)
        yield from self._search_all(open_ones, limits or Limits(), workers, interrupted)

    def _search_all(
        self, groups: Sequence[Sequence[Question]], limits: Limits, workers: int, interrupted: Callable[[], bool]
    ) -> Iterator[tuple[Question, Answer]]:
        """Search in threads, the first of each kernel alone: it may have to be compiled, which is done once."""
        seen: set[tuple[Any, ...]] = set()
        for same in groups:
            profile = same[0].model.profile
            shape = (profile.actions, profile.all_properties, *same[0].model.bounds.items())
            if shape not in seen:
                seen.add(shape)
                symmetry = bool(symmetric_domains(same[0].model))
                explore(same[0].model, properties=[same[0].property], symmetry=symmetry, limits=Limits(depth=1))
        with ThreadPoolExecutor(workers) as pool:
            running = {pool.submit(ask, same[0], limits, interrupted): same for same in groups}
            try:
                for future in as_completed(running):
                    answer = future.result()
                    self.keep(running[future][0], answer)
                    yield from ((question, answer) for question in running[future])
            finally:
                for future in running:
                    future.cancel()

    def _path(self, question: Question) -> Path | None:
        return None if self.folder is None else self.folder / question.key[:2] / f"{question.key}.json"

    def _read(self, path: Path, question: Question) -> Answer:
        values = json.loads(path.read_text(encoding="utf-8"))
        trace = None
        if values["trace"] is not None:
            trace = read_trace(json.dumps(values["trace"]), str(path), lambda _: question.model.profile)
            replay(trace)
        return Answer(
            verdict=str(values["verdict"]),
            distinct=int(values["distinct"]),
            depth=int(values["depth"]),
            complete=bool(values["complete"]),
            hidden=values["hidden"],
            trace=trace,
        )
