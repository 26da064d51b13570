"""Answers that ship with neverlost: a file of what searches found, under the digests of the questions that they answer.

A digest covers the model's source, so an answer about a model that has changed since is not found. It does not cover the code that
searches: the answer is about the model, and whoever changes that code searches anew for what is shipped, at least for a sample.

The first line has a digest of the others. Then come the traces, each once, and the searches, each with an answer per property.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neverlost.model.core import NeverlostError, Profile

from ..files.json_reading import JsonError, read_json
from ..traces.trace import deciding_trace
from ..verdict import Verdict
from .questions import Answer, Origin, Question, fits

KIND, SCHEMA = "answers", 1
KEY_DIGITS = 32
"""So many digits of a question's key are written: 128 bits distinguish every two questions."""

TRACE_DIGITS = 12
"""So many digits name a trace: its steps are checked wherever it is used."""

TRACE = b'{"trace": '
KEY = re.compile(rb'"key": "([0-9a-f]+)"')


class ShippedError(NeverlostError):
    """The file of shipped answers is missing or damaged."""


@dataclass(frozen=True, kw_only=True)
class ShippedAnswers:
    """By the key of each answer the line of its search, which is parsed when it is asked for; and the steps of the traces by name."""

    searches: Mapping[str, bytes] = field(default_factory=dict)
    traces: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def answer(self, question: Question) -> Answer | None:
        """The answer, if there is one to this very question, and if its trace replays."""
        line = self.searches.get(_key(question))
        if line is None:
            return None
        try:
            answer = self._read(json.loads(line)["answers"][question.property], question)
        except (KeyError, TypeError, ValueError, NeverlostError):
            return None
        return answer if fits(answer, question) else None

    def _read(self, found: Mapping[str, Any], question: Question) -> Answer:
        trace = (
            deciding_trace(question.model, self.traces[found["trace"]], question.property) if "trace" in found else None
        )
        return Answer(
            verdict=Verdict(found["verdict"]),
            distinct=found["distinct"],
            depth=found["depth"] if trace is None else len(trace),
            complete=trace is None,
            hidden=found["hidden"] if trace is None else None,
            trace=trace,
            origin=Origin.SHIPPED,
        )

    def questions(self, profile_named: Callable[[str], Profile]) -> Iterator[tuple[Question, Mapping[str, Any]]]:
        """Every question that the file names, with what is written of its answer. Raises what the model raises for unknown names."""
        for line in dict.fromkeys(self.searches.values()):
            search = json.loads(line)
            profile = profile_named(search["profile"])
            model = profile.bounded(**profile.read(search["bounds"], search["settings"]))
            for name, found in search["answers"].items():
                yield Question(model=model, property=name), found


def read_shipped(path: Path) -> ShippedAnswers:
    """The answers in a file. Raises ShippedError unless it is whole."""
    if not path.is_file():
        raise ShippedError(f"{path} is not there")
    try:
        head, _, rest = path.read_bytes().partition(b"\n")
        whole = read_json(head) == _head(rest)
    except OSError as error:
        raise ShippedError(f"{path} cannot be read: {error.strerror}") from error
    except JsonError as error:
        raise ShippedError(f"{path} {error}") from error
    if not whole:
        raise ShippedError(f"{path} is not as it was written")
    lines = rest.splitlines()
    traces = [json.loads(line) for line in lines if line.startswith(TRACE)]
    return ShippedAnswers(
        searches={key.decode(): line for line in lines for key in KEY.findall(line)},
        traces={line["trace"]: line["steps"] for line in traces},
    )


def _head(rest: bytes) -> dict[str, Any]:
    return {"neverlost": KIND, "schema": SCHEMA, "sha256": hashlib.sha256(rest).hexdigest()}


def can_ship(answer: Answer) -> bool:
    """Whether an answer is one for good, and is written by its steps alone: undecided ones and lassos are not."""
    if answer.trace is None:
        return answer.complete
    return answer.trace.loop_start is None and answer.trace.states[0] == answer.trace.model.initial_states()[0]


def shipped_text(answered: Iterable[tuple[Question, Answer]]) -> str:
    """The file with these answers: the same text for the same answers, in whatever order they come."""
    traces: dict[str, str] = {}
    searches: dict[str, dict[str, Any]] = {}
    for question, answer in answered:
        about = _about(question)
        found: dict[str, Any] = {"key": _key(question), "verdict": answer.verdict.value, "distinct": answer.distinct}
        if answer.trace is None:
            found.update(depth=answer.depth, hidden=answer.hidden)
        else:
            steps = json.dumps([step.show(question.model.bounds) for step in answer.trace.steps])
            name = hashlib.sha256(steps.encode()).hexdigest()[:TRACE_DIGITS]
            traces[name] = f'{{"trace": "{name}", "steps": {steps}}}'
            found.update(trace=name)
        searches.setdefault(json.dumps(about), about)["answers"][question.property] = found
    for search in searches.values():
        search["answers"] = dict(sorted(search["answers"].items()))
    lines = [line for _, line in sorted(traces.items())] + sorted(json.dumps(search) for search in searches.values())
    rest = "".join(f"{line}\n" for line in lines)
    return f"{json.dumps(_head(rest.encode()))}\n{rest}"


def _about(question: Question) -> dict[str, Any]:
    """What is searched, with the settings that differ from those of the profile; its answers are still to come.

    A bound that is 0 as in the profile is left out: no line changes when the model has one more.
    """
    model, usual = question.model, question.model.profile.bounded()
    settings = usual.plain_settings
    return {
        "profile": model.profile.name,
        "bounds": {name: size for name, size in model.bounds.items() if size or usual.bounds[name]},
        "settings": {name: value for name, value in model.plain_settings.items() if value != settings[name]},
        "answers": {},
    }


def _key(question: Question) -> str:
    return question.key[:KEY_DIGITS]
