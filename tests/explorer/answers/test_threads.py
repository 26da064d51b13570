"""Threads of searches that have ended go to the last ones."""

from __future__ import annotations

import pytest

from neverlost.explorer.answers import questions
from neverlost.explorer.answers.questions import Answers, Question
from neverlost.explorer.engines import compiled
from neverlost.explorer.result import Result
from neverlost.spec import profiles

SMALL = profiles()["published/replicated-log"].bounded()
LARGE = profiles()["published/kip-320"].bounded(replicas=3, log_size=2, records=2, leader_epochs=2)


def threads_of(asked: list[Question], workers: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many threads each search has at its end."""
    ended: list[Result] = []

    def explore(*arguments: object, **options: object) -> Result:
        ended.append(searched(*arguments, **options))  # type: ignore[arg-type]
        return ended[-1]

    searched = questions.explore
    with monkeypatch.context() as patch:
        patch.setattr(compiled, "WORTH_WORKERS", 100)
        patch.setattr(compiled, "TURN_SECONDS", 1e-4)
        patch.setattr(questions, "explore", explore)
        assert len(dict(Answers(None).ask_all(asked, workers=workers))) == len(asked)
    return [result.workers for result in ended]


def test_a_search_alone_has_every_thread_and_many_have_one_each(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = Question(model=LARGE, property="type_ok")
    assert threads_of([alone], 3, monkeypatch) == [3]
    assert threads_of([alone], 1, monkeypatch) == [1]
    many = [Question(model=SMALL.profile.bounded(records=n), property="type_ok") for n in (2, 3, 4, 5)]
    assert threads_of(many, 2, monkeypatch)[:2] == [1, 1]


def test_the_last_search_takes_on_the_thread_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [Question(model=SMALL, property="type_ok"), Question(model=LARGE, property="type_ok")]
    assert threads_of(asked, 2, monkeypatch)[-1] == 2
