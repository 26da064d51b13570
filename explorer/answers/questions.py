"""Many questions about models: each is answered by a search for its property, or from a store if it was answered before.

One search answers all questions that differ only in the property. An answer in the store is a file of its own. Its name is a digest
of everything that it depends on: the model, its settings, the property, and the code that searches. It also names its question, and
it is used only if the file is unchanged and a search can give this answer. So an interrupted run resumes where it stopped, and an
answer to another question is never used for this one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

from neverlost.model import core
from neverlost.model.core import Model, NeverlostError

from ..files.json_reading import read_json
from ..files.kept import clear_left, read_kept, write_kept
from ..process.watch import Watch
from ..result import DecidedProperty, Result
from ..search import Limits, explore
from ..symmetry import symmetric_domains
from ..traces.trace import Trace, replay
from ..traces.trace_json import read_trace, trace_values
from ..verdict import Verdict
from .model_digest import model_digest

T = TypeVar("T")

FORMAT = 3
ANSWERING = (
    "answers",
    "compile",
    "engines",
    "liveness",
    "result.py",
    "search.py",
    "symmetry.py",
    "traces/trace.py",
    "verdict.py",
)
"""What of this package can change an answer."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """Whether the property holds in the model."""

    model: Model
    property: str

    @cached_property
    def key(self) -> str:
        """A digest of everything that the answer depends on."""
        return _digest(FORMAT, self.digest, self.search_key)

    @cached_property
    def digest(self) -> str:
        """The digest of the model with the property, and with those about bounds: the answer counts their violating states."""
        return model_digest(
            self.model, [self.model.profile.property_named(self.property), *self.model.profile.about_bounds]
        )

    @cached_property
    def asked(self) -> dict[str, Any]:
        """What is asked about which model, and by which code. It is kept with the answer."""
        return {
            "property": self.property,
            "symmetric": self.symmetric,
            "model": self.digest,
            "key": self.key,
            "code": code_digest(),
        }

    @cached_property
    def search_key(self) -> str:
        """A digest of everything but the property: one search answers all questions of a profile that share it."""
        return _digest(model_digest(self.model, self.model.profile.about_bounds), self.symmetric)

    @cached_property
    def symmetric(self) -> bool:
        """Whether the search uses symmetry: it uses every symmetry that the model declares."""
        return bool(symmetric_domains(self.model))


class Origin(StrEnum):
    """Where an answer comes from."""

    SHIPPED = "shipped"
    STORE = "store"
    SEARCH = "search"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer of a search: the verdict, and how much was searched for it.

    If a trace decides, only the levels up to its end count, as if nothing else had been asked. `hidden` counts the states in which the
    bounds ran out of something, so that they may hide what follows; None unless every state was searched. Answers are equal
    wherever they come from.
    """

    verdict: Verdict
    distinct: int
    depth: int
    complete: bool
    hidden: int | None
    trace: Trace | None
    origin: Origin = field(default=Origin.SEARCH, compare=False)

    @property
    def steps(self) -> int | None:
        """The steps of the deciding trace."""
        return None if self.trace is None else len(self.trace.steps)

    @property
    def trace_length(self) -> int | None:
        """The states of the deciding trace, the initial one included."""
        return None if self.trace is None else len(self.trace)


Known = Callable[[Question], Answer | None]
"""Knows the answers to some questions without a search."""


def nothing_known(question: Question) -> None:
    """There is no answer without a search."""


def ask(question: Question, limits: Limits, interrupted: Callable[[], bool] = lambda: False) -> Answer:
    """Search for the answer. An interrupted search answers `undecided`."""
    (answer,) = ask_together([question], limits, interrupted)
    return answer


def ask_together(
    questions: Sequence[Question],
    limits: Limits,
    interrupted: Callable[[], bool] = lambda: False,
    workers: int | Callable[[], int] = 1,
) -> list[Answer]:
    """The answers of one search to questions that differ only in the property."""
    first = questions[0]
    result = explore(
        first.model,
        properties=[question.property for question in questions],
        until="each",
        symmetry=first.symmetric,
        workers=workers,
        limits=limits,
        watch=Watch(interrupted=interrupted),
    )
    return [_answer(result, result.findings[question.property]) for question in questions]


def _answer(result: Result, finding: DecidedProperty) -> Answer:
    trace = finding.trace
    if trace is None or trace.loop_start is not None:
        return Answer(
            verdict=finding.verdict,
            distinct=result.distinct,
            depth=result.depth,
            complete=result.complete,
            hidden=sum(result.ran_out.values()) if result.complete else None,
            trace=trace,
        )
    seen = result.levels[: len(trace.steps) + 1]
    return Answer(
        verdict=finding.verdict, distinct=sum(seen), depth=len(seen), complete=False, hidden=None, trace=trace
    )


