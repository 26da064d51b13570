"""Searches for the answers that ship with neverlost: what audits of the common configurations ask.

python tools/shipped_answers.py           adds what is missing, the most common first; `make answers` does this
python tools/shipped_answers.py --renew   searches anew for those whose models have changed, and adds nothing
python tools/shipped_answers.py --check   searches for all of them anew; `make answers-check` does this

What adds writes the file every minute: an interrupted run goes on where it stopped. Once all is asked, answers that nothing asks for
any more are left out.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from neverlost.explorer.answers.questions import Answer, Answers, Question, ask_together
from neverlost.explorer.answers.shipped import ShippedAnswers, can_ship, read_shipped, shipped_text
from neverlost.explorer.files.whole_file import write_whole
from neverlost.explorer.process.memory import sensible_memory
from neverlost.explorer.search import Limits
from neverlost.spec.kafka.replication.versions import version_named
from neverlost.studies.audit.audit import audit_of
from neverlost.studies.audit.common import common_deployments
from neverlost.studies.audit.examination import tolerance_of
from neverlost.studies.audit.shipped import FILE
from neverlost.studies.study import Study

Answered = Mapping[str, tuple[Question, Answer]]


MOST_STATES = 50_000_000
"""More than an audit searches by itself: a rolling restart with ZooKeeper, by which nothing is lost, has up to 40 million states."""


SECONDS_BETWEEN_WRITES = 60


def limits() -> Limits:
    """What is undecided with these is not shipped."""
    return Limits(states=MOST_STATES, memory_bytes=sensible_memory())


def still_known(shipped: ShippedAnswers) -> Answered:
    """The shipped answers to questions about models that have not changed since."""
    found = ((question, shipped.answer(question)) for question, _ in shipped.questions(version_named))
    return {question.key: (question, answer) for question, answer in found if answer is not None}


def write(answered: Answered) -> None:
    """Write the file. Lassos and undecided answers are left out."""
    kept = [(question, answer) for question, answer in answered.values() if can_ship(answer)]
    write_whole(FILE, shipped_text(kept).encode())


def add() -> None:
    """Audit every common configuration, and keep what it asks."""
    shipped = read_shipped(FILE) if FILE.exists() else ShippedAnswers()
    known = still_known(shipped)
    study = Study(Answers(None, shipped.answer), limits(), workers=2)
    began = written = time.monotonic()
    with TemporaryDirectory() as folder:
        for number, (configuration, deployment) in enumerate(common_deployments(Path(folder)), start=1):
            audit_of([deployment], study, tolerance_of(None, configuration.survive))
            if time.monotonic() - written > SECONDS_BETWEEN_WRITES:
                write({**known, **asked_by(study)})
                written = time.monotonic()
            done = f"{time.monotonic() - began:6.0f} s  {number}. {configuration}: {len(study.answered)} answers"
            print(done, flush=True)
    write(asked_by(study))


def renew() -> None:
    """Search anew for the answers about models that have changed since. Only then is the file written: before, it would lose some."""
    shipped = read_shipped(FILE)
    known = dict(still_known(shipped))
    stale = [left for one in searched_together(shipped) if (left := [q for q in one if q.key not in known])]
    for number, questions in enumerate(stale, start=1):
        answers = ask_together(questions, limits())
        known |= {q.key: (q, answer) for q, answer in zip(questions, answers, strict=True)}
        print(f"{number} of {len(stale)} searches done", flush=True)
    write(known)


def asked_by(study: Study) -> Answered:
    """What was asked so far."""
    return {key: (study.asked[key], answer) for key, answer in study.answered.items()}


def searched_together(shipped: ShippedAnswers) -> list[list[Question]]:
    """The questions that one search answers, search by search, small ones first."""
    found: dict[tuple[str, str], list[Question]] = {}
    states: dict[tuple[str, str], int] = {}
    for question, written in shipped.questions(version_named):
        search = (question.model.profile.name, question.search_key)
        found.setdefault(search, []).append(question)
        states[search] = max(states.get(search, 0), written["distinct"])
    return [questions for search, questions in sorted(found.items(), key=lambda item: states[item[0]])]


def check() -> int:
    """Search for every shipped answer, and say which are others now."""
    shipped = read_shipped(FILE)
    searches = searched_together(shipped)
    wrong = 0
    for number, questions in enumerate(searches, start=1):
        for question, answer in zip(questions, ask_together(questions, limits()), strict=True):
            if shipped.answer(question) != answer:
                wrong += 1
                about = {"profile": question.model.profile.name, **question.model.plain_settings}
                print(f"{question.property} is now {answer.verdict}, or is stale: {about}", flush=True)
        print(f"{number} of {len(searches)} searches done, {wrong} answers are others now", flush=True)
    return 1 if wrong else 0


def main(arguments: Sequence[str]) -> int:
    """Add what is missing, or check what is there."""
    if arguments == ["--check"]:
        return check()
    if arguments == ["--renew"]:
        renew()
        return 0
    add()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