class Answers:
    """A store of answers in a folder, and the search for those that it lacks. `shipped` knows some without either."""

    def __init__(self, folder: Path | None, shipped: Known = nothing_known) -> None:
        self.folder, self.shipped = folder, shipped
        self.kept: dict[str, Answer] = {}
        if folder is not None:
            clear_left(folder)

    def known(self, question: Question) -> Answer | None:
        """The shipped or kept answer, if there is one. A file that is damaged, or that answers another question, does not count."""
        if question.key not in self.kept:
            found = self.shipped(question) or self._stored(question)
            if found is not None:
                self.kept[question.key] = found
        return self.kept.get(question.key)

    def _stored(self, question: Question) -> Answer | None:
        content = None if self.folder is None else read_kept(self.folder / _name(question))
        return None if content is None else _read(content, question)

    def keep(self, question: Question, answer: Answer) -> None:
        """Keep an answer, in the store unless it is undecided: another search may get further."""
        self.kept[question.key] = answer
        if self.folder is None or answer.verdict == Verdict.UNDECIDED:
            return
        values = {
            "asked": question.asked,
            "verdict": answer.verdict,
            "distinct": answer.distinct,
            "depth": answer.depth,
            "complete": answer.complete,
            "hidden": answer.hidden,
            "trace": None if answer.trace is None else trace_values(answer.trace),
        }
        write_kept(self.folder, _name(question), json.dumps(values).encode())

    def ask_all(
        self,
        questions: Sequence[Question],
        *,
        limits: Limits | None = None,
        workers: int = 2,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[Question, Answer]]:
        """Every question with its answer, in the order in which they are found. No search is done twice."""
        asked: dict[str, list[Question]] = {}
        for question in questions:
            asked.setdefault(question.key, []).append(question)
        open_ones: dict[tuple[str, str], list[list[Question]]] = {}
        for same in asked.values():
            found = self.known(same[0])
            if found is None:
                open_ones.setdefault((same[0].model.profile.name, same[0].search_key), []).append(same)
                continue
            yield from ((question, found) for question in same)
        if not open_ones:
            return
        # What is known, and `--help` of a command, need no NumPy.
        from ..engines.table_memory import sparing_memory

        with sparing_memory(), ThreadPoolExecutor(workers) as pool:
            running: dict[Future[list[Answer]], list[list[Question]]] = {}
            ended: list[Future[list[Answer]]] = []

            def share() -> int:
                """How many threads a search may have: those of searches that have ended go to the last ones."""
                return max(1, workers // max(1, len(open_ones) - len(ended)))

            for together in _from_both_ends([*open_ones.values()]):
                alike = [same[0] for same in together]
                future = pool.submit(ask_together, alike, limits or Limits(), interrupted, share)
                future.add_done_callback(ended.append)
                running[future] = together
            try:
                for future in as_completed(running):
                    for same, answer in zip(running[future], future.result(), strict=True):
                        self.keep(same[0], answer)
                        yield from ((question, answer) for question in same)
            finally:
                for future in running:
                    future.cancel()


def _from_both_ends(searches: Sequence[T]) -> Iterator[T]:
    """The first, the last, the second, and so on.

    Neighbours are alike. Of two small searches only one runs at a time, as Python is most of their work; a large one runs beside both.
    """
    for number in range(len(searches)):
        yield searches[-1 - number // 2 if number % 2 else number // 2]


def _name(question: Question) -> str:
    """The path of an answer in the folder of the store."""
    name = _digest(question.key, code_digest())
    return f"{name[:2]}/{name}.answer"


def _read(content: bytes, question: Question) -> Answer | None:
    """The answer, if the content answers the question and its trace replays."""
    try:
        values = read_json(content)
        if values["asked"] != question.asked:
            return None
        trace = None
        if values["trace"] is not None:
            trace = read_trace(json.dumps(values["trace"]), "a kept answer", lambda _: question.model.profile)
            replay(trace)
        said = {name: values[name] for name in ("distinct", "depth", "complete", "hidden")}
        answer = Answer(verdict=Verdict(values["verdict"]), trace=trace, origin=Origin.STORE, **said)
    except (KeyError, TypeError, ValueError, NeverlostError):
        return None
    return answer if fits(answer, question) else None


def fits(answer: Answer, question: Question) -> bool:
    """Whether a search can give this answer to the question."""
    trace, counts = answer.trace, (answer.distinct, answer.depth, answer.hidden or 0)
    if any(type(count) is not int or count < 0 for count in counts) or type(answer.complete) is not bool:
        return False
    seeks = question.model.profile.property_named(question.property).seeks
    if trace is None:
        return answer.complete and answer.verdict == (Verdict.VIOLATED if seeks else Verdict.HOLDS)
    if trace.loop_start is None and (answer.complete, answer.hidden, answer.depth) != (False, None, len(trace)):
        return False
    same_model = (trace.model.bounds, trace.model.settings) == (question.model.bounds, question.model.settings)
    return (
        same_model
        and trace.property == question.property
        and answer.verdict == (Verdict.HOLDS if seeks else Verdict.VIOLATED)
    )


def answering_files() -> list[Path]:
    """The files whose code can change an answer: of the language, of the search, and of what these are made of."""
    explorer = Path(__file__).parents[1]
    found = [explorer / name for name in ANSWERING if name.endswith(".py")]
    for home in (*(explorer / name for name in ANSWERING if not name.endswith(".py")), Path(core.__file__).parent):
        found += home.rglob("*.py")
    return sorted(found)


@cache
def code_digest() -> str:
    """A digest of the code that answers: after a change of it, questions are searched again."""
    return _digest(*(file.read_bytes() for file in answering_files()))


def _digest(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()
